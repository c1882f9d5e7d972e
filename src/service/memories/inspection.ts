/** @file Methods of the engine service for figures and the inspector. */

import { layerGeometry, nearest } from "../../figures/geometry.ts";
import { mapSet, vectorMaps, type MapSet } from "../../figures/map.ts";
import { answer, type OpenMemory } from "../../flow/answer.ts";
import { entriesOf, factsAsSafetensors, lensFact, promptOf, traceFact } from "../../flow/inspect.ts";
import { traceExtraction } from "../../flow/readTexts.ts";
import { suggest } from "../../flow/suggest.ts";
import type { MapRequest } from "../../records/geometry.ts";
import type { DocumentId, FactId, LayerIndex } from "../../records/ids.ts";
import type { MethodParams } from "../../records/params.ts";
import type { Progress, AskProgress } from "../../records/progress.ts";
import { vectorsOfKind, withVectors } from "../../records/vectors.ts";
import { handOver } from "../../rpc/serve.ts";
import type { Call } from "../../rpc/wire.ts";
import { runContext, usingMemory, type ServiceParts } from "../parts.ts";
import type { FactArgument } from "../types.ts";
import { present } from "../../lib/assert.ts";
import type { ReadSettings } from "../../records/notebook.ts";

interface FactsArgument {
  readonly memory: string;
  readonly ids: readonly FactId[];
}

interface GeometryArgument {
  readonly memory: string;
  readonly layer: LayerIndex;
  readonly matrix: number;
  readonly margins: number;
}

export function inspectionMethods(parts: ServiceParts) {
  const { host, model, memories } = parts;
  const look = <T>(memory: string, { signal }: Call, work: (open: OpenMemory) => Promise<T>): Promise<T> =>
    usingMemory(parts, memory, signal, work);
  return {
    /** The recall of one fact by both reads, position by position; θ and β default to the memory's. */
    trace: (
      { memory, id, theta, beta }: FactArgument & { readonly theta?: number; readonly beta?: number },
      call: Call = {},
    ) =>
      look(memory, call, ({ engine, memory: stored, params }) =>
        traceFact(engine, stored, id, { theta: theta ?? params.theta, beta: beta ?? params.beta }),
      ),
    lens: ({ memory, id }: FactArgument, call: Call = {}) =>
      look(memory, call, ({ engine, memory: stored }) => lensFact(engine, stored, id)),
    /** A fact's recall prompt in tokens, and how much of the window its value, or `value`, takes. */
    prompt: ({ memory, id, value }: FactArgument & { readonly value?: string }) =>
      look(memory, {}, async ({ engine, memory: stored }) => promptOf(engine, stored, id, value)),
    extraction: (
      { document, params }: { readonly document: DocumentId; readonly params: MethodParams },
      { signal, onProgress }: Call<Progress> = {},
    ) =>
      model.using(async (engine, either) => {
        const context = { ...runContext(parts, engine, either), params };
        const text = await host.readDocument(document);
        return traceExtraction({ ...context, onProgress }, text);
      }, signal),
    geometry: ({ memory, layer, ...limits }: GeometryArgument, call: Call = {}) =>
      look(memory, call, async ({ memory: stored }) => {
        const ofLayer = stored.entries.filter((entry) => (entry.layer as number) === layer);
        return layerGeometry(await withVectors(stored, ofLayer), layer, limits);
      }),
    /** Keys or residuals in two dimensions: one map per memory, all in one projection. Progress is a share of 1. */
    map: (
      { memories: chosen, request }: { readonly memories: readonly string[]; readonly request: MapRequest },
      { signal, onProgress }: Call<number> = {},
    ) =>
      model.using(async (engine, either) => {
        const { length } = chosen;
        const sets: MapSet[] = [];
        // One at a time: few memories are kept open. Only vectors of the shown points are read.
        for (const memory of chosen)
          sets.push(
            await memories.using(engine, memory, ({ memory: stored }) =>
              mapSet(stored.entries, request, length, (shown) => vectorsOfKind(stored, shown, request.of)),
            ),
          );
        return vectorMaps(sets, request, { signal: either, onProgress });
      }, signal),
    nearest: ({ memory, id, count }: FactArgument & { readonly count: number }) =>
      look(memory, {}, async ({ memory: stored }) => ({
        byKey: await nearest(stored, id, "key", count),
        byResidual: await nearest(stored, id, "residual", count),
      })),
    vectors: ({ memory, ids }: FactsArgument) =>
      look(memory, {}, async ({ memory: stored }) => {
        const chosen = ids.flatMap((id) => entriesOf(stored, id));
        const bytes = factsAsSafetensors(await withVectors(stored, chosen), stored);
        return handOver(bytes, [bytes.buffer as ArrayBuffer]);
      }),
  };
}

interface AskArgument {
  readonly memory: string;
  readonly question: string;
  readonly settings: ReadSettings | null;
}

interface RecallArgument extends FactsArgument {
  readonly settings?: ReadSettings;
}

interface SuggestArgument {
  readonly memory: string;
  readonly said: ReadonlyMap<FactId, string>;
}

export const questionMethods = (parts: ServiceParts) => ({
  /** Questions that these sentences answer and that lead to them, made by rule; see flow/suggest.ts. */
  suggest: ({ memory, said }: SuggestArgument, { signal }: Call = {}) =>
    usingMemory(parts, memory, signal, (open) => suggest(open, said)),
  ask: ({ memory, question, settings }: AskArgument, { signal, onProgress }: Call<AskProgress> = {}) =>
    usingMemory(parts, memory, signal, (open, either) => {
      const params = { ...open.params, ...settings };
      const onText = onProgress && ((text: string) => onProgress({ text }));
      return answer({ ...open, params }, question, { now: parts.host.now, signal: either, onText });
    }),
  recall: ({ memory, ids, settings }: RecallArgument, { signal }: Call = {}) =>
    usingMemory(parts, memory, signal, ({ facts, params, reader }, either) => {
      const gone = (id: FactId) => `engine: fact ${id} is not stored in this memory; reload the list`;
      const asked = ids.map((id) => present(facts.get(id), () => gone(id)));
      return reader.recall(asked, { ...params, ...settings }, either);
    }),
});
