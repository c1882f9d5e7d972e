/** @file Eq. 1: how many facts may stay, and which. */

import { assert } from "../lib/assert.ts";
import { groupBy } from "../lib/group.ts";
import type { ExtractedFact } from "../records/fact.ts";
import { roomFor, type Budget } from "../records/plan.ts";

/** m̂, K and C of Eq. 1; K is the number of storage layers really there. C counts vectors, of which a fact in parts takes several. */
export interface BudgetInputs {
  readonly depth: number;
  readonly layers: number;
  readonly capacity: number;
  readonly stored?: number;
  readonly vectorsPerFact?: number;
  readonly spareRoom?: boolean;
}

/**
 * Eq. 1: B = min(m̂ n_anc, K C), m = ⌊B / n_anc⌋ facts per anchor if every anchor fits, otherwise 1. Stored vectors reduce K C,
 * which is divided by the vectors per fact. @throws if m̂, K, C or the count is not a whole number in range
 */
export function planBudget(anchors: number, inputs: BudgetInputs): Budget {
  const { depth, layers, capacity, stored = 0, vectorsPerFact = 1 } = inputs;
  const whole = (name: string, value: number, least: number): void =>
    assert(
      Number.isInteger(value) && value >= least,
      () => `plan: ${name} is ${value}, expected a whole number of at least ${least}`,
    );
  whole("the number of anchors", anchors, 0);
  whole("retention depth (m̂)", depth, 1);
  whole("the number of storage layers (K)", layers, 1);
  whole("layer capacity (C)", capacity, 1);
  whole("the number of stored vectors", stored, 0);
  assert(vectorsPerFact >= 1, () => `plan: a fact takes ${vectorsPerFact} vectors, expected at least 1`);
  const information = depth * anchors;
  const room = roomFor(inputs);
  const facts = Math.min(information, room);
  const bound = information <= room ? "information" : "capacity";
  const perAnchor = anchors === 0 ? 0 : Math.max(1, Math.floor(facts / anchors));
  return { facts, anchors, ...inputs, bound, perAnchor };
}

/**
 * Applies Eq. 1. Each anchor keeps its m latest facts; if not all fit, the best B anchors keep one. The rest of B stays
 * unused, unless `spareRoom` shares it. Kept facts count j = 1, 2, … in source order.
 */
export function allocate(facts: readonly ExtractedFact[], inputs: BudgetInputs) {
  const groups = byAnchor(facts);
  const equal = planBudget(groups.length, inputs);
  const spare = inputs.spareRoom === true && equal.bound === "capacity" && groups.length <= equal.facts;
  const budget = spare ? { ...equal, perAnchor: mostPerAnchor(groups, equal) } : equal;
  const kept = groups.length <= budget.facts ? groups : leading(groups, budget.facts);
  const chosen = new Map<ExtractedFact, ExtractedFact>();
  for (const group of kept)
    for (const [i, fact] of group.slice(-budget.perAnchor).entries())
      chosen.set(fact, { ...fact, index: i + 1 });
  return { budget, facts: facts.flatMap((fact) => chosen.get(fact) ?? []) };
}

/** The largest m <= m̂ with Σ min(facts of an anchor, m) <= B. */
function mostPerAnchor(groups: readonly (readonly unknown[])[], { facts, depth, perAnchor }: Budget): number {
  const taken = (m: number): number => groups.reduce((sum, group) => sum + Math.min(group.length, m), 0);
  const longest = groups.reduce((most, group) => Math.max(most, group.length), 0);
  let [low, high] = [perAnchor, Math.min(depth, longest)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (taken(middle) <= facts) low = middle;
    else high = middle - 1;
  }
  return low >= longest ? depth : low;
}

function byAnchor(facts: readonly ExtractedFact[]): ExtractedFact[][] {
  const groups = groupBy(facts, ({ anchorOrder }) => anchorOrder);
  const ordered = [...groups].toSorted(([a], [b]) => a - b);
  return ordered.map(([, group]) => group.toSorted((a, b) => a.index - b.index));
}

function leading(groups: readonly ExtractedFact[][], count: number): ExtractedFact[][] {
  const ranked = groups
    .map((group, order) => ({ group, order, validated: group.filter((fact) => fact.validated).length }))
    .sort((a, b) => b.validated - a.validated || b.group.length - a.group.length || a.order - b.order);
  return ranked
    .slice(0, count)
    .sort((a, b) => a.order - b.order)
    .map(({ group }) => group);
}
