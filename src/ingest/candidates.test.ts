import { describe, expect, test } from "vitest";
import type { DocumentId } from "../records/ids.ts";
import { candidateReasons, candidates, isHeading } from "./candidates.ts";
import { sentences } from "./sentences.ts";
import { babi, book } from "./testing/data.ts";

describe("strict", () => {
  test.each([
    ["Mary moved to the garden.", "entity"],
    ["Bill took the milk.", "entity"],
    ["Zoltan never said a word.", "entity"],
    ["Mary's book is red.", "entity"],
    ["He lives in Lisbon.", "entity"],
    ["It was taken by Mrs. Weston.", "entity"],
    ["‘Brittles always was slow,’ she said.", "entity"],
    ["Emily went to the garden.", "entity"],
    ["The box weighs 12 pounds.", "numeral"],
    ["She had twelve cats.", "numeral"],
    ["the code is AB-123 now", "entity,numeral,identifier"],
    ["it calls fetchUser and user_name here", "identifier"],
    ["see https://example.org for more", "identifier"],
    ["write to a@b.org about it", "identifier"],
  ])("%s -> %s", (text, reasons) => {
    expect(candidateReasons(text, "strict").join()).toBe(reasons);
  });

  test.each([
    "The office is north of the kitchen.",
    "She went home, and it was late.",
    "I think I'm late, sir.",
    "Nobody said a word.",
    "Running is fun.",
    "“Oh! What a day,” he said.",
    "One day the second of them left.",
    "Happily they are well written, or badly written.",
  ])("nothing in: %s", (text) => {
    expect(candidateReasons(text, "strict")).toEqual([]);
  });
});

describe("all", () => {
  test.each(["Oh, come along then!", "Silence.", "CHAPTER I.", "He stood with his back to the fire."])(
    "takes %s, which wide leaves out",
    (text) => {
      expect(candidateReasons(text, "wide")).toEqual([]);
      expect(candidateReasons(text, "all")).toHaveLength(1);
    },
  );

  test("leaves out what has no letter and no digit, and gives the reasons that there are", () => {
    expect(candidateReasons("* * *", "all")).toEqual([]);
    expect(candidateReasons("Mary sat.", "all")).toEqual(["entity"]);
    expect(candidateReasons("Oh, come along then!", "all")).toEqual(["other"]);
  });
});

describe("wide", () => {
  test.each([
    "The office is north of the kitchen.",
    "The milk is in the box.",
    "There was a letter in the old desk.",
    "He knew that the key hung behind the door.",
  ])("keeps the relation: %s", (text) => {
    expect(candidateReasons(text, "wide")).toContain("relation");
    expect(candidateReasons(text, "strict")).toEqual([]);
  });

  test("still drops what states nothing", () => {
    expect(candidateReasons("Oh, come along then!", "wide")).toEqual([]);
    expect(candidateReasons("Silence.", "wide")).toEqual([]);
  });
});

test.each(
  [
    "CHAPTER IV|Chapter 3 - The Lauriston Garden Mystery|II. THE MAIL|XIV.|12|* * *|- 37 -|Page 12 of 300|THE END",
    "The Blue Cross|VOLUME I|BOOK ONE|Book the First--Recalled to Life|**JONATHAN HARKER'S JOURNAL**|[12]",
  ].flatMap((line) => line.split("|")),
)("heading: %s", (line) => {
  expect(isHeading(line)).toBe(true);
  expect(candidateReasons(line, "wide")).toEqual([]);
});

test("the paper's filter drops no heading that has a name or a number", () => {
  expect(candidateReasons("Chapter 3 - The Lauriston Garden Mystery", "strict")).toEqual([
    "entity",
    "numeral",
  ]);
  expect(candidateReasons("BA117", "strict")).toContain("identifier");
});

test.each([
  "Chapter 3 describes the war of 1812.",
  "I went to Paris.",
  "THE ACCESS CODE IS 4711.",
  "Access code 4711",
  "Mary's number: 555-1234",
  "Part of the house was new.",
])("no heading: %s", (line) => {
  expect(isHeading(line)).toBe(false);
  expect(candidateReasons(line, "wide")).not.toEqual([]);
});

describe("coverage", () => {
  const share = (task: string, filter: "strict" | "wide"): number => {
    const facts = babi(task).flatMap((sample) => sample.facts);
    return facts.filter((fact) => candidateReasons(fact, filter).length > 0).length / facts.length;
  };

  test.each(["qa1", "qa2", "qa3", "qa4", "qa5"])("wide keeps every fact of bAbI %s", (task) => {
    expect(share(task, "wide")).toBe(1);
  });

  test.each(["qa1", "qa2", "qa3", "qa5"])("strict keeps every fact of bAbI %s", (task) => {
    expect(share(task, "strict")).toBe(1);
  });

  test("strict loses all of bAbI qa4, as the paper does: its facts have no names", () => {
    expect(share("qa4", "strict")).toBe(0);
  });

  test("of a megabyte of novel wide keeps all that strict keeps but headings", () => {
    const chapters = book("wilde_the_picture_of_dorian_gray");
    const text = chapters.repeat(Math.ceil(1e6 / chapters.length));
    const all = [...sentences({ id: "d" as DocumentId, title: "t", text })];
    const strict = [...candidates(all, "strict")];
    const wide = new Set([...candidates(all, "wide")].map(({ sentence }) => sentence.index));
    const only = strict.filter(({ sentence }) => !wide.has(sentence.index));
    expect(only.length).toBeGreaterThan(0);
    expect(
      only.every(({ sentence }) => isHeading(sentence.text) || !/\S\s+\S/.test(sentence.text.trim())),
    ).toBe(true);
    expect(strict.length / all.length).toBeGreaterThan(0.2);
    expect(wide.size / all.length).toBeLessThan(0.75);
  });
});
