/** @file The header of a run that is about to begin: what was asked for, on the model that is open. */

import type { Engine } from "../engine/engine.ts";
import { sha256Hex } from "../lib/hash.ts";
import type { EvaluationHeader } from "../records/evaluation.ts";
import { precisionOf } from "../records/memory.ts";
import type { OpenBenchmark } from "./benchmarks/benchmark.ts";
import { budgetsFor } from "./budgets.ts";
import { headerOf } from "./runFile.ts";
import { scorerSources } from "./scores/scorers.ts";

/** What a header says that neither the model nor the benchmark decides. */
export type Planned = Pick<
  EvaluationHeader,
  "benchmark" | "samples" | "variants" | "prompt" | "params" | "seed" | "shard" | "app" | "created"
>;

export function plannedHeader(
  { benchmark, samples, variants, prompt, params, seed, shard, app, created }: Planned,
  engine: Pick<Engine, "model" | "capabilities" | "embedder" | "embedderIdentity">,
  { tasks, lengths, settings, primary, answerTokens }: OpenBenchmark,
  own: Pick<EvaluationHeader, "data" | "leftOut" | "methods" | "reranker" | "compressor">,
): EvaluationHeader {
  return headerOf({
    ...{ benchmark, tasks, lengths, samples, settings },
    ...own,
    ...{ variants, prompt, seed, shard, app, created },
    model: engine.model,
    precision: precisionOf(engine.model),
    backend: `${engine.capabilities.backend}, ${engine.capabilities.description}`,
    embedder: engine.embedder,
    embedderIdentity: identityOf(engine),
    adapter: null,
    // An answer may be as long as the benchmark says, whichever method gives it.
    params: { ...params, answerTokens },
    budgets: budgetsFor(engine.model.window, answerTokens),
    scorers: scorerSources(),
    primary,
  });
}

/** The model's own embedder follows from the model, which the header names. */
const identityOf = ({
  embedder,
  embedderIdentity,
}: Pick<Engine, "embedder" | "embedderIdentity">): string | null =>
  embedderIdentity === null || embedderIdentity === embedder ? null : sha256Hex(embedderIdentity);
