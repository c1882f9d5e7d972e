import { expect, test } from "vitest";
import { newCell } from "../../notebook/kinds.ts";
import type { Cell } from "../../records/notebook.ts";
import { closingLine } from "../actions/runs.ts";

const memorised = (encoded: number): Cell => ({ ...newCell("memorize", "m"), output: { encoded } }) as Cell;
const ran = (cell: Cell) => ({ cell, how: "ran" as const });

test("a run of the whole notebook says at its end what nothing came of, and where it stopped", () => {
  const ask = newCell("ask", "a");
  expect(closingLine([ran(memorised(3)), ran(ask)], {})).toBeNull();
  expect(closingLine([ran(memorised(0))], {})).toBe("Run all: “Memorise” had no result: no fact was added.");
  expect(closingLine([{ cell: ask, how: "passed over" }], {})).toBeNull();
  expect(closingLine([{ cell: newCell("questions", "q"), how: "passed over" }], {})).toBe(
    "Run all: “Question set” was passed over: it was given nothing to work on.",
  );
  const problem = { name: "Error", message: "“sigh” has 1 sentence but none with a name.", stack: "" };
  const run = { status: "failed" as const, progress: null, startedAt: null, problem };
  const stopped = { cell: memorised(0), how: "stopped" as const };
  expect(closingLine([stopped], { m: run })).toBe(
    "Run all: it stopped at “Memorise”, which failed: “sigh” has 1 sentence but none with a name.",
  );
  expect(closingLine([stopped], { m: { ...run, status: "cancelled", problem: null } })).toBe(
    "Run all: it was stopped at “Memorise”.",
  );
});
