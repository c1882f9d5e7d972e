/** @file Encoding: losses, steps to exactness, fidelity against length, and where inexact facts go wrong. */

import { many } from "../lib/format.ts";
import { groupBy } from "../lib/group.ts";
import { keyText } from "../records/fact.ts";
import type { FactId } from "../records/ids.ts";
import type { VectorLosses } from "../records/memory.ts";
import type { FactRow } from "../records/notebook.ts";
import type { TokenPair } from "../records/trace.ts";
import { defineFigure, FACT, fiveColumns, type Guide } from "./figure.ts";
import { fiveNumbers, wholeBins } from "./stats.ts";

/** Losses of one vector, before each step: Eq. 3, the sum over the tokens of what it says. */
export interface Curve {
  /** Of the fact. */
  readonly id: FactId;
  /** κ of the part that the vector says. */
  readonly key: string;
  /** t, by which the figures divide. */
  readonly tokens: number;
  readonly losses: readonly number[];
}

/** The curves of facts, one a vector; `losses` are those of each fact's vectors. */
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
  /** Steps of the schedule before refinement. */
  readonly guided: number;
}

/** Which part of the schedule a step belongs to: steps 1..guided, then refinement. */
const phaseOf = (step: number, guided: number): "guided" | "refinement" =>
  step <= guided ? "guided" : "refinement";

const refinement = (guided: number): readonly Guide[] => [
  { axis: "x", value: guided + 0.5, label: "refinement" },
];

/** Whose curves these are: "12 vectors", "12 vectors of 5 facts" where some have several. */
function ofVectors(curves: readonly Curve[]): string {
  const facts = new Set(curves.map(({ id }) => id)).size;
  const vectors = many(curves.length, "vector");
  return facts < curves.length ? `${vectors} of ${many(facts, "fact")}` : vectors;
}

const NO_STEP = "No step was taken: every vector was exact before the first.";

/** A batch at a glance: five numbers of the loss at each step, over the vectors still being optimised. */
export const lossBand = defineFigure({
  kind: "loss-band",
  empty: NO_STEP,
  wide: true,
  columns: {
    step: ["step", "", "number"],
    phase: ["phase", "", "text"],
    vectors: ["vectors", "count", "number"],
    ...fiveColumns("smallest loss", "nats per token"),
  },
  counts: {
    holds: ({ steps, parts }, { step }) => (parts ?? [{ steps }]).some((one) => one.steps >= step),
    says: ({ step }) => `with a vector that took step ${step}`,
  },
  make: ({ curves, guided }: Losses) => {
    const byStep: number[][] = [];
    for (const { losses, tokens } of curves)
      for (const [i, loss] of losses.entries()) (byStep[i] ??= []).push(loss / tokens);
    return {
      title: "Loss over all vectors",
      caption:
        "Loss of Eq. 3 per token before each step" +
        (curves.length === 1
          ? "."
          : `, over those of ${ofVectors(curves)} that took it: where they stop as they become exact, fewer and harder ones are left.`) +
        ` Steps after ${guided} are refinement.`,
      rows: byStep.map((losses, i) => {
        const { count, ...five } = fiveNumbers(losses);
        return { step: i + 1, phase: phaseOf(i + 1, guided), vectors: count, ...five };
      }),
      guides: refinement(guided),
    };
  },
});

/** How many of the curves are drawn, and which; nothing of one. */
function countText(shown: number, curves: readonly Curve[]): string {
  if (curves.length === 1) return "";
  return ` ${shown} of ${ofVectors(curves)}${shown < curves.length ? ", those that took most steps" : ""}.`;
}

/** Vectors whose own curve is drawn. */
const SINGLE = 12;

/** The curves themselves, at most `limit` of those given. */
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
    // Longest first: what took many steps is what a reader wants to see.
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

/** Which steps are counted, and how many are not, where that is known. */
export function stepsCounted(facts: StepsInput["facts"]): string {
  const apart = facts.reduce((sum, { givenUp = NaN }) => sum + givenUp, 0);
  const more = apart > 0 ? ` ${many(apart, "step")} of tries that were given up come on top.` : "";
  return `Steps of the vectors that stand.${more}`;
}

interface StepsInput {
  readonly facts: readonly Pick<FactRow, "steps" | "givenUp" | "exact">[];
  readonly bins?: number;
  /** Steps that the bins reach at least: two histograms with the same have the same bins. */
  readonly reach?: number;
}

/** Steps of the vectors that a fact has, exact and inexact facts apart; every fact is in one bin. */
export const stepsHistogram = defineFigure({
  kind: "steps-histogram",
  columns: {
    from: ["steps from", "", "number"],
    to: ["to", "", "number"],
    exact: ["exact facts", "count", "number"],
    inexact: ["inexact facts", "count", "number"],
  },
  counts: {
    holds: ({ steps }, { from, to }) => steps >= from && steps <= to,
    says: ({ from, to }) =>
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

/** Fidelity against value length, one row per length; nothing is sampled, so it holds for any number of facts. */
export const fidelityByLength = defineFigure({
  kind: "fidelity-by-length",
  columns: {
    tokens: ["value length t", "tokens", "number"],
    facts: ["facts", "count", "number"],
    exactRate: ["exact", "share", "number"],
    min: ["lowest fidelity", "token F1", "number"],
    median: ["median fidelity", "token F1", "number"],
    max: ["highest fidelity", "token F1", "number"],
  },
  counts: {
    holds: (fact, { tokens }) => fact.tokens === tokens,
    says: ({ tokens }) => `of ${many(tokens, "token")}`,
  },
  make: (facts: readonly Pick<FactRow, "tokens" | "fidelity" | "exact">[]) => ({
    title: "Fidelity against the value's length",
    caption: `Token F1 between recalled and stored value, ${many(facts.length, "fact")} by number of value tokens.`,
    rows: [...groupBy(facts, ({ tokens }) => tokens)]
      .sort(([a], [b]) => a - b)
      .map(([tokens, ofLength]) => {
        const { count, min, median, max } = fiveNumbers(ofLength.map(({ fidelity }) => fidelity));
        const exact = ofLength.filter((fact) => fact.exact).length;
        return { tokens, facts: count, exactRate: exact / count, min, median, max };
      }),
  }),
});

/** Index of the first token that differs; null when there is none. */
export function firstDifference(stored: readonly string[], recalled: readonly string[]): number | null {
  const at = Array.from({ length: Math.max(stored.length, recalled.length) }).findIndex(
    (_, t) => stored[t] !== recalled[t],
  );
  return at < 0 ? null : at;
}

/** Facts that fail, with the token where they first go wrong; exact ones are left out. */
export const firstWrong = defineFigure({
  kind: "first-wrong",
  wide: true,
  empty: "Every fact is exact: none goes wrong anywhere.",
  columns: {
    ...FACT,
    position: ["wrong token (from 1)", "", "number"],
    length: ["value length", "tokens", "number"],
    right: ["stored", "", "text?"],
    said: ["recalled", "", "text?"],
    before: ["right so far", "", "text"],
  },
  make: (pairs: readonly TokenPair[]) => ({
    title: "Where inexact facts first go wrong",
    caption: "The first token that differs from the stored value; everything before it is right.",
    rows: pairs.flatMap(({ id, key, value, recalled }) => {
      const at = firstDifference(value, recalled);
      if (at === null) return [];
      const before = value.slice(0, at).join("").trim();
      const [right, said] = [value[at] ?? null, recalled[at] ?? null];
      return [{ fact: id, key, position: at + 1, length: value.length, right, said, before }];
    }),
  }),
});
