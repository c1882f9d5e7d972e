/** @file Benchmarks: their cases, prompts and scores. A new one needs a file and a line in registry.ts. */

import { assert } from "../../lib/assert.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { seeded } from "../../lib/rng.ts";
import type { Case, CasePlace } from "../../records/evaluation.ts";
import type { Turn } from "../methods/method.ts";
import type { Grown } from "../shelf.ts";
import type { ScorerName } from "../scores/scorers.ts";

export interface MadeCase extends Case {
  /** All possible answers of the task; null if answers are open. */
  readonly labels: readonly string[] | null;
  /** Whether each sentence of the evidence answers alone; otherwise all are needed. */
  readonly oneSuffices?: boolean;
  /** Wrong answers of the right kind, which replace the answer in an altered text. */
  readonly others: readonly string[];
  /** The source of the text: samples of one cluster are not independent. */
  readonly cluster: string;
  /** Background and story of the text, if the background is shared. */
  readonly grown?: Grown;
}

export interface PlannedCase {
  readonly place: CasePlace;
  make(): MadeCase;
}

/** Files of a benchmark, unpacked. Implementations record a hash of each. */
export interface BenchmarkData {
  /** The text of a file, by its path under the data folder. @throws if it is missing */
  text(path: string): Promise<string>;
  /** Paths under a folder, sorted. */
  list(folder: string): Promise<readonly string[]>;
}

export interface TokenCounter {
  /** Description, for the header of a run. */
  readonly name: string;
  count(text: string): number;
}

export interface BenchmarkOptions {
  readonly data: BenchmarkData;
  /** Wanted tasks and lengths; the benchmark's first ones if the list is empty. */
  readonly tasks: readonly string[];
  readonly lengths: readonly string[];
  readonly samples: number;
  readonly seed: number;
  /** Lengths by GPT-2's tokens, as BABILong counts, or by an estimate of them. */
  readonly gpt2: TokenCounter;
  /** Lengths by the tested model's tokens, as RULER counts. */
  readonly model: TokenCounter;
  /** Number of different backgrounds among the samples of a length; 0: one each, as in the original. */
  readonly backgrounds: number;
  readonly files: readonly UserFile[];
}

export interface UserFile {
  readonly name: string;
  readonly text: string;
}

export interface OpenBenchmark {
  readonly tasks: readonly string[];
  readonly lengths: readonly string[];
  readonly cases: readonly PlannedCase[];
  readonly primary: ScorerName;
  readonly answerTokens: number;
  turn(task: string): Turn;
  /** Settings that its cases depend on, in addition to data, seed and places. */
  readonly settings: Readonly<Record<string, string | number | boolean>>;
}

export interface Benchmark {
  readonly title: string;
  readonly about: string;
  readonly tasks: readonly string[];
  readonly lengths: readonly string[];
  open(options: BenchmarkOptions): Promise<OpenBenchmark>;
}

/** The wanted tasks and lengths, or the first of `known` and `length`. @throws on an unknown task */
export function chosen({ tasks, lengths }: BenchmarkOptions, known: readonly string[], length: string) {
  const wrong = tasks.find((name) => !known.includes(name));
  assert(wrong === undefined, () => `evaluate: there is no task "${wrong}"; there are ${known.join(", ")}`);
  return {
    tasks: tasks.length > 0 ? tasks : known.slice(0, 1),
    lengths: lengths.length > 0 ? lengths : [length],
  };
}

/** Numbers in [0, 1) that depend on `seed` and the names of the draw alone. */
export const drawing = (seed: number, ...names: readonly (string | number)[]): (() => number) =>
  seeded(Number.parseInt(sha256Hex(JSON.stringify([seed, ...names])).slice(0, 8), 16));

/** A whole number from 0 to below `count`. */
export const pick = (random: () => number, count: number): number => Math.floor(random() * count);

/** Texts as a setting: their number, and a hash of their names and contents. */
export const printOf = (texts: readonly { readonly name: string; readonly text: string }[]): string =>
  `${texts.length}, SHA-256 ${sha256Hex(JSON.stringify(texts.map(({ name, text }) => [name, text]))).slice(0, 16)}`;

/** Tokens of a length such as 16k; `thousand` is 1000 in BABILong, 1024 in RULER. @throws on another form of name */
export function tokensOf(name: string, thousand: 1000 | 1024): number {
  const [, digits, unit = ""] = /^(\d+)([kM]?)$/.exec(name) ?? [];
  assert(digits, () => `evaluate: invalid length "${name}"; expected e.g. 0k, 16k, 128k, 1M or a number`);
  return Number(digits) * thousand ** ["", "k", "M"].indexOf(unit);
}

/** GPT-2 tokens of English novels by their characters: 29.4 MB of them are about 7 million tokens. */
const CHARACTERS_PER_TOKEN = 4.2;

export const estimatedGpt2 = {
  name: `GPT-2 tokens, estimated as characters / ${CHARACTERS_PER_TOKEN}`,
  count: (text: string): number => Math.ceil(text.length / CHARACTERS_PER_TOKEN),
};
