/** @file The reader of a model (graph/programs/reader.ts): its file in the model's folder, and the span that answers a question. */

import { ASK_KINDS, READER, readSpans } from "../graph/programs/reader.ts";
import * as v from "valibot";
import { countWithin, list, number, object, text, type Infer } from "../lib/check.ts";
import { chunks } from "../lib/group.ts";
import { softmax } from "../lib/stats.ts";
import { askingWho, onlyRepeats, MESSAGE_LABEL } from "../lib/words.ts";
import type { ModelIdentity } from "../records/memory.ts";
import type { ModelFiles } from "../weights/modelFiles.ts";
import type { RankedText, ReadSpan, SentencesRead } from "./engine.ts";
import {
  askOf,
  pairFeatures,
  READER_FEATURES,
  readerText,
  readingOf,
  type Pieces,
  type Reading,
  type Unit,
} from "./readerText.ts";
import { fillRows, padRight, type Runner } from "./runner.ts";
import { openSideNetwork } from "./sideNetwork.ts";
import type { Program } from "./roles.ts";
import { isOfKind } from "./answerKind.ts";

const shape = object({
  model: text(),
  sha256: text(),
  width: countWithin(1, 4096),
  depth: countWithin(1, 64),
  heads: countWithin(1, 64),
  /** Layers of the model whose output it reads; 0 is the embedding. */
  reads: list(countWithin(0, 1000)),
  reach: countWithin(1, 1000),
  longest: countWithin(1, 1000),
  pair: countWithin(1, 1000),
  features: v.tuple(READER_FEATURES.map((name) => v.literal(name))),
  questionTokens: countWithin(1, 1000),
  sentenceTokens: countWithin(1, 1000),
  level: number(),
  measured: text(),
});
export type ReaderAbout = Infer<typeof shape>;

export const READER_FILE = "reader.safetensors";
/** Sentences in one run. */
const READ_SENTENCES = 5;
/**
 * Sentences of a question. For FairytaleQA's validation questions (n = 632) the needed one is first for 48 % by the ranking, 59 % with
 * five read and 58 % with ten, among five for 77, 77 and 82 %, and 20 read are like ten.
 */
const READ_MOST = 2 * READ_SENTENCES;
/** Tokens that sentences are padded to, as shares of the longest, so that there are few sessions. */
const LENGTHS = [1 / 3, 2 / 3, 1];
const MASKED = -1e4;
/** log p of a sentence by the ranking is at least this. */
const LEAST_RANK = -6;
const KEPT = 40;
const NEARLY = 0.95;

/** The reader of the model's folder, loaded onto the device. @throws as {@link openSideNetwork} */
export const openReader = (
  runner: Runner,
  files: ModelFiles,
  model: ModelIdentity,
): ReturnType<typeof openSideNetwork<ReaderAbout>> =>
  openSideNetwork(runner, files, model, {
    ...{ kind: "reader", prefix: READER, shape },
    graph: (about, decoder) => program(about, about.sentenceTokens).build(decoder),
  });

function program(about: ReaderAbout, sentenceTokens: number): Program {
  const name = `read.${sentenceTokens}`;
  const options = { name, sentences: READ_SENTENCES, questionTokens: about.questionTokens, sentenceTokens };
  return { name, build: (model) => readSpans(model, about, options) };
}

/**
 * {@link DeviceCalls.readSpan}. The words add to the question, are of its kind, and are of the first five sentences: the level was
 * chosen for those, and among ten it marks fewer right ones (28.4 % for 30.3 % of FairytaleQA's 750 explicit validation questions).
 */
export async function readSpan(
  runner: Runner,
  about: ReaderAbout | null,
  pieces: (text: string) => Pieces,
  given: string,
  ranked: readonly RankedText[],
  signal?: AbortSignal,
): Promise<SentencesRead | null> {
  if (!about) return null;
  const question = askingWho(given);
  const sentences = ranked.slice(0, READ_MOST);
  const asked = { question, sentences, rank: logShares(sentences) };
  const spans = await scoredSpans(runner, about, pieces, asked, signal);
  if (spans.length === 0) return null;
  const likely = likelihoods(spans);
  const shares = sentences.map(() => 0);
  spans.forEach(({ sentence }, i) => (shares[sentence]! += likely[i]!));
  const fits = ({ sentence, from, to }: Span): boolean => {
    const { text } = sentences[sentence]!;
    const words = text.slice(from.start, to.end);
    const [label, name] = MESSAGE_LABEL.exec(text) ?? ["", ""];
    const hasTime = to.end > name!.length && from.start < label.length;
    return !hasTime && !onlyRepeats(words, given) && isOfKind(words, question);
  };
  const first = spans.filter(({ sentence }) => sentence < READ_SENTENCES);
  return { shares, best: surest(first, likelihoods(first), fits) };
}

/** Of each sentence alone how sure the reader is of an answer in it, from 0 to 1; null without a reader. */
export async function readEach(
  runner: Runner,
  about: ReaderAbout | null,
  pieces: (text: string) => Pieces,
  question: string,
  sentences: readonly string[],
  signal?: AbortSignal,
): Promise<number[] | null> {
  if (!about) return null;
  const asked = {
    question,
    sentences: sentences.map((one) => ({ text: one })),
    rank: sentences.map(() => 0),
  };
  const spans = await scoredSpans(runner, about, pieces, asked, signal);
  const own = sentences.map((_, i) => spans.filter(({ sentence }) => sentence === i));
  return own.map((some) => surest(some, likelihoods(some))?.confidence ?? 0);
}

interface ToRead {
  readonly question: string;
  readonly sentences: readonly Pick<RankedText, "text">[];
  readonly rank: readonly number[];
}

/** The spans of all sentences, which are read five at a time; none without a word of the question or of a sentence. */
export async function scoredSpans(
  runner: Runner,
  about: ReaderAbout,
  pieces: (text: string) => Pieces,
  { question, sentences, rank }: ToRead,
  signal?: AbortSignal,
): Promise<readonly Span[]> {
  const read = (one: string, most: number): Reading => readingOf(one, pieces(readerText(one)), most);
  const q = read(question, about.questionTokens);
  if (q.ids.length === 0) return [];
  const spans: Span[] = [];
  for (const group of chunks([...sentences.entries()], READ_SENTENCES)) {
    const told = group.map(([, { text }]) => read(text, about.sentenceTokens));
    if (told.every(({ units }) => units.length === 0)) continue;
    const needed = Math.max(about.questionTokens, ...told.map(({ ids }) => ids.length));
    const S = LENGTHS.map((share) => Math.ceil(share * about.sentenceTokens)).find((most) => most >= needed)!;
    const ranks = group.map(([i]) => rank[i]!);
    const feeds = feedsOf(runner, about, S, { q, told, ask: askOf(question), rank: ranks });
    const scores = await runner.read(program(about, S), "scores", feeds, signal);
    for (const [r, one] of told.entries()) {
      const own = scores.subarray(r * S * S, (r + 1) * S * S);
      spans.push(...spansOf(one, about, own, S, group[r]![0]));
    }
  }
  return spans;
}

/** log p of each sentence among all, by a softmax of their logits. */
export const logShares = (sentences: readonly RankedText[]): number[] =>
  Array.from(
    softmax(
      sentences.map(({ logit }) => logit),
      1,
    ),
    (share) => Math.max(Math.log(share), LEAST_RANK),
  );

interface Asked {
  readonly q: Reading;
  readonly told: readonly Reading[];
  readonly ask: number;
  readonly rank: readonly number[];
}

function feedsOf(runner: Runner, about: ReaderAbout, S: number, { q, told, ask, rank }: Asked) {
  const { questionTokens: Q, reach } = about;
  const [R, T] = [READ_SENTENCES, Q + S];
  const filled = fillRows(told, R);
  const rows = [q, ...filled].map(({ ids }) => ids);
  const columns = about.features.length;
  const features = new Float32Array(R * T * columns);
  const mask = new Float32Array(R * T).fill(MASKED);
  filled.forEach((sentence, r) => {
    pairFeatures(q, sentence).forEach((values, i) => {
      const t = i < q.ids.length ? i : Q + i - q.ids.length;
      features.set(values, (r * T + t) * columns);
      mask[r * T + t] = 0;
    });
  });
  const int64 = (values: readonly number[]) =>
    runner.programs.device.upload(BigInt64Array.from(values, BigInt), "int64", [values.length], "activation");
  return {
    ...runner.tokens(
      rows.map((ids) => padRight(ids, S)),
      { pads: rows.map(() => 0), past: 0, length: rows.map((ids) => Math.max(1, ids.length)) },
    ),
    features: runner.floats(features, [R, T, columns]),
    ask: int64([Math.min(ask, ASK_KINDS - 1)]),
    rank: runner.floats(Float32Array.from(fillRows(rank, R)), [R, 1]),
    relation: int64(relations(Q, S, reach)),
    mask: runner.floats(mask, [R, 1, 1, T]),
  };
}

/** Numbers of the relations between all tokens of question and sentence, [T·T]. */
function relations(Q: number, S: number, reach: number): number[] {
  const T = Q + S;
  return Array.from({ length: T * T }, (_, at) => {
    const [from, to] = [Math.floor(at / T), at % T];
    if (from < Q !== to < Q) return 2 * reach + (from < Q ? 1 : 2);
    return Math.max(-reach, Math.min(reach, to - from)) + reach;
  });
}

interface Span {
  readonly sentence: number;
  readonly from: Unit;
  readonly to: Unit;
  readonly score: number;
}

function spansOf(
  { units }: Reading,
  { longest }: ReaderAbout,
  scores: Float32Array,
  S: number,
  sentence: number,
): Span[] {
  return units.flatMap((from, i) =>
    units
      .slice(i)
      .filter((to) => to.last - from.first < longest)
      .map((to) => ({ sentence, from, to, score: scores[from.first * S + to.last]! })),
  );
}

/** The probability of each span; declining has the score 0. */
const likelihoods = (spans: readonly Span[]): ArrayLike<number> =>
  softmax([0, ...spans.map(({ score }) => score)], 1).slice(1);

/** Of all spans the one that most of the probability meets with a word F1 of one half. */
function surest(
  spans: readonly Span[],
  all: ArrayLike<number>,
  fits: (span: Span) => boolean = () => true,
): ReadSpan | null {
  const first = [...spans.keys()].sort((a, b) => all[b]! - all[a]!).slice(0, KEPT);
  const kept = first.filter((i) => fits(spans[i]!));
  const likely = kept.map((i) => spans[i]!);
  const shares = kept.map((i) => all[i]!);
  const sureOf = (one: Span): number =>
    likely.reduce((sum, other, i) => sum + (alike(one, other) ? shares[i]! : 0), 0);
  const sure = likely.map(sureOf);
  const most = Math.max(...sure);
  // Many overlapping spans are met by nearly the same: the likeliest of them has the better ends.
  const at = sure.findIndex((one) => one >= NEARLY * most);
  const best = likely[at];
  if (!best) return null;
  const { sentence, from, to } = best;
  return { sentence, span: [from.start, to.end], confidence: sure[at]! };
}

function alike(a: Span, b: Span): boolean {
  const both = Math.min(a.to.upTo, b.to.upTo) - Math.max(a.from.before, b.from.before);
  const lengths = a.to.upTo - a.from.before + b.to.upTo - b.from.before;
  return a.sentence === b.sentence && both > 0 && 2 * both >= 0.5 * lengths;
}
