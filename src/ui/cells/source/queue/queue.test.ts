import { expect, test } from "vitest";
import { documentId } from "../../../../records/ids.ts";
import { pastedName, refusal } from "../../../controls/DropZone.tsx";
import { droppedText } from "../SourceCell.tsx";
import { entryFacts } from "../TextList.tsx";

test("what cannot be a text is refused with a reason before it is read", () => {
  expect(refusal("model.safetensors", 10)).toContain("model cell");
  // An empty one gets its row, which says so, as every file that cannot be read does.
  expect(refusal("empty.txt", 0)).toBeNull();
  expect(refusal("huge.txt", 300 * 2 ** 20)).toContain("300 MB");
  expect(refusal("book.epub", 10)).toBeNull();
  // The library looks into the bytes: an unknown name may hold a text.
  expect(refusal("notes", 10)).toBeNull();
});

test("the notice of a drop outside the cell names the file, the cell that reads it and the cell to run", () => {
  const files = [{ name: "bees.txt" }, { name: "b.md" }];
  expect(droppedText(files.slice(1), true)).toBe(
    "The source cell reads “b.md”. Run the memorise cell to store it.",
  );
  expect(droppedText(files, true)).toBe(
    "The source cell reads 2 files. Run the memorise cell to store them.",
  );
  // A notebook without a memorise cell below has no cell to run.
  expect(droppedText(files, false)).toBe("The source cell reads 2 files.");
});

test("a paste is named by its length, and by none of its words", () => {
  expect(pastedName("The office is north of the kitchen.")).toBe("Pasted text, 7 words.txt");
  expect(pastedName("Ghent!")).toBe("Pasted text, 1 word.txt");
  expect(pastedName("# Minutes\n\n**Date:** 14 March")).toBe("Pasted text, 4 words.md");
  expect(pastedName("# 3 is the key of room 4\nIt costs 5 * 3 * 2 euros.")).toBe("Pasted text, 13 words.txt");
});

test("a text is told in one line, with what memorising found of it", () => {
  const entry = {
    id: documentId("0123456789abcdef"),
    title: "The Lamp",
    format: "pdf",
    encoding: null,
    characters: 4372,
    pages: 3,
    notes: [],
    kept: true,
  };
  expect(entryFacts(entry, null)).toBe("pdf, 3 pages, 4,372 characters");
  const source = { ...entry, sentences: 104, candidates: 43, memorizedAt: "" };
  expect(entryFacts({ ...entry, format: "txt", encoding: "utf-8", pages: null }, source)).toBe(
    "txt, utf-8, 4,372 characters, 104 sentences, 43 of them candidates",
  );
});
