/** @file How many steps parts take, by their length and by what Adam starts from, told by rows of what parts took. */

import type { LengthRow } from "../records/cost.ts";
import type { AdamStart } from "../records/memory.ts";

/**
 * Steps from a learned start, as a share of those from zero. 16 texts with the bundled model (`npm run recall`), 109 to
 * 22,006 parts: 0.47 to 0.66 at like lengths in 14 of them, 0.85 and 0.97 in two short ones; 0.46 over 1.5 million words.
 */
const LEARNED_STEPS = 0.55;
/** Parts of a learned start that the share above counts as, beside what a device's own runs show. */
const PRIOR_PARTS = 32;

/** Steps that a part of so many tokens takes, of those that are kept; `rows` are of one part at least. */
export function stepsBy(rows: readonly LengthRow[]): (tokens: number, started: AdamStart) => number {
  const share = learnedSteps(rows);
  // As they would have come out from zero: then parts of both starts tell of a length.
  const fromZero = rows.map((row) => (isLearned(row) ? { ...row, steps: row.steps / share } : row));
  return (tokens, started) =>
    near(fromZero, tokens, ({ steps }) => steps) * (started === "learned" ? share : 1);
}

/** What parts with a learned start took, over what those from zero took at such lengths; at most 1: else it is given up. */
function learnedSteps(rows: readonly LengthRow[]): number {
  const learned = rows.filter(isLearned);
  const zero = rows.filter((row) => !isLearned(row));
  if (learned.length === 0 || zero.length === 0) return LEARNED_STEPS;
  // Each token away from a length that parts from zero had halves what the comparison says.
  const compared = learned.map((row) => scaled(row, 2 ** -distance(zero, row.tokens)));
  const expected = tokenSteps(
    compared,
    ({ tokens, parts }) => parts * near(zero, tokens, ({ steps }) => steps),
  );
  if (expected === 0) return LEARNED_STEPS;
  const took = tokenSteps(compared, ({ steps }) => steps) / expected;
  const parts = compared.reduce((sum, row) => sum + row.parts, 0);
  return Math.min(1, (PRIOR_PARTS * LEARNED_STEPS + parts * took) / (PRIOR_PARTS + parts));
}

const isLearned = ({ started }: LengthRow): boolean => started === "learned";

/** Tokens times `steps` of all rows. */
export const tokenSteps = (rows: readonly LengthRow[], steps: (row: LengthRow) => number): number =>
  rows.reduce((sum, row) => sum + row.tokens * steps(row), 0);

/** What `of` comes to per part among the lengths about `tokens`: each token away halves the weight. */
export function near(rows: readonly LengthRow[], tokens: number, of: (row: LengthRow) => number): number {
  const closest = distance(rows, tokens);
  let [sum, parts] = [0, 0];
  for (const row of rows) {
    const weight = 2 ** (closest - Math.abs(row.tokens - tokens));
    sum += weight * of(row);
    parts += weight * row.parts;
  }
  return sum / parts;
}

/** Tokens from the nearest length. */
const distance = (rows: readonly LengthRow[], tokens: number): number =>
  Math.min(...rows.map((row) => Math.abs(row.tokens - tokens)));

/** Both, row by row, those of `before` at a part of their weight. */
export function joined(before: readonly LengthRow[], now: readonly LengthRow[], weight: number): LengthRow[] {
  const keyOf = ({ tokens, started = "zero" }: LengthRow): string => `${tokens} ${started}`;
  const rows = new Map(before.map((row) => [keyOf(row), scaled(row, weight)]));
  for (const row of now) {
    const { parts = 0, steps = 0, exact = 0 } = rows.get(keyOf(row)) ?? {};
    rows.set(keyOf(row), {
      ...row,
      parts: parts + row.parts,
      steps: steps + row.steps,
      exact: exact + row.exact,
    });
  }
  return [...rows.values()].toSorted((a, b) => a.tokens - b.tokens);
}

export const scaled = (row: LengthRow, by: number, stepsBy = by): LengthRow => ({
  ...row,
  parts: by * row.parts,
  steps: stepsBy * row.steps,
  exact: by * row.exact,
});
