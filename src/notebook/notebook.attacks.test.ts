/** @file Notebooks from elsewhere: newer, broken, made to change what every object has, or to keep the page from coming. */

import { expect } from "vitest";
import { attacks, refused } from "../lib/testing/attacks.ts";
import type { Notebook } from "../records/notebook.ts";
import { newCell, newNotebook } from "./kinds.ts";
import { notebookText, readNotebook, readNotebookFile, writeNotebookFile } from "./file.ts";
import { mendNotebook } from "./mend.ts";
import { readQuestionSet } from "./questionSet.ts";

const NOTEBOOK = newNotebook(
  "n",
  "From elsewhere",
  [newCell("note", "a", { text: "x" }), newCell("source", "s"), newCell("ask", "q")],
  "2026-01-01T00:00:00.000Z",
);

/** The file of the notebook with `change` made to what is in it. */
const file = (change: (body: Record<string, unknown>) => unknown): string =>
  JSON.stringify(change(JSON.parse(writeNotebookFile(NOTEBOOK)) as Record<string, unknown>));

const notRead = (text: string, message: RegExp): Promise<void> =>
  refused(() => readNotebookFile(text), message);

const withCell = (cell: unknown): string => file((body) => ({ ...body, cells: [cell] }));
const note = (id: string): unknown => ({ ...newCell("note", id, { text: "x" }) });

/** A source cell with so many texts. */
const texts = (count: number): unknown => ({
  ...newCell("source", "s"),
  input: { documents: Array.from({ length: count }, () => ({})), forget: false },
});

attacks("notebooks", {
  "a file that is no JSON": () => notRead("<html>", /is not JSON/),
  "an empty file": () => notRead("", /is not JSON/),
  "a notebook of another program": () => notRead('{"nbformat":4,"cells":[]}', /is not a notebook/),
  "a newer version": () =>
    notRead(
      file((body) => ({ ...body, version: 99 })),
      /made by a newer Palimpsest/,
    ),
  "a version that is no number": () =>
    notRead(
      file((body) => ({ ...body, version: "1" })),
      /whole number from 1/,
    ),
  "__proto__ as a key everywhere": () => {
    const poison = '{"__proto__":{"stolen":true},"constructor":{"prototype":{"stolen":true}},';
    const read = readNotebookFile(
      file((body) => body)
        .replaceAll("{", poison)
        .replaceAll(",}", "}"),
    );
    expect(read).toEqual(NOTEBOOK);
    expect({}).not.toHaveProperty("stolen");
    expect(JSON.stringify(read)).not.toContain("stolen");
  },
  "__proto__ as a filter of the table": () => {
    const store = { ...newCell("store", "f") };
    const text = withCell(store).replace('"filters":{}', '"filters":{"__proto__":"x","anchor":"y"}');
    const cell = readNotebookFile(text).cells[0] as Extract<Notebook["cells"][number], { kind: "store" }>;
    expect(Object.keys(cell.input.filters)).toEqual(["anchor"]);
    expect(Object.getPrototypeOf(cell.input.filters)).toBe(Object.prototype);
  },
  "a cell called constructor": {
    fault: "what the page keeps by cell was then a function, and the page ended in an error",
    attack: () => notRead(withCell(note("constructor")), /invalid id "constructor"/),
  },
  "a cell called __proto__": {
    fault: "what the page keeps by cell was then what every object has",
    attack: () => notRead(withCell(note("__proto__")), /invalid id "__proto__"/),
  },
  "a cell whose id is markup": {
    fault: "any text was taken for an id, and stood in addresses and attributes",
    attack: () =>
      notRead(
        withCell(note('"><img src=x onerror=steal()>')),
        /invalid id .*; expected up to 100 letters, digits/,
      ),
  },
  "a notebook whose id is a path": {
    fault: "any text was taken for an id",
    attack: () =>
      notRead(
        file((body) => ({ ...body, id: "../../x" })),
        /invalid id .*; expected up to 100 letters, digits/,
      ),
  },
  "two cells of one id": () =>
    notRead(
      file((body) => ({ ...body, cells: [note("a"), note("a")] })),
      /two cells have the same id/,
    ),
  "fifty thousand cells": {
    fault: "was opened, and the page never came",
    attack: () =>
      notRead(
        file((body) => ({ ...body, cells: Array.from({ length: 50_000 }, () => 0) })),
        /a list of at most 500/,
      ),
  },
  "a source of a hundred thousand texts": {
    fault: "was opened, and the page never came",
    attack: () => notRead(withCell(texts(100_000)), /a list of at most 5000/),
  },
  "brackets alone, 15 million": {
    fault: "JSON.parse took seconds and a gigabyte before anything was looked at",
    attack: () => notRead("[".repeat(15_000_000), /more than 50 deep/),
  },
  "a gigabyte": {
    fault: "was read into the page before its length was looked at",
    attack: () =>
      refused(
        notebookText({ size: 2 ** 30, text: () => Promise.reject(new Error("test: it was read")) }),
        /a notebook has 20,000,000 characters at most/,
      ),
  },
  "21 MB of a title": () =>
    notRead(
      file((body) => ({ ...body, title: "x".repeat(21_000_000) })),
      /has 21,0[\d,]+ characters/,
    ),
  "a cell of a kind there is not": () =>
    notRead(withCell({ ...newCell("note", "a"), kind: "evil" }), /kind is/),
  "a question set of 10 MB": {
    fault: "was read anew by the page at every key and every drawing, and saved with the notebook",
    attack: () => {
      const { questions, problem } = readQuestionSet("Where is Mary? garden\n".repeat(500_000));
      expect(questions).toEqual([]);
      expect(problem).toMatch(/characters are more than the 500,000/);
    },
  },
  "a question with thousands of spaces and a line separator behind it": {
    fault: "an expression went over the spaces from every one of them, twice: 2.7 KB took the page 49 s",
    attack: () => {
      const text = `a?${" ".repeat(400_000)}x\u2028y`;
      expect(readQuestionSet(text).questions).toEqual([{ ask: "a?", answers: ["x\u2028y"] }]);
    },
  },
  "a line of names with half a million spaces": {
    fault: "an expression went over the spaces from every one of them",
    attack: () => {
      const text = `question${" ".repeat(450_000)}x`;
      expect(readQuestionSet(text).questions).toEqual([{ ask: text, answers: null }]);
    },
  },
  "an answer of tens of thousands of lines": {
    fault: "the answer was copied whole for each further line",
    attack: () =>
      expect(readQuestionSet(`Q: Where?\nA: here\n${"#html:true\n".repeat(40_000)}`).questions).toHaveLength(
        1,
      ),
  },
  "numbers that are none": () =>
    notRead(withCell({ ...newCell("probe", "p"), input: { params: {}, layers: ["1"] } }), /cells\[0\]/),
  "an infinite number": () =>
    notRead(withCell({ ...newCell("probe", "p") }).replace('"layers":null', '"layers":[1e999]'), /a number/),
  "a text where a list belongs": () =>
    notRead(
      file((body) => ({ ...body, cells: "evil" })),
      /cells is "evil"/,
    ),
  "an output that was saved and cannot be read": {
    fault: "was saved without a look, and the notebook never opened again",
    attack: () => {
      const [cell, stamp] = [
        newCell("ask", "q"),
        { at: "", milliseconds: Infinity, backend: "", model: "", app: "", inputs: "" },
      ];
      const saved = { ...NOTEBOOK, cells: [{ ...cell, output: { history: [], stamp } }] };
      expect(() => readNotebook(saved)).toThrow(/milliseconds is null; a number is expected/);
      const { notebook, left } = mendNotebook(saved);
      expect(notebook).toEqual({ ...NOTEBOOK, cells: [cell] });
      expect(left).toEqual([expect.stringMatching(/cells\[0\]\.output\.stamp\.milliseconds is null/)]);
    },
  },
  "more cells and certificates than a file may have, saved": {
    fault:
      "only reading had limits: the cell after the last one was saved, and the notebook never opened again",
    attack: () => {
      const cells = Array.from({ length: 501 }, (_, i) => newCell("note", `n${i}`));
      expect(mendNotebook({ ...NOTEBOOK, cells })).toEqual({ notebook: { ...NOTEBOOK, cells }, left: [] });
      const certificate = { keys: [], before: [], after: [], compared: 0, retained: 0, changed: 0 };
      const stamp = { at: "", milliseconds: 1, backend: "", model: "", app: "", inputs: "" };
      const certificates = Array.from({ length: 5001 }, (_, i) => ({
        certificate: { ...certificate, compared: i },
        stamp,
      }));
      const store = { ...newCell("store", "s"), output: { certificates, stamp } };
      const mended = mendNotebook({ ...NOTEBOOK, cells: [store] });
      expect(mended.notebook.cells[0]!.output).toEqual({ certificates: certificates.slice(0, 5000), stamp });
      expect(mended.left).toHaveLength(1);
    },
  },
  "scripts in every text stay text": () => {
    const evil = "</script><script>steal()</script>\"'`${steal()}";
    const read = readNotebookFile(
      file((body) => ({ ...body, title: evil, cells: [newCell("note", "a", { text: evil })] })),
    );
    expect([read.title, read.cells[0]!.input]).toEqual([evil, { text: evil }]);
  },
});
