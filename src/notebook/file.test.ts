import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Notebook } from "../records/notebook.ts";
import { duplicate, newCell, newNotebook, CELL_KINDS } from "./kinds.ts";
import { type ExampleFile, readNotebook, readNotebookFile, writeNotebookFile } from "./file.ts";

const recorded = JSON.parse(readFileSync("public/samples/example.json", "utf8")) as ExampleFile;
/** As this build has it: with the parameters that came after it was recorded. */
const example = readNotebook(recorded.notebook);
const everyKind = newNotebook(
  "n",
  "Every kind",
  CELL_KINDS.map((kind, i) => ({ ...newCell(kind, `c${i}`), ...(i === 1 && { collapsed: true }) })),
  "2026-01-01T00:00:00Z",
);

/** `notebook` with the value at `path` replaced. */
function broken(notebook: Notebook, path: readonly (string | number)[], value: unknown): unknown {
  const copy = structuredClone(notebook) as unknown as Record<string, unknown>;
  let at = copy;
  for (const key of path.slice(0, -1)) at = at[key as string] as Record<string, unknown>;
  at[path.at(-1) as string] = value;
  return copy;
}

describe("export and import", () => {
  it.each([["the recorded example", example] as const, ["every kind of cell", everyKind] as const])(
    "gives %s back as it was",
    (_, notebook) => {
      expect(readNotebookFile(writeNotebookFile(notebook))).toEqual(notebook);
    },
  );

  it("keeps how the gates of a deletion stood, and asks for it of no older certificate", () => {
    const stamp = { at: "x", milliseconds: 1, model: "m", backend: "wasm", app: "1", inputs: "i" };
    const read = { similarity: 0.4, gateOpen: false, nearest: null, own: false };
    const plain = { key: "Mary (1)", text: "" };
    const certificate = {
      keys: ["Mary (1)"],
      before: [{ ...plain, read }, plain],
      after: [
        { ...plain, gateOpen: false, read },
        { ...plain, gateOpen: true },
      ],
      compared: 0,
      retained: 0,
      changed: 0,
    };
    const cell = { ...newCell("store", "s"), output: { certificates: [{ certificate, stamp }], stamp } };
    const notebook = newNotebook("n", "Deleted", [cell as Notebook["cells"][number]], "x");
    expect(readNotebookFile(writeNotebookFile(notebook))).toEqual(notebook);
  });

  it("keeps any text as text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (title, note) => {
        const notebook = newNotebook("n", title, [newCell("note", "a", { text: note })], "x");
        expect(readNotebookFile(writeNotebookFile(notebook))).toEqual(notebook);
      }),
    );
  });

  it("keeps nothing that no record has", () => {
    const hostile = JSON.parse(
      `{"format":"palimpsest-notebook","version":1,"id":"n","title":"<img src=x onerror=alert(1)>","created":"x",
        "updated":"x","extra":1,"__proto__":{"polluted":true},
        "cells":[{"id":"a","kind":"note","title":"","output":null,"constructor":1,
          "input":{"text":"<script>alert(1)</script>","__proto__":{"polluted":true}}}]}`,
    ) as unknown;
    const notebook = readNotebook(hostile);
    expect(Object.keys(notebook).sort()).toEqual(Object.keys(everyKind).sort());
    expect(Object.keys(notebook.cells[0]!).sort()).toEqual(["id", "input", "kind", "output", "title"]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(notebook.cells[0]!.input)).toBe(Object.prototype);
  });
});

describe("what is refused", () => {
  it.each([
    ["no JSON", "{", /not JSON/],
    ["another file", '{"a":1}', /format is missing, expected "palimpsest-notebook"/],
    ["a list", "[]", /not a notebook/],
    [
      "a newer version",
      JSON.stringify({ ...everyKind, version: 2 }),
      /version 2.*close every tab of Palimpsest/,
    ],
    ["no version", JSON.stringify({ ...everyKind, version: "1" }), /version must be a whole number/],
  ])("%s", (_, file, message) => {
    expect(() => readNotebookFile(file)).toThrow(message);
  });

  it.each([
    [
      ["cells", 0, "kind"],
      "quiz",
      /^notebook: cells\[0\]\.kind is "quiz"; "note" or "model" or .* is expected/,
    ],
    [["cells", 0, "kind"], "constructor", /cells\[0\]\.kind/],
    [["cells", 0, "input", "text"], 5, /^notebook: cells\[0\]\.input\.text is 5; text is expected/],
    [["cells", 1, "input", "backend"], "cuda", /backend is "cuda"; "auto" or "webgpu" or "wasm" is expected/],
    [
      ["cells", 1, "input", "source"],
      { kind: "url" },
      /source\.kind is "url"; "bundled" or "hub" or "files" is expected/,
    ],
    [["cells", 3, "input", "params", "theta"], null, /params\.theta must be a number/],
    [["cells", 3, "output"], {}, /cells\[3\]\.output/],
    [
      ["cells", 0, "output"],
      { x: 1 },
      /cells\[0\]\.output is {"x":1}; null: this kind of cell has no output/,
    ],
    [["cells", 1, "id"], "c0", /same id/],
    [["cells"], { length: 3 }, /cells is {"length":3}; a list is expected/],
    [["title"], undefined, /title is missing; text is expected/],
  ])("%j = %j", (path, value, message) => {
    expect(() => readNotebook(broken(everyKind, path, value))).toThrow(message);
  });

  it("any broken leaf of the recorded example, by an error that names the place", () => {
    const leaves: (string | number)[][] = [];
    const walk = (value: unknown, path: (string | number)[]): void => {
      if (typeof value === "object" && value !== null)
        for (const [key, item] of Object.entries(value)) walk(item, [...path, key]);
      else leaves.push(path);
    };
    walk(recorded.notebook.cells, ["cells"]);
    fc.assert(
      fc.property(fc.nat(leaves.length - 1), (i) => {
        const path = leaves[i]!;
        // No field of any record is a list of lists.
        expect(() => readNotebook(broken(example, path, [[]]))).toThrow(/^notebook: /);
      }),
    );
  });
});

describe("another version", () => {
  it("is refused", () => {
    expect(() => readNotebook({ ...everyKind, version: 0 })).toThrow(/whole number from 1/);
    expect(() => readNotebook({ ...everyKind, version: 2 })).toThrow(
      /has version 2, this app reads version 1/,
    );
  });
});

describe("duplicate", () => {
  it("has new ids and the same contents", () => {
    let last = 0;
    const copy = duplicate(example, { id: "m", title: "t", now: "y", cellId: () => `d${++last}` });
    expect(readNotebookFile(writeNotebookFile(copy))).toEqual(copy);
    expect(copy.cells.map(({ input }) => input)).toEqual(example.cells.map(({ input }) => input));
    expect(copy.cells.some(({ id }) => example.cells.some((cell) => cell.id === id))).toBe(false);
  });
});
