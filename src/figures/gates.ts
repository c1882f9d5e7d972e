/**
 * @file Gates: what Eq. 4 makes of saved similarities at any θ and β, as a strip over positions, as weights of
 * competitors, and as two recalls side by side. Moving θ or β needs no model.
 */

import { many } from "../lib/format.ts";
import { largest, softmax } from "../lib/stats.ts";
import type { FactId } from "../records/ids.ts";
import type { RecallTrace, TracePass } from "../records/trace.ts";
import { defineFigure, FACT } from "./figure.ts";

/** θ and β of Eq. 4. */
export interface Gate {
  readonly theta: number;
  readonly beta: number;
}

/** Eq. 4a-4c at one position. */
export interface GateReading {
  readonly position: number;
  /** Largest similarity; -1 with an empty store. */
  readonly best: number;
  readonly second: number | null;
  readonly open: boolean;
  /** Strongest first; the lower entry wins a tie. */
  readonly competitors: readonly GateCompetitor[];
}

export interface GateCompetitor {
  readonly id: FactId;
  readonly key: string;
  readonly similarity: number;
  /** α of Eq. 4b. */
  readonly weight: number;
}

/** Competitors kept per position. */
const COMPETITORS = 8;

/**
 * Gate and weights at every fed position for another θ and β, from the saved similarities. Exact for the tokens that
 * were fed; with another gate the model might have said others from the first changed position on.
 */
export function regate(
  { store }: Pick<RecallTrace, "store">,
  { fed, similarity }: Pick<TracePass, "fed" | "similarity">,
  { theta, beta }: Gate,
  count = COMPETITORS,
): GateReading[] {
  const n = store.length;
  return fed.map((_, position) => {
    const cosines = Float64Array.from({ length: n }, (_, i) => similarity[position * n + i]!);
    const order = largest(cosines, Math.max(2, count));
    const best = order.length > 0 ? cosines[order[0]!]! : -1;
    const weights = softmax(cosines, beta);
    const competitors = order
      .slice(0, count)
      .map((i): GateCompetitor => ({ ...store[i]!, similarity: cosines[i]!, weight: weights[i]! }));
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

/** The heat strip: one row per fed position, with θ as a guide. */
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
  make: ({ trace, read, gate }: GateStripInput) => ({
    id: `gate-strip-${read}`,
    title: `Similarity at every position: ${trace.key}, ${read === "soft" ? "soft read" : "top-1 read"}`,
    caption:
      "Cosine of the activation to the nearest stored key of the layer. The gate opens above θ. Moving θ and β " +
      "uses saved similarities: they hold for the tokens shown.",
    rows: regate(trace, trace[read], gate).map((reading) => positionRow(trace, read, reading)),
    guides: [{ axis: "y", value: gate.theta, label: `θ = ${gate.theta}` }],
  }),
});

function positionRow(
  trace: RecallTrace,
  read: Read,
  { position, best, second, open, competitors }: GateReading,
) {
  const { fed, openPositions } = trace[read];
  const atKey = position === trace.keyPosition;
  const [winner] = competitors;
  return {
    position,
    phase: atKey ? "key" : position < trace.promptTokens ? "prompt" : "decode",
    token: fed[position]!.text,
    similarity: best,
    second,
    open,
    // The hard read looks at the key alone.
    injected: open && (read === "soft" || (atKey && openPositions.length > 0)),
    winner: winner?.key ?? null,
    winnerFact: winner?.id ?? null,
    weight: winner?.weight ?? null,
  };
}

interface CompetitorsInput extends GateStripInput {
  readonly position: number;
  readonly count?: number;
}

/** The strongest keys at one position with their weights at β. */
export const competitorWeights = defineFigure({
  kind: "competitor-weights",
  columns: {
    rank: ["rank", "", "number"],
    ...FACT,
    similarity: ["similarity", "cosine", "number"],
    weight: ["weight α", "share", "number"],
    own: ["the fact's own", "", "boolean"],
  },
  make: ({ trace, read, position, gate, count = COMPETITORS }: CompetitorsInput) => {
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

/** Both reads' tokens beside the stored value. */
export const readsSideBySide = defineFigure({
  kind: "reads-side-by-side",
  columns: {
    step: ["decoded token", "", "number"],
    value: ["stored", "", "text?"],
    soft: ["soft read", "", "text?"],
    softRight: ["soft right", "", "boolean?"],
    top1: ["top-1 read", "", "text?"],
    top1Right: ["top-1 right", "", "boolean?"],
  },
  make: ({ key, theta, beta, value, rest = 0, soft, top1 }: RecallTrace) => {
    const length = Math.max(soft.decoded.length, top1.decoded.length, value?.length ?? 0);
    const text = (pass: TracePass, t: number) => pass.decoded[t]?.text ?? null;
    const right = (pass: TracePass, t: number) =>
      value && pass.decoded[t] ? pass.decoded[t].id === value[t]?.id : null;
    return {
      title: `Soft read and top-1 read: ${key}`,
      caption: `What each read decodes at θ = ${theta}, β = ${beta}, token by token, beside ${rest > 0 ? `what its vector stores: ${length} of the value's ${many(length + rest, "token")}; the others have vectors of their own` : "the stored value"}.`,
      rows: Array.from({ length }, (_, t) => ({
        step: t + 1,
        value: value?.[t]?.text ?? null,
        soft: text(soft, t),
        softRight: right(soft, t),
        top1: text(top1, t),
        top1Right: right(top1, t),
      })),
    };
  },
});
