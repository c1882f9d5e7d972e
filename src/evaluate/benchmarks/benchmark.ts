/**
 * @file What a benchmark is: which cases there are, known before any text is made, how a case is made, how it is asked
 * and by which score it is judged. One file a benchmark, one line in registry.ts.
 */

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
