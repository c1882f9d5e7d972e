/** @file The paper's tables and figures (paper.json): published numbers, and the evaluation or studies that make them here. */

import type { StudyName } from "../records/studies.ts";
import type { Evaluation } from "../records/evaluation.ts";
import type { BenchmarkName } from "./benchmarks/registry.ts";
import type { ScorerName } from "./scores/scorers.ts";
import entries from "./paper.json" with { type: "json" };

export interface PaperEvaluation {
  readonly benchmark: BenchmarkName;
  readonly tasks: readonly string[];
  readonly lengths: readonly string[];
  readonly methods: readonly string[];
}

export interface PaperEntry {
  readonly title: string;
  /** "-" as in the paper. */
  readonly published: { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };
  /** Published shares of right answers with their n, for figures of our runs. */
  readonly points?: readonly PaperPoint[];
  readonly run: { readonly evaluation: PaperEvaluation | null; readonly studies: readonly StudyName[] };
}

interface PaperPoint {
  readonly model: string;
  readonly task: string;
  readonly length: string;
  readonly share: number;
  readonly n: number;
}

/** All tables and figures, by name: "table-2". */
export const PAPER_ENTRIES = entries as unknown as Readonly<Record<string, PaperEntry>>;

/** A run as the paper judges it: BABILong by the older rule, which accepts the gold answer anywhere in the answer. */
export const judgedAsPublished = (run: Evaluation): Evaluation =>
  run.header.primary === "babilong-strict"
    ? { ...run, header: { ...run.header, primary: "babilong-substring" satisfies ScorerName } }
    : run;

/** The published points of a benchmark. */
export const publishedPoints = (benchmark: string): readonly PaperPoint[] =>
  Object.values(PAPER_ENTRIES).flatMap(({ points = [], run }) =>
    run.evaluation?.benchmark === benchmark ? points : [],
  );
