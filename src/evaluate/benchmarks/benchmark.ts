/**
 * @file What a benchmark is: which cases there are, known before any text is made, how a case is made, how it is asked
 * and by which score it is judged. One file a benchmark, one line in registry.ts.
 */

import { assert } from "../../lib/assert.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { seeded } from "../../lib/rng.ts";
import type { Case, CasePlace } from "../../records/evaluation.ts";
import type { Turn } from "../methods/method.ts";
import type { ScorerName } from "../scores/scorers.ts";

/** A case as a benchmark makes it. */
export interface MadeCase extends Case {
  /** Every answer that the task knows; null where answers are open. */
  readonly labels: readonly string[] | null;
  /** Wrong answers of the right kind: what the answer is replaced with where a question is asked of an altered text. */
  readonly others: readonly string[];
  /** What the text was made from. */
  readonly cluster: string;
}

export interface PlannedCase {
  readonly place: CasePlace;
  make(): MadeCase;
}

/** Files of a benchmark; whoever reads them unpacks what is packed and notes a hash of each. */
export interface BenchmarkData {
  /** The text of a file, by its path under the data folder. @throws when it is not there */
  text(path: string): Promise<string>;
  /** Paths under a folder, sorted. */
  list(folder: string): Promise<readonly string[]>;
}

/** How long a text is. */
export interface TokenCounter {
  /** What counts, in words, for the record. */
  readonly name: string;
  count(text: string): number;
}

/** What a benchmark is told. */
export interface BenchmarkOptions {
  readonly data: BenchmarkData;
  /** Tasks and lengths that are wanted; the benchmark's own first ones where none are named. */
  readonly tasks: readonly string[];
  readonly lengths: readonly string[];
  /** Samples of each task and length. */
  readonly samples: number;
  readonly seed: number;
  /** Lengths by GPT-2's tokens, as BABILong counts, or by an estimate of them. */
  readonly gpt2: TokenCounter;
  /** Lengths by the tested model's tokens, as RULER counts. */
  readonly model: TokenCounter;
  /** Different backgrounds among the samples of a length; 0: one each, as is official. */
  readonly backgrounds: number;
  /** Files of the user's own: their contents, by name. */
  readonly files: readonly UserFile[];
}

export interface UserFile {
  readonly name: string;
  readonly text: string;
}

/** A benchmark with its data read. */
export interface OpenBenchmark {
  readonly tasks: readonly string[];
  readonly lengths: readonly string[];
  /** In running order. */
  readonly cases: readonly PlannedCase[];
  readonly primary: ScorerName;
  /** Tokens that an answer may have. */
  readonly answerTokens: number;
  /** The benchmark's own prompt. */
  turn(task: string): Turn;
  /** What its cases depend on beside data, seed and places. */
  readonly settings: Readonly<Record<string, string | number | boolean>>;
}

export interface Benchmark {
  readonly title: string;
  readonly about: string;
  readonly tasks: readonly string[];
  readonly lengths: readonly string[];
  open(options: BenchmarkOptions): Promise<OpenBenchmark>;
}

/** Numbers in [0, 1) that depend on `seed` and the names of the draw alone. */
export const drawing = (seed: number, ...names: readonly (string | number)[]): (() => number) =>
  seeded(Number.parseInt(sha256Hex(JSON.stringify([seed, ...names])).slice(0, 8), 16));

/** A whole number from 0 to below `count`. */
export const pick = (random: () => number, count: number): number => Math.floor(random() * count);

/** Texts as a setting: their number, and a hash of their names and contents. */
export const printOf = (texts: readonly { readonly name: string; readonly text: string }[]): string =>
  `${texts.length}, SHA-256 ${sha256Hex(JSON.stringify(texts.map(({ name, text }) => [name, text]))).slice(0, 16)}`;

/**
 * Tokens that a name stands for.
 * @param thousand 1000 as BABILong counts, 1024 as RULER does
 */
export function tokensOf(name: string, thousand: 1000 | 1024): number {
  const [, digits, unit = ""] = /^(\d+)([kM]?)$/.exec(name) ?? [];
  assert(digits, () => `evaluate: invalid length "${name}"; expected e.g. 0k, 16k, 128k, 1M or a number`);
  return Number(digits) * thousand ** ["", "k", "M"].indexOf(unit);
}

/** GPT-2 tokens of English novels by their characters: 29.4 MB of them are about 7 million tokens. */
const CHARACTERS_PER_TOKEN = 4.2;

/** Used without GPT-2's own tokenizer. */
export const estimatedGpt2 = {
  name: `GPT-2 tokens, estimated as characters / ${CHARACTERS_PER_TOKEN}`,
  count: (text: string): number => Math.ceil(text.length / CHARACTERS_PER_TOKEN),
};
