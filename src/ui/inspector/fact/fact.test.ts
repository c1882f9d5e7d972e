/** @file The pure parts of the fact panel: order, links, context, history, vectors. */

import fc from "fast-check";
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { parseFile, readBytes } from "../../../lib/safetensors.ts";
import { newCell, newNotebook } from "../../../notebook/kinds.ts";
import type { ExampleFile } from "../../../notebook/file.ts";
import { charOffset, documentId, layerIndex, type FactId } from "../../../records/ids.ts";
import type { MemoryEntry } from "../../../records/memory.ts";
import type { Notebook, Stamp, StoreCell } from "../../../records/notebook.ts";
import { loadWordSearch } from "../../facts/factColumns.tsx";
import { encodedAgainText, outdone, staysText } from "../../facts/words.ts";
import { factRow, manyRows } from "../../cells/memory/testing/rows.ts";
import { inContext } from "./TextSections.tsx";
import { changeText } from "./EditFact.tsx";
import { firstValue, historyOf, around, factHash, factOfHash, factOrder, stepped } from "./useFact.ts";
import { entrySafetensors, vectorNumbers, vectorsJson } from "./VectorSection.tsx";

describe("the order of facts", () => {
  beforeAll(loadWordSearch);
  const rows = manyRows(60);
  it("is that of the table where the table shows the fact, else the source's", () => {
    const plain = factOrder(rows, null, rows[0]!.id);
    expect(plain).toHaveLength(60);
    const view = { search: "clara", sort: { column: "layer", descending: true }, filters: {} };
    const clara = rows.filter(({ anchor }) => anchor.startsWith("Clara"));
    const shown = factOrder(rows, view, clara[0]!.id);
    expect(new Set(shown)).toEqual(new Set(clara.map(({ id }) => id)));
    const layers = shown.map((id) => rows.find((row) => row.id === id)!.layer);
    expect(layers).toEqual([...layers].sort((a, b) => b - a));
    expect(factOrder(rows, view, rows[0]!.id)).toEqual(plain);
  });

  it("is worked out once for many facts", () => {
    const many = manyRows(50_000);
    const first = factOrder(many, null, many[0]!.id);
    expect(factOrder(many, null, many[49_999]!.id)).toBe(first);
    expect(stepped(first, first[24_999]!, 1)).toBe(first[25_000]);
  });

  it("ends at its ends", () => {
    const ids = factOrder(rows, null, rows[0]!.id);
    expect(stepped(ids, ids[0]!, 1)).toBe(ids[1]);
    expect(stepped(ids, ids[0]!, -1)).toBeNull();
    expect(stepped(ids, ids.at(-1)!, 1)).toBeNull();
    expect(stepped(ids, "gone:1" as FactId, 1)).toBeNull();
  });

  it("goes on from the place of a deleted fact, in the order of the table", () => {
    const view = { search: "clara", sort: { column: "layer", descending: true }, filters: {} };
    const ids = factOrder(rows, view, rows.find(({ anchor }) => anchor.startsWith("Clara"))!.id);
    const gone = ids[1]!;
    const left = factOrder(
      rows.filter(({ id }) => id !== gone),
      view,
      gone,
    );
    expect(left).toEqual(ids.filter((id) => id !== gone));
    expect([stepped(left, gone, -1, 1), stepped(left, gone, 1, 1)]).toEqual([ids[0], ids[2]]);
    expect([stepped(left, gone, -1, 0), stepped(left, gone, 1, left.length)]).toEqual([null, null]);
    // Several facts of the end were deleted.
    expect(stepped(left.slice(0, 2), gone, -1, 9)).toBe(left[1]);
    expect(stepped([], gone, -1, 1)).toBeNull();
  });

  it("finds the neighbours in the document", () => {
    const here = [0, 30, 60, 90].map((offset) => factRow({ offset }));
    const elsewhere = factRow({ documentId: documentId("bbbbbbbbbbbbbbbb"), offset: 61 });
    const { before, after } = around([...here, elsewhere].reverse(), here[2]!, 2);
    expect([before, after].map((list) => list.map(({ offset }) => offset))).toEqual([[0, 30], [90]]);
    const many = [5, 4, 9, 1, 8, 2].map((offset) => factRow({ offset }));
    const found = around(many, factRow({ offset: 5 }), 2);
    expect(found.before.map(({ offset }) => offset)).toEqual([2, 4]);
    expect(found.after.map(({ offset }) => offset)).toEqual([8, 9]);
  });
});

describe("links", () => {
  it("name a fact, whatever its id, and nothing else", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[^:\ud800-\udfff]{1,20}$/u), fc.nat(), (document, offset) => {
        const id = `${document}:${offset}` as FactId;
        expect(factOfHash(factHash(id))).toBe(id);
      }),
    );
    for (const hash of ["", "#cell-1", "#fact=", "#fact=x", "#fact=%E0%A4%A", "#fact=a:b"])
      expect(factOfHash(hash)).toBeNull();
  });
});

describe("a sentence in context", () => {
  it("stands between the words around it; what is cut is marked", () => {
    const text = "ago it was. Mary left. Then John";
    expect(inContext(text, 100, 112, "Mary left.")).toEqual({
      before: "… it was. ",
      sentence: "Mary left.",
      after: " Then John",
    });
    expect(inContext("Mary left. Then", 0, 0, "Mary left.")).toMatchObject({ before: "", after: " Then" });
  });

  it("is not made up where the text says something else", () => {
    expect(inContext("Mary left.", 0, 0, "Mary stayed.")).toEqual({
      before: "",
      sentence: "",
      after: "Mary left.",
    });
  });
});

describe("the history of a fact", () => {
  const { notebook, facts } = JSON.parse(readFileSync("public/samples/example.json", "utf8")) as ExampleFile;
  const ask = notebook.cells.find((cell) => cell.kind === "ask")!;
  const exchange = ask.output!.history.find(({ answer }) => answer.cited.length > 0)!;
  const row = facts.find(({ anchor, index }) => `${anchor} (${index})` === exchange.answer.cited[0])!;

  it("is read off the cells: memorised, then cited or recalled", () => {
    const events = historyOf(notebook, row);
    expect(events.map(({ kind }) => kind)).toContain("cited");
    expect(events.at(-1)).toMatchObject({ kind: "memorised", at: row.memorizedAt });
    const cited = events.find(({ kind }) => kind === "cited")!;
    expect(cited).toMatchObject({ cellId: ask.id, at: exchange.stamp.at });
    expect(cited.text).toContain(exchange.answer.question);
    const other = facts.find((fact) => !exchange.answer.recalled.some(({ id }) => id === fact.id))!;
    expect(historyOf(notebook, other).filter(({ at }) => at === exchange.stamp.at)).toEqual([]);
  });

  it("has what was encoded again, and the sentence as it was at first", () => {
    const store = notebook.cells.find((cell) => cell.kind === "store") as StoreCell;
    const stamp: Stamp = { ...exchange.stamp, at: "2027-01-01T00:00:00.000Z" };
    const made = (from: string, to: string) => ({
      id: row.id,
      key: "k",
      before: { value: from, layer: row.layer },
      after: { value: to, layer: layerIndex(9), exact: true, fidelity: 1, steps: 7 },
      stamp,
    });
    const reencodings = [made("second", "third"), made("first", "second")];
    const changed = {
      ...notebook,
      cells: notebook.cells.map((cell) =>
        cell === store ? { ...store, output: { certificates: [], reencodings, stamp } } : cell,
      ),
    };
    expect(firstValue(notebook, row)).toBeNull();
    expect(firstValue(changed, row)).toBe("first");
    const [newest] = historyOf(changed, row);
    expect(newest!.text).toBe(`“second” became “third”, layer ${row.layer} → 9, exact after 7 steps`);
  });
});

describe("a fact encoded once more", () => {
  const at = (hour: number) => `2026-11-21T${String(hour)}:00:00.000Z`;
  const row = { ...factRow({ exact: false, fidelity: 0.5, memorizedAt: at(10) }), value: "Sandra left." };
  const stamp = (hour: number): Stamp => ({
    at: at(hour),
    milliseconds: 1,
    backend: "",
    model: "",
    app: "",
    inputs: "",
  });
  const made = (hour: number, fidelity: number, from = row.value) => ({
    id: row.id,
    key: "k",
    before: { value: from, layer: row.layer },
    after: { value: row.value, layer: row.layer, exact: fidelity === 1, fidelity, steps: 9 },
    stamp: stamp(hour),
  });
  const notebookOf = (...reencodings: ReturnType<typeof made>[]): Notebook => {
    const store = newCell("store", "s") as StoreCell;
    const output = { certificates: [], reencodings, stamp: stamp(12) };
    return newNotebook("n", "N", [{ ...store, output }], at(9));
  };
  const texts = (notebook: Notebook, of = row) =>
    historyOf(notebook, of)
      .filter(({ kind }) => kind === "encoded again")
      .map(({ text }) => text);

  it("says that the earlier vector stays where it is better, and against what", () => {
    const notebook = notebookOf(made(12, 0.43), made(11, 0.4));
    const [newest] = outdone(notebook, row);
    expect(changeText(row, row, newest!.after)).toBe(
      "The earlier vector was better (F1 0.50 against 0.43) and stays.",
    );
    expect(encodedAgainText(notebook, [row])).toBe(changeText(row, row, newest!.after));
    expect(texts(notebook)).toEqual([
      "inexact, F1 0.43, the earlier vector was better and stays",
      "inexact, F1 0.40, the earlier vector was better and stays",
    ]);
    const exact = factRow({ memorizedAt: at(10) });
    expect(encodedAgainText(notebook, [exact])).toBe(
      "The earlier vector was better (exact against F1 0.43) and stays.",
    );
    expect(encodedAgainText(notebookOf(made(12, 0.4999)), [{ ...row, fidelity: 0.5005 }])).toContain(
      "F1 0.50 against 0.49)",
    );
    expect(staysText({ exact: false, fidelity: 0.5041 }, { exact: false, fidelity: 0.5012 })).toContain(
      "(F1 0.5041 against 0.5012)",
    );
  });

  it("does not say so of what is stored, of a changed value, or of an earlier memorising", () => {
    expect(outdone(notebookOf(made(12, 0.5)), row)).toEqual([]);
    expect(outdone(notebookOf(made(12, 0.5), made(11, 0.3)), row)).toEqual([]);
    expect(outdone(notebookOf(made(12, 0.43, "Another.")), row)).toEqual([]);
    expect(outdone(notebookOf(made(12, 0.43)), { ...row, memorizedAt: at(13) })).toEqual([]);
    expect(changeText(row, row)).toMatch(/^Encoded again: not recalled exactly/);
  });

  it("is counted where several were", () => {
    const other = factRow({ offset: 99 });
    const notebook = notebookOf(made(12, 0.43), { ...made(12, 1), id: other.id });
    expect(encodedAgainText(notebook, [row, other])).toBe(
      "2 facts encoded again. For 1 of them the earlier vector was better and stays.",
    );
    expect(encodedAgainText(notebook, [other])).toBe("1 fact encoded again.");
  });
});

describe("vectors", () => {
  const key = Float32Array.from([0.5, -1, 2, 0]);
  const entry: MemoryEntry = {
    id: "d:1" as FactId,
    documentId: documentId("d"),
    anchor: "Mary",
    index: 2,
    offset: charOffset(1),
    part: 1,
    start: 0,
    layer: layerIndex(3),
    tokens: 5,
    key,
    residual: Float32Array.from([-0, NaN]),
    report: { steps: 1, exact: true, fidelity: 1, recalled: null, deltaNorm: 1, margin: 1, losses: [] },
  };

  it("are summarised in numbers", () => {
    expect(vectorNumbers(key)).toEqual({
      length: 4,
      norm: Math.sqrt(5.25),
      min: -1,
      max: 2,
      mean: 0.375,
      deviation: Math.sqrt((0.125 ** 2 + 1.375 ** 2 + 1.625 ** 2 + 0.375 ** 2) / 4),
    });
  });

  it("are written as safetensors bit for bit, and as JSON", () => {
    const bytes = entrySafetensors(entry, "tiny ab");
    const file = parseFile(bytes, "vectors");
    expect(file.metadata).toMatchObject({ fact: "Mary (2)", layer: "3", model: "tiny ab" });
    const read = file.tensors.map((tensor) => new Float32Array(readBytes(bytes, tensor)));
    expect(read[0]).toEqual(key);
    expect(Object.is(read[1]![0], -0)).toBe(true);
    expect(read[1]![1]).toBeNaN();
    expect(JSON.parse(vectorsJson({ ...entry, residual: key }))).toMatchObject({
      fact: "Mary (2)",
      residual: [0.5, -1, 2, 0],
    });
  });
});
