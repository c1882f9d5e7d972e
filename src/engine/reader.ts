/** @file The reader (graph/programs/reader.ts): its file, the order of sentences, and the span that answers a question. */

import { Tokenizer } from "@huggingface/tokenizers";
import { READER, readSpans } from "../graph/programs/reader.ts";
import { assert } from "../lib/assert.ts";
import { countWithin, number, object, text, type Infer } from "../lib/check.ts";
import { chunks } from "../lib/group.ts";
import { softmax } from "../lib/stats.ts";
import { askingWho, onlyRepeats, MESSAGE_LABEL } from "../lib/words.ts";
import type { ModelFiles } from "../weights/modelFiles.ts";
import type { RankedText, ReadSpan, SentencesRead } from "./engine.ts";
import { readingOf, type Reading, type Unit } from "./readerText.ts";
import { fillRows, type Runner } from "./runner.ts";
import { openSideNetwork, type NetworkFile } from "./sideNetwork.ts";
import type { Program } from "./roles.ts";
import { isOfKind } from "./answerKind.ts";

const shape = object({
  width: countWithin(1, 4096),
  layers: countWithin(1, 64),
  heads: countWithin(1, 64),
  inner: countWithin(1, 16_384),
  longest: countWithin(1, 1000),
  pair: countWithin(1, 1000),
  positions: countWithin(1, 1000),
  questionTokens: countWithin(1, 1000),
  sentenceTokens: countWithin(1, 1000),
  level: number(),
  measured: text(),
});
export type ReaderAbout = Infer<typeof shape>;

export interface Reader {
  readonly about: ReaderAbout & { readonly file: string };
  /** Numbers of the pieces of a text. */
  readonly encode: (text: string) => readonly number[];
  /** Sums the embeddings of a row. Its tokens are of kind 0, from `sentenceFrom` on of kind 1. */
  readonly embed: (ids: readonly number[], sentenceFrom: number, into: Float32Array) => void;
  readonly special: { readonly cls: number; readonly sep: number; readonly unknown: number };
  /** Weight of log p of a sentence by the ranking, which is added to the scores of its spans. */
  readonly rankWeight: number;
  /**
   * Spans by sentence for the last question: {@link readSpan} and {@link readEach} often read the same sentences with it. Replaced, not
   * emptied, by another question: one that is still read keeps its own.
   */
  last: { readonly question: string; readonly spans: Map<string, readonly SpanRead[]> };
}

export const READER_FILE = "reader.safetensors";
/** Sentences in one run. */
const READ_SENTENCES = 5;
/**
 * Most sentences that are read for a question. With ten the needed one was among five for 85.6 % of 825 validation questions (data/asked),
 * with fifteen for 88.5 %, and for 81.5 and 81.3 % of FairytaleQA's 750 (the weights before these).
 */
const READ_MOST = 3 * READ_SENTENCES;
/** Tokens that rows are padded to, so that there are few sessions. */
const LENGTHS = [32, 48, 72];
const MASKED = -1e4;
/** log p of a sentence by the ranking is at least this. */
const LEAST_RANK = -6;
const KEPT = 40;
const NEARLY = 0.95;

/** The reader of a folder, loaded onto the device; it reads for any model. @throws as {@link openSideNetwork} */
export async function openReader(runner: Runner, files: ModelFiles): Promise<Reader | null> {
  const opened = await openSideNetwork<ReaderAbout>(runner, files, null, {
    ...{ kind: "reader", prefix: READER, shape },
    graph: (about) => readSpans(about, { name: "read", rows: READ_SENTENCES, tokens: about.positions }),
  });
  if (!opened) return null;
  const { about, file } = opened;
  const pieces = (file.metadata["pieces"] ?? "").split(" ");
  const [cls = -1, sep = -1, unknown = -1] = ["[CLS]", "[SEP]", "[UNK]"].map((piece) =>
    pieces.indexOf(piece),
  );
  const longest = about.questionTokens + about.sentenceTokens + AROUND;
  assert(
    Math.min(cls, sep, unknown) >= 0 && longest <= about.positions,
    () =>
      `engine: ${READER_FILE} has ${pieces.length} pieces and ${about.positions} positions: [CLS], [SEP] and [UNK] among the pieces and ` +
      `${longest} positions expected; make it again with export_reader.py`,
  );
  const tokenizer = wordPieces(pieces);
  return {
    about,
    encode: (one) => (one.trim() === "" ? [] : tokenizer.encode(one, { add_special_tokens: false }).ids),
    embed: embeddings(file, about, pieces.length),
    special: { cls, sep, unknown },
    rankWeight: file.floats("rank", [1])[0]!,
    last: { question: "", spans: new Map() },
  };
}

/** [CLS] question [SEP] sentence [SEP]. */
const AROUND = 3;

/** The tokenizer of BERT over these pieces. */
const wordPieces = (pieces: readonly string[]): Tokenizer =>
  new Tokenizer(
    {
      version: "1.0",
      added_tokens: [],
      normalizer: {
        ...{ type: "BertNormalizer", clean_text: true, handle_chinese_chars: true },
        ...{ strip_accents: null, lowercase: true },
      },
      pre_tokenizer: { type: "BertPreTokenizer" },
      post_processor: null,
      decoder: null,
      model: {
        ...{ type: "WordPiece", unk_token: "[UNK]", continuing_subword_prefix: "##" },
        ...{ max_input_chars_per_word: 100, vocab: Object.fromEntries(pieces.map((piece, i) => [piece, i])) },
      },
    },
    {},
  );

/** The embeddings stay in 8 bits outside the device: as floats they are larger than the rest of the network. */
function embeddings(file: NetworkFile, { width, positions }: ReaderAbout, count: number): Reader["embed"] {
  const levels = file.levels("words.weight", [count, width]);
  const scales = file.floats("words.weight.scale", [count]);
  const places = file.floats("places", [positions, width]);
  const kinds = file.floats("kinds", [2, width]);
  return (ids, sentenceFrom, into) => {
    for (const [t, id] of ids.entries()) {
      const [scale, kind] = [scales[id]!, t < sentenceFrom ? 0 : width];
      for (let k = 0; k < width; k++)
        into[t * width + k] = levels[id * width + k]! * scale + places[t * width + k]! + kinds[kind + k]!;
    }
  };
}

function program(about: ReaderAbout, tokens: number): Program {
  const name = `read.${tokens}`;
  return { name, build: () => readSpans(about, { name, rows: READ_SENTENCES, tokens }) };
}

/**
 * {@link DeviceCalls.readSpan}. The words add to the question and are of its kind. With words of the first five sentences alone the
 * lowest level with one wrong mark in five gives 29.1 % right ones instead of 30.8 (FairytaleQA's 750 explicit validation questions).
 */
export async function readSpan(
  runner: Runner,
  reader: Reader | null,
  given: string,
  ranked: readonly RankedText[],
  signal?: AbortSignal,
): Promise<SentencesRead | null> {
  if (!reader) return null;
  const question = askingWho(given);
  const sentences = ranked.slice(0, READ_MOST);
  const asked = { question, sentences, rank: logShares(sentences) };
  const { spans, whole } = (await scoredSpans(runner, reader, asked, signal)) ?? NOT_READ;
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
  return { shares, best: surest(spans, likely, fits), whole };
}

/** Of each sentence alone how sure the reader is of an answer in it, from 0 to 1; null without a reader. */
export async function readEach(
  runner: Runner,
  reader: Reader | null,
  question: string,
  sentences: readonly string[],
  signal?: AbortSignal,
): Promise<number[] | null> {
  if (!reader) return null;
  const asked = {
    question: askingWho(question),
    sentences: sentences.map((one) => ({ text: one })),
    rank: sentences.map(() => 0),
  };
  const scored = await scoredSpans(runner, reader, asked, signal);
  if (!scored) return null;
  const own = sentences.map((_, i) => scored.spans.filter(({ sentence }) => sentence === i));
  return own.map((some) => surest(some, likelihoods(some))?.confidence ?? 0);
}

interface ToRead {
  readonly question: string;
  readonly sentences: readonly Pick<RankedText, "text">[];
  readonly rank: readonly number[];
}

interface Scored {
  readonly spans: readonly Span[];
  /** Whether all sentences were read to their end. */
  readonly whole: boolean;
}
const NOT_READ: Scored = { spans: [], whole: false };

/** The spans of all sentences in their order, which are read five at a time; null if the question cannot be read. */
export async function scoredSpans(
  runner: Runner,
  reader: Reader,
  { question, sentences, rank }: ToRead,
  signal?: AbortSignal,
): Promise<Scored | null> {
  const { about, encode, special } = reader;
  // The end of a long question asks.
  const asked = readingOf(question, encode, Infinity).ids.slice(-about.questionTokens);
  if (!isRead(asked, special)) return null;
  const told = sentences.map(({ text: one }) => readingOf(one, encode, about.sentenceTokens));
  const rows = told.map(({ ids }) => [special.cls, ...asked, special.sep, ...ids, special.sep]);
  const key = asked.join(" ");
  if (reader.last.question !== key) reader.last = { question: key, spans: new Map() };
  const { spans } = reader.last;
  // The shortest together: each run is as long as its longest row.
  const order = [...told.keys()]
    .filter(
      (i) => told[i]!.units.length > 0 && isRead(told[i]!.ids, special) && !spans.has(sentences[i]!.text),
    )
    .sort((a, b) => rows[a]!.length - rows[b]!.length);
  for (const group of chunks(order, READ_SENTENCES)) {
    const needed = rows[group.at(-1)!]!.length;
    const T = LENGTHS.find((most) => most >= needed && most <= about.positions) ?? about.positions;
    const start = asked.length + 2;
    const feeds = feedsOf(runner, reader, T, { rows: group.map((i) => rows[i]!), start });
    const scores = await runner.read(program(about, T), "scores", feeds, signal);
    for (const [r, i] of group.entries()) {
      const own = scores.subarray(r * T * T, (r + 1) * T * T);
      spans.set(sentences[i]!.text, spansOf(told[i]!, about, { scores: own, T, start }));
    }
  }
  return {
    spans: sentences.flatMap(({ text: one }, sentence) =>
      (spans.get(one) ?? []).map(({ from, to, score }) => ({
        ...{ sentence, from, to },
        score: score + reader.rankWeight * rank[sentence]!,
      })),
    ),
    whole: told.every((one) => one.whole),
  };
}

/** Whether most of a text is of a language that the reader has learned: pieces of other scripts are unknown. */
const isRead = (ids: readonly number[], { unknown }: Reader["special"]): boolean =>
  ids.length > 0 && ids.filter((id) => id === unknown).length < ids.length / 3;

/** log p of each sentence among all, by a softmax of their logits. */
export const logShares = (sentences: readonly RankedText[]): number[] =>
  Array.from(
    softmax(
      sentences.map(({ logit }) => logit),
      1,
    ),
    (share) => Math.max(Math.log(share), LEAST_RANK),
  );

interface RowsToRead {
  readonly rows: readonly (readonly number[])[];
  /** Place of the sentence's first token, the same in all rows. */
  readonly start: number;
}

function feedsOf(runner: Runner, { about, embed }: Reader, T: number, { rows, start }: RowsToRead) {
  const [R, W] = [READ_SENTENCES, about.width];
  const embedded = new Float32Array(R * T * W);
  const mask = new Float32Array(R * T).fill(MASKED);
  fillRows(rows, R).forEach((ids, r) => {
    embed(ids, start, embedded.subarray(r * T * W, (r + 1) * T * W));
    mask.fill(0, r * T, r * T + ids.length);
  });
  return {
    embedded: runner.floats(embedded, [R, T, W]),
    mask: runner.floats(mask, [R, 1, 1, T]),
  };
}

interface SpanRead {
  readonly from: Unit;
  readonly to: Unit;
  readonly score: number;
}

interface Span extends SpanRead {
  readonly sentence: number;
}

function spansOf(
  { units }: Reading,
  { longest }: ReaderAbout,
  { scores, T, start }: { readonly scores: Float32Array; readonly T: number; readonly start: number },
): SpanRead[] {
  return units.flatMap((from, i) =>
    units
      .slice(i)
      .filter((to) => to.last - from.first < longest)
      .map((to) => ({ from, to, score: scores[(start + from.first) * T + start + to.last]! })),
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
