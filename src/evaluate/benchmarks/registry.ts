/** @file Every benchmark by name; a new one is its file and a line here. */

import { babilong } from "./babilong.ts";
import type { Benchmark } from "./benchmark.ts";
import { fairytaleqa } from "./fairytaleqa.ts";
import { depth, probe } from "./needles.ts";
import { ruler } from "./ruler.ts";
import { table, userFiles } from "./userFiles.ts";

export const BENCHMARKS = {
  babilong,
  ruler,
  probe,
  depth,
  fairytaleqa,
  table,
  files: userFiles,
} as const satisfies Readonly<Record<string, Benchmark>>;

export type BenchmarkName = keyof typeof BENCHMARKS;
export const BENCHMARK_NAMES = Object.keys(BENCHMARKS) as readonly BenchmarkName[];
