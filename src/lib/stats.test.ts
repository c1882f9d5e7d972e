import { expect, it } from "vitest";
import { largest, softmax } from "./stats.ts";

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
});
