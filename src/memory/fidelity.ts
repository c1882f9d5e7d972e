/** @file Reconstruction fidelity: token-level F1 between a decoded value and the stored one. */

import type { EncodingReport } from "../records/memory.ts";
import { multisetF1 } from "../lib/stats.ts";

export const tokenF1 = (decoded: readonly number[], stored: readonly number[]): number =>
  multisetF1(decoded, stored);

export const sameTokens = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((id, i) => id === b[i]);

export const isBetter = (
  a: Pick<EncodingReport, "exact" | "fidelity">,
  b: Pick<EncodingReport, "exact" | "fidelity">,
): boolean => (a.exact === b.exact ? a.fidelity > b.fidelity : a.exact);
