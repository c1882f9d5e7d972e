/** @file Test support: options of a benchmark over the data of the repository. */

import { readFileSync, readdirSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { type BenchmarkOptions, estimatedGpt2, type OpenBenchmark } from "../benchmarks/benchmark.ts";

export const options = (over: Partial<BenchmarkOptions> = {}): BenchmarkOptions => ({
  data: {
    text: (path) => {
      const bytes = readFileSync(`data/${path}`);
      return Promise.resolve((path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString());
    },
    list: (folder) =>
      Promise.resolve(
        readdirSync(`data/${folder}`)
          .sort()
          .map((file) => `${folder}/${file}`),
      ),
  },
  tasks: [],
  lengths: [],
  samples: 3,
  seed: 42,
  gpt2: estimatedGpt2,
  model: estimatedGpt2,
  backgrounds: 0,
  files: [],
  ...over,
});

export const texts = ({ cases }: OpenBenchmark): string[] => cases.map((one) => one.make().text);
