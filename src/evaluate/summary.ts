/** @file Statistics of samples: accuracies, comparisons of methods, stages and sizes as plain rows; report.ts formats them. */

import { many } from "../lib/format.ts";
import { groupBy } from "../lib/group.ts";
import {
  effectiveSize,
  FEWEST_CLUSTERS,
  groupCorrelation,
  mcnemar,
  pairedBootstrap,
  unpaired,
  type Difference,
} from "../lib/paired.ts";
import { mean, median, wilson } from "../lib/stats.ts";
import type { Evaluation, EvaluationHeader, SampleRecord, Variant } from "../records/evaluation.ts";
import { attribution, outcomeOf, paired } from "./attribution.ts";
import { isAsked } from "./unanswered.ts";

/** A share or a mean with its 95 % interval. */
export interface Accuracy {
  readonly n: number;
  readonly texts: number;
  /** Number of samples without an answer (too long, or failed), which count as wrong. */
  readonly unanswered: number;
  readonly score: number;
  /** 95 %: Wilson's at the effective sample size; for scores between 0 and 1, a bootstrap over texts. */
  readonly interval: readonly [number, number];
}

export interface AccuracyCell extends Accuracy, Pick<SampleRecord, "task" | "length" | "method"> {}

const scoreOf =
  (scorer: string) =>
  ({ scores, error }: SampleRecord): number =>
    error === null ? (scores[scorer] ?? 0) : 0;

export const lengthName = (length: string): string => (length === "" ? "all" : length);

const wholeOf = (samples: readonly SampleRecord[]): SampleRecord[] =>
  samples.filter((sample) => sample.variant === "whole" && isAsked(sample));

/** @param correlation of samples over one text, if it was estimated over more samples than these */
export function accuracy(samples: readonly SampleRecord[], scorer: string, correlation = 1): Accuracy {
  const asked = samples.filter(isAsked);
  const unanswered = asked.filter(({ error }) => error !== null).length;
  return { ...meanOf(asked, asked.map(scoreOf(scorer)), correlation), unanswered };
}

const meanOf = (samples: readonly SampleRecord[], values: readonly number[], correlation?: number) => ({
  n: samples.length,
  texts: new Set(samples.map(({ cluster }) => cluster)).size,
  score: mean(values),
  interval: intervalOf(values, samples, correlation),
});

const cellOf = ({ task, length, method }: SampleRecord): string => JSON.stringify([task, length, method]);

/** The 95 % interval of the mean of `values`, from 0 to 1, one of each sample. */
function intervalOf(
  values: readonly number[],
  samples: readonly Pick<SampleRecord, "cluster">[],
  correlation = 1,
) {
  const clusters = samples.map(({ cluster }) => cluster);
  const binary = values.every((value) => value === 0 || value === 1);
  const size = effectiveSize(values, clusters, correlation);
  return binary || new Set(clusters).size < FEWEST_CLUSTERS
    ? wilson(mean(values) * size, size)
    : within01(pairedBootstrap(unpaired(values, clusters)).interval);
}

const within01 = ([low, high]: readonly [number, number]): readonly [number, number] => [
  Math.max(0, low),
  Math.min(1, high),
];

/** Correlation of `valueOf` over samples of one text, over all tasks and lengths together. */
function correlationOf(samples: readonly SampleRecord[], valueOf: (sample: SampleRecord) => number): number {
  const strata = groupBy(samples, ({ task, length }) => JSON.stringify([task, length]));
  return groupCorrelation(
    Array.from(strata.values(), (own) => ({
      values: own.map(valueOf),
      clusters: own.map(({ cluster }) => cluster),
    })),
  );
}

/** Every task, length and method of the run, in its order, of one variant. */
export function accuracies({ header, samples }: Evaluation, variant: Variant = "whole"): AccuracyCell[] {
  const own = samples.filter((sample) => sample.variant === variant);
  const tasks = groupBy(own, ({ task }) => task);
  const correlations = new Map(
    Array.from(
      groupBy(own.filter(isAsked), ({ method }) => method),
      ([method, of]) => [method, correlationOf(of, scoreOf(header.primary))],
    ),
  );
  return header.tasks.flatMap((task) =>
    byLengthAndMethod(header, tasks.get(task) ?? []).map(({ own, ...cell }) => ({
      task,
      ...cell,
      ...accuracy(own, header.primary, correlations.get(cell.method)),
    })),
  );
}

/** The samples of every length and method of the run that has some, in its order. */
function byLengthAndMethod(
  { lengths, methods }: Pick<EvaluationHeader, "lengths" | "methods">,
  samples: readonly SampleRecord[],
) {
  const groups = groupBy(samples, ({ length, method }) => JSON.stringify([length, method]));
  return lengths.flatMap((length) =>
    methods.flatMap((method) => {
      const own = groups.get(JSON.stringify([length, method]));
      return own ? [{ length, method, own }] : [];
    }),
  );
}

/** Two methods on the cases that both were asked. */
export interface Comparison extends Difference, Pick<SampleRecord, "task" | "length" | "method"> {
  readonly against: string;
  readonly n: number;
  readonly clusters: number;
  /** Cases that only one has right. */
  readonly only: readonly [method: number, against: number];
  /** McNemar's test; null unless scores are 0 or 1. */
  readonly p: number | null;
  /** Whether these cases distinguish the two. */
  readonly told: boolean;
}

const LEVEL = 0.05;

/** `method` against every other of the run, task by task and length by length, on the texts as they are. */
export function comparisons({ header, samples }: Evaluation, method: string): Comparison[] {
  const cells = groupBy(wholeOf(samples), ({ task, length }) => JSON.stringify([task, length]));
  return [...cells.values()].flatMap((cell) =>
    header.methods
      .filter((other) => other !== method)
      .flatMap((other) => compared(cell, method, other, header.primary) ?? []),
  );
}

function compared(cell: readonly SampleRecord[], method: string, against: string, scorer: string) {
  const of = (name: string): SampleRecord[] => cell.filter((one) => one.method === name);
  const pairs = paired(of(method), of(against)).map(([one, other]) => ({
    ...{ a: scoreOf(scorer)(one), b: scoreOf(scorer)(other) },
    cluster: one.cluster,
  }));
  const [first] = cell;
  if (pairs.length === 0 || !first) return null;
  const binary = pairs.every(({ a, b }) => [a, b].every((value) => value === 0 || value === 1));
  const only = [pairs.filter(({ a, b }) => a > b).length, pairs.filter(({ a, b }) => b > a).length] as const;
  const p = binary ? mcnemar(...only) : null;
  const found = pairedBootstrap(pairs);
  const clusters = new Set(pairs.map(({ cluster }) => cluster)).size;
  const apart = clusters >= FEWEST_CLUSTERS && (found.interval[0] > 0 || found.interval[1] < 0);
  return {
    task: first.task,
    length: first.length,
    method,
    against,
    n: pairs.length,
    clusters,
    only,
    p,
    // McNemar's test treats questions over one text as independent, so the bootstrap must agree.
    told: apart && (p === null || p < LEVEL),
    ...found,
  };
}

/** The outcomes of one method's samples of a task and a length. */
export function attributions({ header, samples }: Evaluation) {
  const whole = wholeOf(samples);
  const right = (sample: SampleRecord): boolean => scoreOf(header.primary)(sample) === 1;
  const staged = whole.filter(({ method }) => /^ours(?::|$)/.test(method));
  const cells = groupBy(staged, cellOf);
  return [...cells.values()].map((own) => {
    const { task, length, method } = own[0]!;
    const outcomes = own.map((sample) => outcomeOf(sample, right(sample)));
    const rows = attribution(own, whole, right).map((row) => {
      const values = outcomes.map((outcome) => Number(outcome === row.outcome));
      return { ...row, n: own.length, interval: intervalOf(values, own) };
    });
    return { task, length, method, rows };
  });
}

/** F1 with a gold answer from which a short answer is right. */
const RIGHT_F1 = 0.5;
const PLACES = [1, 3, 5, 24] as const;

const isRight = ({ scores }: SampleRecord): boolean => (scores["longbench-f1"] ?? 0) >= RIGHT_F1;

interface ShownMeasure {
  readonly holds: (sample: SampleRecord) => boolean;
  /** Whether a sample counts. */
  readonly asks: (sample: SampleRecord) => boolean;
}

const SHOWN: Readonly<Record<string, ShownMeasure>> = {
  ...Object.fromEntries(
    PLACES.map((most): [string, ShownMeasure] => [
      `in ${most}`,
      {
        holds: ({ shown }) => (shown?.place ?? Infinity) <= most,
        asks: ({ evidence }) => evidence.length > 0,
      },
    ]),
  ),
  right: { holds: (sample) => sample.shown!.short && isRight(sample), asks: () => true },
  wrong: { holds: (sample) => sample.shown!.short && !isRight(sample), asks: () => true },
  declined: { holds: (sample) => !sample.shown!.short, asks: () => true },
};

/** By task and method: how often a sentence that answers is shown first, among three, five and 24; and the short answers. */
export function shownShares({ samples }: Evaluation) {
  const traced = wholeOf(samples).filter(({ shown }) => shown !== undefined);
  const methods = groupBy(traced, ({ method }) => method);
  const shares = Object.entries(SHOWN).map(([name, { holds, asks }]) => {
    const valueOf = (sample: SampleRecord) => Number(holds(sample));
    const correlations = new Map(
      Array.from(methods, ([method, own]) => [method, correlationOf(own.filter(asks), valueOf)]),
    );
    return (own: readonly SampleRecord[], method: string): [string, Accuracy] => {
      const of = own.filter(asks);
      return [name, { ...meanOf(of, of.map(valueOf), correlations.get(method)), unanswered: 0 }];
    };
  });
  const cells = groupBy(traced, cellOf);
  return Array.from(cells.values(), (own) => {
    const { task, length, method } = own[0]!;
    return { task, length, method, shares: Object.fromEntries(shares.map((share) => share(own, method))) };
  });
}

/** Stored sizes and times: medians by length and method. */
export function sizes({ header, samples }: Evaluation) {
  const whole = wholeOf(samples).filter(({ error }) => error === null);
  return byLengthAndMethod(header, whole).map(({ length, method, own }) => {
    const middle = (of: (sample: SampleRecord) => number): number => median(own.map(of));
    return {
      length,
      method,
      tokens: middle(({ kept }) => kept.tokens),
      bytes: middle(({ kept }) => kept.bytes),
      promptTokens: middle((sample) => sample.promptTokens),
      prepareSeconds: middle(({ milliseconds }) => milliseconds.prepare) / 1000,
      answerSeconds: middle(({ milliseconds }) => milliseconds.answer) / 1000,
    };
  });
}

export type SizeRow = ReturnType<typeof sizes>[number];

/** The row of our method for the length of `row`. */
export const oursBeside = (rows: readonly SizeRow[], { length }: SizeRow): SizeRow | undefined =>
  rows.find((row) => row.length === length && row.method.split(":")[0] === "ours");

type Times = Pick<SizeRow, "prepareSeconds" | "answerSeconds">;

/** In words: after how many questions `a` has taken no longer than `b`. */
export function breakEven(a: Times, b: Times): string {
  const ahead = a.prepareSeconds - b.prepareSeconds;
  const gained = b.answerSeconds - a.answerSeconds;
  if (ahead <= 0 && gained >= 0) return "quicker from the first question on";
  const last = Math.floor(ahead / gained);
  if (gained <= 0) return ahead > 0 || last < 1 ? "never quicker" : `quicker up to ${many(last, "question")}`;
  const first = Math.max(1, Math.ceil(ahead / gained));
  return `quicker from ${first.toLocaleString("en-GB")} question${first === 1 ? "" : "s"} on`;
}

/** Every method by every scorer, over all samples that the scorer applies to. */
export function byScorer({ header, samples }: Evaluation) {
  const whole = wholeOf(samples);
  return header.methods.map((method) => {
    const own = whole.filter((sample) => sample.method === method);
    const of = (scorer: string): Accuracy => {
      const applies = ({ scores }: SampleRecord) => (scores[scorer] ?? null) !== null;
      return accuracy(own.filter(applies), scorer);
    };
    return { method, scores: Object.fromEntries(scorersOf(header).map((name) => [name, of(name)])) };
  });
}

export const scorersOf = ({ scorers }: Pick<EvaluationHeader, "scorers">): readonly string[] =>
  Object.keys(scorers);
