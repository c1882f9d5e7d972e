/** @file An evaluation as a plan: every planned case, every method, one record each. */

import { Cancelled, messageOf } from "../lib/assert.ts";
import { sha256Hex } from "../lib/hash.ts";
import { omit } from "../lib/omit.ts";
import { literal } from "../lib/words.ts";
import type { Case, EvaluationHeader, SampleRecord, Variant } from "../records/evaluation.ts";
import type { RecordsProgress } from "../records/run.ts";
import { shownOf, stagesOf } from "./attribution.ts";
import {
  drawing,
  pick,
  type MadeCase,
  type OpenBenchmark,
  type PlannedCase,
} from "./benchmarks/benchmark.ts";
import { NO_REPLY, ownTurn } from "./asking.ts";
import type { MethodContext, Reply } from "./methods/method.ts";
import type { ChosenMethod } from "./methods/registry.ts";
import { sampleId } from "./runs/header.ts";
import { sampleClock } from "./runs/pace.ts";
import { runPlan, type Plan } from "./runs/runPlan.ts";
import { scoresOf } from "./scores/scorers.ts";
import { UNALTERABLE } from "./unanswered.ts";

/** Part and number of parts of a sharded run; [1, 1] for all cases. */
export type Shard = readonly [part: number, of: number];

export interface EvaluationWork {
  readonly header: EvaluationHeader;
  readonly benchmark: OpenBenchmark;
  readonly methods: readonly ChosenMethod[];
  readonly context: Omit<MethodContext, "turn" | "own" | "grown">;
  readonly shard: Shard;
  /** Ids of samples that exist already. */
  readonly have: ReadonlySet<string>;
  readonly onProgress?: (progress: RecordsProgress) => void;
}

interface Planned {
  readonly id: string;
  readonly variant: Variant;
  readonly chosen: ChosenMethod;
}

/**
 * Yields the missing samples in order. The same header gives the same samples, apart from times.
 * @throws Cancelled; a failure within a method becomes the sample's `error`
 */
export const runEvaluation = (work: EvaluationWork): AsyncGenerator<SampleRecord> =>
  runPlan(planOf(work), work.have, { signal: work.context.signal, onProgress: work.onProgress });

function planOf(work: EvaluationWork): Plan<SampleRecord> {
  const { benchmark, context, shard } = work;
  const cases = ofShard(benchmark.cases, shard).map((one) => ({ one, planned: plannedOf(work, one) }));
  return {
    ids: cases.flatMap(({ planned }) => planned.map(({ id }) => id)),
    clock(missing) {
      const waiting = cases.flatMap(({ one, planned }) =>
        planned.map(({ id, chosen }) => [id, { method: chosen.name, length: one.place.length }] as const),
      );
      return sampleClock(new Map(waiting.filter(([id]) => missing.has(id))), context.now);
    },
    async *make(missing, note) {
      let last: string | null = null;
      for (const { one, planned } of cases) {
        const pending = planned.filter(({ id }) => missing.has(id));
        if (pending.length === 0) continue;
        const given = one.make();
        // Questions about one text that follow each other share its memory.
        if (given.text !== last) await context.shelf.clear();
        last = given.text;
        for (const each of pending) {
          note(noteOf(one, each));
          yield await sampleOf(work, one, given, each);
        }
      }
      await context.shelf.clear();
    },
  };
}

/** Every `of`-th case, starting with the `part`-th (from 1). */
export const ofShard = <T>(cases: readonly T[], [part, of]: Shard): T[] =>
  cases.filter((_, i) => i % of === part - 1);

const plannedOf = ({ header, methods }: Pick<EvaluationWork, "header" | "methods">, { place }: PlannedCase) =>
  header.variants.flatMap((variant) =>
    methods.map((chosen) => ({ id: sampleId(header.key, place, variant, chosen.name), variant, chosen })),
  );

/** Ids of all samples of an evaluation, in running order. */
export const plannedSamples = (work: Pick<EvaluationWork, "header" | "benchmark" | "methods">): string[] =>
  work.benchmark.cases.flatMap((one) => plannedOf(work, one).map(({ id }) => id));

const noteOf = ({ place: { task, length, index } }: PlannedCase, { chosen, variant }: Planned): string =>
  [task, length, `sample ${index + 1}`, chosen.name, ...(variant === "whole" ? [] : [variant])].join(" ");

async function sampleOf(
  work: EvaluationWork,
  { place }: PlannedCase,
  whole: MadeCase,
  { id, variant, chosen }: Planned,
): Promise<SampleRecord> {
  const given = variantOf(whole, variant, work.header.seed);
  const found = given ? await answered(work, place.task, given, chosen) : NOT_ALTERABLE;
  const { text, oneSuffices, ...asked } = omit(given ?? whole, "others", "grown");
  const { reply, kept, milliseconds } = found;
  const { trace, ...said } = reply;
  const scores = scoresOf(said.answer, asked);
  const right = said.error === null && scores[work.header.primary] === 1;
  return {
    kind: "sample",
    id,
    ...place,
    method: chosen.name,
    variant,
    ...asked,
    textHash: sha256Hex(text),
    characters: text.length,
    promptHash: said.prompt === null ? null : sha256Hex(said.prompt),
    ...said,
    scores,
    stages: stagesOf({ trace }, { ...asked, oneSuffices }, right),
    ...(trace?.answer && { shown: shownOf(trace.answer, asked.evidence) }),
    kept,
    milliseconds,
  };
}

type Answered = Pick<SampleRecord, "kept" | "milliseconds"> & { readonly reply: Reply };

/** Runs one method on one case. An error of the method is recorded in the reply. */
async function answered(
  { benchmark, context, header }: EvaluationWork,
  task: string,
  { text, question, evidence, grown }: MadeCase,
  { method, option }: ChosenMethod,
): Promise<Answered> {
  const own = header.prompt === "ours";
  const turn = own ? ownTurn : benchmark.turn(task);
  const asking: MethodContext = { ...context, own, turn, ...(grown && { grown }) };
  try {
    const prepared = await method.prepare(text, asking, option);
    const started = context.now();
    const reply = await prepared.answer({ question, evidence });
    const milliseconds = { prepare: prepared.milliseconds, answer: context.now() - started };
    return { reply, kept: prepared.kept, milliseconds };
  } catch (error) {
    if (error instanceof Cancelled) throw error;
    return failed(messageOf(error));
  }
}

const failed = (error: string): Answered => ({
  reply: { ...NO_REPLY, error },
  kept: { tokens: 0, bytes: 0 },
  milliseconds: { prepare: 0, answer: 0 },
});

const NOT_ALTERABLE = failed(UNALTERABLE);

/** A variant of a case; null if its answer cannot be altered. */
function variantOf(given: MadeCase, variant: Variant, seed: number): MadeCase | null {
  if (variant === "whole") return given;
  if (variant === "without") return { ...given, ...withoutEvidence(given) };
  const isNamed = (other: string) => given.evidence.some((sentence) => sentence.includes(other));
  const fitting = given.others.filter((other) => !isNamed(other));
  const other = fitting[pick(drawing(seed, "other", given.question, given.cluster), fitting.length)];
  const changed = other === undefined ? null : altered(given, other);
  return changed && { ...given, ...changed };
}

type Alterable = Case & Pick<MadeCase, "grown">;

/** The case with every sentence of its evidence taken out of the text. */
export function withoutEvidence(given: Alterable): Alterable {
  const { text, ...rest } = rewritten(given, []);
  return { ...rest, text: text.trim(), evidence: [] };
}

/** The case with `other` in place of its answer wherever the evidence names it; null if it does not name it. */
export function altered(given: Alterable, other: string): Alterable | null {
  const answer = given.gold.find((gold) => given.evidence.some((sentence) => word(gold).test(sentence)));
  if (answer === undefined) return null;
  const evidence = given.evidence.map((sentence) => sentence.replaceAll(word(answer), () => other));
  return { ...rewritten(given, evidence), gold: [other], evidence };
}

/** The case with other sentences in place of its evidence; missing ones are taken out. */
function rewritten(given: Alterable, by: readonly string[]): Alterable {
  const rewrite = (from: string): string =>
    given.evidence.reduce((text, sentence, i) => replaceAll(text, sentence, by[i] ?? ""), from);
  const { text, grown } = given;
  return { ...given, text: rewrite(text), ...(grown && { grown: { ...grown, own: rewrite(grown.own) } }) };
}

const replaceAll = (text: string, sentence: string, by: string): string =>
  sentence === "" ? text : text.replaceAll(sentence, () => by);

const word = (text: string) => new RegExp(`(?<![\\p{L}\\p{N}])${literal(text)}(?![\\p{L}\\p{N}])`, "gu");
