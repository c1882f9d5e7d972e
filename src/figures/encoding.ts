/** @file Encoding: losses, and steps to exactness. */

import { many } from "../lib/format.ts";
import { keyText } from "../records/fact.ts";
import type { FactId } from "../records/ids.ts";
import type { VectorLosses } from "../records/memory.ts";
import type { FactRow } from "../records/notebook.ts";
import { defineFigure, FACT, type Guide } from "./figure.ts";
import { wholeBins } from "./stats.ts";

/** The losses of one vector before each step: Eq. 3, summed over the tokens of its part. */
export interface Curve {
  readonly id: FactId;
  /** κ of the part that the vector stores. */
  readonly key: string;
  /** t; figures show the loss divided by it. */
  readonly tokens: number;
  readonly losses: readonly number[];
}

/** The curves of facts, one per vector; `losses[i]` belong to the vectors of `facts[i]`. */
export const curvesOf = (
  facts: readonly Pick<FactRow, "id" | "anchor" | "index">[],
  losses: readonly (readonly VectorLosses[])[],
): Curve[] =>
  facts.flatMap(({ id, anchor, index }, i) =>
    (losses[i] ?? []).map(({ part, ...vector }) => ({
      id,
      key: keyText({ anchor, index, part }),
      ...vector,
    })),
  );

interface Losses {
  readonly curves: readonly Curve[];
  readonly guided: number;
}

const phaseOf = (step: number, guided: number): "guided" | "refinement" =>
  step <= guided ? "guided" : "refinement";

const refinement = (guided: number): readonly Guide[] => [
  { axis: "x", value: guided + 0.5, label: "refinement" },
];

function ofVectors(curves: readonly Curve[]): string {
  const facts = new Set(curves.map(({ id }) => id)).size;
  const vectors = many(curves.length, "vector");
  return facts < curves.length ? `${vectors} of ${many(facts, "fact")}` : vectors;
}

const NO_STEP = "Every vector was exact before the first step.";

function countText(shown: number, curves: readonly Curve[]): string {
  if (curves.length === 1) return "";
  return ` ${shown} of ${ofVectors(curves)}${shown < curves.length ? ", those with the most steps" : ""}.`;
}

const SINGLE = 12;

export const lossCurves = defineFigure({
  kind: "loss-curves",
  empty: NO_STEP,
  wide: true,
  columns: {
    ...FACT,
    step: ["step", "", "number"],
    phase: ["phase", "", "text"],
    loss: ["loss", "nats per token", "number"],
  },
  make: ({ curves, guided, limit = SINGLE }: Losses & { readonly limit?: number }) => {
    // Longest first: readers look for the vectors that took many steps.
    const shown = curves.toSorted((a, b) => b.losses.length - a.losses.length).slice(0, limit);
    return {
      title: curves.length === 1 ? `Loss of ${curves[0]!.key}` : "Loss of single vectors",
      caption: `Loss of Eq. 3 per token before each step; steps after ${guided} are refinement.${countText(shown.length, curves)}`,
      rows: shown.flatMap(({ id, key, tokens, losses }) =>
        losses.map((loss, i) => ({
          fact: id,
          key,
          step: i + 1,
          phase: phaseOf(i + 1, guided),
          loss: loss / tokens,
        })),
      ),
      guides: refinement(guided),
    };
  },
});

/** Names the steps that are counted, and the number of those that are not. */
export function stepsCounted(facts: StepsInput["facts"]): string {
  const abandoned = facts.reduce((sum, { givenUp = NaN }) => sum + givenUp, 0);
  const more = abandoned > 0 ? ` ${many(abandoned, "step")} of abandoned attempts are not counted.` : "";
  return `Steps of the stored vectors.${more}`;
}

interface StepsInput {
  readonly facts: readonly Pick<FactRow, "steps" | "givenUp" | "exact">[];
  readonly bins?: number;
  /** The largest step count that the bins cover at least, so that two histograms can have the same bins. */
  readonly reach?: number;
}

export const stepsHistogram = defineFigure({
  kind: "steps-histogram",
  columns: {
    from: ["steps from", "", "number"],
    to: ["to", "", "number"],
    exact: ["exact facts", "count", "number"],
    inexact: ["inexact facts", "count", "number"],
  },
  counts: {
    includes:
      ({ from, to }) =>
      ({ steps }) =>
        steps >= from && steps <= to,
    words: ({ from, to }) =>
      from === to ? `with ${many(from, "step")}` : `with ${from} to ${many(to, "step")}`,
    size: ({ exact, inexact }) => exact + inexact,
  },
  make: ({ facts, bins = 20, reach = 0 }: StepsInput) => {
    const largest = facts.reduce((most, { steps }) => Math.max(most, steps), reach);
    const rows = wholeBins(largest, bins).map((bin) => ({ ...bin, exact: 0, inexact: 0 }));
    for (const { steps, exact } of facts) rows.find(({ to }) => steps <= to)![exact ? "exact" : "inexact"]++;
    const exact = facts.filter((fact) => fact.exact).length;
    return {
      title: "Steps of a fact",
      caption: `${exact} of ${many(facts.length, "fact")} exact. ${stepsCounted(facts)}`,
      rows: facts.length === 0 ? [] : rows,
    };
  },
});
