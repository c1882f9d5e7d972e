/** @file Layers: how many facts each holds and why (Eq. 2), what the probe measured, and how large δ became. */

import { type Fact, keyText } from "../records/fact.ts";
import type { LayerIndex } from "../records/ids.ts";
import type { FactRow } from "../records/notebook.ts";
import { figure, type Figure, type Source } from "./figure.ts";
import { type Margin, type MarginStep, type SimilarityMatrix } from "./geometry.ts";
import { fiveNumbers } from "./stats.ts";
import type { LayerPlan } from "../records/plan.ts";

/** Facts per storage layer against C. */
export function factsPerLayer(
  facts: readonly Pick<FactRow, "layer" | "exact">[],
  layers: readonly LayerIndex[],
  capacity: number,
  source: Source,
): Figure<{ layer: number; facts: number; exact: number; capacity: number; share: number }> {
  const all = [...new Set<number>([...layers, ...facts.map(({ layer }) => layer)])].sort((a, b) => a - b);
  const rows = all.map((layer) => {
    const here = facts.filter((fact) => fact.layer === layer);
    const exact = here.filter((fact) => fact.exact).length;
    return { layer, facts: here.length, exact, capacity, share: here.length / capacity };
  });
  return figure({
    id: "facts-per-layer",
    title: "Facts per storage layer",
    caption: `${facts.length} facts on ${all.length} layers; C = ${capacity} is the nominal limit of each.`,
    columns: {
      layer: ["layer ℓ", "", "number"],
      facts: ["facts", "count", "number"],
      exact: ["of them exact", "count", "number"],
      capacity: ["C", "facts", "number"],
      share: ["of C", "share", "number"],
    },
    rows,
    guides: [{ axis: "y", value: capacity, label: `C = ${capacity}` }],
    source,
  });
}

/**
 * Eq. 2 as marks: anchor order ι(e) down, fact index j across, coloured by λ at (ι + j) mod K. A fact moved by hand
 * lies elsewhere than Eq. 2 says, and is marked. At most `limit` marks, the first anchors.
 */
export function roundRobin(
  facts: readonly (Pick<Fact, "id" | "anchor" | "anchorOrder" | "index"> & { readonly layer: LayerIndex })[],
  layers: readonly LayerIndex[],
  limit: number,
  source: Source,
): Figure<{
  fact: string;
  key: string;
  order: number;
  index: number;
  slot: number;
  layer: number;
  byEquation: boolean;
}> {
  const sorted = facts.toSorted((a, b) => a.anchorOrder - b.anchorOrder || a.index - b.index);
  const K = layers.length;
  return figure({
    id: "round-robin",
    title: "Why a fact is at its layer: Eq. 2",
    caption:
      `ℓ = λ at (ι(e) + j) mod K with K = ${K}, j counted from 0, λ = (${layers.join(", ")}). ` +
      `${Math.min(limit, sorted.length)} of ${sorted.length} facts.`,
    columns: {
      fact: ["fact", "id", "text"],
      key: ["key κ", "", "text", "fact"],
      order: ["anchor order ι(e)", "", "number"],
      index: ["fact index j (from 1)", "", "number"],
      slot: ["(ι + j) mod K", "", "number"],
      layer: ["layer ℓ", "", "number"],
      byEquation: ["as Eq. 2 says", "", "boolean"],
    },
    rows: sorted.slice(0, limit).map(({ id, anchor, anchorOrder, index, layer }) => {
      const slot = (anchorOrder + index - 1) % K;
      return {
        fact: id,
        key: keyText({ anchor, index }),
        order: anchorOrder,
        index,
        slot,
        layer,
        byEquation: layers[slot] === layer,
      };
    }),
    guides: [],
    source,
  });
}

/** The probe's measurements by layer, in layer order. */
export function layerProbe(
  { choices, layers }: LayerPlan,
  source: Source,
): Figure<{
  layer: number;
  exactRate: number;
  fidelity: number;
  cost: number;
  rank: number;
  chosen: boolean;
  why: string;
}> {
  return figure({
    id: "layer-probe",
    title: "Layer probe",
    caption: `Held-out facts encoded and recalled at every candidate layer; K = ${layers.length} layers are chosen.`,
    columns: {
      layer: ["layer ℓ", "", "number"],
      exactRate: ["exact", "share", "number"],
      fidelity: ["fidelity", "token F1", "number"],
      cost: ["cost per fact", "s", "number"],
      rank: ["rank", "", "number"],
      chosen: ["chosen", "", "boolean"],
      why: ["why", "", "text"],
    },
    rows: choices
      .toSorted((a, b) => a.layer - b.layer)
      .map(({ layer, exactRate, fidelity, cost, rank, chosen, why }) => ({
        layer,
        exactRate,
        fidelity,
        cost,
        rank,
        chosen,
        why,
      })),
    guides: [],
    source,
  });
}

/** ‖δ‖ by layer as five numbers. */
export function deltaNorms(
  facts: readonly Pick<FactRow, "layer" | "deltaNorm">[],
  source: Source,
): Figure<{
  layer: number;
  facts: number;
  min: number;
  q1: number;
  median: number;
  q3: number;
  max: number;
}> {
  const layers = [...new Set<number>(facts.map(({ layer }) => layer))].sort((a, b) => a - b);
  return figure({
    id: "delta-norms",
    title: "Norm of δ by layer",
    caption: `Smallest, quartiles and largest ‖δ‖ of ${facts.length} facts.`,
    columns: {
      layer: ["layer ℓ", "", "number"],
      facts: ["facts", "count", "number"],
      min: ["smallest ‖δ‖", "", "number"],
      q1: ["first quartile", "", "number"],
      median: ["median", "", "number"],
      q3: ["third quartile", "", "number"],
      max: ["largest", "", "number"],
    },
    rows: layers.map((layer) => {
      const { count, ...five } = fiveNumbers(
        facts.filter((fact) => fact.layer === layer).map(({ deltaNorm }) => deltaNorm),
      );
      return { layer, facts: count, ...five };
    }),
    guides: [],
    source,
  });
}

/** A layer's keys against each other, one row per cell. */
export function similarityCells(
  { layer, stored, keys, ids, similarity }: SimilarityMatrix,
  source: Source,
): Figure<{
  row: number;
  column: number;
  a: string;
  aFact: string;
  b: string;
  bFact: string;
  similarity: number;
}> {
  const n = keys.length;
  return figure({
    id: "similarity-matrix",
    title: `Similarity of the keys of layer ${layer}`,
    caption:
      n < stored
        ? `${n} of ${stored} keys, evenly spread in the order they were stored.`
        : `All ${stored} keys, in the order they were stored.`,
    columns: {
      row: ["row", "", "number"],
      column: ["column", "", "number"],
      a: ["key", "", "text", "aFact"],
      aFact: ["its fact", "id", "text"],
      b: ["other key", "", "text", "bFact"],
      bFact: ["its fact", "id", "text"],
      similarity: ["similarity", "cosine", "number"],
    },
    rows: Array.from({ length: n * n }, (_, i) => {
      const [row, column] = [Math.floor(i / n), i % n];
      return {
        ...{ row, column, a: keys[row]!, aFact: ids[row]!, b: keys[column]!, bFact: ids[column]! },
        similarity: similarity[i]!,
      };
    }),
    guides: [],
    source,
  });
}

/** Margins of all facts of a layer, smallest first. */
export function marginRows(
  margins: readonly Margin[],
  layer: number,
  theta: number,
  source: Source,
): Figure<{
  rank: number;
  fact: string;
  key: string;
  rival: string | null;
  rivalFact: string | null;
  rivalSimilarity: number | null;
  margin: number | null;
}> {
  const sorted = margins.toSorted((a, b) => (a.margin ?? 2) - (b.margin ?? 2));
  return figure({
    id: "margins",
    title: `How close layer ${layer} is to confusion`,
    caption: `1 minus the similarity of the nearest other key, at each fact's own key token, for ${margins.length} facts.`,
    columns: {
      rank: ["rank", "", "number"],
      fact: ["fact", "id", "text"],
      key: ["key κ", "", "text", "fact"],
      rival: ["nearest other key", "", "text", "rivalFact"],
      rivalFact: ["its fact", "id", "text"],
      rivalSimilarity: ["its similarity", "cosine", "number"],
      margin: ["margin", "cosine", "number"],
    },
    rows: sorted.map(({ id, key, rival, rivalId, rivalSimilarity, margin }, i) => ({
      ...{ rank: i + 1, fact: id, key, rival, rivalFact: rivalId, rivalSimilarity, margin },
    })),
    // Below this a deleted fact's prompt still opens the gate, by another fact's key.
    guides: [{ axis: "y", value: 1 - theta, label: `1 − θ = ${Number((1 - theta).toFixed(3))}` }],
    source,
  });
}

/** How margins move as facts are added. */
export function marginGrowthRows(
  steps: readonly MarginStep[],
  layer: number,
  source: Source,
): Figure<{ facts: number; min: number; q1: number; median: number; q3: number; max: number }> {
  return figure({
    id: "margin-growth",
    title: `Margins of layer ${layer} as facts are added`,
    caption: "At each size, over the facts stored by then, in stored order.",
    columns: {
      facts: ["facts at the layer", "count", "number"],
      min: ["smallest margin", "cosine", "number"],
      q1: ["first quartile", "cosine", "number"],
      median: ["median", "cosine", "number"],
      q3: ["third quartile", "cosine", "number"],
      max: ["largest", "cosine", "number"],
    },
    rows: steps.map(({ facts, min, q1, median, q3, max }) => ({ facts, min, q1, median, q3, max })),
    guides: [],
    source,
  });
}
