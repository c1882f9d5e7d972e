/** @file An evaluation: every planned case, every method, one record each, without what is there already. */

import { Cancelled, messageOf, throwIfCancelled } from "../lib/assert.ts";
import { sha256Hex } from "../lib/hash.ts";
import type { EvaluationHeader, SampleRecord, Variant } from "../records/evaluation.ts";
import { stagesOf } from "./attribution.ts";
import type { MadeCase, OpenBenchmark, PlannedCase } from "./benchmarks/benchmark.ts";
import { pick, drawing } from "./benchmarks/seeds.ts";
import { NO_REPLY, ownTurn } from "./asking.ts";
import { altered, withoutEvidence } from "./evidence.ts";
import type { MethodContext, Reply } from "./methods/method.ts";
import type { ChosenMethod } from "./methods/registry.ts";
import { Left, Pace } from "./pace.ts";
import { sampleId } from "./runFile.ts";
import { scoresOf } from "./scores/scorers.ts";
import { UNALTERABLE } from "./unanswered.ts";

/** Which of how many parts of the cases is run: [1, 1] for all. */
export type Shard = readonly [part: number, of: number];

export interface EvaluationWork {
  readonly header: EvaluationHeader;
  readonly benchmark: OpenBenchmark;
  readonly methods: readonly ChosenMethod[];
  readonly context: Omit<MethodContext, "turn" | "own">;
  readonly shard: Shard;
  /** Ids of samples that are there already. */
  readonly have: ReadonlySet<string>;
  readonly onProgress?: (progress: EvaluationProgress) => void;
}

export interface EvaluationProgress {
  /** Samples, those that were there already among them. */
  readonly done: number;
  readonly total: number;
  readonly note: string;
  /** Milliseconds to the end, roughly; null before anything was done. */
  readonly left: number | null;
}

/** One sample that is still to be made. */
interface Pending {
  readonly id: string;
  readonly variant: Variant;
  readonly chosen: ChosenMethod;
}

/**
 * The samples that are missing, in order; what was yielded before a cancel stays valid, and running again with it goes
 * on. The same header gives the same samples, times apart, however often it is stopped.
 * @throws Cancelled; what fails within a method becomes the sample's `error`
 */
export async function* runEvaluation(work: EvaluationWork): AsyncGenerator<SampleRecord> {
  const { context, onProgress } = work;
  const cases = ofShard(work.benchmark.cases, work.shard);
  const waiting = cases.map((planned) => ({ planned, pending: pendingOf(work, planned) }));
  const total = cases.length * work.header.variants.length * work.methods.length;
  const left = new Left();
  for (const { planned, pending } of waiting)
    for (const { chosen } of pending) left.add(chosen.name, planned.place.length);
  const pace = new Pace();
  let made = total - waiting.reduce((sum, { pending }) => sum + pending.length, 0);
  for (const { planned, pending } of waiting) {
    if (pending.length === 0) continue;
    const given = planned.make();
    for (const one of pending) {
      throwIfCancelled(context.signal, "evaluate");
      onProgress?.({ done: made, total, note: noteOf(planned, one), left: left.time(pace) });
      const started = context.now();
      const sample = await sampleOf(work, planned, given, one);
      pace.add(one.chosen.name, planned.place.length, context.now() - started);
      left.take(one.chosen.name, planned.place.length);
      made++;
      yield sample;
    }
    await context.shelf.clear();
  }
}

/** Every `of`-th case from `part` on, counted from 1. */
export const ofShard = <T>(cases: readonly T[], [part, of]: Shard): T[] =>
  cases.filter((_, i) => i % of === part - 1);

function pendingOf({ header, methods, have }: EvaluationWork, { place }: PlannedCase): Pending[] {
  const all = header.variants.flatMap((variant) =>
    methods.map((chosen) => ({ id: sampleId(header.key, place, variant, chosen.name), variant, chosen })),
  );
  return all.filter(({ id }) => !have.has(id));
}

const noteOf = ({ place: { task, length, index } }: PlannedCase, { chosen, variant }: Pending): string =>
  [task, length, `sample ${index + 1}`, chosen.name, ...(variant === "whole" ? [] : [variant])].join(" ");

async function sampleOf(
  work: EvaluationWork,
  { place }: PlannedCase,
  whole: MadeCase,
  { id, variant, chosen }: Pending,
): Promise<SampleRecord> {
  const given = variantOf(whole, variant, work.header.seed);
  const found = given ? await answered(work, place.task, given, chosen) : NOT_ALTERABLE;
  const { text, question, gold, evidence, labels, cluster } = given ?? whole;
  const { reply, kept, milliseconds } = found;
  const scores = scoresOf(reply.answer, { question, gold, labels });
  const right = reply.error === null && scores[work.header.primary] === 1;
  return {
    kind: "sample",
    id,
    ...place,
    method: chosen.name,
    variant,
    question,
    gold,
    evidence,
    labels,
    textHash: sha256Hex(text),
    cluster,
    characters: text.length,
    promptHash: reply.prompt === null ? null : sha256Hex(reply.prompt),
    prompt: reply.prompt,
    raw: reply.raw,
    answer: reply.answer,
    scores,
    stages: stagesOf(reply, { question, gold, evidence }, right),
    kept,
    promptTokens: reply.promptTokens,
    milliseconds,
    error: reply.error,
  };
}

type Answered = Pick<SampleRecord, "kept" | "milliseconds"> & { readonly reply: Reply };

/** What a method makes of a case; a failure of its own is told in the reply. */
async function answered(
  { benchmark, context, header }: EvaluationWork,
  task: string,
  { text, question, evidence }: MadeCase,
  { method, option }: ChosenMethod,
): Promise<Answered> {
  const own = header.prompt === "ours";
  const asking: MethodContext = { ...context, own, turn: own ? ownTurn : benchmark.turn(task) };
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

/** The case as its variant has it; null where its answer cannot be altered. */
function variantOf(given: MadeCase, variant: Variant, seed: number): MadeCase | null {
  if (variant === "whole") return given;
  if (variant === "without") return { ...given, ...withoutEvidence(given) };
  const fitting = given.others.filter(
    (other) => !given.evidence.some((sentence) => sentence.includes(other)),
  );
  const other = fitting[pick(drawing(seed, "other", given.question, given.cluster), fitting.length)];
  const changed = other === undefined ? null : altered(given, other);
  return changed && { ...given, ...changed };
}
