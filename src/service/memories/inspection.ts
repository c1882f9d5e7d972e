/** @file Looking and experimenting on the open model: what figures and the inspector ask of the engine worker. */

import { plannedCases, runHeader, runStudy } from "../../bench/studies/run.ts";
import type { StudyContext } from "../../bench/studies/study.ts";
import { layerGeometry, nearest } from "../../figures/geometry.ts";
import { mapSet, vectorMaps, type MapSet } from "../../figures/map.ts";
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
import { vectorsOfKind, withVectors } from "../../records/vectors.ts";
import type { InspectionService, RunStudyArgument, StudyEvent } from "../../rpc/inspection.ts";
import { handOver } from "../../rpc/serve.ts";
import type { Call } from "../../rpc/wire.ts";
import { stoppable } from "../runs/pause.ts";
import { runContext, type ServiceParts } from "../runs/context.ts";

export function createInspection(parts: ServiceParts): InspectionService {
  const { host, model, memories } = parts;
  const look = <T>(
    memory: string,
    { signal }: Call,
    work: (open: OpenMemory, either: AbortSignal) => Promise<T>,
  ): Promise<T> =>
    model.using(
      (engine, either) =>
        memories.using(engine, memory, (open) =>
          work({ ...open, engine: stoppable(engine, either) }, either),
        ),
      signal,
    );

  return {
    trace: ({ memory, id, theta, beta }, call = {}) =>
      look(memory, call, ({ engine, memory: stored, params }) =>
        traceFact(engine, stored, id, { theta: theta ?? params.theta, beta: beta ?? params.beta }),
      ),
    lens: ({ memory, id }, call = {}) =>
      look(memory, call, ({ engine, memory: stored }) => lensFact(engine, stored, id)),
    prompt: ({ memory, id, value }) =>
      look(memory, {}, async ({ engine, memory: stored }) => promptOf(engine, stored, id, value)),
    tokenPairs: ({ memory, ids }, call = {}) =>
      look(memory, call, ({ engine, memory: stored, params }) => tokenPairs(engine, stored, ids, params)),
    extraction: ({ document, params }, { signal, onProgress } = {}) =>
      model.using(async (engine, either) => {
        const context = { ...runContext(parts, engine, either), params };
        const text = await host.readDocument(document);
        return traceExtraction({ ...context, ...(onProgress ? { onProgress } : {}) }, text);
      }, signal),
    geometry: ({ memory, layer, ...limits }, call = {}) =>
      look(memory, call, async ({ memory: stored }) => {
        const ofLayer = stored.entries.filter((entry) => (entry.layer as number) === layer);
        return layerGeometry(await withVectors(stored, ofLayer), layer, limits);
      }),
    map: ({ memories: chosen, request }, { signal, onProgress } = {}) =>
      model.using(async (engine, either) => {
        const { length } = chosen;
        const sets: MapSet[] = [];
        // One after the other: only so many memories are kept open. Of each the points that are shown are read.
        for (const memory of chosen)
          sets.push(
            await memories.using(engine, memory, ({ memory: stored }) =>
              mapSet(stored.entries, request, length, (shown) => vectorsOfKind(stored, shown, request.of)),
            ),
          );
        return vectorMaps(sets, request, { signal: either, ...(onProgress ? { onProgress } : {}) });
      }, signal),
    nearest: ({ memory, id, count }) =>
      look(memory, {}, async ({ memory: stored }) => ({
        byKey: await nearest(stored, id, "key", count),
        byResidual: await nearest(stored, id, "residual", count),
      })),
    vectors: ({ memory, ids }) =>
      look(memory, {}, async ({ memory: stored }) => {
        const chosen = ids.flatMap((id) => entriesOf(stored, id));
        const bytes = factsAsSafetensors(await withVectors(stored, chosen), stored);
        return handOver(bytes, [bytes.buffer as ArrayBuffer]);
      }),
    runStudy: (argument, { signal, onProgress } = {}) =>
      model.using(async (engine, either) => {
        const tell = (event: StudyEvent): void => onProgress?.(event);
        const context: StudyContext = {
          ...runContext(parts, engine, either),
          ...(await materialOf(parts, engine, argument)),
          params: argument.params,
          seed: argument.seed,
          onProgress: (progress) => tell({ kind: "progress", progress }),
        };
        return studied(argument, context, tell);
      }, signal),
  };
}

/** The facts and the text that a study is made over. */
async function materialOf(
  { host, memories }: ServiceParts,
  engine: Engine,
  { memory, document }: RunStudyArgument,
): Promise<Pick<StudyContext, "facts" | "document">> {
  return {
    ...(memory === null
      ? {}
      : { facts: await memories.using(engine, memory, async (open) => storedFacts(open.memory)) }),
    ...(document === null ? {} : { document: await host.readDocument(document) }),
  };
}

/** Runs the cases of a study that are missing, and counts them. */
async function studied(
  { study, settings, app, have }: RunStudyArgument,
  context: StudyContext,
  tell: (event: StudyEvent) => void,
): Promise<number> {
  const header = runHeader(study, context, settings, app);
  tell({ kind: "header", header, planned: plannedCases(study, settings) });
  let cases = 0;
  for await (const record of runStudy(study, context, settings, new Set(have))) {
    tell({ kind: "case", record });
    cases++;
  }
  return cases;
}
