/** @file Reconstruction fidelity: token-level F1 between a decoded value and the stored one. */

import type { EncodingReport } from "../records/memory.ts";

/** F1 of two token multisets: 2 |a ∩ b| / (|a| + |b|), 1 when both are empty. */
export function tokenF1(decoded: readonly number[], stored: readonly number[]): number {
  const total = decoded.length + stored.length;
  if (total === 0) return 1;
  const left = new Map<number, number>();
  for (const id of stored) left.set(id, (left.get(id) ?? 0) + 1);
  let common = 0;
  for (const id of decoded) {
    const count = left.get(id) ?? 0;
    if (count > 0) common++;
    left.set(id, count - 1);
  }
  return (2 * common) / total;
}

/** Whether two token sequences are the same. */
export const sameTokens = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((id, i) => id === b[i]);

/** Whether `a` is the better encoding of the same value: exact beats inexact, then the higher fidelity. */
export const isBetter = (
  a: Pick<EncodingReport, "exact" | "fidelity">,
  b: Pick<EncodingReport, "exact" | "fidelity">,
): boolean => (a.exact === b.exact ? a.fidelity > b.fidelity : a.exact);
