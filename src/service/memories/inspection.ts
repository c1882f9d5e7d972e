/** @file Looking and experimenting on the open model: what figures and the inspector ask of the engine worker. */

import { plannedCases, runHeader, runStudy } from "../../bench/studies/run.ts";
import type { StudyContext } from "../../bench/studies/study.ts";
import { layerGeometry, nearest } from "../../figures/geometry.ts";
import { vectorMaps } from "../../figures/map.ts";
import type { OpenMemory } from "../../flow/answer.ts";
import { storedFacts } from "../../flow/facts.ts";
import {
  entriesOf,
  factsAsSafetensors,
  lensFact,
  promptOf,
  tokenPairs,
  traceExtraction,
  traceFact,
} from "../../flow/inspect.ts";
import type { Engine } from "../../engine/engine.ts";
import type { DocumentId } from "../../records/ids.ts";
import type { Memory } from "../../records/memory.ts";
import type { Document } from "../../records/source.ts";
import type { InspectionService } from "../../rpc/inspection.ts";
import { handOver } from "../../rpc/serve.ts";
import { inMemoryStore } from "../../store/inMemory.ts";

/** What inspection needs of the engine service: the open model, the open memories, texts and clocks. */
export interface InspectionParts {
  /** Runs `work` on the open model; `signal` fires when the caller cancels or the model is closed. */
  readonly using: <T>(
    signal: AbortSignal | undefined,
    work: (engine: Engine, signal: AbortSignal) => Promise<T>,
  ) => Promise<T>;
  /** The engine for a long run: it waits while runs are paused. */
  readonly paced: (engine: Engine, signal: AbortSignal) => Engine;
  /** Runs `work` on a stored memory. */
  readonly reading: <T>(engine: Engine, memory: string, work: (open: OpenMemory) => Promise<T>) => Promise<T>;
  readonly readDocument: (id: DocumentId) => Promise<Document>;
  readonly now: () => number;
  readonly date: () => string;
}

export function createInspection({
  using,
  paced,
  reading,
  readDocument,
  now,
  date,
}: InspectionParts): InspectionService {
  const look = <T>(memory: string, work: (open: OpenMemory, signal: AbortSignal) => Promise<T>, signal?: AbortSignal) =>
    using(signal, (engine, either) => reading(engine, memory, (open) => work({ ...open, engine }, either))); // prettier-ignore

  return {
    trace: ({ memory, id, theta, beta }) =>
      look(memory, ({ engine, memory: stored, params }) =>
        traceFact(engine, stored, id, { theta: theta ?? params.theta, beta: beta ?? params.beta }),
      ),
    lens: ({ memory, id }) => look(memory, ({ engine, memory: stored }) => lensFact(engine, stored, id)),
    prompt: ({ memory, id, value }) =>
      look(memory, async ({ engine, memory: stored }) => promptOf(engine, stored, id, value)),
    tokenPairs: ({ memory, ids }) =>
      look(memory, ({ engine, memory: stored, params }) => tokenPairs(engine, stored, ids, params)),
    extraction: ({ document, params }, { signal, onProgress } = {}) =>
      using(signal, async (engine, either) => {
        const store = inMemoryStore();
        const context = { engine: paced(engine, either), store, params, now, date, signal: either };
        return traceExtraction(
          { ...context, ...(onProgress ? { onProgress } : {}) },
          await readDocument(document),
        );
      }),
    geometry: ({ memory, layer, ...limits }) =>
      look(memory, async ({ memory: { entries } }) => layerGeometry(entries, layer, limits)),
    map: ({ memories, request }, { signal, onProgress } = {}) =>
      using(signal, async (engine, either) => {
        const sets: Memory["entries"][] = [];
        // One after the other: only so many memories are kept open.
        for (const memory of memories)
          sets.push(await reading(engine, memory, async (open) => open.memory.entries));
        return vectorMaps(sets, request, { signal: either, ...(onProgress ? { onProgress } : {}) });
      }),
    nearest: ({ memory, id, count }) =>
      look(memory, async ({ memory: { entries } }) => ({
        byKey: nearest(entries, id, "key", count),
        byResidual: nearest(entries, id, "residual", count),
      })),
    vectors: ({ memory, ids }) =>
      look(memory, async ({ memory: stored }) => {
        const bytes = factsAsSafetensors(ids.flatMap((id) => entriesOf(stored, id)), stored); // prettier-ignore
        return handOver(bytes, [bytes.buffer as ArrayBuffer]);
      }),

    runStudy: (argument, { signal, onProgress } = {}) =>
      using(signal, async (engine, either) => {
        const { study, settings, params, seed, app, memory, document, have } = argument;
        const context: StudyContext = {
          engine: paced(engine, either),
          store: inMemoryStore(),
          params,
          now,
          date,
          seed,
          signal: either,
          ...(memory === null ? {} : { facts: await reading(engine, memory, async (open) => storedFacts(open.memory)) }),
          ...(document === null ? {} : { document: await readDocument(document) }),
          onProgress: (progress) => onProgress?.({ kind: "progress", progress }),
        }; // prettier-ignore
        const header = runHeader(study, context, settings, app);
        onProgress?.({ kind: "header", header, planned: plannedCases(study, settings) });
        let cases = 0;
        for await (const record of runStudy(study, context, settings, new Set(have))) {
          onProgress?.({ kind: "case", record });
          cases++;
        }
        return cases;
      }),
  };
}
