import { expect, test } from "vitest";
import { markText } from "../../../../ingest/marks.ts";
import { charOffset, documentId, factId, layerIndex } from "../../../../records/ids.ts";
import type { FactRow } from "../../../../records/notebook.ts";
import { countMarks, reasonWords, strokeOf, paragraphsOf, type Overlays } from "./runs.ts";
import { placeText } from "./Reader.tsx";
import { neighbour } from "./Sheet.tsx";

const id = documentId("0123456789abcdef");
const text =
  "Mary moved to the garden. It was dry.\nThe code of Project Beacon is KX-7714.\n\nA line\nof a page ends here and\nMary went on.";
const marks = await markText({ id, title: "T", text }, "wide", async () => undefined);
const factAt = (value: string, anchor: string, layer: number): FactRow => ({
  id: factId(id, charOffset(text.indexOf(value))),
  documentId: id,
  anchor,
  index: 1,
  offset: text.indexOf(value),
  layer: layerIndex(layer),
  tokens: Math.round(value.length / 3.5),
  digest: "",
  exact: true,
  fidelity: 1,
  steps: 1,
  deltaNorm: 1,
  margin: 1,
  memorizedAt: "",
});
const facts = [
  factAt("Mary moved to the garden.", "Mary", 1),
  factAt("The code of Project Beacon is KX-7714.", "project beacon", 2),
];
const none: Overlays = { marks: null, facts: [], hits: [] };

test("runs spell the paragraphs, whatever lies over them", () => {
  const overlays = { marks, facts, hits: [{ start: 3, end: 30 }] };
  for (const over of [none, overlays]) {
    const paragraphs = paragraphsOf(text, 0, over);
    expect(paragraphs.map(({ runs }) => runs.map((run) => run.text).join(""))).toEqual(text.split("\n\n"));
    for (const { runs } of paragraphs)
      for (const run of runs) expect(text.slice(run.start, run.start + run.text.length)).toBe(run.text);
  }
});

test("a run knows its sentence, its anchor and its search hit", () => {
  const [first] = paragraphsOf(text, 0, { marks, facts, hits: [{ start: 11, end: 17 }] });
  const runs = first!.runs;
  expect(runs[0]).toMatchObject({ text: "Mary", opens: true, hit: null });
  expect(runs[0]!.anchorOf?.anchor).toBe("Mary");
  expect(runs.find(({ hit }) => hit === 0)?.text).toBe("to the");
  const beacon = runs.find(({ anchorOf }) => anchorOf?.layer === layerIndex(2));
  expect(beacon?.text).toBe("Project Beacon");
  expect(reasonWords(beacon!.kinds)).toContain("identifier");
});

test("a block in the middle of a text is marked like the whole", () => {
  const from = text.indexOf("The code");
  const whole = paragraphsOf(text, 0, { marks, facts, hits: [] }).flatMap(({ runs }) => runs);
  const part = paragraphsOf(text.slice(from), from, { marks, facts, hits: [] }).flatMap(({ runs }) => runs);
  expect(part).toEqual(whole.filter(({ start }) => start >= from));
});

test("a paragraph flows where its line ends are those of a page", () => {
  const [lines, page] = paragraphsOf(text, 0, { marks, facts: [], hits: [] });
  expect(lines!.wrapped).toBe(false);
  expect(page!.wrapped).toBe(true);
});

test("a sentence takes the stroke of its rarest reason that is shown", () => {
  expect(strokeOf(0b0111, 0b1111)).toBe("identifier");
  expect(strokeOf(0b0111, 0b0011)).toBe("numeral");
  expect(strokeOf(0b0111, 0b1000)).toBeNull();
  expect(strokeOf(0, 0b1111)).toBeNull();
});

test("counts are those of the marks", () => {
  const counts = countMarks(marks);
  expect(counts.sentences).toBe(marks.starts.length);
  expect(counts.byReason.identifier).toBe(1);
  expect(counts.candidates).toBe(marks.kinds.filter((kind) => kind > 0).length);
});

test("J and K go through the facts, and mean nothing else while there are any", () => {
  let taken = 0;
  const key = (name: string) => ({
    key: name,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    preventDefault: () => taken++,
  });
  expect(neighbour(key("j"), facts, null)).toBe(facts[0]);
  expect(neighbour(key("j"), facts, facts[0]!)).toBe(facts[1]);
  expect(neighbour(key("j"), facts, facts[1]!)).toBeNull();
  expect(neighbour(key("k"), facts, null)).toBe(facts[1]);
  expect(neighbour(key("k"), facts, facts[1]!)).toBe(facts[0]);
  expect(taken).toBe(5);
  expect(neighbour(key("j"), [], null)).toBeNull();
  expect(neighbour(key("x"), facts, null)).toBeNull();
  expect(taken).toBe(5);
});

test("the place is the page where there are pages", () => {
  expect(placeText(50, 200, [])).toBe("at 25 % of 200 characters");
  expect([0, 49, 50, 199].map((at) => placeText(at, 200, [0, 50, 50, 120]))).toEqual([
    "page 1 of 4, 0 %",
    "page 1 of 4, 25 %",
    "page 3 of 4, 25 %",
    "page 4 of 4, 100 %",
  ]);
});
