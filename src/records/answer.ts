/** @file Question -> Route -> GatedRead -> Reconstruction[] -> Answer, how an answer is headed, and key margins. */

import * as v from "valibot";
import { list, number, object, readBy, text, type Infer } from "../lib/check.ts";
import type { CharOffset, FactId, LayerIndex } from "./ids.ts";
import { savedQuestionParams } from "./params.ts";

export type RouteVerdict =
  | "verbatim anchor in the question"
  | `within ${number} of the best`
  | "matched by a fact"
  | "has one of the best sentences"
  | "cut: its sentences score lower"
  | "cut: a verbatim anchor restricts routing"
  | `cut: below ${number} of the best`
  | "cut: beyond the anchor limit";

export type RoutedAnchor = Infer<typeof routedAnchor>;
const routedAnchor = object({
  anchor: text(),
  denseRank: v.nullable(number()),
  denseScore: v.nullable(number()),
  lexicalRank: v.nullable(number()),
  lexicalScore: v.nullable(number()),
  /** Reciprocal rank fusion: sum of 1 / (60 + rank). */
  fused: number(),
  kept: v.boolean(),
  why: text<RouteVerdict>(),
});

export type RankedSentence = Infer<typeof rankedSentence>;
const rankedSentence = object({ score: number(), parts: list(v.tuple([text(), number()])) });

export type Route = Infer<typeof route>;
const route = object({
  question: text(),
  anchors: list(routedAnchor),
  /** Anchors with lower scores that were cut and are not listed; absent if all are listed. */
  more: v.optional(number()),
  facts: list(text<FactId>()),
  ranked: v.optional(list(rankedSentence)),
  /** Set if no sentence comes near. `facts` are then the nearest ones, and none of them is an answer. */
  far: v.optional(v.boolean()),
});

export type Competitor = Infer<typeof competitor>;
const competitor = object({
  id: text<FactId>(),
  part: v.optional(number()),
  similarity: number(),
  /** α of Eq. 4b at β. */
  weight: number(),
});

export type GatedRead = Infer<typeof gatedRead>;
const gatedRead = object({
  similarity: number(),
  gateOpen: v.boolean(),
  winner: v.nullable(text<FactId>()),
  competitors: list(competitor),
  /** Positions (prompt and decode) where the gate opened; [key position] in top-1 mode. */
  openPositions: list(number()),
});

export type ReconstructedPart = Infer<typeof reconstructedPart>;
const reconstructedPart = object({
  /** s, as in κ(e, j, s). */
  part: number(),
  layer: number<LayerIndex>(),
  tokens: list(number()),
  text: text(),
  read: gatedRead,
});

export type Reconstruction = Infer<typeof reconstruction>;
const reconstruction = object({
  id: text<FactId>(),
  key: text(),
  anchor: text(),
  index: number(),
  layer: number<LayerIndex>(),
  offset: number<CharOffset>(),
  tokens: list(number()),
  text: text(),
  /** The read of its weakest part: a shut gate before an open one, then the lowest similarity. */
  read: gatedRead,
  parts: v.optional(list(reconstructedPart)),
  exact: v.optional(v.boolean()),
  /** Set if the fact got another value after the answer. */
  changed: v.optional(v.boolean()),
});

export type Support = (typeof VERDICTS)[number];
const VERDICTS = [
  "supported",
  "inexact",
  "read",
  "as said",
  "unsupported",
  "not recalled",
  "not in memory",
] as const;

export type PartAnswer = Infer<typeof partAnswer>;
const partAnswer = object({
  question: text(),
  text: text(),
  cited: list(text()),
  verdict: v.picklist(VERDICTS),
  /** The model's probability (geometric mean over tokens), or the reader's confidence; null if neither was asked. */
  probability: v.nullable(number()),
  reader: v.optional(object({ level: number(), measured: text() })),
  /** Recalled facts whose gates opened, nearest to the question first. They are shown with the answer. */
  evidence: list(text<FactId>()),
  /** The reader's probability that the answer is in each of the first facts of `evidence`, if it ordered them. */
  shares: v.optional(list(number())),
  /** The sentence that is shown as the answer, with the characters [from, to) that a reader is sure of. */
  best: v.optional(object({ id: text<FactId>(), span: v.nullable(v.tuple([number(), number()])) })),
  /** Words of the question that no recalled sentence has, with the number of stored facts that have them. */
  unmet: list(object({ word: text(), stored: number() })),
  leftOut: v.optional(list(text())),
});
/** The probability that one of the sentences that were read answers. @param shares of each of them */
export const answeredShare = (shares: readonly number[]): number => shares.reduce((a, b) => a + b, 0);

export type UnmetWord = PartAnswer["unmet"][number];

export type Answer = Infer<typeof answer>;
export const answer = object({
  question: text(),
  settings: readBy(savedQuestionParams),
  route,
  /** Every fact that was asked for, in source order. If its gate stayed shut, the model did not see its text. */
  recalled: list(reconstruction),
  asked: list(partAnswer),
  text: text(),
  cited: list(text()),
  notInMemory: v.boolean(),
  milliseconds: object({ route: number(), recall: number(), answer: number() }),
});

export type CertifiedRead = Infer<typeof certifiedRead>;
const certifiedRead = object({
  similarity: number(),
  gateOpen: v.boolean(),
  nearest: v.nullable(text()),
  own: v.boolean(),
});

export type DeletionCertificate = Infer<typeof certificate>;
const deleted = { key: text(), text: text(), read: v.optional(certifiedRead) };
export const certificate = object({
  keys: list(text()),
  before: list(object(deleted)),
  after: list(object({ ...deleted, gateOpen: v.boolean() })),
  /** Entries removed from the encoding cache, and traces of the facts that are still in it; absent without a cache. */
  cached: v.optional(object({ removed: number(), left: number() })),
  /** Retained facts recalled before and after, and how many of their outputs differ token by token. */
  compared: number(),
  retained: number(),
  changed: number(),
  /** Retained facts that were encoded again with a smaller index, and those that kept theirs above a deleted fact. */
  moved: v.optional(number()),
  gaps: v.optional(number()),
  /** Merkle roots of the memory (records/proof.ts), and the number of removed leaves. The memory file has the leaves. */
  roots: v.optional(object({ before: v.nullable(text()), after: v.nullable(text()), leaves: number() })),
});

export const wasRead = ({ read }: Pick<Reconstruction, "read">): boolean => read.openPositions.length > 0;

export const INSTEAD: Readonly<Record<Support, string | null>> = {
  supported: null,
  inexact: null,
  read: null,
  "as said": null,
  unsupported: "The model gives no answer that a sentence supports.",
  "not recalled": "Found, but nothing could be recalled.",
  "not in memory": "Nothing in memory comes near this question.",
};

export const MARK: Readonly<Record<Support, string | null>> = {
  supported: null,
  inexact: "rests on a sentence that did not come back exactly",
  read: null,
  "as said": "no recalled sentence supports this",
  unsupported: null,
  "not recalled": null,
  "not in memory": null,
};

export const probabilityText = (probability: number): string =>
  probability > 0.99 ? "above 0.99" : probability.toFixed(2);

export function shownText(
  { best, verdict, text }: Pick<PartAnswer, "best" | "verdict" | "text">,
  { recalled }: Pick<Answer, "recalled">,
): string {
  const sentence = best && recalled.find(({ id }) => id === best.id)?.text;
  if (!best || !sentence) return INSTEAD[verdict] ?? text;
  return best.span ? sentence.slice(...best.span) : sentence;
}

export const shownParts = (answer: Answer): readonly PartAnswer[] =>
  answer.asked.filter(({ verdict }) => INSTEAD[verdict] === null);

export function factsOf(
  { recalled }: Pick<Answer, "recalled">,
  ids: PartAnswer["evidence"],
): readonly Reconstruction[] {
  const known = new Map(recalled.map((fact) => [fact.id, fact]));
  return ids.flatMap((id) => known.get(id) ?? []);
}

export function shownFacts(
  { evidence, best }: Pick<PartAnswer, "evidence" | "best">,
  answer: Pick<Answer, "recalled">,
): readonly Reconstruction[] {
  const facts = factsOf(answer, evidence);
  const first = facts.filter(({ id }) => id === best?.id);
  return [...first, ...facts.filter((fact) => !first.includes(fact))];
}

export interface KeyMargin {
  readonly own: number;
  readonly runnerUp: number | null;
}

export const width = ({ own, runnerUp }: KeyMargin): number =>
  runnerUp === null ? Infinity : own - runnerUp;

function marginOf({ competitors }: GatedRead, id: FactId, part: number): KeyMargin | null {
  const at = competitors.findIndex((one) => one.id === id && (one.part ?? 1) === part);
  if (at < 0) return null;
  const runnerUp = competitors.find((_, i) => i !== at);
  return { own: competitors[at]!.similarity, runnerUp: runnerUp?.similarity ?? null };
}

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
