/**
 * @file The memorization phase: Document -> Sentence[] -> Candidate[] -> Anchor[] -> Fact[] -> (budget) Fact[]
 * -> LayerPlan -> Encoding[] -> Store, with the routing index made before the text is thrown away.
 */

import { makeFacts } from "../extract/facts.ts";
import { sentences } from "../ingest/sentences.ts";
import { candidates } from "../ingest/candidates.ts";
import { assert, throwIfCancelled } from "../lib/assert.ts";
import { encodeFacts, type EncodeProgress } from "../memory/encode.ts";
import { allocate } from "../plan/budget.ts";
import { assignLayers, type LayerPlan } from "../plan/layers.ts";
import type { Budget, Fact, PlannedFact } from "../records/fact.ts";
import type { Memory, SourceInfo } from "../records/memory.ts";
import type { Document, Sentence } from "../records/source.ts";
import type { ExtractionCounts } from "../records/trace.ts";
import { buildRouting } from "../router/documents.ts";
import type { FlowContext, Progress, Stage } from "./context.ts";
import { countExtraction } from "./extractionCounts.ts";
import { checkFits, continueFrom, pendingFacts, standingOf, withoutKnown } from "./extend.ts";
import { checkedLayers, planLayers } from "./probe.ts";
import { proposeAnchors, fitting, withQuestions, type SkippedFact } from "./stages.ts";

/** What memorising did, stage by stage; the memory itself is in the store as well. */
export interface MemorizeReport {
  readonly memory: Memory;
  /** The sources read in this call. */
  readonly sources: readonly SourceInfo[];
  /** How each of them was read, in counts. */
  readonly extraction: readonly ExtractionCounts[];
  /** Titles of documents that are in the memory already, or were given twice: they are not read again. */
  readonly known: readonly string[];
  readonly budget: Budget;
  readonly layerPlan: LayerPlan | null;
  /** Extracted facts before the budget. */
  readonly extracted: number;
  /** Facts that the budget kept of them. */
  readonly retained: number;
  /** Facts that an interrupted run had left to be encoded. */
  readonly resumed: number;
  /** Entries that the memory held before; those after them are of this call. */
  readonly before: number;
  readonly skipped: readonly SkippedFact[];
  readonly milliseconds: Readonly<Record<Stage, number>>;
}

/**
 * Reads `documents` into the store, adding to what it already holds. After it returns no source text is needed.
 * Every encoded batch is stored before the next one starts, so a crash loses at most one: {@link resume} goes on,
 * and so does the next call.
 * @throws when nothing can be read from the documents, when the store belongs to another model or is full, and
 * Cancelled; before the first fact is encoded the store is unchanged then
 */
export async function memorize(
  context: FlowContext,
  documents: readonly Document[],
): Promise<MemorizeReport> {
  const { engine, store, params } = context;
  const clock = stopwatch(context.now);
  assert(documents.length > 0, () => "flow: there is no document to memorise");
  const stored = await store.load();
  const standing = standingOf(stored, engine);
  const fresh = withoutKnown(documents, stored);
  if (stored && fresh.length > 0) checkRoom(context, stored, standing.facts);

  const read = readDocuments(context, fresh);
  clock.lap("read");
  const anchors = await proposeAnchors(
    context,
    read.flatMap((r) => r.candidates),
  );
  clock.lap("anchors");
  const { facts: extracted, skipped } = storable(context, makeFacts(anchors));
  const given = context.layers && checkedLayers(engine, context.layers);
  const layerPlan = stored || given ? null : await planLayers(context);
  clock.lap("layers");
  const layers = stored?.layers ?? given ?? layerPlan!.layers;
  const { budget, facts } = allocate(extracted, {
    depth: params.depth,
    layers: layers.length,
    capacity: params.capacity,
    ...(standing.facts > 0 ? { stored: standing.facts } : {}),
  });
  const retained = continueFrom(standing, facts);
  const note = planNote(budget, layers, layerPlan, retained.length);
  context.onProgress?.({ stage: "budget", done: retained.length, total: extracted.length, note });
  clock.lap("budget");
  const questioned = await withQuestions(context, retained);
  clock.lap("questions");
  const added = await buildRouting(questioned, params, engine.embed, context.signal);
  const routing = await standing.merge(added, engine.embed);
  clock.lap("routing");
  const sources = read.map((r) => r.source);
  const begun = begin(context, stored, { layers, sources, routing });
  // With no new document there is nothing to save; what an interrupted run left is encoded all the same.
  if (fresh.length > 0) await store.save(begun);
  const memory = await encodeAll(context, begun, assignLayers(pendingFacts(begun), layers));
  clock.lap("encode");
  return {
    memory,
    sources,
    extraction: read.map(({ document, found, candidates: kept }) =>
      countExtraction(document, found, kept, anchors),
    ),
    known: documents.filter((document) => !fresh.includes(document)).map(({ title }) => title),
    budget,
    layerPlan,
    extracted: extracted.length,
    retained: retained.length,
    resumed: stored ? pendingFacts(stored).length : 0,
    before: stored?.entries.length ?? 0,
    skipped,
    milliseconds: clock.laps,
  };
}

/** The facts that fit the model's window; the others are named. Throws when there are only others. */
function storable({ engine }: FlowContext, facts: readonly Fact[]): ReturnType<typeof fitting> {
  const split = fitting(engine, facts);
  const first = split.skipped[0];
  assert(
    split.facts.length > 0 || !first,
    () =>
      `flow: none of the ${facts.length} facts fits the model's window: "${first!.value.slice(0, 60)}…" has ` +
      `${first!.why}; break up the sentences, or use a model with a larger window`,
  );
  return split;
}

/** Throws where Eq. 1 leaves no room for another fact: better before the model is asked than after. */
function checkRoom({ params: { capacity }, store }: FlowContext, stored: Memory, facts: number): void {
  const layers = stored.layers.length;
  assert(
    facts < layers * capacity,
    () =>
      `flow: ${store.name} is full: ${facts} facts, K C = ${layers} × ${capacity}; ` +
      "forget some facts, or set a larger capacity (C)",
  );
}

/**
 * What is about to happen and, where the layers were probed just now, about how long it takes; facts that are longer
 * than those of the probe, or harder for the model, take longer.
 */
function planNote(
  { facts, bound }: Budget,
  layers: Memory["layers"],
  plan: LayerPlan | null,
  retained: number,
): string {
  const costs = plan?.choices.filter(({ chosen }) => chosen).map(({ cost }) => cost) ?? [];
  const seconds = (retained * costs.reduce((sum, cost) => sum + cost, 0)) / costs.length;
  const time = Number.isFinite(seconds) ? `, at least about ${Math.ceil(seconds)} s to encode` : "";
  return `facts are kept (B = ${facts}, bound by ${bound}), layers ${layers.join(" ")}${time}`;
}

/** Encodes what an interrupted {@link memorize} left: facts of the routing index that have no entry yet. */
export async function resume(context: FlowContext): Promise<Memory | null> {
  const stored = await context.store.load();
  if (!stored) return null;
  checkFits(stored, context.engine);
  const pending = pendingFacts(stored);
  return pending.length === 0 ? stored : encodeAll(context, stored, assignLayers(pending, stored.layers));
}

/** Encodes and stores batch by batch. */
async function encodeAll(
  { engine, store, params, now, onProgress, signal }: FlowContext,
  memory: Memory,
  planned: readonly PlannedFact[],
): Promise<Memory> {
  const entries = [...memory.entries];
  const started = now();
  const finished = encodeFacts(engine, planned, params, {
    ...(signal ? { signal } : {}),
    onProgress: (progress) => onProgress?.(encodeProgress(progress, (now() - started) / 1000)),
  });
  for await (const batch of finished) {
    await store.append({ entries: batch });
    entries.push(...batch);
  }
  onProgress?.({ stage: "encode", done: planned.length, total: planned.length });
  return { ...memory, entries };
}

/** @param seconds since encoding began */
function encodeProgress(
  { done, total, layer, batch, facts, losses }: EncodeProgress,
  seconds: number,
): Progress {
  const factsPerSecond = done > 0 && seconds > 0 ? done / seconds : null;
  const secondsLeft = factsPerSecond && (total - done) / factsPerSecond;
  const note = `layer ${layer}, loss ${losses.at(-1)!.toFixed(2)}`;
  return { stage: "encode", done, total, note, encode: { layer, batch, facts, losses, factsPerSecond, secondsLeft } }; // prettier-ignore
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

/** Sentences between two reports of reading. */
const READ_REPORTED = 500;

/** Reads every document; progress counts the sentences of all of them, whose number is known at the end. */
function readDocuments(context: FlowContext, documents: readonly Document[]) {
  const { onProgress } = context;
  let done = 0;
  const read = documents.map((document) =>
    readDocument(document, context, () => {
      if (++done % READ_REPORTED === 0) onProgress?.({ stage: "read", done, total: null });
    }),
  );
  const kept = read.reduce((sum, r) => sum + r.candidates.length, 0);
  const note = `${kept.toLocaleString("en-GB")} ${kept === 1 ? "candidate" : "candidates"}`;
  if (read.length > 0) onProgress?.({ stage: "read", done, total: done, note });
  return read;
}

/** Document -> Sentence[] -> Candidate[] of one document; `onSentence` is called at each of its sentences. */
function readDocument(document: Document, { params, date, signal }: FlowContext, onSentence: () => void) {
  throwIfCancelled(signal, "flow: reading");
  const found: Sentence[] = [];
  for (const sentence of sentences(document)) {
    found.push(sentence);
    onSentence();
  }
  const kept = [...candidates(found, params.candidateFilter)];
  assert(
    kept.length > 0,
    () =>
      `flow: "${document.title}" has ${found.length} sentence${found.length === 1 ? "" : "s"} but none with a name, a number or an identifier` +
      `${params.candidateFilter === "strict" ? " (the wide filter also takes relations)" : ""}; nothing to memorise`,
  );
  const source: SourceInfo = {
    id: document.id,
    title: document.title,
    characters: document.text.length,
    sentences: found.length,
    candidates: kept.length,
    memorizedAt: date(),
  };
  return { document, source, found, candidates: kept };
}

/** Milliseconds per stage. */
function stopwatch(now: () => number) {
  const laps: Record<Stage, number> = {
    read: 0,
    anchors: 0,
    layers: 0,
    budget: 0,
    questions: 0,
    routing: 0,
    encode: 0,
  };
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
