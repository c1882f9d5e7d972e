import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cosine, denseRank, unitEmbedding } from "./dense.ts";
import { fuse } from "./fuse.ts";
import { contentTerms, indexTerms, mentionTerms, questionTerms, tokens } from "./terms.ts";

test("reciprocal rank fusion sums 1 / (60 + rank) over the rankings that hold an entry", () => {
  const ranked = (ids: readonly number[]): Map<number, { rank: number; score: number }> =>
    new Map(ids.map((id, i) => [id, { rank: i + 1, score: 0 }]));
  const fused = fuse([ranked([7, 8]), ranked([8, 9])]);
  expect(fused.get(7)).toBeCloseTo(1 / 61, 15);
  expect(fused.get(8)).toBeCloseTo(1 / 62 + 1 / 61, 15);
  expect(fused.get(9)).toBeCloseTo(1 / 62, 15);
});

describe("dense", () => {
  test("unit vectors give the cosine of the originals", () => {
    const vector = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(vector, vector, (a, b) => {
        const dot = a.reduce((sum, x, i) => sum + x * b[i]!, 0);
        const norms = Math.hypot(...a) * Math.hypot(...b);
        const expected = norms === 0 ? 0 : dot / norms;
        expect(cosine(unitEmbedding(Float32Array.from(a)), unitEmbedding(Float32Array.from(b)))).toBeCloseTo(
          expected,
          5,
        );
      }),
      { seed: 4 },
    );
  });

  test("ranks from 1, leaves out what has no vector", () => {
    const vectors = [[0, 1], [1, 0], null, [0.8, 0.6]].map((v) => (v ? Float32Array.from(v) : undefined));
    const ranks = denseRank(Float32Array.from([1, 0]), vectors);
    expect([...ranks].map(([id, { rank }]) => [id, rank])).toEqual([
      [1, 1],
      [3, 2],
      [0, 3],
    ]);
  });
});

describe("terms", () => {
  test.each([
    ["the", []],
    ["milk", ["milk", "~milk"]],
    ["zoë", ["zoe", "~zo"]],
    ["ab-123", ["ab-123", "ab", "123"]],
    ["user@host.org", ["user@host.org", "user", "host", "org"]],
  ])("%s -> %j", (word, expected) => {
    expect(contentTerms(word)).toEqual(expected);
  });

  test("a text is indexed by all its words, a question by what it is weighed for", () => {
    expect(indexTerms("The milk, Zoë’s")).toEqual(["the", "milk", "~milk", "zoe", "~zo"]);
    expect(questionTerms("Where is the milk?", "bm25")).toEqual(["milk", "~milk"]);
    expect(questionTerms("Where is the milk?", "idf")).toEqual(["where", "is", "the", "milk"]);
  });

  test("a small word mentions an anchor where it is written as a name, and opens no sentence", () => {
    const mentions = (text: string) => mentionTerms(["may"]).every((term) => indexTerms(text).includes(term));
    expect(["He met May.", "He may go.", "May he go?"].map(mentions)).toEqual([true, false, false]);
    expect(mentionTerms(["duchy", "of", "normandy"])).toEqual(["duchy", "of", "normandy"]);
  });

  test.each([
    ["moved moves move moving"],
    ["travelled travels travel travelling traveled"],
    ["called calls call calling"],
    ["carries carry carried"],
    ["dropped drop drops"],
    ["passed passes pass"],
  ])("one stem: %s", (line) => {
    expect(new Set(line.split(" ").map((word) => contentTerms(word)[1])).size).toBe(1);
  });

  test("tokens keep codes whole and drop possessives", () => {
    expect(tokens("Mary's AB-123, O’Brien, the boys' milk.").map(({ word }) => word)).toEqual([
      "mary",
      "ab-123",
      "o'brien",
      "the",
      "boys",
      "milk",
    ]);
  });
});
