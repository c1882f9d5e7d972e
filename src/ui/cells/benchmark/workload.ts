/** @file How much a benchmark is, before it runs: samples, what is fetched, and how long that takes at measured paces. */

import type { Need } from "../../../evaluate/methods/method.ts";
import { sizeOf, type Pace } from "../../../evaluate/pace.ts";
import type { BenchmarkCell } from "../../../records/notebook.ts";
import { counted, roughly } from "../../format.ts";
import { methodTitle } from "../../evaluation/evaluationText.ts";
import { leftOut, runnable, takesFiles } from "./choices.ts";

type Input = BenchmarkCell["input"];

/** Needle depth asks each needle at five places. */
const PLACES: ReadonlyMap<string, number> = new Map([["depth", 5]]);

/** Megabytes of the app's own files that cases are made from. */
const FETCHED: ReadonlyMap<string, number> = new Map([
  ["babilong", 3.3],
  ["ruler", 0.7],
  ["probe", 3.2],
  ["depth", 3.2],
]);

/** Tokens from which on most of a text is background. */
const SHORTEST_NOVEL = 1000;

/** Facts of a novel in so many of its tokens, as measured: 57 in 4,000. */
const FACTS_PER_TOKEN = 57 / 4000;

/** Samples of one method and length; null where the files decide how many there are. */
function samplesEach({ benchmark, samples, tasks, variants }: Input): number | null {
  return takesFiles(benchmark)
    ? null
    : samples * tasks.length * variants.length * (PLACES.get(benchmark) ?? 1);
}

/** All samples; null where the files decide how many there are. */
export function samplesOf(input: Input, met: ReadonlySet<Need>): number | null {
  const each = samplesEach(input);
  return each === null ? null : each * input.lengths.length * runnable(input.methods, met).length;
}

/** "30 samples", what is left out of them, and what is fetched for them. */
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

/** What is known of samples and facts that were made in the notebook. */
export interface Known {
  /** Of samples that were made here with the model that is open. */
  readonly pace: Pace;
  /** Milliseconds a fact, of the notebook's last memorise run; null before there was one. */
  readonly perFact: number | null;
}

/** Milliseconds of a sample; null where nothing of its kind was measured here. */
function expected({ pace, perFact }: Known, method: string, length: string): number | null {
  const measured = pace.expect(method, length);
  if (measured !== null) return measured;
  // A short story is facts alone, and says nothing of a novel's share.
  return perFact !== null && method.startsWith("ours") && sizeOf(length) >= SHORTEST_NOVEL
    ? sizeOf(length) * FACTS_PER_TOKEN * perFact
    : null;
}

/** How long it will take, and from what that is known; what was never measured is named. */
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
  return `About ${roughly(sum)} by what samples and facts took in this notebook so far${rest}.`;
}
