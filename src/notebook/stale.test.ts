import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Cell, Notebook, SourceEntry } from "../records/notebook.ts";
import { SHARP } from "../records/params.ts";
import { newCell, newNotebook, fingerprint, staleReasons, modelCellFor, sourceCellsFor } from "./kinds.ts";
import { replaceCell } from "./edits.ts";
import { type ExampleFile, readNotebook } from "./file.ts";

const file = JSON.parse(readFileSync("public/samples/example.json", "utf8")) as ExampleFile;
// As the app opens it: parameters that the file does not name get today's values.
const notebook = readNotebook(file.notebook);

const find = <K extends Cell["kind"]>(book: Notebook, kind: K) =>
  book.cells.find((cell) => cell.kind === kind) as Extract<Cell, { kind: K }>;
const reasons = (book: Notebook, kind: Cell["kind"]) => staleReasons(book, find(book, kind));

describe("staleReasons of the recorded example", () => {
  it("are none: it was recorded as it stands", () => {
    for (const cell of notebook.cells) expect(staleReasons(notebook, cell)).toEqual([]);
  });

  it("name another model, for all that ran on it", () => {
    const model = find(notebook, "model");
    const changed = replaceCell(notebook, { ...model, input: { ...model.input, backend: "webgpu" } });
    for (const kind of ["model", "memorize", "ask"] as const)
      expect(reasons(changed, kind)).toEqual(["another model or backend is set"]);
  });

  it("name parameters and sources", () => {
    const memorize = find(notebook, "memorize");
    const changed = replaceCell(notebook, { ...memorize, input: { params: { ...SHARP, theta: 0.7 } } });
    expect(reasons(changed, "memorize")).toEqual(["the parameters changed"]);
    const source = find(notebook, "source");
    const emptied = replaceCell(notebook, { ...source, input: { ...source.input, documents: [] } });
    expect(reasons(emptied, "memorize")).toEqual(["the sources changed"]);
  });

  it("do not care whether the text is still kept, nor for the order of settings", () => {
    const source = find(notebook, "source");
    const documents = source.input.documents.map((entry): SourceEntry => ({ ...entry, kept: !entry.kept }));
    expect(
      reasons(replaceCell(notebook, { ...source, input: { ...source.input, documents } }), "memorize"),
    ).toEqual([]);
    const memorize = find(notebook, "memorize");
    const params = Object.fromEntries(
      Object.entries(memorize.input.params).reverse(),
    ) as unknown as typeof SHARP;
    expect(reasons(replaceCell(notebook, { ...memorize, input: { params } }), "memorize")).toEqual([]);
  });

  it("name a memory that lost a fact, and no question that is being written: answers stand under their own", () => {
    const ask = find(notebook, "ask");
    const other = replaceCell(notebook, { ...ask, input: { ...ask.input, question: "Who?" } });
    expect(reasons(other, "ask")).toEqual([]);
    const store = find(notebook, "store");
    const stamp = { ...find(notebook, "memorize").output!.stamp, at: "2027-01-01T00:00:00Z" };
    const certificate = { keys: [], before: [], after: [], compared: 0, retained: 0, changed: 0 };
    const deleted = replaceCell(notebook, {
      ...store,
      output: { certificates: [{ certificate, stamp }], stamp },
    });
    expect(reasons(deleted, "ask")).toEqual(["the memory changed"]);
  });
});

describe("which cells a cell rests on", () => {
  const cells = [
    newCell("ask", "early"),
    newCell("model", "m1"),
    newCell("source", "s1"),
    newCell("memorize", "z"),
    newCell("model", "m2"),
    newCell("source", "s2"),
    newCell("ask", "late"),
  ];
  const book = newNotebook("n", "t", cells, "x");

  it("the nearest model above, else the first below", () => {
    expect(modelCellFor(book, "late")?.id).toBe("m2");
    expect(modelCellFor(book, "z")?.id).toBe("m1");
    expect(modelCellFor(book, "early")?.id).toBe("m1");
    expect(modelCellFor(newNotebook("n", "t", [cells[0]!], "x"), "early")).toBeNull();
  });

  it("the sources above", () => {
    expect(sourceCellsFor(book, "z").map(({ id }) => id)).toEqual(["s1"]);
  });

  it("a cell that is gone rests on nothing", () => {
    expect(fingerprint(book, "gone")).toBe("");
  });
});
