/** @file Facts -> Workload: what is to be done for them, from the lengths of their very parts. */

import type { Engine } from "../engine/engine.ts";
import { groupBy } from "../lib/group.ts";
import { mean, spread } from "../lib/stats.ts";
import { learnedAmong } from "../memory/learnedStart.ts";
import { partsOf, type PartParams } from "../memory/parts.ts";
import type { BudgetInputs } from "../plan/budget.ts";
import type { PartCount, Workload } from "../records/cost.ts";
import type { Fact, PlannedFact } from "../records/fact.ts";
import type { MethodParams } from "../records/params.ts";

/** Facts whose tokens are counted: a long text has tens of thousands. */
export const SAMPLE = 256;

export type FactWork = Pick<Workload, "questions" | "embedded" | "parts">;

/**
 * What indexing and encoding `planned` will do, going by an even sample where there are very many; `written` vectors are
 * there for the learned start to begin with.
 */
export function factWork(
  engine: Engine,
  planned: readonly PlannedFact[],
  params: MethodParams,
  written: number,
): FactWork {
  const sample = spread(planned, SAMPLE);
  const scale = planned.length / Math.max(1, sample.length);
  const each = partsIn(engine, sample, params);
  const vectors = scale * each.reduce((sum, { count }) => sum + count, 0);
  const learned = vectors > 0 ? learnedAmong(vectors, written, params) / vectors : 0;
  const parts = each.map(({ count, ...part }) => ({
    ...part,
    count: count * scale,
    learned: count * scale * learned,
  }));
  const tokens = parts.reduce((sum, part) => sum + part.count * part.tokens, 0);
  return {
    questions: params.anchors === "model" && params.questionsPerFact > 0 ? planned.length : 0,
    // Once in the document of its anchor, and once for its own vector; questions come on top in proportion.
    embedded: tokens * (params.factVectors ? 2 : 1),
    parts,
  };
}

/** Vectors that a memory of so many reads back in the end: the soft read mixes them, so that all are asked. */
export const readBackWork = ({ read }: Pick<MethodParams, "read">, vectors: number): number =>
  read === "soft" ? vectors : 0;

/** The parts of some facts, those of one length and layer together. */
export function partsIn(engine: Engine, planned: readonly PlannedFact[], params: PartParams): PartCount[] {
  const parts = planned.flatMap(({ fact, layer }) =>
    partsOf(engine, fact, params).map(({ targets }) => ({ layer, tokens: targets.length })),
  );
  const alike = groupBy(parts, ({ layer, tokens }) => `${layer} ${tokens}`);
  return [...alike.values()].map((group) => ({ ...group[0]!, count: group.length }));
}

/** Vectors that one of `facts` takes on average, before any part is halved; going by an even sample. */
export function vectorsPerFact(engine: Engine, facts: readonly Fact[], params: PartParams): number {
  if (params.partTokens === null || facts.length === 0) return 1;
  return mean(spread(facts, SAMPLE).map((fact) => partsOf(engine, fact, params).length));
}

/** Eq. 1 over `layers` layers for `facts`, beside `stored` vectors. */
export function budgetInputs(
  engine: Engine,
  params: PartParams & Pick<MethodParams, "depth" | "capacity" | "spareRoom">,
  layers: number,
  stored: number,
  facts: readonly Fact[],
): BudgetInputs {
  const each = vectorsPerFact(engine, facts, params);
  return {
    ...{ depth: params.depth, layers, capacity: params.capacity },
    ...(stored > 0 ? { stored } : {}),
    ...(each > 1 ? { vectorsPerFact: each } : {}),
    ...(params.spareRoom ? { spareRoom: true } : {}),
  };
}

/** How many vectors hold the parts. */
export const partCount = (parts: readonly PartCount[]): number =>
  Math.round(parts.reduce((sum, { count }) => sum + count, 0));
