import { expect, test } from "vitest";
import type { Cell, Stamp } from "../records/notebook.ts";
import { newCell, stampsOf } from "./kinds.ts";

const at = (day: number): Stamp => ({
  at: `2026-11-${day}T12:00:00.000Z`,
  milliseconds: 1,
  backend: "cpu",
  model: "m@0",
  app: "0",
  inputs: "",
});
const made = (cell: Cell, output: unknown): Cell => ({ ...cell, output }) as Cell;

test("a memory cell says when it was memorised, and beside it when facts were deleted or encoded again", () => {
  const older = made(newCell("memorize", "a"), { stamp: at(20) });
  const latest = made(newCell("memorize", "b"), { stamp: at(22) });
  const bare = newCell("store", "s");
  const said = (store: Cell) =>
    stampsOf({ cells: [latest, older, store] }, store).map(({ name, stamp }) => [
      name,
      stamp.at.slice(8, 10),
    ]);
  expect(said(bare)).toEqual([["Memorised", "22"]]);
  const changed = made(bare, {
    certificates: [{ stamp: at(21) }],
    reencodings: [{ stamp: at(23) }],
    stamp: at(23),
  });
  expect(said(changed)).toEqual([
    ["Memorised", "22"],
    ["Last deletion", "21"],
    ["Last encoded again", "23"],
  ]);
  expect(stampsOf({ cells: [bare] }, bare)).toEqual([]);
  expect(stampsOf({ cells: [older] }, older)).toEqual([{ name: "", stamp: at(20) }]);
});
