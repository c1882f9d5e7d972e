import { describe, expect, test } from "vitest";
import { babi, book, bookNames } from "../../src/ingest/testing/data.ts";
import { chapter, excerpt, hide, type Story } from "./haystack.ts";

const STORY: Story = {
  task: "qa1",
  id: 0,
  facts: ["John travelled to the hallway.", "Mary journeyed to the bathroom."],
  question: "Where is John?",
  answer: "hallway",
  support_pos: [0],
};
const BACKGROUND =
  "CHAPTER 1\n\nIt was night. He met Mr. Bell.\nNobody spoke!\n\n“Come,” he said. Then:\n\nThe end came.";

test("facts keep their order, stay sentences of their own, and nothing of the background is lost", () => {
  for (let seed = 0; seed < 50; seed += 1) {
    const { text, facts, intact } = hide(STORY, BACKGROUND, seed);
    expect(intact).toBe(2);
    expect(facts[0]!.offset).toBeLessThan(facts[1]!.offset);
    expect(facts.map(({ offset, text: fact }) => text.slice(offset, offset + fact.length))).toEqual(
      STORY.facts,
    );
    expect(facts.map(({ supporting }) => supporting)).toEqual([true, false]);
    expect(text.replace(` ${STORY.facts[0]}`, "").replace(` ${STORY.facts[1]}`, "")).toBe(BACKGROUND);
  }
});

test("the same seed gives the same text, another seed another", () => {
  expect(hide(STORY, BACKGROUND, 3)).toEqual(hide(STORY, BACKGROUND, 3));
  const texts = new Set(Array.from({ length: 20 }, (_, seed) => hide(STORY, BACKGROUND, seed).text));
  expect(texts.size).toBeGreaterThan(5);
});

test("excerpts end with a sentence; chapters are found by their headings", () => {
  expect(excerpt("One is here. Two is there. Three is gone.", 0, 30)).toBe("One is here. Two is there.");
  expect(excerpt("One is here.", 0, 100)).toBe("One is here.");
  const text = "CHAPTER I\n\nA.\n\nCHAPTER II\n\nB.";
  expect(chapter(text, 2)).toBe("CHAPTER II\n\nB.");
  expect(() => chapter(text, 3)).toThrow(/has 2 chapter headings/);
  expect(() => hide(STORY, "no end", 1)).toThrow(/no gap between two complete sentences/);
});

describe("real data", () => {
  test("every fact of every task stays whole in every book", () => {
    const tasks = ["qa1", "qa2", "qa3", "qa4", "qa5"];
    bookNames().forEach((name, i) => {
      const stories = babi(tasks[i % tasks.length]!) as unknown as Story[];
      const hidden = hide(stories[i]!, excerpt(book(name), 0, 60_000), i);
      expect(hidden.intact, name).toBe(stories[i]!.facts.length);
    });
  });
});
