/** @file The size of a run before it starts: samples or facts, fetched data, and the time at measured paces. */

import type { StudyName, StudySettings } from "../../records/studies.ts";
import type { Need } from "../../evaluate/methods/method.ts";
import { sizeOf, type Pace } from "../../evaluate/runs/pace.ts";
import type { BenchmarkCell } from "../../records/notebook.ts";
import { counted, roughly } from "../format.ts";
import { methodTitle } from "./evaluationText.ts";
import { leftOut, runnable, takesFiles } from "./choices.ts";

type Input = BenchmarkCell["input"];

const PLACES: ReadonlyMap<string, number> = new Map([["depth", 5]]);

/** Megabytes of the app's own files that cases are made from. */
const FETCHED: ReadonlyMap<string, number> = new Map([
  ["babilong", 3.3],
  ["ruler", 0.7],
  ["probe", 3.2],
  ["depth", 3.2],
]);

/** Texts of so many tokens and more are mostly background. */
const SHORTEST_NOVEL = 1000;

/** Facts per token of a novel, as measured. */
const FACTS_PER_TOKEN = 57 / 4000;

/** Samples per method and length; null if dropped files decide their number. */
function samplesEach({ benchmark, samples, tasks, variants }: Input): number | null {
  return takesFiles(benchmark)
    ? null
    : samples * tasks.length * variants.length * (PLACES.get(benchmark) ?? 1);
}

/** All samples; null if dropped files decide their number. */
export function samplesOf(input: Input, met: ReadonlySet<Need>): number | null {
  const each = samplesEach(input);
  return each === null ? null : each * input.lengths.length * runnable(input.methods, met).length;
}

/** "30 samples", the methods that are left out, and the data that is fetched. */
export function sizeText(input: Input, met: ReadonlySet<Need>): string {
  const all = samplesOf(input, met);
  const methods = runnable(input.methods, met);
  const left = leftOut(input.methods, met)
    .map((words) => ` ${words}`)
    .join("");
  if (all === null)
    return `At most ${counted(input.samples, "case")} of each task and length of your files, each answered by ${counted(methods.length, "method")}.${left}`;
  const megabytes = FETCHED.get(input.benchmark);
  const fetched =
    megabytes === undefined
      ? ""
      : ` Its texts are fetched from this page’s own address, once: ${megabytes} MB.`;
  return `${counted(all, "sample")}: ${counted(input.lengths.length, "length")} × ${counted(methods.length, "method")} × ${counted(samplesEach(input)!, "question")}.${left}${fetched}`;
}

export interface Known {
  readonly pace: Pace;
  /** Milliseconds per fact in the last memorise run; null before there was one. */
  readonly perFact: number | null;
}

/** Milliseconds of a sample; null if nothing of its kind was measured. */
function expected({ pace, perFact }: Known, method: string, length: string): number | null {
  const measured = pace.expect(method, length);
  if (measured !== null) return measured;
  // A short story consists of facts only, unlike a novel.
  return perFact !== null && method.startsWith("ours") && sizeOf(length) >= SHORTEST_NOVEL
    ? sizeOf(length) * FACTS_PER_TOKEN * perFact
    : null;
}

/** The estimated time, and the methods that were never measured. */
export function timeText(input: Input, known: Known, met: ReadonlySet<Need>): string {
  const each = samplesEach(input);
  if (each === null) return "How long it takes is known after the first samples.";
  const parts = runnable(input.methods, met).map((method) => {
    const times = input.lengths.map((length) => expected(known, method, length));
    return {
      method,
      time: times.some((one) => one === null)
        ? null
        : each * times.reduce<number>((sum, one) => sum + one!, 0),
    };
  });
  const unknown = parts.filter(({ time }) => time === null).map(({ method }) => methodTitle(method));
  if (unknown.length === parts.length)
    return "How long it takes is known after the first samples: none were made here yet.";
  const sum = parts.reduce((all, { time }) => all + (time ?? 0), 0);
  const rest = unknown.length === 0 ? "" : `; not measured here yet: ${unknown.join(", ")}`;
  return `About ${roughly(sum)} by the times of this notebook so far${rest}.`;
}

const words = (value: unknown): string[] =>
  String(value ?? "")
    .split(/[\s,]+/)
    .filter(Boolean);

export function factsToEncode(study: StudyName, settings: StudySettings): number {
  const several = (name: string): number => (name in settings ? words(settings[name]).length : 1);
  const number = (name: string): number => Number(settings[name]) || 0;
  const sets = several("kinds") * several("presets");
  switch (study) {
    case "capacity":
      return sets * Math.max(0, ...words(settings["sizes"]).map(Number).filter(Number.isFinite));
    case "deletion":
    case "gates":
      return sets * number("facts");
    case "steps":
      return sets * several("schedules") * number("facts");
    case "layers":
      return sets * several("counts") * number("facts");
    case "parts":
      return several("lengths") * number("facts");
    default:
      return study satisfies never;
  }
}
