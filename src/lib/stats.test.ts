import { expect, it } from "vitest";
import { largest, sharesDiffer, softmax, softmaxAt, wilson } from "./stats.ts";

it("lists the largest values first, and the first of equal ones before the others", () => {
  expect(largest([0.2, 0.9, 0.9, -1, 0.5], 3)).toEqual([1, 2, 4]);
  expect(largest(Float32Array.of(3, 1), 5)).toEqual([0, 1]);
  expect(largest([], 2)).toEqual([]);
});

it("weighs values as Eq. 4b does, also where their exponentials pass what a number holds", () => {
  const [a, b] = softmax([1, 0.98], 50);
  expect(a! + b!).toBeCloseTo(1, 12);
  expect(a! / b!).toBeCloseTo(Math.E, 9);
  expect([...softmax([1, -1], 10_000)]).toEqual([1, 0]);
  expect([...softmax([], 50)]).toEqual([]);
  const values = Float32Array.from({ length: 500 }, (_, i) => Math.sin(i * i));
  const all = softmax(values, 50);
  expect(softmaxAt(values, 50, [499, 0, 77])).toEqual([all[499], all[0], all[77]]);
  expect(softmaxAt([], 50, [])).toEqual([]);
});

it("gives Wilson's interval: of 8 in 10 it is 49 to 94 %, of none and of all it ends at the share itself", () => {
  const [low, high] = wilson(8, 10);
  expect(low).toBeCloseTo(0.4902, 4);
  expect(high).toBeCloseTo(0.9433, 4);
  expect(wilson(0, 10)[0]).toBe(0);
  expect(wilson(10, 10)[1]).toBe(1);
  expect(wilson(0, 10)[1]).toBeCloseTo(1.96 ** 2 / (10 + 1.96 ** 2), 12);
  expect(wilson(0, 0)).toEqual([0, 1]);
});

it.each([
  [56, 70, 48, 80, true],
  [9, 10, 3, 10, true],
  [6, 7, 2, 7, true],
  [5, 56, 0, 29, false],
  [10, 10, 7, 10, false],
  [4, 4, 4, 4, false],
])("%i of %i and %i of %i are told apart, as in Newcombe's tables: %s", (a, n, b, m, told) => {
  expect(sharesDiffer({ share: a / n, n }, { share: b / m, n: m })).toBe(told);
  expect(sharesDiffer({ share: b / m, n: m }, { share: a / n, n })).toBe(told);
});
