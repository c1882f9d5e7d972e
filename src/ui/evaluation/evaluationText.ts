/** @file Texts of an evaluation: circumstances, intervals, outcomes and differences. */

import { budgetNote } from "../../evaluate/budgets.ts";
import { methodNamed, partsOf } from "../../evaluate/methods/registry.ts";
import type { Accuracy, Comparison } from "../../evaluate/summary.ts";
import { FEWEST_CLUSTERS } from "../../lib/paired.ts";
import type { Evaluation, EvaluationHeader, SampleRecord } from "../../records/evaluation.ts";
import { modelTag } from "../../records/memory.ts";
import type { BenchmarkCell } from "../../records/notebook.ts";
import { counted, dateTime, percent } from "../format.ts";

export function methodTitle(name: string): string {
  const title = methodNamed(name)?.title;
  if (title === undefined) return name;
  const [, option] = partsOf(name);
  return option === undefined ? title : `${title}, ${option}`;
}

export const lengthName = (length: string) => (length === "" ? "as it is" : length.replace(/k$/, "K"));

export function madeOn({ model, precision, backend, prompt, params, seed, app, created }: EvaluationHeader) {
  const asked = prompt === "ours" ? "asked in our prompt" : "asked in the benchmark’s prompt";
  return `${modelTag(model)} in ${precision} on ${backend}; ${asked}, preset ${params.preset}, seed ${seed}; begun ${dateTime(created)} with app ${app}.`;
}

export function caveats({ budgets, model, leftOut, settings }: EvaluationHeader): string[] {
  const note = budgetNote(budgets, model.window);
  const { lengthsBy } = settings;
  return [
    ...(note === null ? [] : [note]),
    ...(typeof lengthsBy === "string" ? [`Lengths are counted in ${lengthsBy}.`] : []),
    ...Object.entries(leftOut).map(
      ([name, lacks]) => `Left out: ${methodTitle(name)}, which needs ${lacks}.`,
    ),
  ];
}

export const intervalText = ([low, high]: Accuracy["interval"]): string =>
  `${Math.round(100 * low)} to ${Math.round(100 * high)}`;

export function verdictOf({ error, scores, stages }: SampleRecord, primary: string): string {
  if (error !== null) return "no answer";
  const score = scores[primary];
  if (score === 1) return "right";
  if (score !== null && score !== undefined && score > 0) return `${percent(score)} right`;
  return stages?.failed ? `failed at ${stages.failed}` : "wrong";
}

export function toldText({ told, difference, interval, clusters, n, p }: Comparison): string {
  const points = (share: number): string => `${share > 0 ? "+" : ""}${Math.round(100 * share)}`;
  const span = clusters < 2 ? "" : ` (${points(interval[0])} to ${points(interval[1])})`;
  const test = p === null ? "" : `, McNemar p ${p < 0.001 ? "< 0.001" : `= ${p.toFixed(3)}`}`;
  const few = `fewer than ${counted(FEWEST_CLUSTERS, "text")}, too few to tell them apart`;
  const alike = clusters < FEWEST_CLUSTERS ? few : "n is too small to tell them apart, or they are alike";
  const verdict = told ? "told apart" : alike;
  return `${points(difference)} points${span}, n = ${n}${test}: ${verdict}`;
}

export function sliceOf(
  { header, samples }: Evaluation,
  {
    tasks,
    lengths,
    methods,
    variants,
    asked,
  }: Pick<NonNullable<BenchmarkCell["output"]>, "tasks" | "lengths" | "methods" | "variants" | "asked">,
): Evaluation {
  const most = asked?.samples ?? Infinity;
  const of = (one: SampleRecord): boolean =>
    one.index < most &&
    tasks.includes(one.task) &&
    lengths.includes(one.length) &&
    methods.includes(one.method) &&
    variants.includes(one.variant);
  return { header: { ...header, tasks, lengths, methods, variants }, samples: samples.filter(of) };
}
