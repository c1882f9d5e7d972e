/** @file What a benchmark cell offers: benchmarks, tasks, lengths, methods, each in words. */

import { BENCHMARK_NAMES, BENCHMARKS } from "../../../evaluate/benchmarks/registry.ts";
import type { Benchmark } from "../../../evaluate/benchmarks/benchmark.ts";
import { methodNamed, METHODS } from "../../../evaluate/methods/registry.ts";
import type { BenchmarkCell } from "../../../records/notebook.ts";
import type { CheckOption } from "../../controls/Checks.tsx";
import { lengthName, methodTitle } from "../../evaluation/evaluationText.ts";

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

const NEEDED = { embedder: "a text embedder", reranker: "a cross-encoder" } as const;

/** Methods by name; one that the page cannot run says what it lacks, and is left out of a run by name. */
export const METHOD_OPTIONS: readonly CheckOption[] = ["ours", "ours:paper", ...Object.keys(METHODS).slice(1)].map(
  (value) => {
    const { about, needs } = methodNamed(value)!;
    const lacks = needs.map((need) => NEEDED[need]).join(" and ");
    return {
      value,
      label: lacks === "" ? methodTitle(value) : `${methodTitle(value)} (needs ${lacks})`,
      about: value === "ours:paper" ? "Ours with every parameter as the paper states it." : about,
    };
  },
); // prettier-ignore

/** Of these methods, those for which the page can have what they need. */
export const runnable = (methods: readonly string[]): readonly string[] =>
  methods.filter((name) => !methodNamed(name)?.needs.includes("reranker"));

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
  return { ...input, benchmark: name, tasks: tasks.slice(0, 1), lengths: lengths.slice(0, 1), files: kept, paper: null };
} // prettier-ignore
