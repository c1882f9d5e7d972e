/** @file Encoding: losses, steps to exactness, fidelity against length, and where inexact facts go wrong. */

import type { FactId } from "../records/ids.ts";
import type { FactRow } from "../records/notebook.ts";
import type { TokenPair } from "../records/trace.ts";
import { figure, type Figure, type Source } from "./figure.ts";
import { fiveNumbers, wholeBins } from "./stats.ts";

/** Losses of one fact, before each step. */
export interface Curve {
  readonly id: FactId;
  readonly key: string;
  readonly losses: readonly number[];
}

/** Which part of the schedule a step belongs to: steps 1..guided, then refinement. */
const phaseOf = (step: number, guided: number): "guided" | "refinement" =>
  step <= guided ? "guided" : "refinement";

/** The curves themselves, at most `limit` facts of those given. */
export function lossCurves(
  curves: readonly Curve[],
  guidedSteps: number,
  limit: number,
  source: Source,
): Figure<{ fact: string; key: string; step: number; phase: string; loss: number }> {
  const shown = curves.slice(0, limit);
  return figure({
    id: "loss-curves",
    title: curves.length === 1 ? `Loss of ${curves[0]!.key}` : "Loss of single facts",
    caption:
      `Loss of Eq. 3 before each step; steps after ${guidedSteps} are refinement. ` +
      `${shown.length} of ${curves.length} facts.`,
    columns: {
      fact: ["fact", "id", "text"],
      key: ["key κ", "", "text", "fact"],
      step: ["step", "", "number"],
      phase: ["phase", "", "text"],
      loss: ["loss", "nats", "number"],
    },
    rows: shown.flatMap(({ id, key, losses }) =>
      losses.map((loss, i) => ({ fact: id, key, step: i + 1, phase: phaseOf(i + 1, guidedSteps), loss })),
    ),
    guides: [{ axis: "x", value: guidedSteps + 0.5, label: "refinement" }],
    source,
  });
}

/** A batch at a glance: five numbers of the loss at each step, over the facts still being optimised. */
export function lossBand(
  curves: readonly Curve[],
  guidedSteps: number,
  source: Source,
): Figure<{
  step: number;
  phase: string;
  facts: number;
  min: number;
  q1: number;
  median: number;
  q3: number;
  max: number;
}> {
  const byStep: number[][] = [];
  for (const { losses } of curves)
    for (const [i, loss] of losses.entries())
      if (byStep[i]) byStep[i].push(loss);
      else byStep[i] = [loss];
  return figure({
    id: "loss-band",
    title: "Loss over all facts",
    caption:
      "Loss of Eq. 3 before each step, over the facts that took it: where facts stop as they become exact, " +
      `fewer and harder ones are left. Steps after ${guidedSteps} are refinement.`,
    columns: {
      step: ["step", "", "number"],
      phase: ["phase", "", "text"],
      facts: ["facts", "count", "number"],
      min: ["smallest loss", "nats", "number"],
      q1: ["first quartile", "nats", "number"],
      median: ["median", "nats", "number"],
      q3: ["third quartile", "nats", "number"],
      max: ["largest", "nats", "number"],
    },
    rows: byStep.map((losses, i) => {
      const { count, ...five } = fiveNumbers(losses);
      return { step: i + 1, phase: phaseOf(i + 1, guidedSteps), facts: count, ...five };
    }),
    guides: [{ axis: "x", value: guidedSteps + 0.5, label: "refinement" }],
    source,
  });
}

/** Steps a fact took, exact and inexact facts apart; every fact is in one bin. */
export function stepsHistogram(
  facts: readonly Pick<FactRow, "steps" | "exact">[],
  bins: number,
  source: Source,
  /** Steps that the bins reach at least: two histograms with the same have the same bins. */
  reach = 0,
): Figure<{ from: number; to: number; exact: number; inexact: number }> {
  const largest = facts.reduce((most, { steps }) => Math.max(most, steps), reach);
  const rows = wholeBins(largest, bins).map((bin) => ({ ...bin, exact: 0, inexact: 0 }));
  for (const { steps, exact } of facts) {
    const row = rows.find(({ to }) => steps <= to)!;
    if (exact) row.exact++;
    else row.inexact++;
  }
  const exact = facts.filter((fact) => fact.exact).length;
  return figure({
    id: "steps-histogram",
    title: "Steps to exactness",
    caption: `${exact} of ${facts.length} facts are exact; inexact ones used all their steps.`,
    columns: {
      from: ["steps from", "", "number"],
      to: ["to", "", "number"],
      exact: ["exact facts", "count", "number"],
      inexact: ["inexact facts", "count", "number"],
    },
    rows: facts.length === 0 ? [] : rows,
    guides: [],
    source,
  });
}

/** Fidelity against value length, one row per length; nothing is sampled, so it holds for any number of facts. */
export function fidelityByLength(
  facts: readonly Pick<FactRow, "tokens" | "fidelity" | "exact">[],
  source: Source,
): Figure<{ tokens: number; facts: number; exactRate: number; min: number; median: number; max: number }> {
  const groups = new Map<number, { fidelity: number[]; exact: number }>();
  for (const { tokens, fidelity, exact } of facts) {
    const group = groups.get(tokens) ?? { fidelity: [], exact: 0 };
    group.fidelity.push(fidelity);
    group.exact += Number(exact);
    groups.set(tokens, group);
  }
  return figure({
    id: "fidelity-by-length",
    title: "Fidelity against the value's length",
    caption: `Token F1 between recalled and stored value, ${facts.length} facts by number of value tokens.`,
    columns: {
      tokens: ["value length t", "tokens", "number"],
      facts: ["facts", "count", "number"],
      exactRate: ["exact", "share", "number"],
      min: ["lowest fidelity", "token F1", "number"],
      median: ["median fidelity", "token F1", "number"],
      max: ["highest fidelity", "token F1", "number"],
    },
    rows: [...groups]
      .sort(([a], [b]) => a - b)
      .map(([tokens, { fidelity, exact }]) => {
        const { count, min, median, max } = fiveNumbers(fidelity);
        return { tokens, facts: count, exactRate: exact / count, min, median, max };
      }),
    guides: [],
    source,
  });
}

/** Index of the first token that differs; null when there is none. */
export function firstDifference(stored: readonly string[], recalled: readonly string[]): number | null {
  const at = Array.from({ length: Math.max(stored.length, recalled.length) }).findIndex(
    (_, t) => stored[t] !== recalled[t],
  );
  return at < 0 ? null : at;
}

/** Facts that fail, with the token where they first go wrong; exact ones are left out. */
export function firstWrong(
  pairs: readonly TokenPair[],
  source: Source,
): Figure<{
  fact: string;
  key: string;
  position: number;
  length: number;
  right: string | null;
  said: string | null;
  before: string;
}> {
  return figure({
    id: "first-wrong",
    title: "Where inexact facts first go wrong",
    caption: "The first token that differs from the stored value; everything before it is right.",
    columns: {
      fact: ["fact", "id", "text"],
      key: ["key κ", "", "text", "fact"],
      position: ["wrong token (from 1)", "", "number"],
      length: ["value length", "tokens", "number"],
      right: ["stored", "", "text"],
      said: ["recalled", "", "text"],
      before: ["right so far", "", "text"],
    },
    rows: pairs.flatMap(({ id, key, value, recalled }) => {
      const at = firstDifference(value, recalled);
      if (at === null) return [];
      return [
        {
          fact: id,
          key,
          position: at + 1,
          length: value.length,
          right: value[at] ?? null,
          said: recalled[at] ?? null,
          before: value.slice(0, at).join("").trim(),
        },
      ];
    }),
    guides: [],
    source,
  });
}
