/** @file The stage at which a question failed: the last one that had its evidence. */

import { groupBy } from "../lib/group.ts";
import type { Case, SampleRecord, Stages } from "../records/evaluation.ts";
import { INSTEAD, shownFacts, type Answer } from "../records/answer.ts";
import { failedAt, holdersOf, judge, type FailedStage } from "../records/judge.ts";
import type { Reply } from "./methods/method.ts";

/** The stages that had the evidence; null without a trace of stages or without known evidence. */
export function stagesOf(
  { trace }: Pick<Reply, "trace">,
  asked: Pick<Case, "question" | "gold" | "evidence"> & { readonly oneSuffices?: boolean | undefined },
  right: boolean,
): Stages | null {
  const { question, gold, evidence, oneSuffices } = asked;
  if (!trace || evidence.length === 0) return null;
  const expected = { ask: question, answers: gold, needs: oneSuffices ? [evidence] : evidence };
  const nowhere = { stored: false, routed: false, recalled: false };
  const { stored, routed, recalled } = trace.answer ? judge(trace.answer, expected, trace.stored) : nowhere;
  return { stored, routed, recalled, failed: failedAt({ stored, routed, recalled }, right) };
}

/** The place of the first shown sentence that is evidence, and whether a short answer is given. */
export function shownOf(answer: Answer, evidence: readonly string[]): NonNullable<SampleRecord["shown"]> {
  const texts = answer.asked.flatMap((part) => shownFacts(part, answer)).map(({ text }) => text);
  const at = texts.findIndex((text) => evidence.some((one) => holdersOf([text], one).length > 0));
  return {
    place: at < 0 ? null : at + 1,
    short: answer.asked.some(({ verdict }) => INSTEAD[verdict] === null),
  };
}

/** The stages in running order. "none": right; "unattributed": wrong without known evidence. */
type Outcome = "none" | Exclude<FailedStage, null> | "unattributed";
const OUTCOMES = ["none", "extraction", "routing", "reconstruction", "answer", "unattributed"] as const;

export const outcomeOf = ({ stages }: Pick<SampleRecord, "stages">, right: boolean): Outcome =>
  right ? "none" : (stages?.failed ?? "unattributed");

/** The oracle without a stage: if the stage failed, it should answer. */
const ORACLE_OF: Readonly<Record<Exclude<FailedStage, null | "answer">, string>> = {
  extraction: "ours-extracted",
  routing: "ours-routed",
  reconstruction: "ours-stored",
};

/**
 * Failures by outcome of the samples of one method; `all`: those of every method. `checked`: those for which the oracle was run too.
 * `confirmed`: of these, those where the oracle without the stage answers right; for "answer": it fails with the stored text too.
 */
export function attribution(
  samples: readonly SampleRecord[],
  all: readonly SampleRecord[],
  right: (sample: SampleRecord) => boolean,
) {
  const answered = all.filter(({ error }) => error === null);
  const byCase = groupBy(answered, caseKey);
  return OUTCOMES.map((outcome) => {
    const own = samples.filter((sample) => outcomeOf(sample, right(sample)) === outcome);
    const oracles = own.flatMap((sample) => {
      const oracle = oracleName(outcome, sample.method);
      return byCase.get(caseKey(sample))?.find(({ method }) => method === oracle) ?? [];
    });
    const confirmed = oracles.filter((oracle) => right(oracle) === (outcome !== "answer")).length;
    return { outcome, samples: own.length, checked: oracles.length, confirmed };
  });
}

/** The oracle with the parameters of the compared method: "ours-stored:paper" for "ours:paper". */
function oracleName(outcome: Outcome, method: string): string | null {
  if (outcome === "none" || outcome === "unattributed") return null;
  const oracle = outcome === "answer" ? "ours-stored" : ORACLE_OF[outcome];
  return `${oracle}${/:.*/.exec(method)?.[0] ?? ""}`;
}

/** Identifies a case, independent of the method: its place, text and question. */
const caseKey = ({ task, length, depth, index, variant, textHash, question, gold }: SampleRecord): string =>
  JSON.stringify([task, length, depth, index, variant, textHash, question, gold]);

type Two = readonly [SampleRecord, SampleRecord];

/**
 * Samples of `own`, each with the one of `others` on the same case. Imported predictions have no text. They are paired by
 * place if both sets ask the same at every place, as published records do; otherwise by questions that are asked once and
 * have open answers (bAbI asks "Where is Mary?" of every other story).
 */
export function paired(own: readonly SampleRecord[], others: readonly SampleRecord[]): Two[] {
  const known = joined(own, others, caseKey);
  if (known.length > 0 || others.every(({ textHash }) => textHash !== "")) return known;
  const inOrder = joined(own, others, ({ depth, index }) => JSON.stringify([depth, index]));
  if (inOrder.every(asksTheSame)) return inOrder;
  const open = own.filter(({ labels }) => labels === null);
  return joined(open, others, ({ question }) => question.trim()).filter(asksTheSame);
}

const asksTheSame = ([a, b]: Two): boolean =>
  a.question.trim() === b.question.trim() && a.gold.some((gold) => b.gold.includes(gold));

/** Pairs with the same key, if it is unique in both. */
function joined(
  own: readonly SampleRecord[],
  others: readonly SampleRecord[],
  keyOf: (sample: SampleRecord) => string,
): Two[] {
  const found = once(others, keyOf);
  return [...once(own, keyOf)].flatMap(([key, one]): Two[] => {
    const other = found.get(key);
    return other ? [[one, other]] : [];
  });
}

const once = (samples: readonly SampleRecord[], keyOf: (sample: SampleRecord) => string) =>
  new Map(
    [...groupBy(samples, keyOf)].flatMap(([key, [one, ...more]]) =>
      one && more.length === 0 ? [[key, one]] : [],
    ),
  );
