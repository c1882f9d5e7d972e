/** @file Values in parts: vectors a fact takes, steps by a part's length, and steps while the memory is being written. */

import { many } from "../lib/format.ts";
import { groupBy } from "../lib/group.ts";
import { mean } from "../lib/stats.ts";
import type { AdamStart } from "../records/memory.ts";
import type { FactRow, PartRow } from "../records/notebook.ts";
import { vectorsOf } from "../records/factRow.ts";
import { defineFigure, fiveColumns } from "./figure.ts";
import { equalParts, fiveNumbers, withoutGaps } from "./stats.ts";

type Facts = readonly Pick<FactRow, "tokens" | "steps" | "exact" | "started" | "parts">[];

/** What every vector took; a fact of one vector is its own part. */
const partsOf = (facts: Facts): Pick<PartRow, "tokens" | "steps" | "started">[] =>
  facts.flatMap((fact): readonly Pick<PartRow, "tokens" | "steps" | "started">[] => fact.parts ?? [fact]);

/** How many facts take how many vectors. */
export const vectorsPerFact = defineFigure({
  kind: "vectors-per-fact",
  columns: {
    vectors: ["vectors", "count", "number"],
    exact: ["exact facts", "count", "number"],
    inexact: ["inexact facts", "count", "number"],
  },
  make: (facts: Facts) => {
    const alike = groupBy(facts, vectorsOf);
    const rows = withoutGaps(alike.keys()).map((vectors) => {
      const those = alike.get(vectors) ?? [];
      const exact = those.filter((fact) => fact.exact).length;
      return { vectors, exact, inexact: those.length - exact };
    });
    const all = facts.reduce((sum, fact) => sum + vectorsOf(fact), 0);
    return {
      title: "Vectors a fact",
      caption: `${many(facts.length, "fact")} in ${many(all, "vector")}: a value longer than a part is stored in several.`,
      rows,
    };
  },
});

/** Steps of a part against its length, one row per length; nothing is sampled. */
export const stepsByLength = defineFigure({
  kind: "steps-by-length",
  columns: {
    tokens: ["part length t", "tokens", "number"],
    facts: ["parts", "count", "number"],
    ...fiveColumns("fewest steps", ""),
  },
  make: (facts: Facts) => {
    const parts = partsOf(facts);
    return {
      title: "Steps by length of the part",
      caption: `Steps of Eq. 3 that ${many(parts.length, "vector")} took, by number of tokens that they say; tries that were given up left no vector.`,
      rows: [...groupBy(parts, ({ tokens }) => tokens)]
        .sort(([a], [b]) => a - b)
        .map(([tokens, those]) => {
          const { count, ...five } = fiveNumbers(those.map(({ steps }) => steps));
          return { tokens, facts: count, ...five };
        }),
    };
  },
});

/** Stretches that the vectors are counted in, in the order in which they were written. */
const STRETCHES = 16;

/** Steps while the memory was being written: with a start that it had learnt, and from zero. */
export const stepsWritten = defineFigure({
  kind: "steps-written",
  wide: true,
  columns: {
    from: ["vectors from", "", "number"],
    to: ["to", "", "number"],
    zero: ["from zero", "mean steps", "number?"],
    zeroParts: ["from zero, of", "vectors", "number"],
    learned: ["learnt start", "mean steps", "number?"],
    learnedParts: ["learnt start, of", "vectors", "number"],
  },
  make: (facts: Facts) => {
    const parts = partsOf(facts);
    const stepsOf = (those: typeof parts, start: AdamStart): number[] =>
      those.filter(({ started = "zero" }) => started === start).map(({ steps }) => steps);
    const meanOf = (steps: readonly number[]): number | null => (steps.length > 0 ? mean(steps) : null);
    const [zero, learned] = [stepsOf(parts, "zero"), stepsOf(parts, "learned")];
    const said = (steps: readonly number[]): string =>
      steps.length > 0 ? `${mean(steps).toFixed(1)} steps (n = ${steps.length})` : "no vector";
    return {
      title: "Steps while the memory is written",
      caption:
        `Steps in the order of writing, a stretch's mean where it has several vectors: ${said(zero)} from zero` +
        (learned.length > 0
          ? `, ${said(learned)} from a start learnt from the vectors written before. One part in 16 starts from zero for comparison.`
          : "."),
      rows:
        parts.length === 0
          ? []
          : equalParts(0, parts.length, Math.min(STRETCHES, parts.length)).bins.map(({ from, to }) => {
              const those = parts.slice(Math.round(from), Math.round(to));
              const [alone, taught] = [stepsOf(those, "zero"), stepsOf(those, "learned")];
              return {
                ...{ from: Math.round(from) + 1, to: Math.round(to) },
                ...{ zero: meanOf(alone), zeroParts: alone.length },
                ...{ learned: meanOf(taught), learnedParts: taught.length },
              };
            }),
    };
  },
});
