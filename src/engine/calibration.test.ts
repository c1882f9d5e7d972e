import { expect, test } from "vitest";
import { calibratedFloor, MADE_PAIRS, pairCosines, toldApart } from "./embed.ts";

const axis = (i: number): Float32Array => Float32Array.from(MADE_PAIRS, (_, j) => Number(i === j));
const perfect = MADE_PAIRS.map((_, i) => axis(i));

test("an embedder that tells every pair apart takes a floor just above what is unrelated", () => {
  const cosines = pairCosines(perfect, perfect);
  expect(toldApart(cosines)).toBe(MADE_PAIRS.length);
  expect(calibratedFloor(cosines)).toBe(0);
  const near = cosines.map((row) => row.map((cosine) => Math.max(cosine, 0.4)));
  expect(calibratedFloor(near)).toBeCloseTo(0.4);
});

test("of one that does not, no likeness counts by itself; equal cosines tell nothing apart", () => {
  const same = perfect.map(() => axis(0));
  expect(toldApart(pairCosines(same, same))).toBe(0);
  expect(calibratedFloor(pairCosines(same, same))).toBeGreaterThan(1);
  const turned = [...perfect.slice(1), perfect[0]!];
  expect(calibratedFloor(pairCosines(perfect, turned))).toBeGreaterThan(1);
});
