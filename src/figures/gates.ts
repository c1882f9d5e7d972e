/** @file Gates: Eq. 4 for any θ and β from saved similarities, and the tokens, layers and vectors of a recall. */

import { many } from "../lib/format.ts";
import { largest, softmax } from "../lib/stats.ts";
import type { RecallTrace, TracePass, LensTrace } from "../records/trace.ts";
import { defineFigure, FACT } from "./figure.ts";
import type { VectorMap } from "../records/geometry.ts";

export interface Gate {
  readonly theta: number;
  readonly beta: number;
}

const COMPETITORS = 8;

/**
 * Eq. 4a-4c at every fed position for another θ and β; exact for the tokens that were fed. `best` is -1 with an empty store.
 * The strongest competitor is first; the lower entry wins a tie.
 */
export function regate(
  { store }: Pick<RecallTrace, "store">,
  { fed, similarity }: Pick<TracePass, "fed" | "similarity">,
  { theta, beta }: Gate,
  count = COMPETITORS,
) {
  const n = store.length;
  return fed.map((_, position) => {
    const cosines = Float64Array.from({ length: n }, (_, i) => similarity[position * n + i]!);
    const order = largest(cosines, Math.max(2, count));
    const best = order.length > 0 ? cosines[order[0]!]! : -1;
    const weights = softmax(cosines, beta);
    const competitors = order
      .slice(0, count)
      .map((i) => ({ ...store[i]!, similarity: cosines[i]!, weight: weights[i]! }));
    const second = order.length > 1 ? cosines[order[1]!]! : null;
    return { position, best, second, open: n > 0 && best > theta, competitors };
  });
}

export type Read = "soft" | "top1";

interface GateStripInput {
  readonly trace: RecallTrace;
  readonly read: Read;
  readonly gate: Gate;
}

export const gateStrip = defineFigure({
  kind: "gate-strip",
  wide: true,
  columns: {
    position: ["position", "token", "number"],
    phase: ["part", "", "text"],
    token: ["token", "", "text"],
    similarity: ["best similarity", "cosine", "number"],
    second: ["second best", "cosine", "number?"],
    open: ["gate open", "", "boolean"],
    injected: ["injected", "", "boolean"],
    winner: ["nearest key", "", "text?", "winnerFact"],
    winnerFact: ["its fact", "id", "text?"],
    weight: ["its weight α", "share", "number?"],
  },
  make({ trace, read, gate }: GateStripInput) {
    const { fed, openPositions } = trace[read];
    return {
      id: `gate-strip-${read}`,
      title: `Similarity at every position: ${trace.key}, ${read === "soft" ? "soft read" : "top-1 read"}`,
      caption:
        "Cosine of the activation to the nearest stored key of the layer. The gate opens above θ. Moving θ and β " +
        "uses the similarities saved for these tokens.",
      rows: regate(trace, trace[read], gate).map(
        ({ position, best, second, open, competitors: [winner] }) => {
          const atKey = position === trace.keyPosition;
          return {
            position,
            phase: atKey ? "key" : position < trace.promptTokens ? "prompt" : "decode",
            token: fed[position]!.text,
            similarity: best,
            second,
            open,
            // The top-1 read looks at the key position only.
            injected: open && (read === "soft" || (atKey && openPositions.length > 0)),
            winner: winner?.key ?? null,
            winnerFact: winner?.id ?? null,
            weight: winner?.weight ?? null,
          };
        },
      ),
      guides: [{ axis: "y", value: gate.theta, label: `θ = ${gate.theta}` }],
    };
  },
});

export const competitorWeights = defineFigure({
  kind: "competitor-weights",
  columns: {
    rank: ["rank", "", "number"],
    ...FACT,
    similarity: ["similarity", "cosine", "number"],
    weight: ["weight α", "share", "number"],
    own: ["the fact's own", "", "boolean"],
  },
  make: (props: GateStripInput & Readonly<{ position: number; count?: number }>) => {
    const { trace, read, position, gate, count = COMPETITORS } = props;
    const found = regate(trace, trace[read], gate, count)[position]?.competitors ?? [];
    return {
      title: `Competitors at position ${position}: ${trace.key}`,
      caption: `Weights α of Eq. 4b at β = ${gate.beta} among ${many(trace.store.length, "key")} of layer ${trace.layer}.`,
      rows: found.map(({ id, key, similarity, weight }, i) => ({
        ...{ rank: i + 1, fact: id, key, similarity, weight, own: id === trace.id },
      })),
    };
  },
});

export const tokenLogits = defineFigure({
  kind: "token-logits",
  wide: true,
  columns: {
    step: ["decoded token", "", "number"],
    right: ["right token", "", "text"],
    chosen: ["chosen token", "", "text"],
    exact: ["right chosen", "", "boolean"],
    rightWith: ["logit of the right token with δ", "", "number"],
    rightWithout: ["logit of the right token without δ", "", "number"],
    chosenWith: ["logit of the chosen token with δ", "", "number"],
    chosenWithout: ["logit of the chosen token without δ", "", "number"],
    probabilityWith: ["probability of the right token with δ", "share", "number"],
    probabilityWithout: ["probability of the right token without δ", "share", "number"],
    rankWith: ["rank of the right token with δ", "", "number"],
    rankWithout: ["rank of the right token without δ", "", "number"],
  },
  make: ({ key, layer, steps }: LensTrace) => ({
    title: `Token by token, with and without δ: ${key}`,
    caption: `The model is fed its own recall with δ at layer ${layer}; both runs see the same tokens.`,
    rows: steps.map(({ right, chosen, withDelta, withoutDelta }, i) => {
      const [on, off] = [withDelta.at(-1)!, withoutDelta.at(-1)!];
      return {
        ...{ step: i + 1, right: right.text, chosen: chosen.text, exact: right.id === chosen.id },
        rightWith: on.right.logit,
        rightWithout: off.right.logit,
        chosenWith: on.chosen.logit,
        chosenWithout: off.chosen.logit,
        probabilityWith: Math.exp(on.right.logProbability),
        probabilityWithout: Math.exp(off.right.logProbability),
        rankWith: on.right.rank,
        rankWithout: off.right.rank,
      };
    }),
  }),
});

export const lensGrid = defineFigure({
  kind: "lens",
  columns: {
    layer: ["after layer", "", "number"],
    step: ["decoded token", "", "number"],
    right: ["right token", "", "text"],
    logProbability: ["log-probability of the right token", "nats", "number"],
    rank: ["rank of the right token", "", "number"],
    best: ["likeliest token", "", "text"],
    top: ["likeliest five", "", "text"],
  },
  make: ({ lens, withDelta }: { readonly lens: LensTrace; readonly withDelta: boolean }) => {
    const { key, layer: at, steps } = lens;
    const side = withDelta ? "with" : "without";
    return {
      id: `lens-${side}-delta`,
      title: `Logit lens ${side} δ: ${key}`,
      caption: `The residual stream after each layer through final norm and head; δ is added at layer ${at}.`,
      rows: steps.flatMap(({ right, ...step }, i) =>
        (withDelta ? step.withDelta : step.withoutDelta).map(({ layer, right: standing, top }) => ({
          ...{ layer: layer as number, step: i + 1, right: right.text },
          ...{ logProbability: standing.logProbability, rank: standing.rank, best: top[0]?.text ?? "" },
          top: top
            .map(({ text, logProbability }) => `${text} ${Math.exp(logProbability).toFixed(2)}`)
            .join(" · "),
        })),
      ),
      guides: [{ axis: "y", value: at, label: `δ at layer ${at}` }],
    };
  },
});

export const mapRows = defineFigure({
  kind: "map",
  columns: {
    ...FACT,
    anchor: ["anchor e", "", "text"],
    layer: ["layer ℓ", "", "number"],
    fidelity: ["fidelity", "token F1", "number"],
    exact: ["exact", "", "boolean"],
    x: ["first axis", "", "number"],
    y: ["second axis", "", "number"],
  },
  make: ({ request, available, points, explained }: VectorMap) => {
    const method = request.method === "pca" ? "PCA" : `UMAP (cosine, seed ${request.seed})`;
    // One point has no spread, and no neighbour.
    const how =
      points.length < 2
        ? method
        : explained
          ? explained[0] > 0
            ? `PCA; the axes hold ${percent(explained[0])} and ${percent(explained[1])} of the variance`
            : "PCA; the vectors are all alike, so the axes hold nothing"
          : `${method}; distances within a cluster mean more than those between`;
    return {
      id: `map-${request.of}-${request.method}`,
      title: `Map of ${request.of === "key" ? "keys" : "residuals δ"}${request.layer === null ? "" : ` of layer ${request.layer}`}`,
      caption: `${how}. ${points.length} of ${many(available, "vector")}, each at unit length.`,
      rows: points.map(({ id, ...point }) => ({ fact: id, ...point })),
    };
  },
});

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
