/** @file What stays of a saved notebook that cannot be read as it is; attacks on it: notebook.attacks.test.ts. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Cell, Notebook } from "../records/notebook.ts";
import { type ExampleFile, readNotebook } from "./file.ts";
import { mendNotebook } from "./mend.ts";

const example = JSON.parse(readFileSync("public/samples/example.json", "utf8")) as ExampleFile;
const notebook = readNotebook(example.notebook);
const at = (kind: Cell["kind"]): number => notebook.cells.findIndex((cell) => cell.kind === kind);
const withCell = (kind: Cell["kind"], change: (cell: Record<string, unknown>) => unknown): unknown => ({
  ...notebook,
  cells: notebook.cells.map((cell) => (cell.kind === kind ? change({ ...cell }) : cell)),
});
const others = ({ cells }: Notebook, kind: Cell["kind"]) => cells.filter((cell) => cell.kind !== kind);

describe("a saved notebook that is mended", () => {
  it("is as it was where all of it can be read", () => {
    expect(mendNotebook(notebook)).toEqual({ notebook, left: [] });
  });

  it("keeps of a history the answers that can be read", () => {
    const { history, stamp } = notebook.cells[at("ask")]!.output as Extract<Cell, { kind: "ask" }>["output"] &
      object;
    const [first, ...rest] = history;
    const recalled = first!.answer.recalled.map((one) => ({
      ...one,
      read: { ...one.read, similarity: NaN },
    }));
    const odd = { ...first, answer: { ...first!.answer, recalled } };
    const broken = withCell("ask", (cell) => ({ ...cell, output: { history: [odd, ...rest], stamp } }));
    const mended = mendNotebook(broken);
    expect(mended.notebook.cells[at("ask")]!.output).toEqual({ history: rest, stamp });
    expect(others(mended.notebook, "ask")).toEqual(others(notebook, "ask"));
    expect(mended.left).toEqual([
      expect.stringMatching(/history\[0\]\.answer\.recalled.*similarity is null/),
    ]);
  });

  it("has the input of a new cell where the saved one cannot be read, and no cell of a kind there is not", () => {
    const odd = mendNotebook(withCell("ask", (cell) => ({ ...cell, input: { question: 7 } })));
    expect(odd.notebook.cells[at("ask")]).toMatchObject({
      input: { question: "", params: null },
      output: null,
    });
    const gone = mendNotebook(withCell("ask", (cell) => ({ ...cell, kind: "constructor" })));
    expect(gone.notebook.cells).toEqual(others(notebook, "ask"));
    expect(gone.left).toHaveLength(1);
  });

  it("keeps as many texts of a source as a file may have", () => {
    const [entry] = (notebook.cells[at("source")] as Extract<Cell, { kind: "source" }>).input.documents;
    const documents = Array.from({ length: 5001 }, () => entry);
    const mended = mendNotebook(
      withCell("source", (cell) => ({ ...cell, input: { documents, forget: true } })),
    );
    expect(mended.notebook.cells[at("source")]!.input).toEqual({
      documents: documents.slice(1),
      forget: true,
    });
  });

  it("is none where the file is of another program or newer", () => {
    expect(() => mendNotebook({ ...notebook, format: "x" })).toThrow(/not a notebook/);
    expect(() => mendNotebook({ ...notebook, version: 99 })).toThrow(/newer Palimpsest/);
  });
});
