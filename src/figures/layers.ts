/** @file Layers: facts of each, their assignment (Eq. 2), the probe, and how keys lie to each other. */

import { many } from "../lib/format.ts";
import { keyText, type Fact } from "../records/fact.ts";
import type { LayerIndex, FactId } from "../records/ids.ts";
import type { FactRow } from "../records/notebook.ts";
import type { MethodParams } from "../records/params.ts";
import { probedOf, slotOf, type LayerPlan } from "../records/plan.ts";
import { defineFigure, FACT, type Counts, wholeBins } from "./figure.ts";
import type { Margin, SimilarityMatrix } from "../records/geometry.ts";
import { differencesText, INTERVAL, INTERVAL_NAMES, intervalOf } from "./lines.ts";
import type { VectorLosses } from "../records/memory.ts";

const LAYER = ["layer ℓ", "", "number"] as const;
const FACTS = ["facts", "count", "number"] as const;

const atLayer: Counts<{ readonly layer: number; readonly facts: number }> = {
  includes:
    ({ layer }) =>
    (fact) =>
      fact.layer === layer,
  words: ({ layer }) => `at layer ${layer}`,
  size: ({ facts }) => facts,
};

interface LayersInput {
  readonly facts: readonly Pick<FactRow, "layer" | "exact" | "parts">[];
  readonly layers: readonly LayerIndex[];
  readonly capacity: number;
}

export const factsPerLayer = defineFigure({
  kind: "facts-per-layer",
  columns: {
    layer: LAYER,
    facts: FACTS,
    exact: ["of them exact", "count", "number"],
    vectors: ["vectors", "count", "number"],
    capacity: ["C", "vectors", "number"],
    share: ["of C", "share", "number"],
  },
  counts: atLayer,
  make: ({ facts, layers, capacity }: LayersInput) => {
    const all = [...new Set<number>([...layers, ...facts.map(({ layer }) => layer)])].sort((a, b) => a - b);
    return {
      title: "Facts per storage layer",
      caption: `${many(facts.length, "fact")} on ${many(all.length, "layer")}; C = ${many(capacity, "vector")} is the nominal limit of each.`,
      rows: all.map((layer) => {
        const here = facts.filter((fact) => fact.layer === layer);
        const exact = here.filter((fact) => fact.exact).length;
        const vectors = facts.reduce((sum, fact) => sum + vectorsAt(fact, layer).length, 0);
        return { layer, facts: here.length, exact, vectors, capacity, share: vectors / capacity };
      }),
      guides: [{ axis: "y", value: capacity, label: `C = ${capacity}` }],
    };
  },
});

/** Parts of a fact may be at other layers than its first part. */
const vectorsAt = ({ layer: own, parts }: Pick<FactRow, "layer" | "parts">, layer: number) =>
  (parts ?? [{ layer: own }]).filter((part) => part.layer === layer);

/** Facts with ι(e): their `order`, otherwise the place of the anchor's first fact, document by document. */
export function withOrders<F extends Pick<FactRow, "anchor" | "order" | "documentId" | "offset">>(
  facts: readonly F[],
): (F & { readonly anchorOrder: number })[] {
  const documents = [...new Set(facts.map(({ documentId }) => documentId))];
  const sorted = facts.toSorted(
    (a, b) => documents.indexOf(a.documentId) - documents.indexOf(b.documentId) || a.offset - b.offset,
  );
  const places = new Map([...new Set(sorted.map(({ anchor }) => anchor))].map((anchor, i) => [anchor, i]));
  return facts.map((fact) => ({ ...fact, anchorOrder: fact.order ?? places.get(fact.anchor)! }));
}

const MARKS = 4000;

/** Eq. 2: λ at (ι + j) mod K. `byEquation` is false for a fact moved by hand. Only facts of the first anchors. */
export const roundRobin = defineFigure({
  kind: "round-robin",
  wide: true,
  columns: {
    ...FACT,
    order: ["anchor order ι(e)", "", "number"],
    index: ["fact index j (from 1)", "", "number"],
    slot: ["(ι + j) mod K", "", "number"],
    layer: LAYER,
    byEquation: ["layer of Eq. 2", "", "boolean"],
  },
  make: ({
    facts,
    layers,
    layersFrom = "order",
    limit = MARKS,
  }: {
    readonly facts: readonly (Pick<Fact, "id" | "anchor" | "anchorOrder" | "index"> & {
      readonly layer: LayerIndex;
    })[];
    readonly layers: readonly LayerIndex[];
    readonly layersFrom?: MethodParams["layersFrom"];
    readonly limit?: number;
  }) => {
    const sorted = facts.toSorted((a, b) => a.anchorOrder - b.anchorOrder || a.index - b.index);
    const K = layers.length;
    return {
      title: "Why a fact is at its layer: Eq. 2",
      caption:
        `ℓ = λ at (ι(e) + j) mod K with K = ${K}, j counted from 0, λ = (${layers.join(", ")}). ` +
        (layersFrom === "words" ? "ι(e) is a hash of the anchor’s words. " : "") +
        `${Math.min(limit, sorted.length)} of ${many(sorted.length, "fact")}.`,
      rows: sorted.slice(0, limit).map((fact) => {
        const { id, anchorOrder: order, index, layer } = fact;
        const slot = slotOf(fact, K, layersFrom);
        const byEquation = layers[slot] === layer;
        return { fact: id, key: keyText(fact), order, index, slot, layer, byEquation };
      }),
      // λ in order: a place without a fact has no row.
      guides: layers.map((layer, slot) => ({ axis: "y", value: layer, label: `λ at ${slot}` })),
    };
  },
});

export const layerProbe = defineFigure({
  kind: "layer-probe",
  wide: true,
  empty: "No layer was probed.",
  columns: {
    layer: LAYER,
    exactRate: ["exact", "share", "number", undefined, INTERVAL_NAMES],
    ...INTERVAL,
    fidelity: ["fidelity", "token F1", "number"],
    work: ["layers run per fact", "count", "number?"],
    cost: ["time per fact", "s", "number?"],
    rank: ["rank", "", "number"],
    chosen: ["chosen", "", "boolean"],
    why: ["why", "", "text"],
  },
  make({ choices, layers }: LayerPlan) {
    const rows = choices
      .toSorted((a, b) => a.layer - b.layer)
      .map(({ layer, exactRate, fidelity, work = null, cost, recorded, rank, chosen, why, n }) => ({
        ...{ layer, exactRate, ...intervalOf(exactRate, probedOf({ n })), fidelity, work },
        // A recorded time was measured on another machine.
        cost: recorded ? null : cost,
        ...{ rank, chosen, why },
      }));
    const shares = rows.flatMap(({ layer, exactRate, n }) =>
      n === null ? [] : [{ label: "exact", place: layer, share: exactRate, n }],
    );
    return {
      title: "Layer probe",
      caption:
        `Held-out facts encoded and recalled at every candidate layer${choices.some(({ recorded }) => recorded) ? ", recorded when the model was built" : ""}; ` +
        `${many(layers.length, "layer")} (K) chosen: by exact rate, then fidelity, then the fewest layers run to encode a fact. ` +
        `Whiskers: 95 % intervals (Wilson). ${differencesText(shares, () => true, "layers")}`,
      rows,
    };
  },
});

export const similarityCells = defineFigure({
  kind: "similarity-matrix",
  empty: "There is no key at this layer.",
  // A cell compares two facts.
  leads: "list",
  columns: {
    row: ["row", "", "number"],
    column: ["column", "", "number"],
    a: ["key", "", "text", "aFact"],
    aFact: ["its fact", "id", "text"],
    b: ["other key", "", "text", "bFact"],
    bFact: ["the other's fact", "id", "text"],
    similarity: ["similarity", "cosine", "number"],
  },
  make: ({
    matrix: { layer, stored, keys, ids, similarity },
    theta,
  }: Readonly<{ matrix: SimilarityMatrix; theta: number }>) => {
    const n = keys.length;
    return {
      title: `Similarity of the keys of layer ${layer}`,
      caption:
        n < stored
          ? `${n} of ${many(stored, "key")}, evenly spread in the order they were stored.`
          : stored === 1
            ? "The one key of the layer."
            : `All ${many(stored, "key")}, in the order they were stored.`,
      rows: Array.from({ length: n * n }, (_, i) => {
        const [row, column] = [Math.floor(i / n), i % n];
        const [a, aFact] = [keys[row]!, ids[row]!];
        const [b, bFact] = [keys[column]!, ids[column]!];
        return { row, column, a, aFact, b, bFact, similarity: similarity[i]! };
      }),
      // A prompt opens the gate of every key with a higher similarity.
      guides: [{ axis: "x", value: theta, label: `θ = ${theta}` }],
    };
  },
});

export const marginRows = defineFigure({
  kind: "margins",
  wide: true,
  empty: "There is no key at this layer.",
  columns: {
    rank: ["rank", "", "number"],
    ...FACT,
    rival: ["nearest other key", "", "text?", "rivalFact"],
    rivalFact: ["its fact", "id", "text?"],
    rivalSimilarity: ["its similarity", "cosine", "number?"],
    margin: ["margin", "cosine", "number?"],
  },
  make: ({
    margins,
    layer,
    theta,
  }: Readonly<{ margins: readonly Margin[]; layer: number; theta: number }>) => ({
    title: `Margins of the keys of layer ${layer}`,
    caption: `1 minus the similarity of the nearest other key, for ${many(margins.length, "key")}: a small margin is easily confused.`,
    rows: margins
      .toSorted((a, b) => (a.margin ?? 2) - (b.margin ?? 2))
      .map(({ id, key, rival, rivalId, rivalSimilarity, margin }, i) => ({
        ...{ rank: i + 1, fact: id, key, rival, rivalFact: rivalId, rivalSimilarity, margin },
      })),
    // Below this, a key's prompt opens the gate for its neighbour too, even after its fact is deleted.
    guides: [{ axis: "y", value: 1 - theta, label: `1 − θ = ${Number((1 - theta).toFixed(3))}` }],
  }),
});

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

function countText(shown: number, curves: readonly Curve[]): string {
  if (curves.length === 1) return "";
  const facts = new Set(curves.map(({ id }) => id)).size;
  const of = facts < curves.length ? ` of ${many(facts, "fact")}` : "";
  const which = shown < curves.length ? ", those with the most steps" : "";
  return ` ${shown} of ${many(curves.length, "vector")}${of}${which}.`;
}

const SINGLE = 12;

export const lossCurves = defineFigure({
  kind: "loss-curves",
  empty: "Every vector was exact before the first step.",
  wide: true,
  columns: {
    ...FACT,
    step: ["step", "", "number"],
    phase: ["phase", "", "text"],
    loss: ["loss", "nats per token", "number"],
  },
  make: ({
    curves,
    guided,
    limit = SINGLE,
  }: Readonly<{ curves: readonly Curve[]; guided: number; limit?: number }>) => {
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
          phase: i < guided ? "guided" : "refinement",
          loss: loss / tokens,
        })),
      ),
      guides: [{ axis: "x", value: guided + 0.5, label: "refinement" }],
    };
  },
});

/** Names the steps that are counted, and the number of those that are not. */
function stepsCounted(facts: StepsInput["facts"]): string {
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
