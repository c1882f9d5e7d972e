import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseQuestions, ruleQuestions } from "./questions.ts";

describe("parseQuestions", () => {
  test.each([
    ["lines", "Where is Mary?\nWhere did Mary go?", 3, ["Where is Mary?", "Where did Mary go?"]],
    ["list marks and quotes", '1. "Where is Mary?"\n- Who left?', 3, ["Where is Mary?", "Who left?"]],
    ["several on one line", "Where is Mary? Who left?", 3, ["Where is Mary?", "Who left?"]],
    ["repeats and statements", "Where is Mary?\nwhere is mary?\nMary moved.\n?", 3, ["Where is Mary?"]],
    ["at most n", "Who is A?\nWho is B?\nWho is C?", 2, ["Who is A?", "Who is B?"]],
    ["none wanted", "Who is A?", 0, []],
    ["unusable", "I cannot help with that.", 3, []],
  ] as const)("%s", (_, reply, count, expected) => {
    expect(parseQuestions(reply, count)).toEqual(expected);
  });
});

describe("ruleQuestions", () => {
  test.each([
    [
      "Mary went back to the kitchen.",
      "Mary",
      ["Where is Mary?", "Where did Mary go?", "Who went to the kitchen?"],
    ],
    [
      "Mary got the milk there.",
      "Mary",
      ["What is Mary carrying?", "Who has the milk?", "Where is the milk?"],
    ],
    [
      "Mary put down the milk.",
      "Mary",
      ["What did Mary drop?", "Who dropped the milk?", "Where is the milk?"],
    ],
    [
      "Fred gave the football to Jeff.",
      "Fred",
      ["Who gave the football to Jeff?", "What did Fred give to Jeff?", "Who did Fred give the football to?"],
    ],
    [
      "The office is north of the kitchen.",
      "office",
      ["What is north of the kitchen?", "What is the office north of?", "Where is the office?"],
    ],
    [
      "Mary's badge is AB-1.",
      "Mary",
      ["What is Mary's badge?", "Whose badge is AB-1?", "Which badge belongs to Mary?"],
    ],
    ["The milk is in the box.", "milk", ["Where is the milk?", "What is in the box?", "What is the milk?"]],
  ])("%s", (value, anchor, expected) => {
    expect(ruleQuestions(value, anchor, 3)).toEqual(expected);
  });

  test("asks nothing about a pronoun, and something about any anchor", () => {
    expect(ruleQuestions("He went to the Duchy of Normandy in 1066.", "Duchy of Normandy", 2)).toEqual([
      "When is Duchy of Normandy mentioned?",
      "What is known about the Duchy of Normandy?",
    ]);
  });

  test("asks what is known of things alone: of a word that names none it asks where it stands", () => {
    expect(ruleQuestions("They talked of those who kept the lamp.", "talked", 3)).toEqual([
      "Where does it say “talked”?",
    ]);
    expect(ruleQuestions("He hung up his old coat.", "coat", 1)).toEqual(["What is known about the coat?"]);
    expect(ruleQuestions("Ivy Stone was seen there.", "Ivy Stone", 2)).not.toContain(
      "Where does it say “Ivy Stone”?",
    );
  });

  test("is deterministic, distinct, bounded, and never fails on odd text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 80 }),
        fc.integer({ min: 0, max: 6 }),
        (value, count) => {
          const questions = ruleQuestions(value, "Mary", count);
          expect(ruleQuestions(value, "Mary", count)).toEqual(questions);
          expect(new Set(questions.map((q) => q.toLowerCase())).size).toBe(questions.length);
          expect(questions.length).toBeLessThanOrEqual(count);
          expect(questions.every((q) => q.endsWith("?"))).toBe(true);
          if (count >= 1) expect(questions.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: 300, seed: 5 },
    );
  });
});
