/** @file Question -> Route -> GatedRead -> Reconstruction[] -> Answer, how an answer is headed, and key margins. */

import type { CharOffset, FactId, LayerIndex } from "./ids.ts";
import type { QuestionParams } from "./params.ts";

/** Why an anchor was routed or left out. */
export type RouteVerdict =
  | "verbatim anchor in the question"
  | `within ${number} of the best`
  | "matched by a fact"
  | "nearest by cosine"
  | "has a rare word of the question"
  | "cut: a verbatim anchor restricts routing"
  | `cut: below ${number} of the best`
  | "cut: beyond the anchor limit";

/** One anchor's ranks for a question, from 1; null if that side did not rank it. */
export interface RoutedAnchor {
  readonly anchor: string;
  readonly denseRank: number | null;
  readonly denseScore: number | null;
  readonly lexicalRank: number | null;
  readonly lexicalScore: number | null;
  /** Reciprocal rank fusion: sum of 1 / (60 + rank). */
  readonly fused: number;
  readonly kept: boolean;
  readonly why: RouteVerdict;
}

/** The routing decision: the scored anchors, best first, and the facts to recall in fused-rank order. */
export interface Route {
  readonly question: string;
  readonly anchors: readonly RoutedAnchor[];
  /** Anchors with lower scores that were cut and are not listed; absent if all are listed. */
  readonly more?: number;
  readonly facts: readonly FactId[];
}

/** A stored key that competed in the gated read. */
export interface Competitor {
  readonly id: FactId;
  /** s: which part of the fact; absent for the first. */
  readonly part?: number;
  readonly similarity: number;
  /** α of Eq. 4b at β. */
  readonly weight: number;
}

/** The gated read at the recall-key token. */
export interface GatedRead {
  /** Best cosine similarity of the layer's store. */
  readonly similarity: number;
  /** g: similarity > θ. */
  readonly gateOpen: boolean;
  /** The entry with the largest weight, if the layer has any entry. */
  readonly winner: FactId | null;
  readonly competitors: readonly Competitor[];
  /** Positions (prompt and decode) where the gate opened; [key position] in top-1 mode. */
  readonly openPositions: readonly number[];
}

/** One part of a recalled fact, decoded from its vector. */
export interface ReconstructedPart {
  /** s, as in κ(e, j, s). */
  readonly part: number;
  readonly layer: LayerIndex;
  readonly tokens: readonly number[];
  /** The tokens as text, white space at its ends as it is. */
  readonly text: string;
  readonly read: GatedRead;
}

/** One recalled fact, its parts joined. */
export interface Reconstruction {
  readonly id: FactId;
  readonly key: string;
  readonly anchor: string;
  readonly index: number;
  readonly layer: LayerIndex;
  readonly offset: CharOffset;
  readonly tokens: readonly number[];
  readonly text: string;
  /** The read of its weakest part: a shut gate before an open one, then the lowest similarity. */
  readonly read: GatedRead;
  /** In the order of the value; absent if one vector holds it all. */
  readonly parts?: readonly ReconstructedPart[];
  /** Whether it equals the stored sentence word for word; absent outside answers. */
  readonly exact?: boolean;
}

/**
 * How far the recalled facts support a short answer.
 * - "supported": its words are in facts it cites, all exact, and the model is sure enough of it.
 * - "inexact": supported, but a cited fact was not recalled exactly.
 * - "indirect": supported, but a sentence it does not cite shares more with the question.
 * - "alone": supported by the nearest sentence alone, since the model found no such answer among all sentences.
 * - "as said": the model's words without support, shown because `answers` is "paper".
 * - "unsupported": sentences were recalled, but contain no short answer.
 * - "not recalled": facts were routed, but no gate opened for them.
 * - "not in memory": nothing was routed above its floor.
 */
export type Support =
  | "supported"
  | "inexact"
  | "indirect"
  | "alone"
  | "as said"
  | "unsupported"
  | "not recalled"
  | "not in memory";

/** A word of a question that no recalled sentence has, and how many stored facts have it. */
export interface UnmetWord {
  readonly word: string;
  readonly stored: number;
}

/** The answer to one question, or to one part of a question for several things. */
export interface PartAnswer {
  readonly question: string;
  /** The model's own words; empty if it was not asked. */
  readonly text: string;
  /** Keys κ of the recalled facts that hold these words. */
  readonly cited: readonly string[];
  readonly verdict: Support;
  /** The model's probability of its words, geometric mean over their tokens; null if it was not asked. */
  readonly probability: number | null;
  /** Recalled facts whose gates opened, nearest to the question first. They are shown with the answer. */
  readonly evidence: readonly FactId[];
  readonly unmet: readonly UnmetWord[];
  /** Keys κ of recalled facts that did not fit the model's window; absent if all did. */
  readonly leftOut?: readonly string[];
}

/** The answer with all that led to it. */
export interface Answer {
  readonly question: string;
  readonly settings: QuestionParams;
  readonly route: Route;
  /** Every fact that was asked for, in source order. If its gate stayed shut, the model did not see its text. */
  readonly recalled: readonly Reconstruction[];
  /** The parts of the question, in order, with their answers. */
  readonly asked: readonly PartAnswer[];
  /** The model's own words, of all parts. */
  readonly text: string;
  /** Keys κ of the recalled facts the answer rests on. */
  readonly cited: readonly string[];
  /** Whether nothing was routed. */
  readonly notInMemory: boolean;
  readonly milliseconds: { readonly route: number; readonly recall: number; readonly answer: number };
  /** True for a memory that keeps no words: what was recalled is shown, and not kept with the answer. */
  readonly wordless?: true;
}

/** The gate when a deleted key was asked for. */
export interface CertifiedRead extends Pick<GatedRead, "similarity" | "gateOpen"> {
  /** κ of the fact whose key was nearest; null if the layer had none. */
  readonly nearest: string | null;
  /** Whether that was the fact that was asked for. */
  readonly own: boolean;
}

/** Proof of a deletion: what was asked before and after, and what did not change. */
export interface DeletionCertificate {
  readonly keys: readonly string[];
  readonly before: readonly { readonly key: string; readonly text: string; readonly read?: CertifiedRead }[];
  readonly after: readonly {
    readonly key: string;
    readonly text: string;
    /** After the deletion an open gate opened on the key of another fact. */
    readonly gateOpen: boolean;
    readonly read?: CertifiedRead;
  }[];
  /**
   * Entries removed from the encoding cache, and how many traces of the facts (sentences, recall prompts, vectors) a
   * search of it found afterwards; absent without a cache.
   */
  readonly cached?: { readonly removed: number; readonly left: number };
  /** Retained facts recalled before and after, and how many of their outputs differ token by token. */
  readonly compared: number;
  /** Number of retained facts; those compared are evenly spread among them. */
  readonly retained: number;
  readonly changed: number;
}

/** Whether the model saw this fact: its gate was open and its own key won. */
export const wasRead = ({ read }: Pick<Reconstruction, "read">): boolean => read.openPositions.length > 0;

/** The text shown in place of an unsupported short answer; null if the model's words are shown. */
export const INSTEAD: Readonly<Record<Support, string | null>> = {
  supported: null,
  inexact: null,
  indirect: null,
  alone: null,
  "as said": null,
  unsupported: "Recalled, but no short answer found.",
  "not recalled": "Found, but nothing could be recalled.",
  "not in memory": "Not in memory.",
};

/** The warning shown with a doubtful short answer; null if there is no doubt. */
export const MARK: Readonly<Record<Support, string | null>> = {
  supported: null,
  inexact: "rests on a sentence that did not come back exactly",
  indirect: "another recalled sentence is nearer to the question",
  alone: "read from the nearest sentence alone",
  "as said": "no recalled sentence says this",
  unsupported: null,
  "not recalled": null,
  "not in memory": null,
};

/** A probability with two digits; never 1.00, which it is not. */
export const probabilityText = (probability: number): string =>
  probability > 0.99 ? "above 0.99" : probability.toFixed(2);

/** The line above the evidence: the model's words if they are supported, otherwise the text of {@link INSTEAD}. */
export const headline = ({ verdict, text }: Pick<PartAnswer, "verdict" | "text">): string =>
  INSTEAD[verdict] ?? text;

/** The parts with a short answer. */
export const shownParts = (answer: Answer): readonly PartAnswer[] =>
  answer.asked.filter(({ verdict }) => INSTEAD[verdict] === null);

/** The recalled facts behind ids, in their order. */
export function factsOf(
  { recalled }: Pick<Answer, "recalled">,
  ids: PartAnswer["evidence"],
): readonly Reconstruction[] {
  const known = new Map(recalled.map((fact) => [fact.id, fact]));
  return ids.flatMap((id) => known.get(id) ?? []);
}

/** Cosines of the own key and of the strongest other key of the layer; no other key: null. */
export interface KeyMargin {
  readonly own: number;
  readonly runnerUp: number | null;
}

/** own − runner-up; infinite without another key. */
export const width = ({ own, runnerUp }: KeyMargin): number =>
  runnerUp === null ? Infinity : own - runnerUp;

/** The margin of one read; null where the key of part `part` of fact `id` is not among its strongest competitors. */
function marginOf({ competitors }: GatedRead, id: FactId, part: number): KeyMargin | null {
  const at = competitors.findIndex((one) => one.id === id && (one.part ?? 1) === part);
  if (at < 0) return null;
  const runnerUp = competitors.find((_, i) => i !== at);
  return { own: competitors[at]!.similarity, runnerUp: runnerUp?.similarity ?? null };
}

/** The narrowest margin among the vectors of `facts`, with the key of its fact; null if none is known. */
export function narrowest(facts: readonly Reconstruction[]): (KeyMargin & { readonly key: string }) | null {
  const margins = facts.flatMap(({ id, key, read, parts }) =>
    (parts ?? [{ part: 1, read }]).flatMap((one) => {
      const margin = marginOf(one.read, id, one.part);
      return margin ? [{ ...margin, key }] : [];
    }),
  );
  return margins.reduce<(KeyMargin & { key: string }) | null>(
    (least, margin) => (least === null || width(margin) < width(least) ? margin : least),
    null,
  );
}
