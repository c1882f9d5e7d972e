import { expect, test } from "vitest";
import type { Route, RoutedAnchor } from "../records/answer.ts";
import type { FactId } from "../records/ids.ts";
import { CUT_LISTED, mergedRoute, questionParts } from "./questionParts.ts";

test.each([
  ["Where is Mary?", ["Where is Mary?"]],
  ["Where does Clara live and where did she study?", ["Where does Clara live?", "Where did Clara study?"]],
  [
    "Who writes the chapter on calibration, and who does the plots?",
    ["Who writes the chapter on calibration?", "Who does the plots?"],
  ],
  ["Where is Mary? Who has the lamp?", ["Where is Mary?", "Who has the lamp?"]],
  ["When and where was Leo born?", ["When was Leo born?", "Where was Leo born?"]],
  ["Who is Tobias, and what is his code?", ["Who is Tobias?", "What is Tobias's code?"]],
  ["Who spilled the soup and what kind was it?", ["Who spilled the soup?", "What kind was the soup?"]],
  [
    "When was the old bridge built and who designed it?",
    ["When was the old bridge built?", "Who designed the old bridge?"],
  ],
  [
    "Where did the committee meet and what is its name?",
    ["Where did the committee meet?", "What is the committee's name?"],
  ],
  ["Where is the bridge? When was it built?", ["Where is the bridge?", "When was the bridge built?"]],
  ["Who paid the $' fee and when was it due?", ["Who paid the $' fee?", "When was the $' fee due?"]],
  [
    "Who has the lamp and where is it and who has the key and where is it?",
    ["Who has the lamp?", "Where is the lamp?", "Who has the key?", "Where is the key?"],
  ],
  ["how long is the hall, and why?", ["How long is the hall?", "Why is the hall long?"]],
  ["How much is the rent and when?", ["How much is the rent?", "When is the rent?"]],
  ["Which key is mine and where?", ["Which key is mine and where?"]],
  ["Who repaired the roof and when?", ["Who repaired the roof and when?"]],
  ["When was it made and for whom?", ["When was it made?", "For whom was it made?"]],
  ["whos paying?? where is the envelope", ["Whos paying?", "Where is the envelope?"]],
  [
    "when is the xmas dinner and what does it cost?",
    ["When is the xmas dinner?", "What does the xmas dinner cost?"],
  ],
  ["When is the office open and what does it cost?", ["When is the office open?", "What does it cost?"]],
  [
    "How much deposit did we pay and where is it registered",
    ["How much deposit did we pay?", "Where is the deposit registered?"],
  ],
  ["which hall do they use, and what does it cost?", ["Which hall do they use?", "What does the hall cost?"]],
  ["Where did I put the lamp and when did I buy it?", ["Where did I put the lamp?", "When did I buy it?"]],
  [
    "When is the meeting in Berlin and how long does it take?",
    ["When is the meeting in Berlin?", "How long does the meeting in Berlin take?"],
  ],
  [
    "Who wrote the letter to Anna and what did it say?",
    ["Who wrote the letter to Anna?", "What did the letter to Anna say?"],
  ],
  ["Who comes on Monday and what does he bring?", ["Who comes on Monday?", "What does he bring?"]],
  ["When is Anna's party and where is it?", ["When is Anna's party?", "Where is it?"]],
  ["Where did Anna meet Tom and when did he leave?", ["Where did Anna meet Tom?", "When did he leave?"]],
  [
    "When and where was Leo born, and who was his father?",
    ["When and where was Leo born, and who was his father?"],
  ],
  ["what did they have for lunch and where was it?", ["What did they have for lunch?", "Where was it?"]],
  ["How much does he have left and where is it?", ["How much does he have left?", "Where is it?"]],
  ["Which of them was late and why was it bad", ["Which of them was late?", "Why was it bad?"]],
  ["What time is breakfast and where is it?", ["What time is breakfast?", "Where is it?"]],
  ["How many people were there and where was it?", ["How many people were there?", "Where was it?"]],
  // A person, one of two things, a deed and the time are not guessed.
  ["What did the mayor say and why was it wrong?", ["What did the mayor say?", "Why was it wrong?"]],
  ["Who was in the house and what time was it?", ["Who was in the house?", "What time was it?"]],
  [
    "Where did the ship sink yesterday and who built it?",
    ["Where did the ship sink yesterday?", "Who built it?"],
  ],
  ["Is the bridge open and who designed it?", ["Is the bridge open?", "Who designed it?"]],
  ["Who won the race and how old is she?", ["Who won the race?", "How old is she?"]],
  ["Where is the key to the shed and who has it?", ["Where is the key to the shed?", "Who has it?"]],
  [
    "Is the office open at weekends, and what is its number?",
    ["Is the office open at weekends?", "What is its number?"],
  ],
  // A part that asks nothing alone is not left out: then the question stays whole.
  ["Where is Mary? Why? Where is John?", ["Where is Mary? Why? Where is John?"]],
  ["What do John and Mary carry?", ["What do John and Mary carry?"]],
  ["Tell me of the house and what stood there", ["Tell me of the house and what stood there"]],
])("%j asks %j", (question, parts) => {
  expect(questionParts(question)).toEqual(parts);
});

test("more questions than can be answered at once are refused", () => {
  const asked = (count: number) => Array.from({ length: count }, (_, i) => `Who is number ${i}?`).join(" ");
  expect(questionParts(asked(8))).toHaveLength(8);
  expect(() => questionParts(asked(9))).toThrow("these are 9 questions; ask at most 8 at a time");
});

const anchor = (name: string, fused: number, kept: boolean): RoutedAnchor => ({
  anchor: name,
  denseRank: null,
  denseScore: null,
  lexicalRank: null,
  lexicalScore: null,
  fused,
  kept,
  why: "within 0.6 of the best",
});

test("of very many anchors those that were routed are listed, the best of those cut, and how many more there were", () => {
  const anchors = Array.from({ length: 4000 }, (_, i) => anchor(`a${i}`, 1 / (i + 1), i < 2 || i === 3000));
  const listed = mergedRoute("?", [{ question: "?", anchors, facts: [] }], 4);
  expect(listed.anchors).toEqual([...anchors.slice(0, CUT_LISTED + 2), anchors[3000]]);
  expect(listed.more).toBe(4000 - CUT_LISTED - 3);
  // An anchor that both parts weighed is one.
  const both = mergedRoute(
    "?",
    [1, 2].map(() => ({ question: "?", anchors, facts: [] })),
    4,
  );
  expect(both.more).toBe(listed.more);
  const few = { question: "?", anchors: anchors.slice(0, CUT_LISTED + 2), facts: [] };
  expect(mergedRoute("?", [few], 4)).toEqual(few);
});

test("the route of a whole takes the facts of its parts in turn, and each anchor as it stood best", () => {
  const ids = (text: string): FactId[] => [...text].map((id) => id as FactId);
  const one: Route = {
    question: "1",
    anchors: [anchor("A", 2, true), anchor("B", 1, false)],
    facts: ids("abc"),
  };
  const two: Route = { question: "2", anchors: [anchor("B", 0.5, true)], facts: ids("dae") };
  const merged = mergedRoute("both", [one, two], 4);
  expect(merged.facts).toEqual(ids("adbc"));
  expect(merged.anchors).toEqual([anchor("A", 2, true), anchor("B", 0.5, true)]);
  expect(mergedRoute("both", [one], 1)).toEqual({ ...one, question: "both" });
});
