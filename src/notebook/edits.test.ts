import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Cell, Notebook } from "../records/notebook.ts";
import { newCell, newNotebook } from "./kinds.ts";
import {
  apply,
  replaceCell,
  EMPTY_HISTORY,
  DESCRIPTIONS,
  edit,
  redo,
  undo,
  type Edit,
  type Edited,
} from "./edits.ts";

const start = newNotebook(
  "n",
  "Start",
  ["a", "b", "c"].map((id) => newCell("note", id, { text: id })),
  "2026-01-01T00:00:00Z",
);

/** A list of wishes that becomes edits of whatever notebook there is by then. */
const wishes = fc.array(
  fc.record({
    kind: fc.constantFrom("add", "remove", "move", "rename", "input", "title"),
    at: fc.nat(9),
    to: fc.integer({ min: -2, max: 12 }),
    text: fc.string({ maxLength: 5 }),
  }),
  { maxLength: 40 },
);

function editOf(
  { kind, at, to, text }: { kind: string; at: number; to: number; text: string },
  { cells }: Notebook,
  serial: number,
): Edit | null {
  if (kind === "title") return { kind, title: text };
  if (kind === "add") return { kind, cell: newCell("note", `new-${serial}`, { text }), index: to };
  const id = cells[at % Math.max(1, cells.length)]?.id;
  if (id === undefined) return null;
  if (kind === "remove") return { kind, id };
  if (kind === "move") return { kind, id, index: to };
  return kind === "rename" ? { kind, id, title: text } : { kind: "input", id, input: { text } };
}

function applyAll(list: Parameters<typeof editOf>[0][]): { states: Edited[] } {
  const states: Edited[] = [{ notebook: start, history: EMPTY_HISTORY }];
  list.forEach((wish, i) => {
    const now = states.at(-1)!;
    const change = editOf(wish, now.notebook, i);
    if (change) states.push(edit(now, change));
  });
  return { states };
}

describe("edits", () => {
  it("are taken back by their inverse", () => {
    fc.assert(
      fc.property(wishes, (list) => {
        let notebook: Notebook = start;
        list.forEach((wish, i) => {
          const change = editOf(wish, notebook, i);
          if (!change) return;
          const done = apply(notebook, change);
          expect(apply(done.notebook, done.inverse).notebook).toEqual(notebook);
          expect(new Set(done.notebook.cells.map(({ id }) => id)).size).toBe(done.notebook.cells.length);
          notebook = done.notebook;
        });
      }),
    );
  });

  it("undone one after the other lead back to the start, and redone to the end", () => {
    fc.assert(
      fc.property(wishes, (list) => {
        const { states } = applyAll(list);
        const end = states.at(-1)!;
        let now = end;
        for (let i = 0; i < 60; i++) now = undo(now);
        expect(now.notebook).toEqual(start);
        expect(undo(now)).toBe(now);
        for (let i = 0; i < 60; i++) now = redo(now);
        expect(now.notebook).toEqual(end.notebook);
      }),
    );
  });

  it("of one cell's input are one step", () => {
    let now: Edited = { notebook: start, history: EMPTY_HISTORY };
    for (const text of ["x", "xy", "xyz"]) now = edit(now, { kind: "input", id: "b", input: { text } });
    expect(undo(now).notebook).toEqual(start);
  });

  it("leave outputs alone that came in meanwhile", () => {
    const model = newCell("model", "m");
    let now = edit({ notebook: start, history: EMPTY_HISTORY }, { kind: "add", cell: model, index: 0 });
    now = edit(now, { kind: "remove", id: "a" });
    const output = { fake: "output" } as unknown as NonNullable<Extract<Cell, { kind: "model" }>["output"]>;
    now = { ...now, notebook: replaceCell(now.notebook, { ...model, output }) };
    now = undo(now);
    expect(now.notebook.cells.map(({ id }) => id)).toEqual(["m", "a", "b", "c"]);
    expect(now.notebook.cells[0]!.output).toBe(output);
  });

  it("say what is wrong", () => {
    expect(() => apply(start, { kind: "remove", id: "z" })).toThrow(/no cell "z" in "Start"/);
    expect(() => apply(start, { kind: "add", cell: newCell("note", "a"), index: 0 })).toThrow(
      /"a" is there already/,
    );
  });

  it("are named for the undo button", () => {
    const { inverse } = apply(start, { kind: "remove", id: "a" });
    expect(DESCRIPTIONS[inverse.kind]).toBe("bring the cell back");
  });
});
