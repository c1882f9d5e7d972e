import { expect, test } from "vitest";
import { charOffset, factId, layerIndex, type DocumentId } from "../records/ids.ts";
import type { Reconstruction } from "../records/answer.ts";
import { bearsOut, citations } from "./evidence.ts";
import { saysNotInMemory } from "./shortAnswer.ts";

const fact = (key: string, text: string): Reconstruction => ({
  id: factId("d" as DocumentId, charOffset(0)),
  key,
  anchor: key,
  index: 1,
  layer: layerIndex(0),
  offset: charOffset(0),
  tokens: [],
  text,
  read: { similarity: 1, gateOpen: true, winner: null, competitors: [], openPositions: [1] },
});
const FACTS = [
  fact("Mary (1)", "Mary moved to the garden."),
  fact("Mary (2)", "Mary went to the kitchen."),
  fact("John (1)", "John's code is QX-417."),
];

test.each([
  ["kitchen", "Where is Mary?", ["Mary (2)"]],
  ["The garden.", "Where is Mary?", ["Mary (1)"]],
  ["QX-417", "What is the code?", ["John (1)"]],
  ["She went from the garden to the kitchen", "Where is Mary?", ["Mary (2)"]],
  ["Mary", "Where is Mary?", ["Mary (1)", "Mary (2)"]],
  ["museum", "Where is Mary?", []],
  ["", "Where is Mary?", []],
  ["It is in the", "Where is Mary?", []],
])("%j to %j cites %j", (answer, question, keys) => {
  expect(citations(answer, question, FACTS)).toEqual(keys);
});

test("not in memory is said in any case and with more behind it", () => {
  for (const said of ["Not in memory.", "not in memory", "Not in memory, I think."])
    expect(saysNotInMemory(said)).toBe(true);
  for (const said of ["garden", "", "In memory."]) expect(saysNotInMemory(said)).toBe(false);
});

test("an answer is borne out where all that it says stands in the facts", () => {
  expect(bearsOut("The garden.", "Where is Mary?", FACTS.slice(0, 1))).toBe(true);
  expect(bearsOut("The green garden.", "Where is Mary?", FACTS.slice(0, 1))).toBe(false);
  expect(bearsOut("garden, kitchen", "Where is Mary?", FACTS.slice(0, 2))).toBe(true);
  expect(bearsOut("It is", "Where is Mary?", FACTS)).toBe(false);
  expect(bearsOut("garden", "Where is Mary?", [])).toBe(false);
  expect(bearsOut("Mary", "Where is Mary?", FACTS)).toBe(false);
  expect(bearsOut("garden", "Is Mary in the garden or the kitchen?", FACTS.slice(0, 1))).toBe(true);
});
