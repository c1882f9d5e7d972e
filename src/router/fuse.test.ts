import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cosine, denseRank, unitEmbedding } from "./dense.ts";
import { fuse } from "./fuse.ts";

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
