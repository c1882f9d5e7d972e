/** @file What a benchmark cell offers: benchmarks, tasks, lengths, methods, each in words. */

import { BENCHMARK_NAMES, BENCHMARKS } from "../../evaluate/benchmarks/registry.ts";
import type { Benchmark } from "../../evaluate/benchmarks/benchmark.ts";
import { chosenMethods, methodNamed, METHODS } from "../../evaluate/methods/registry.ts";
import type { Need } from "../../evaluate/methods/method.ts";
import type { EmbedderChoice } from "../../records/embedder.ts";
import { HELPERS, type Helper } from "../../records/evaluation.ts";
import type { BenchmarkCell } from "../../records/notebook.ts";
import type { CheckOption } from "../controls/Checks.tsx";
import { lengthName, methodTitle } from "./evaluationText.ts";

type Input = BenchmarkCell["input"];

/** Null for a name that this version does not know. */
export const benchmarkOf = (name: string): Benchmark | null => {
  const known = BENCHMARK_NAMES.find((one) => one === name);
  return known ? BENCHMARKS[known] : null;
};

export const BENCHMARK_OPTIONS = BENCHMARK_NAMES.map((value) => ({
  value: value as string,
  label: BENCHMARKS[value].title,
  note: BENCHMARKS[value].about,
}));

/** What a need is called, and where a person chooses it. */
const NEEDED: Readonly<Record<Need, readonly [name: string, where: string]>> = {
  embedder: ["text embedder", "in the memorise cell"],
  reranker: ["cross-encoder", "in the benchmark cell"],
  compressor: ["compressor", "in the benchmark cell"],
};

/** Methods by name; one that has a need says so, and is left out of a run by name where that is not met. */
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

/** Those of these methods that are no box of the list: methods behind whose name a person has put something. */
export const typedMethods = (methods: readonly string[]): readonly string[] =>
  methods.filter((name) => !METHOD_OPTIONS.some(({ value }) => value === name));

/**
 * Methods as a person types them, "ours:layers=1, truncation:2048".
 * @throws on what is none, and on an option that it does not take
 */
export function readMethods(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  return chosenMethods(names.filter((name) => name !== "")).map(({ name }) => name);
}

/** The needs that are met: by the text embedder of a memorise cell, and by what the form itself has chosen. */
export const metBy = ({ helpers }: Input, embedder: EmbedderChoice | undefined): ReadonlySet<Need> =>
  new Set([
    ...(isChosen(embedder) ? (["embedder"] as const) : []),
    ...HELPERS.filter((name) => isChosen(helpers?.[name])),
  ]);

/** Whether it says a model: files are only said once they were dropped. */
export const isChosen = (choice: EmbedderChoice | undefined): boolean =>
  choice !== undefined && (choice.from.kind === "hub" || choice.from.name !== "");

/** Those of these methods whose needs are met. */
export const runnable = (methods: readonly string[], met: ReadonlySet<Need>): readonly string[] =>
  methods.filter((name) => lacking(name, met).length === 0);

const lacking = (name: string, met: ReadonlySet<Need>): readonly Need[] =>
  (methodNamed(name)?.needs ?? []).filter((need) => !met.has(need));

/** The methods that are left out, a sentence each: what is missing, and where it is chosen. */
export const leftOut = (methods: readonly string[], met: ReadonlySet<Need>): readonly string[] =>
  methods.flatMap((name) => {
    const needs = lacking(name, met).map((need) => NEEDED[need]);
    if (needs.length === 0) return [];
    const none = needs.map(([what]) => `no ${what}`).join(" and ");
    const where = needs
      .map(([what, at]) => (needs.length === 1 ? `one ${at}` : `a ${what} ${at}`))
      .join(", ");
    return [`${methodTitle(name)}: left out, ${none} is chosen; choose ${where}.`];
  });

/** The helpers that the form shows: those that its methods need, and those that it has. */
export const shownHelpers = ({ methods, helpers }: Input): readonly Helper[] =>
  HELPERS.filter(
    (helper) => helpers?.[helper] || methods.some((name) => methodNamed(name)?.needs.includes(helper)),
  );

export const taskOptions = ({ tasks }: Benchmark): readonly CheckOption[] =>
  tasks.map((value) => ({ value, label: value === "qa_1" ? "QA" : value.replace(/^qa/, "QA") }));

export const lengthOptions = ({ lengths }: Benchmark): readonly CheckOption[] =>
  lengths.map((value) => ({ value, label: lengthName(value) }));

/** Whether its cases come from files that the person brings. */
export const takesFiles = (name: string): boolean => name === "files" || name === "table";

/** Another benchmark, with its first task and its shortest length. */
export function changedTo(input: Input, name: string): Input {
  const { tasks = [], lengths = [] } = benchmarkOf(name) ?? {};
  const kept = takesFiles(name) && takesFiles(input.benchmark) ? input.files : [];
  return {
    ...input,
    benchmark: name,
    tasks: tasks.slice(0, 1),
    lengths: lengths.slice(0, 1),
    files: kept,
    paper: null,
  };
}
