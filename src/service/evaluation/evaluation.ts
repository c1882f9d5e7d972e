/** @file Evaluations on the open model: what the page asked for becomes cases, methods and a header, and is run. */

import type { Engine } from "../../engine/engine.ts";
import type { TokenCounter } from "../../evaluate/benchmarks/benchmark.ts";
import { estimatedGpt2 } from "../../evaluate/benchmarks/lengths.ts";
import { BENCHMARK_NAMES, BENCHMARKS, type BenchmarkName } from "../../evaluate/benchmarks/registry.ts";
import { plannedHeader } from "../../evaluate/header.ts";
import type { MethodContext, Need } from "../../evaluate/methods/method.ts";
import { able, chosenMethods } from "../../evaluate/methods/registry.ts";
import { sizeOf } from "../../evaluate/pace.ts";
import { runEvaluation, type EvaluationWork } from "../../evaluate/run.ts";
import { sampleId } from "../../evaluate/runFile.ts";
import { Shelf } from "../../evaluate/shelf.ts";
import { textTokens } from "../../evaluate/tokens.ts";
import { assert, present } from "../../lib/assert.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { HELPERS, type Helper } from "../../records/evaluation.ts";
import type { EvaluationArgument, EvaluationEvent, EvaluationPlan } from "../../rpc/evaluation.ts";
import { inMemoryStore } from "../../store/inMemory.ts";
import { broughtFiles, packedData, type PackedFiles } from "./files.ts";

/** What evaluations run on. */
export interface EvaluationParts {
  /** Waits while runs are paused, and ends on the signal. */
  readonly engine: Engine;
  readonly signal: AbortSignal;
  readonly files: PackedFiles;
  /** Whether a text embedder was chosen in place of the model's own states. */
  readonly embedder: boolean;
  /** The models that were chosen for methods that need one. */
  readonly helpers: Pick<MethodContext, Helper>;
  readonly now: () => number;
  readonly date: () => string;
}

/** What the page can do about a need. */
const NEEDS: Readonly<Record<Need, string>> = {
  embedder: "a text embedder, which is chosen in a memorise cell",
  reranker: "a cross-encoder, which is chosen in the benchmark cell",
  compressor: "a compressor, which is chosen in the benchmark cell",
};

/** What the form offers, and lengths that a model may come to read; a notebook from elsewhere may say anything. */
const MOST_SAMPLES = 1000;
const MOST_TOKENS = 10_000_000;
const MOST_NAMES = 100;

/** @throws where planning alone would take longer than anybody waits */
function assertBounded({ samples, tasks, lengths, methods }: EvaluationArgument): void {
  const longest = Math.max(0, ...lengths.map(sizeOf));
  const names = Math.max(tasks.length, lengths.length, methods.length);
  assert(
    Number.isInteger(samples) &&
      samples >= 1 &&
      samples <= MOST_SAMPLES &&
      longest <= MOST_TOKENS &&
      names <= MOST_NAMES,
    () =>
      `evaluate: ${samples} samples at up to ${longest} tokens, and up to ${names} tasks, lengths or methods are asked for; ` +
      `at most ${MOST_SAMPLES} samples, ${MOST_TOKENS} tokens and ${MOST_NAMES} of each can be planned, so choose fewer`,
  );
}

/** The benchmark with its data read, the methods that can run, and the header of their run. */
async function opened(
  argument: EvaluationArgument,
  { engine, files, embedder, helpers, date }: EvaluationParts,
) {
  assertBounded(argument);
  const data: Record<string, string> = {};
  const brought = await broughtFiles(argument.files);
  const model: TokenCounter = {
    name: `tokens of ${engine.model.name}`,
    count: (text) => textTokens(engine, text).length,
  };
  const name = present(
    BENCHMARK_NAMES.find((one) => one === argument.benchmark),
    () => `evaluate: there is no benchmark "${argument.benchmark}"; there are ${BENCHMARK_NAMES.join(", ")}`,
  ) satisfies BenchmarkName;
  const benchmark = await BENCHMARKS[name].open({
    ...argument,
    ...{ data: packedData(files, data), files: brought.files, gpt2: estimatedGpt2, model, backgrounds: 0 },
  });
  const has = new Set<Need>([
    ...(embedder ? (["embedder"] as const) : []),
    ...HELPERS.filter((name) => helpers[name] !== null),
  ]);
  const { able: methods, leftOut } = able(chosenMethods(argument.methods), has, NEEDS);
  const header = plannedHeader({ ...argument, shard: "1/1", created: date() }, engine, benchmark, {
    ...{ data: { ...data, ...brought.hashes }, leftOut, methods: methods.map((one) => one.name) },
    ...{ reranker: helpers.reranker?.name ?? null, compressor: helpers.compressor?.name ?? null },
  });
  return { benchmark, methods, header, brought: brought.hashes };
}

export async function planEvaluation(
  argument: EvaluationArgument,
  parts: EvaluationParts,
): Promise<EvaluationPlan> {
  const { benchmark, methods, header, brought } = await opened(argument, parts);
  // What another version of the app makes of a case may differ: it gets a run of its own.
  const run = sha256Hex(JSON.stringify([argument.notebook, argument.app, header.key, brought]));
  const samples = benchmark.cases.flatMap(({ place }) =>
    header.variants.flatMap((variant) =>
      methods.map(({ name }) => sampleId(header.key, place, variant, name)),
    ),
  );
  return { run: `evaluation-${run.slice(0, 24)}`, header, samples };
}

/** Runs what `have` lacks; every sample is told as soon as it is there. */
export async function evaluateOn(
  argument: EvaluationArgument & { readonly have: readonly string[] },
  parts: EvaluationParts,
  tell: (event: EvaluationEvent) => void,
): Promise<number> {
  const { engine, helpers, signal, now, date } = parts;
  const { benchmark, methods, header } = await opened(argument, parts);
  const shelf = new Shelf({ engine, now, date, signal, newStore: () => inMemoryStore() });
  const { params, budgets } = header;
  const work: EvaluationWork = {
    ...{ header, benchmark, methods, shard: [1, 1], have: new Set(argument.have) },
    context: { engine, budgets, params, shelf, ...helpers, now, signal },
    onProgress: (progress) => tell({ kind: "progress", progress }),
  };
  let made = 0;
  try {
    for await (const record of runEvaluation(work)) {
      tell({ kind: "sample", record });
      made++;
    }
  } finally {
    await shelf.clear();
  }
  return made;
}
