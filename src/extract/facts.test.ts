import { expect, test } from "vitest";
import type { Anchor } from "../records/fact.ts";
import { charOffset, type DocumentId } from "../records/ids.ts";
import { PAPER, SHARP } from "../records/params.ts";
import { makeFacts } from "./facts.ts";

const anchor = (
  text: string,
  value: string,
  start: number,
  document = "d",
  source: Anchor["source"] = "rule",
): Anchor => ({
  candidate: {
    sentence: {
      documentId: document as DocumentId,
      index: 0,
      text: value,
      start: charOffset(start),
      end: charOffset(start + value.length),
    },
    reasons: ["entity"],
  },
  text,
  source,
});

test("facts count from 1 per anchor in source order; anchors from 0 in extraction order", () => {
  const facts = makeFacts(
    [
      anchor("Sandra", "Sandra went.", 0),
      anchor("Miguel", "Miguel sat.", 20, "d", "model"),
      anchor("Miguel", "Miguel rose.", 40),
    ],
    SHARP,
  );
  expect(
    facts.map(({ id, anchor: e, anchorOrder, index, offset, validated }) => [
      id,
      e,
      anchorOrder,
      index,
      offset,
      validated,
    ]),
  ).toEqual([
    ["d:0", "Sandra", 0, 1, 0, false],
    ["d:20", "Miguel", 1, 1, 20, true],
    ["d:40", "Miguel", 1, 2, 40, false],
  ]);
});

test("anchors merge only when equal after normalisation; the first spelling wins, on one line", () => {
  const facts = makeFacts(
    [
      anchor("The Duchy\nof Normandy", "a", 0),
      anchor("duchy of Normandy", "b", 10),
      anchor("Normandy", "c", 20),
      anchor("Normandy’s", "d", 30),
    ],
    SHARP,
  );
  expect(facts.map(({ anchor: e, index }) => `${e} (${index})`)).toEqual([
    "The Duchy of Normandy (1)",
    "The Duchy of Normandy (2)",
    "Normandy (1)",
    "Normandy (2)",
  ]);
});

test("equal sentences at different offsets are different facts, the same sentence twice is one", () => {
  const facts = makeFacts(
    [anchor("Mary", "Mary left.", 50), anchor("Mary", "Mary left.", 5), anchor("Mary", "Mary left.", 50)],
    SHARP,
  );
  expect(facts.map(({ index, offset }) => [index, offset])).toEqual([
    [1, 5],
    [2, 50],
  ]);
});

test("documents keep the order in which they came", () => {
  const facts = makeFacts([anchor("Mary", "late", 90, "z"), anchor("Mary", "early", 1, "a")], SHARP);
  expect(facts.map(({ id, index }) => [id, index])).toEqual([
    ["z:90", 1],
    ["a:1", 2],
  ]);
});

test("nothing from nothing", () => {
  expect(makeFacts([], SHARP)).toEqual([]);
});

test("under the paper's preset only equal texts are one anchor", () => {
  const given = [
    anchor("The Duchy\nof Normandy", "a", 0),
    anchor("the Duchy of Normandy", "b", 10),
    anchor("The Duchy of Normandy", "c", 20),
  ];
  const key = ({ anchor: e, index }: { anchor: string; index: number }) => `${e} (${index})`;
  expect(makeFacts(given, PAPER).map(key)).toEqual([
    "The Duchy of Normandy (1)",
    "the Duchy of Normandy (1)",
    "The Duchy of Normandy (2)",
  ]);
});
