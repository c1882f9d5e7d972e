import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { chooseLength, cutInto, cutParts, seamsOf, type Seam } from "./parts.ts";

const seams = (text: string): Seam[] =>
  [...text].map((c) => (c === "," ? "clause" : c === "." ? "inside" : "word"));

/** Every way of cutting, tried out. */
function oracle(of: readonly Seam[], longest: number): number {
  const cost = { clause: 0, word: 0.15, inside: 4 };
  const count = Math.ceil(of.length / longest);
  const even = of.length / count;
  const best = (from: number, left: number): number => {
    if (left === 0) return from === of.length ? 0 : Infinity;
    let least = Infinity;
    for (let end = from + 1; end <= Math.min(of.length, from + longest); end++) {
      const deviation = (end - from - even) / even;
      const seam = end < of.length ? cost[of[end]!] : 0;
      least = Math.min(least, deviation ** 2 + seam + best(end, left - 1));
    }
    return least;
  };
  return best(0, count);
}

function costOf(of: readonly Seam[], lengths: readonly number[]): number {
  const cost = { clause: 0, word: 0.15, inside: 4 };
  const even = of.length / lengths.length;
  let at = 0;
  let sum = 0;
  for (const length of lengths) {
    if (at > 0) sum += cost[of[at]!];
    sum += ((length - even) / even) ** 2;
    at += length;
  }
  return sum;
}

describe("where a value is cut", () => {
  test("a value that fits stays whole, an empty one has no part", () => {
    expect(cutParts(seams("wwww"), 4)).toEqual([4]);
    expect(cutParts([], 4)).toEqual([]);
    expect(() => cutParts(seams("ww"), 0)).toThrow(/at most 0 tokens.*a whole number from 1/);
    expect(() => cutParts(seams("wwwww"), 2.5)).toThrow(/at most 2.5 tokens/);
  });

  test("even parts, at the end of a clause where one is near, never inside a word where that can be helped", () => {
    expect(cutParts(seams("wwwwwwwwww"), 5)).toEqual([5, 5]);
    expect(cutParts(seams("wwww,wwwww"), 6)).toEqual([4, 6]);
    expect(cutParts(seams("w,wwwwwwww"), 9)).toEqual([5, 5]);
    expect(cutParts(seams("www...www"), 6)).toEqual([6, 3]);
  });

  test("a word longer than a part is cut all the same", () => {
    expect(cutParts(seams("w........."), 4).every((length) => length <= 4)).toBe(true);
  });

  test("is the best of all ways with the fewest parts", () => {
    const value = fc.array(fc.constantFrom<Seam>("clause", "word", "inside"), {
      minLength: 1,
      maxLength: 14,
    });
    fc.assert(
      fc.property(value, fc.integer({ min: 2, max: 8 }), (of, longest) => {
        const lengths = cutParts(of, longest);
        expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(of.length);
        expect(lengths).toHaveLength(Math.ceil(of.length / longest));
        expect(Math.max(...lengths)).toBeLessThanOrEqual(longest);
        expect(costOf(of, lengths)).toBeCloseTo(oracle(of, longest), 9);
      }),
    );
  });

  test("halving: into two, as even as the seams allow", () => {
    expect(cutInto(seams("www,wwww"), 2)).toEqual([3, 5]);
    expect(cutInto(seams("ww"), 2)).toEqual([1, 1]);
    expect(() => cutInto(seams("w"), 2)).toThrow(/1 tokens cannot be cut into 2/);
  });
});

test("seams: clauses, words, pieces of words, scripts without spaces", () => {
  expect(seamsOf([" He", " said", ",", " “", "No", ".”", " Ind", "eed"])).toEqual(
    ["inside", "word", "inside", "clause", "inside", "inside", "clause", "inside"].map((seam, i) =>
      i === 0 ? "word" : seam,
    ),
  );
  expect(seamsOf(["山", "本", "。", "彼"])).toEqual(["word", "word", "inside", "clause"]);
});

describe("the longest part by probe", () => {
  /** A model that takes `steps` for parts of so many tokens, and says values of 60. */
  const probing = (steps: (longest: number) => number, exact: (longest: number) => number = () => 1) =>
    chooseLength((longest) =>
      Promise.resolve({ longest, exactRate: exact(longest), vectors: 60 / longest, steps: steps(longest) }),
    );

  it("is the longest of those that cost about the least, tried around the first", async () => {
    // As measured on the bundled model.
    const measured: Readonly<Record<number, [number, number]>> = {
      7: [8.72, 7.63],
      10: [11.39, 5.5],
      14: [17.02, 4.25],
      20: [26.9, 3.63],
    };
    const { longest, tried } = await chooseLength((longest) => {
      const [steps, vectors] = measured[longest]!;
      return Promise.resolve({ longest, exactRate: 1, vectors, steps });
    });
    expect(longest).toBe(14);
    expect(tried.map((one) => one.longest)).toEqual([14, 20, 10, 7]);
  });

  it("grows with a model whose vectors hold more, and shrinks with one whose hold less", async () => {
    expect((await probing((longest) => 5 + longest / 20)).longest).toBe(80);
    expect((await probing((longest) => longest ** 2)).longest).toBe(5);
  });

  it("is none at which fewer values come back", async () => {
    const { longest } = await probing(
      (n) => 5 + n / 20,
      (n) => (n > 10 ? 0.5 : 1),
    );
    expect(longest).toBe(10);
  });
});
