/** @file Kernel ridge regression, sample by sample, against the plain normal equations. */

import { expect, it } from "vitest";
import { KernelRidge } from "./kernelRidge.ts";
import { seeded } from "./rng.ts";

/** X (K + ρI)⁻¹ solved by elimination: α of the given targets. */
function weights(
  kernel: readonly (readonly number[])[],
  ridge: number,
  targets: readonly number[],
): number[] {
  const rows = kernel.map((row, i) => [...row.map((x, j) => x + (i === j ? ridge : 0)), targets[i]!]);
  for (let p = 0; p < rows.length; p++)
    for (let r = 0; r < rows.length; r++) {
      if (r === p) continue;
      const factor = rows[r]![p]! / rows[p]![p]!;
      for (let c = p; c <= rows.length; c++) rows[r]![c]! -= factor * rows[p]![c]!;
    }
  return rows.map((row, i) => row[rows.length]! / row[i]!);
}

const random = seeded(3);
const draw = (count: number) => Array.from({ length: count }, () => random() * 2 - 1);
const dot = (x: readonly number[], y: readonly number[]) => x.reduce((sum, a, i) => sum + a * y[i]!, 0);

it("predicts what the whole system solved at once predicts, after every sample", () => {
  const ridge = 0.3;
  const [points, targets] = [
    Array.from({ length: 12 }, () => draw(5)),
    Array.from({ length: 12 }, () => draw(3)),
  ];
  const regression = new KernelRidge(3, ridge);
  const asked = draw(5);
  expect([...regression.predict([])]).toEqual([0, 0, 0]);
  for (const [n, point] of points.entries()) {
    const known = points.slice(0, n);
    regression.add(
      known.map((other) => dot(point, other)),
      dot(point, point),
      targets[n]!,
    );
    const all = points.slice(0, n + 1);
    const kernel = all.map((a) => all.map((b) => dot(a, b)));
    const k = all.map((other) => dot(asked, other));
    const expected = [0, 1, 2].map((d) =>
      dot(
        k,
        weights(
          kernel,
          ridge,
          targets.slice(0, n + 1).map((row) => row[d]!),
        ),
      ),
    );
    for (const [d, value] of regression.predict(k).entries()) expect(value).toBeCloseTo(expected[d]!, 9);
  }
  expect(regression.samples).toBe(12);
});

it("takes the same point twice, and refuses to do without a ridge", () => {
  const regression = new KernelRidge(1, 1);
  regression.add([], 4, [1]);
  regression.add([4], 4, [3]);
  expect(regression.predict([4, 4])[0]).toBeCloseTo((4 * (1 + 3)) / (1 + 8), 9);
  expect(() => new KernelRidge(1, 0)).toThrow(/a ridge of 0; it must be above 0/);
});
