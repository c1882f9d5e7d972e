/**
 * @file At which stage a question failed: by where its evidence was last seen, and, as a check, by which oracle would
 * have answered it.
 */

import { groupBy } from "../lib/group.ts";
import type { Case, SampleRecord, Stages } from "../records/evaluation.ts";
import { failedAt, judge, type FailedStage } from "../records/judge.ts";
import type { Reply } from "./methods/method.ts";
import { caseKey } from "./pairs.ts";

/** What became of the evidence on its way; null where there is no trace of stages, or no evidence is known. */
export function stagesOf(
  { trace }: Pick<Reply, "trace">,
  { question, gold, evidence }: Pick<Case, "question" | "gold" | "evidence">,
  right: boolean,
): Stages | null {
  if (!trace || evidence.length === 0) return null;
  const expected = { ask: question, answers: gold, needs: evidence };
  const { stored, routed, recalled } = trace.answer ? judge(trace.answer, expected, trace.stored) : NOWHERE;
  return { stored, routed, recalled, failed: failedAt({ stored, routed, recalled }, right) };
}

/** Evidence that was not even stored. */
const NOWHERE = { stored: false, routed: false, recalled: false };

/** The stages in running order; "none" is no failure, and where there is no evidence nothing is attributed. */
export const OUTCOMES = [
  "none",
  "extraction",
  "routing",
  "reconstruction",
  "answer",
  "unattributed",
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The one outcome of a sample. */
export function outcomeOf({ stages }: Pick<SampleRecord, "stages">, right: boolean): Outcome {
  if (right) return "none";
  return stages?.failed ?? "unattributed";
}

/** The oracle that does without a stage: where the stage failed, it should answer. */
export const ORACLE_OF: Readonly<Record<Exclude<FailedStage, null | "answer">, string>> = {
  extraction: "ours-extracted",
  routing: "ours-routed",
  reconstruction: "ours-stored",
};

/** Failures of our method by outcome, and how many of each its oracle bears out. */
export interface AttributionRow {
  readonly outcome: Outcome;
  readonly samples: number;
  /** Samples of these for which the oracle was run too. */
  readonly checked: number;
  /**
   * Of the checked ones: the oracle that does without the stage answers right; for "answer": it fails with the stored
   * text as well.
   */
  readonly borneOut: number;
}

/**
 * `right` says whether a sample counts as right. Samples are those of one method, `all` those of every method; an oracle
 * that has no answer says nothing.
 */
export function attribution(
  samples: readonly SampleRecord[],
  all: readonly SampleRecord[],
  right: (sample: SampleRecord) => boolean,
): AttributionRow[] {
  const answered = all.filter(({ error }) => error === null);
  const byCase = groupBy(answered, caseKey);
  return OUTCOMES.map((outcome) => {
    const own = samples.filter((sample) => outcomeOf(sample, right(sample)) === outcome);
    const oracles = own.flatMap((sample) => {
      const oracle = oracleName(outcome, sample.method);
      return byCase.get(caseKey(sample))?.find(({ method }) => method === oracle) ?? [];
    });
    const borneOut = oracles.filter((oracle) => right(oracle) === (outcome !== "answer")).length;
    return { outcome, samples: own.length, checked: oracles.length, borneOut };
  });
}

/** The oracle under the parameters of the method that it is held against: "ours-stored:paper" for "ours:paper". */
function oracleName(outcome: Outcome, method: string): string | null {
  if (outcome === "none" || outcome === "unattributed") return null;
  const oracle = outcome === "answer" ? "ours-stored" : ORACLE_OF[outcome];
  return `${oracle}${/:.*/.exec(method)?.[0] ?? ""}`;
}
