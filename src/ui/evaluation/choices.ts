/** @file The options of a benchmark cell, and the size of its run before it starts. */

import { BENCHMARK_NAMES, BENCHMARKS } from "../../evaluate/benchmarks/registry.ts";
import type { Benchmark } from "../../evaluate/benchmarks/benchmark.ts";
import { chosenMethods, methodNamed, METHODS } from "../../evaluate/methods/registry.ts";
import { PAPER_ENTRIES } from "../../evaluate/paper.ts";
import { KINDS } from "../../notebook/kinds.ts";
import type { Need } from "../../evaluate/methods/method.ts";
import type { EmbedderChoice } from "../../records/embedder.ts";
import { HELPERS, type Helper } from "../../records/evaluation.ts";
import type { BenchmarkCell } from "../../records/notebook.ts";
import type { CheckOption } from "../controls/Field.tsx";
import { lengthName, methodTitle } from "./evaluationText.ts";
import type { StudyName, StudySettings } from "../../records/studies.ts";
import { sizeOf as tokensOf, type Pace } from "../../evaluate/runs/pace.ts";
import { counted, roughly } from "../format.ts";

type Input = BenchmarkCell["input"];

export const benchmarkOf = (name: string): Benchmark | null => {
  const known = BENCHMARK_NAMES.find((one) => one === name);
  return known ? BENCHMARKS[known] : null;
};

export const BENCHMARK_OPTIONS = BENCHMARK_NAMES.map((value) => ({
  value: value as string,
  label: BENCHMARKS[value].title,
  note: BENCHMARKS[value].about,
}));

const NEEDED: Readonly<Record<Need, readonly [name: string, where: string]>> = {
  embedder: ["text embedder", "in the memorise cell"],
  reranker: ["cross-encoder", "in the benchmark cell"],
  compressor: ["compressor", "in the benchmark cell"],
};

export const METHOD_OPTIONS: readonly CheckOption[] = [
  "ours",
  "ours:paper",
  ...Object.keys(METHODS).slice(1),
].map((value) => {
  const { about, needs } = methodNamed(value)!;
  const lacks = needs.map((need) => `a ${NEEDED[need][0]}`).join(" and ");
  return {
    value,
    label: lacks === "" ? methodTitle(value) : `${methodTitle(value)} (needs ${lacks})`,
    about: value === "ours:paper" ? "Ours with every parameter as the paper states it." : about,
  };
});

export const typedMethods = (methods: readonly string[]): readonly string[] =>
  methods.filter((name) => !METHOD_OPTIONS.some(({ value }) => value === name));

/** Typed methods: "ours:layers=1, truncation:2048". @throws on an unknown method or option */
export function readMethods(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  return chosenMethods(names.filter((name) => name !== "")).map(({ name }) => name);
}

export const metBy = ({ helpers }: Input, embedder: EmbedderChoice | undefined): ReadonlySet<Need> =>
  new Set([
    ...(isChosen(embedder) ? (["embedder"] as const) : []),
    ...HELPERS.filter((name) => isChosen(helpers?.[name])),
  ]);

export const isChosen = (choice: EmbedderChoice | undefined): boolean =>
  choice !== undefined && (choice.from.kind === "hub" || choice.from.name !== "");

export const runnable = (methods: readonly string[], met: ReadonlySet<Need>): readonly string[] =>
  methods.filter((name) => lacking(name, met).length === 0);

const lacking = (name: string, met: ReadonlySet<Need>): readonly Need[] =>
  (methodNamed(name)?.needs ?? []).filter((need) => !met.has(need));

export const shownHelpers = ({ methods, helpers }: Input): readonly Helper[] =>
  HELPERS.filter(
    (helper) => helpers?.[helper] || methods.some((name) => methodNamed(name)?.needs.includes(helper)),
  );

export const taskOptions = ({ tasks }: Benchmark): readonly CheckOption[] =>
  tasks.map((value) => ({ value, label: value === "qa_1" ? "QA" : value.replace(/^qa/, "QA") }));

export const lengthOptions = ({ lengths }: Benchmark): readonly CheckOption[] =>
  lengths.map((value) => ({ value, label: lengthName(value) }));

export const takesFiles = (name: string): boolean => name === "files" || name === "table";

export function changedTo(input: Input, name: string): Input {
  const { tasks, lengths } = sized(name, "look");
  const files = takesFiles(name) && takesFiles(input.benchmark) ? input.files : [];
  return { ...input, benchmark: name, tasks, lengths, files, paper: null };
}

export type Size = "look" | "row" | "all";
export const SIZE_LABELS: Readonly<Record<Size, string>> = {
  look: "A look",
  row: "A row of the paper",
  all: "All",
};
const SAMPLES: Readonly<Record<Size, number>> = { look: 10, row: 30, all: 100 };

type SizedInput = Pick<Input, "tasks" | "lengths" | "methods" | "samples">;

const paperRun = (name: string) =>
  Object.values(PAPER_ENTRIES)
    .flatMap(({ run: { evaluation } }) => (evaluation?.benchmark === name ? [evaluation] : []))
    .toSorted((a, b) => b.methods.length - a.methods.length)[0];

export const sizesOf = (name: string): readonly Size[] =>
  paperRun(name) ? ["look", "row", "all"] : ["look", "all"];

/** Tasks, lengths, methods and samples of a size. A row of the paper is its table at the shortest length. */
export function sized(name: string, size: Size): SizedInput {
  const { tasks = [], lengths = [] } = benchmarkOf(name) ?? {};
  const paper = paperRun(name);
  const samples = SAMPLES[size];
  if (size === "row" && paper) {
    const shortest = lengths.filter((length) => paper.lengths.includes(length)).slice(0, 1);
    return { tasks: paper.tasks, lengths: shortest, methods: paper.methods, samples };
  }
  if (size === "all") return { tasks, lengths, methods: METHOD_OPTIONS.map(({ value }) => value), samples };
  const { methods } = KINDS.benchmark.first;
  return { tasks: tasks.slice(0, 1), lengths: lengths.slice(0, 1), methods, samples };
}

export const sizeOf = ({ benchmark, tasks, lengths, methods, samples }: Input): Size | null =>
  sizesOf(benchmark).find((size) => {
    const own = sized(benchmark, size);
    return JSON.stringify({ tasks, lengths, methods, samples }) === JSON.stringify(own);
  }) ?? null;

const DEPTHS = 5;

/** Megabytes of the app's own files that cases are made from. */
const FETCHED: ReadonlyMap<string, number> = new Map([
  ["babilong", 3.3],
  ["ruler", 0.7],
  ["probe", 3.2],
  ["depth", 3.2],
  ["fairytaleqa", 0.2],
]);

const SHORTEST_NOVEL = 1000;

const FACTS_PER_TOKEN = 57 / 4000;

/** Samples per method and length; null if dropped files decide their number. */
const samplesEach = ({ benchmark, samples, tasks, variants }: Input): number | null =>
  takesFiles(benchmark)
    ? null
    : samples * tasks.length * variants.length * (benchmark === "depth" ? DEPTHS : 1);

export function samplesOf(input: Input, met: ReadonlySet<Need>): number | null {
  const each = samplesEach(input);
  return each === null ? null : each * input.lengths.length * runnable(input.methods, met).length;
}

export function sizeText(input: Input, met: ReadonlySet<Need>): string {
  const all = samplesOf(input, met);
  const methods = runnable(input.methods, met);
  const left = input.methods
    .flatMap((name) => {
      const needs = lacking(name, met).map((need) => NEEDED[need]);
      if (needs.length === 0) return [];
      const none = needs.map(([what]) => `no ${what}`).join(" and ");
      const where = needs
        .map(([what, at]) => (needs.length === 1 ? `one ${at}` : `a ${what} ${at}`))
        .join(", ");
      return [`${methodTitle(name)}: left out, ${none} is chosen; choose ${where}.`];
    })
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

interface Known {
  readonly pace: Pace;
  readonly perFact: number | null;
}

/** Milliseconds of a sample; null if nothing of its kind was measured. */
function expected({ pace, perFact }: Known, method: string, length: string): number | null {
  const measured = pace.expect(method, length);
  if (measured !== null) return measured;
  // A short story consists of facts only, unlike a novel.
  return perFact !== null && method.startsWith("ours") && tokensOf(length) >= SHORTEST_NOVEL
    ? tokensOf(length) * FACTS_PER_TOKEN * perFact
    : null;
}

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
    case "forgetting":
      return 4 * number("deleted");
    case "parts":
      return several("lengths") * several("starts") * number("facts");
    default:
      return study satisfies never;
  }
}
