/** @file Kernel ridge regression with samples one by one: the Cholesky factor L of K + ρI grows by one row per sample, O(n² + n width). */

import { assert } from "./assert.ts";

export class KernelRidge {
  readonly #factor: Float64Array[] = [];
  readonly #solved: Float64Array[] = [];

  /** @param width numbers of a target @param ridge ρ, in units of the kernel */
  constructor(
    private readonly width: number,
    private readonly ridge: number,
  ) {
    assert(ridge > 0, () => `lib: a ridge of ${ridge}; it must be above 0, or K may not be invertible`);
  }

  get samples(): number {
    return this.#factor.length;
  }

  /** kᵀ (K + ρI)⁻¹ Y, [width]; `kernel` is k, of the point to every sample, in their order. */
  predict(kernel: ArrayLike<number>): Float64Array {
    return this.#weighted(this.#solve(kernel));
  }

  /** Adds a sample: its kernel to all before it, to itself, and its target [width]. */
  add(kernel: ArrayLike<number>, self: number, target: ArrayLike<number>): void {
    const row = this.#solve(kernel);
    const rest = self + this.ridge - row.reduce((sum, x) => sum + x * x, 0);
    assert(rest > 0, () => `lib: a sample is its own kernel's ${self} only; K is not positive definite`);
    const pivot = Math.sqrt(rest);
    const known = this.#weighted(row);
    this.#solved.push(known.map((x, i) => (target[i]! - x) / pivot));
    const grown = new Float64Array(row.length + 1);
    grown.set(row);
    grown[row.length] = pivot;
    this.#factor.push(grown);
  }

  #solve(kernel: ArrayLike<number>): Float64Array {
    const solution = new Float64Array(this.samples);
    for (const [i, row] of this.#factor.entries()) {
      let rest = kernel[i]!;
      for (let j = 0; j < i; j++) rest -= row[j]! * solution[j]!;
      solution[i] = rest / row[i]!;
    }
    return solution;
  }

  #weighted(weights: Float64Array): Float64Array {
    const sum = new Float64Array(this.width);
    for (const [i, row] of this.#solved.entries()) {
      const weight = weights[i]!;
      for (let d = 0; d < sum.length; d++) sum[d]! += weight * row[d]!;
    }
    return sum;
  }
}
