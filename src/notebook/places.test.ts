import { expect, test } from "vitest";
import type { DocumentId } from "../records/ids.ts";
import type { Cell } from "../records/notebook.ts";
import { newCell, newNotebook, interruptedCell } from "./kinds.ts";

/** A source cell that lists one text, whose id is `document`. */
function listing(id: string, document: string): Cell {
  const cell = newCell("source", id);
  const entry = {
    id: document as DocumentId,
    title: document,
    format: "txt",
    encoding: "utf-8",
    characters: 1,
    notes: [],
    pages: null,
    kept: true,
  };
  return { ...cell, input: { ...cell.input, documents: [entry] } };
}

const cells = [
  newCell("model", "model"),
  listing("first", "a"),
  newCell("memorize", "writes a"),
  listing("second", "b"),
  newCell("memorize", "writes b"),
];
const notebook = newNotebook("n", "Two texts", cells, "2026-01-01T00:00:00Z");
const after = (...documents: string[]) =>
  interruptedCell(notebook, { sources: documents.map((id) => ({ id: id as DocumentId })) })?.id;

test("an interrupted run is taken up by the memorise cell that began it, not by the first", () => {
  expect(after("a")).toBe("writes a");
  expect(after("a", "b")).toBe("writes b");
  expect(after("a", "gone")).toBe("writes a");
});
