/**
 * @file The memorization phase: Document -> Sentence[] -> Candidate[] -> Anchor[] -> Fact[] -> (budget) Fact[]
 * -> LayerPlan -> Encoding[] -> Store, with the routing index made before the text is thrown away.
 */

import { makeFacts } from "../extract/facts.ts";
import { sentences } from "../ingest/sentences.ts";
import { candidates } from "../ingest/candidates.ts";
import { assert, throwIfCancelled } from "../lib/assert.ts";
import { encodeFacts } from "../memory/encode.ts";
import { allocate } from "../plan/budget.ts";
import { assignLayers, type LayerPlan } from "../plan/layers.ts";
import type { Budget, PlannedFact } from "../records/fact.ts";
import type { Memory, SourceInfo } from "../records/memory.ts";
import type { Document } from "../records/source.ts";
import { buildRouting } from "../router/documents.ts";
import type { FlowContext, Stage } from "./context.ts";
import { continueFrom, pendingFacts, standingOf, withoutKnown } from "./extend.ts";
import { planLayers } from "./probe.ts";
import { proposeAnchors, fitting, withQuestions, type SkippedFact } from "./stages.ts";

/** What memorising did, stage by stage; the memory itself is in the store as well. */
export interface MemorizeReport {
  readonly memory: Memory;
  /** The sources read in this call; ones that were memorised before are left out. */
  readonly sources: readonly SourceInfo[];
  readonly budget: Budget;
  readonly layerPlan: LayerPlan | null;
  /** Extracted facts before the budget. */
  readonly extracted: number;
  readonly skipped: readonly SkippedFact[];
  readonly milliseconds: Readonly<Record<Stage, number>>;
}

/**
 * Reads `documents` into the store, adding to what it already holds. After it returns no source text is needed.
 * Every encoded batch is stored before the next one starts, so a crash loses at most one: {@link resume} goes on.
 * @throws when nothing can be read from the documents, when the store belongs to another model, and Cancelled
 */
export async function memorize(
  context: FlowContext,
  documents: readonly Document[],
): Promise<MemorizeReport> {
  const { engine, store, params } = context;
  const clock = stopwatch(context.now);
  const stored = await store.load();
  const standing = standingOf(stored, engine);
  const fresh = withoutKnown(documents, stored);

  const read = fresh.map((document) => readDocument(document, context));
  clock.lap("read");
  const anchors = await proposeAnchors(
    context,
    read.flatMap((r) => r.candidates),
  );
  clock.lap("anchors");
  const { facts: extracted, skipped } = fitting(engine, makeFacts(anchors));
  const layerPlan = stored ? null : await planLayers(context);
  clock.lap("layers");
  const layers = stored?.layers ?? layerPlan!.layers;
  const { budget, facts } = allocate(extracted, {
    depth: params.depth,
    layers: layers.length,
    capacity: standing.capacityLeft(params.capacity, layers.length),
  });
  const retained = continueFrom(standing, facts);
  const questioned = await withQuestions(context, retained);
  clock.lap("questions");
  const routing = standing.merge(await buildRouting(questioned, params, engine.embed, context.signal));
  clock.lap("routing");
  const sources = read.map((r) => r.source);
  const planned = assignLayers(retained, layers);
  const begun = begin(context, stored, { layers, sources, routing });
  await store.save(begun);
  const memory = await encodeAll(context, begun, planned);
  clock.lap("encode");
  return {
    memory,
    sources,
    budget,
    layerPlan,
    extracted: extracted.length,
    skipped,
    milliseconds: clock.laps,
  };
}

/** Encodes what an interrupted {@link memorize} left: facts of the routing index that have no entry yet. */
export async function resume(context: FlowContext): Promise<Memory | null> {
  const stored = await context.store.load();
  if (!stored) return null;
  standingOf(stored, context.engine);
  const pending = pendingFacts(stored);
  return pending.length === 0 ? stored : encodeAll(context, stored, assignLayers(pending, stored.layers));
}

/** Encodes and stores batch by batch. */
async function encodeAll(
  { engine, store, params, onProgress, signal }: FlowContext,
  memory: Memory,
  planned: readonly PlannedFact[],
): Promise<Memory> {
  const entries = [...memory.entries];
  const finished = encodeFacts(engine, planned, params, {
    ...(signal ? { signal } : {}),
    onProgress: ({ done, total, layer, loss }) =>
      onProgress?.({ stage: "encode", done, total, note: `layer ${layer}, loss ${loss.toFixed(2)}` }),
  });
  for await (const batch of finished) {
    await store.append({ entries: batch });
    entries.push(...batch);
  }
  onProgress?.({ stage: "encode", done: planned.length, total: planned.length });
  return { ...memory, entries };
}

/** The memory before its first new entry: routing and sources are in place, so encoding can be resumed. */
function begin(
  { engine, params }: FlowContext,
  stored: Memory | null,
  { layers, sources, routing }: Pick<Memory, "layers" | "sources" | "routing">,
): Memory {
  return {
    model: engine.model,
    params,
    embedder: engine.embedder,
    layers,
    sources: [...(stored?.sources ?? []), ...sources],
    entries: stored?.entries ?? [],
    routing,
  };
}

/** Document -> Sentence[] -> Candidate[] of one document. */
function readDocument(document: Document, { params, date, onProgress, signal }: FlowContext) {
  throwIfCancelled(signal, "flow: reading");
  const found = [...sentences(document)];
  const kept = [...candidates(found, params.candidateFilter)];
  assert(
    kept.length > 0,
    () =>
      `flow: "${document.title}" has ${found.length} sentences but none with a name, a number or an identifier` +
      `${params.candidateFilter === "strict" ? " (the wide filter also takes relations)" : ""}; nothing to memorise`,
  );
  onProgress?.({ stage: "read", done: kept.length, total: found.length, note: document.title });
  const source: SourceInfo = {
    id: document.id,
    title: document.title,
    characters: document.text.length,
    sentences: found.length,
    candidates: kept.length,
    memorizedAt: date(),
  };
  return { source, candidates: kept };
}

/** Milliseconds per stage. */
function stopwatch(now: () => number) {
  const laps: Record<Stage, number> = { read: 0, anchors: 0, layers: 0, questions: 0, routing: 0, encode: 0 };
  let last = now();
  return {
    laps,
    lap(stage: Stage): void {
      const at = now();
      laps[stage] += at - last;
      last = at;
    },
  };
}
