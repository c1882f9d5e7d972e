/** @file Every scorer by name. All are run on every answer; a benchmark says which of them its tables show first. */

import type { Scores } from "../../records/evaluation.ts";
import { babilongHarness, babilongStrict, babilongSubstring } from "./babilong.ts";
import { longBenchF1 } from "./longBench.ts";
import { nolimaContains } from "./nolima.ts";
import { stringMatchPart } from "./ruler.ts";
import type { Scorer, Target } from "./scorer.ts";

export const SCORERS = {
  "babilong-strict": babilongStrict,
  "babilong-substring": babilongSubstring,
  "babilong-harness": babilongHarness,
  "ruler-part": stringMatchPart,
  "nolima-contains": nolimaContains,
  "longbench-f1": longBenchF1,
} as const satisfies Readonly<Record<string, Scorer>>;

export type ScorerName = keyof typeof SCORERS;
export const SCORER_NAMES = Object.keys(SCORERS) as readonly ScorerName[];

/** What every scorer says of an answer. */
export const scoresOf = (answer: string, target: Target): Scores =>
  Object.fromEntries(SCORER_NAMES.map((name) => [name, SCORERS[name].score(answer, target)]));

/** Each scorer with the rule it follows, for the header of a run. */
export const scorerSources = (): Readonly<Record<string, string>> =>
  Object.fromEntries(SCORER_NAMES.map((name) => [name, SCORERS[name].upstream]));
