/** @file Methods of the engine service for evaluations and studies, whose code is fetched when it is first needed. */

import { saidFacts } from "../../flow/sayFacts.ts";
import type { Helper } from "../../records/evaluation.ts";
import type { DocumentId } from "../../records/ids.ts";
import type { LoadProgress } from "../../records/model.ts";
import type { Call } from "../../rpc/wire.ts";
import { runContext, type ServiceParts } from "../parts.ts";
import { withThrottle } from "../runs/runs.ts";
import type { ChooseEmbedder } from "../types.ts";
import type { EvaluationParts, RunArgument, RunEvent } from "./evaluation.ts";

/** The model for methods that need one; null: none, and these methods are left out. */
export interface ChooseHelper extends ChooseEmbedder {
  readonly helper: Helper;
}

export function evaluationMethods(parts: ServiceParts) {
  const { host, model, memories, embedder, helpers } = parts;
  type Code = typeof import("./evaluation.ts");

  async function evaluating<T>(
    signal: AbortSignal | undefined,
    work: (code: Code, parts: EvaluationParts) => Promise<T>,
  ): Promise<T> {
    const code = await import("./evaluation.ts");
    return model.using((engine, either) => {
      const { reranker, compressor } = helpers;
      return work(code, {
        ...runContext(parts, engine, either),
        files: host.benchmarkFiles,
        embedder: embedder.current() !== null,
        helpers: { reranker: reranker.current(), compressor: compressor.current() },
        facts: (memory) => memories.using(engine, memory, (open) => saidFacts(engine, open.memory, either)),
        document: (id: DocumentId) => host.readDocument(id),
      });
    }, signal);
  }

  return {
    /** Opens and tries a helper when no run is active; resolves to its name. If it rejects, the former helper stays. */
    async chooseHelper(
      { helper, ...argument }: ChooseHelper,
      call: Call<LoadProgress> = {},
    ): Promise<string | null> {
      await helpers[helper].choose(argument, withThrottle(host, call));
      return helpers[helper].current()?.name ?? null;
    },
    /** Opens the benchmark and its methods, or the study, on the open model; asks the model nothing. */
    planRun: (argument: RunArgument, { signal }: Call = {}) =>
      evaluating(signal, ({ planRun }, given) => planRun(argument, given)),
    makeRecords: (
      argument: RunArgument & { readonly have: readonly string[] },
      { signal, onProgress }: Call<RunEvent> = {},
    ) =>
      evaluating(signal, ({ makeRecords }, given) =>
        makeRecords(argument, given, (event) => onProgress?.(event)),
      ),
  };
}
