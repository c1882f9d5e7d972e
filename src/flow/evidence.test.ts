import { expect, test } from "vitest";
import { fakeEngine, fakeValues } from "../engine/testing/fakeEngine.ts";
import { composeEngine } from "../engine/intercept.ts";
import type { Reconstruction } from "../records/answer.ts";
import { charOffset, layerIndex, type FactId } from "../records/ids.ts";
import { buildIndex } from "../router/routerIndex.ts";
import {
  isToldWordForWord,
  namesKnown,
  nearestFirst,
  rankedFirst,
  tellsOfAnother,
  unmetWords,
} from "./evidence.ts";

const fact = (text: string): Reconstruction => ({
  id: text as FactId,
  key: text,
  anchor: text.split(" ")[0]!,
  index: 1,
  layer: layerIndex(0),
  offset: charOffset(0),
  tokens: [],
  text,
  read: { similarity: 1, gateOpen: true, winner: null, competitors: [], openPositions: [1] },
});

/** Embeds a text as near to the question as `near` says. */
function engine(near: (text: string) => number) {
  const values = fakeValues();
  return composeEngine(() => values, {
    ...fakeEngine(values).engine,
    embed: async (texts) =>
      texts.map((text) => Float32Array.of(near(text), Math.sqrt(1 - near(text) * near(text)))),
    embedQuestion: async () => Float32Array.of(1, 0),
  });
}

const FACTS = ["The rent is due in May.", "The boiler was serviced in May.", "A cat sat."].map(fact);

test("sentences stand by the words they share with the question, rare ones first; then by cosine", async () => {
  const order = async (question: string, near: (text: string) => number = () => 0): Promise<string[]> =>
    (await nearestFirst(engine(near), question, FACTS)).map((one) => one.fact.text);
  expect((await order("When are boilers serviced in May?"))[0]).toBe(FACTS[1]!.text);
  expect((await order("Which animal?", (text) => (text.startsWith("A cat") ? 0.9 : 0.1)))[0]).toBe(
    "A cat sat.",
  );
  expect(await order("Which animal?")).toEqual(FACTS.map(({ text }) => text));
});

test("questions stand behind the sentences that may answer, unless one asks what was asked", () => {
  const said = [
    "Why did the carrots fail?",
    "Mostly because of the dry April.",
    "Did the peas fail, too?",
  ].map(fact);
  const index = buildIndex([], ["salt"]);
  const order = (question: string): string[] =>
    rankedFirst(question, said, index, { ranking: "learned" }).map((one) => one.fact.text);
  expect(order("Why did the carrots fail?")[0]).toBe("Mostly because of the dry April.");
  expect(order("Who asked about the carrots?")).toEqual(said.map(({ text }) => text));
});

test.each([
  ["Which boilers are serviced in May?", true],
  ["Who services boilers?", true],
  ["Who services boilers in June?", false],
  // A single word may be in any sentence.
  ["The rent?", false],
])("%s: a fact has all words of it: %s", (question, told) => {
  expect(isToldWordForWord(question, FACTS)).toBe(told);
});

test("words that no recalled sentence has are told with how many stored ones have them", () => {
  const stored = (word: string): number => Number(word === "dentist");
  expect(unmetWords("Where did the dentist's dogs live in May?", FACTS, stored)).toEqual([
    { word: "dentist", stored: 1 },
    { word: "dogs", stored: 0 },
    { word: "live", stored: 0 },
  ]);
  expect(unmetWords("What cat?", FACTS, stored)).toEqual([]);
});

test.each([
  ["Who wrote Hamlet?", "not"],
  ["Who sold Hamlet a plot?", "partly"],
  ["who wrote hamlet?", "wholly"],
  ["Where does Mary live?", "wholly"],
  ["Where does Mrs Mary live?", "wholly"],
  ["Does Mary live in Ghent?", "partly"],
  ["Where is Ghent?", "not"],
  ["Who bought plot 7?", "partly"],
  ["Who sold plot 2?", "wholly"],
  ["WHO WROTE HAMLET?", "wholly"],
  ["Who Bought The Boat?", "wholly"],
  ["When did I go to Ghent?", "not"],
])("what %s names is %s stored", (question, known) => {
  expect(namesKnown(question, (word) => Number(["mary", "2", "plot"].includes(word)))).toBe(known);
});

test.each([
  ["When is problem set 4 due?", "Problem set 3 is due on Friday 20 October.", true],
  ["how long was act four", "Act one 41 minutes, far too slow.", true],
  ["Who won in her third season?", "In the second season Calder won.", true],
  ["How many amps does P-205 draw?", "Pump P-204 draws 19 amps.", true],
  ["When is problem set 4 due?", "Problem sets 3 and 4 are due on Friday.", false],
  ["When are the 4 problem sets due?", "They are due on the 20th, 3 days later than planned.", false],
  ["How many came in week 6?", "In week 6 came 40, 3 more than in week 5.", false],
  ["Who lives in room 12?", "Anna has the key.", false],
  ["When did Anna leave in March 2024?", "Anna left on March 3.", false],
  ["What is closed in week 5?", "In weeks 1–8 the pool is closed.", false],
  ["What happens on day 4?", "On days 3 to 5 they walk.", false],
  ["Who paid 1,200 euros?", "Tom paid 1200 euros.", false],
  ["What has changed since version 2?", "Version 3 adds a dark mode.", false],
  ["Which of level 1 and level 2 has the toilets?", "The toilets are on level 2.", false],
  ["Who leads week 5?", "Tom leads weeks 4 through 6.", false],
  ["Who leads week 5?", "Tom leads weeks 4 - 6.", false],
  ["Is the meeting in room 5?", "The meeting is in room 7.", false],
  ["Who lives in room 21?", "Anna lives in room twenty-one.", false],
  ["What is due on the 3rd of May?", "It is due by the 1st of each month.", false],
  ["Who was the second to arrive?", "Tom was the first to arrive, Eve came after him.", false],
])("whether %j and %j number a thing differently", (question, text, expected) => {
  expect(tellsOfAnother(question, text)).toBe(expected);
});
