/** @file The estimate before a memorise run: its budget, its work and its time. It reads the text and asks no model. */

import type { Engine } from "../engine/engine.ts";
import { oneLine } from "../extract/anchorKey.ts";
import { assignAnchors } from "../extract/anchors.ts";
import { makeFacts } from "../extract/facts.ts";
import { candidates } from "../ingest/candidates.ts";
import { sentences } from "../ingest/sentences.ts";
import { throwIfCancelled } from "../lib/assert.ts";
import { spread } from "../lib/stats.ts";
import { partsOf, expectedSteps } from "../memory/parts.ts";
import { allocate } from "../plan/budget.ts";
import { reach, secondsOf } from "../plan/estimate.ts";
import { assignLayers, chooseLayers } from "../plan/layers.ts";
import { routingVectors } from "./indexFacts.ts";
import { keepsVectors } from "../router/route.ts";
import { routingBytes } from "../records/bytes.ts";
import type { StageRates, StageWork } from "../records/cost.ts";
import type { Anchor, PlannedFact } from "../records/fact.ts";
import type { LayerIndex } from "../records/ids.ts";
import { vectorBytes, type EntryMeta, type Memory, type MemoryHead } from "../records/memory.ts";
import type { MethodParams, ParamsOf } from "../records/params.ts";
import type { MemoryPlan } from "../records/plan.ts";
import type { Candidate, Document } from "../records/source.ts";
import { heldFacts } from "./cacheLookup.ts";
import type { FlowContext } from "./context.ts";
import { budgetInputs, SAMPLED_FACTS } from "./planMemory.ts";
import { candidateLayers, knownPartTokens, knownProbes, withRecordedLayers } from "./layerProbe.ts";
import { type ReadText, fitting, knownAnchors } from "./readTexts.ts";

/** A text as rules read it, in place of the model. */
export type RuleFacts = Awaited<ReturnType<typeof ruleFacts>>;

export async function ruleFacts(documents: readonly Document[], params: ParamsOf<"candidates" | "anchors">) {
  const read = documents.flatMap((document) => [...sentences(document)]);
  const found = [...candidates(read, params.candidateFilter)];
  return {
    characters: documents.reduce((sum, { text }) => sum + text.length, 0),
    sentences: read.length,
    candidates: found,
    facts: await factsByRule(found, params),
  };
}

async function factsByRule(found: readonly Candidate[], params: ParamsOf<"anchors">) {
  const anchors: Anchor[] = [];
  for await (const anchor of assignAnchors(found, { ...params, anchors: "rules" }, null))
    anchors.push(anchor);
  return makeFacts(anchors, params);
}

type Stored = Pick<MemoryHead, "params" | "layers" | "vectors"> | null;

export type RunEstimate = Awaited<ReturnType<typeof estimateRun>>;

/** Estimates memorising `found` into a memory with the head `stored`, at `rates`. Nothing is stored. */
export async function estimateRun(
  given: FlowContext,
  found: Pick<RuleFacts, "characters" | "candidates" | "facts">,
  stored: Stored,
  rates: StageRates,
) {
  const context = withRecordedLayers(given);
  const { engine, signal } = context;
  throwIfCancelled(signal, "flow: estimate");
  const partTokens = await knownPartTokens(context, stored);
  const params = partTokens === undefined ? context.params : { ...context.params, partTokens };
  const known = await knownReplies(context, found);
  const { layers, count, probes } = await storageLayers(context, stored);
  const before = stored?.vectors ?? 0;
  const inputs = budgetInputs(engine, params, count, before, known.facts);
  const { budget, facts } = allocate(known.facts, inputs);
  const planned = assignLayers(facts, layers, params);
  // In a memory with facts, a fact of a known anchor gets another number j, so its prompt is not in the cache.
  const likely = before > 0 ? [] : planned.filter(({ fact }) => known.lines.has(oneLine(fact.value)));
  const cached = await heldFacts({ ...context, params }, { layers }, likely);
  const held = new Set(cached.map(({ planned: { fact } }) => fact.id));
  const fresh = planned.filter(({ fact }) => !held.has(fact.id));
  const { vectors } = factWork(engine, planned, params);
  const work = workOf(engine, params, {
    ...{ characters: found.characters, asked: known.unasked, probes },
    ...{ indexed: fresh, encoded: fresh, vectors: before + vectors },
  });
  const routed = keepsVectors(params) ? routingVectors(facts, params) : 0;
  const sample = spread(facts, SAMPLED_FACTS);
  const skipped = fitting(engine, sample, params).skipped.length;
  return {
    budget,
    planned,
    /** Storage layers; before the layers are probed, the last ones. */
    layers,
    /** Facts that will be left out: they do not fit the model's window. */
    skipped: Math.round((skipped * facts.length) / Math.max(1, sample.length)),
    bytes:
      vectorBytes(vectors, engine.model, params.vectors) +
      routed * engine.model.dModel * routingBytes(params),
    /** Without the work that the cache saves. */
    work,
    seconds: secondsOf(rates, work),
  };
}

interface Amounts {
  readonly characters: number;
  readonly asked: number;
  readonly probes: readonly LayerIndex[];
  readonly indexed: readonly PlannedFact[];
  readonly encoded: readonly PlannedFact[];
  readonly vectors: number;
}

/** Tokens of all facts of the layer probe together. */
const PROBE_TOKENS = 80;

function workOf(engine: Engine, params: MethodParams, amounts: Amounts): StageWork {
  const { characters, asked, probes, indexed, encoded, vectors } = amounts;
  const usesModel = params.anchors === "model";
  const reached = probes.reduce((sum, layer) => sum + reach(engine.model, layer), 0);
  return {
    read: characters,
    anchors: usesModel ? asked : 0,
    layers: reached * PROBE_TOKENS * expectedSteps(params),
    questions: usesModel && params.questionsPerFact > 0 ? indexed.length : 0,
    // Once in the document of the anchor, and once for the vector of the fact.
    routing: keepsVectors(params)
      ? factWork(engine, indexed, params).tokens * (params.factVectors ? 2 : 1)
      : 0,
    encode: factWork(engine, encoded, params).encode,
    readBack: params.read === "soft" ? vectors : 0,
  };
}

/** Vectors, tokens and encoding work of `planned` facts, from an even sample of a long list. */
export function factWork(engine: Engine, planned: readonly PlannedFact[], params: MethodParams) {
  const sample = spread(planned, SAMPLED_FACTS);
  const scale = planned.length / Math.max(1, sample.length);
  let [vectors, tokens, encode] = [0, 0, 0];
  for (const { fact, layer } of sample)
    for (const { targets } of partsOf(engine, fact, params)) {
      vectors++;
      tokens += targets.length;
      encode += targets.length * reach(engine.model, layer);
    }
  return {
    vectors: Math.round(scale * vectors),
    tokens: Math.round(scale * tokens),
    encode: scale * encode * expectedSteps(params),
  };
}

/** Storage layers, K, and the layers to probe first. Before the probe the last ones count: it prefers those of less work. */
async function storageLayers(context: FlowContext, stored: Stored) {
  const { engine, params } = context;
  const given = stored?.layers ?? context.layers;
  if (given) return { layers: given, count: given.length, probes: [] };
  const layers = candidateLayers(engine.model.layers);
  const results = (await knownProbes(context)).filter(({ layer }) => layers.includes(layer));
  const count = Math.min(params.layers, layers.length);
  const probes = layers.filter((layer) => !results.some((probe) => probe.layer === layer));
  if (probes.length > 0) return { layers: layers.slice(-count), count, probes };
  const chosen = chooseLayers(results, count, params.layerShare).layers;
  return { layers: chosen, count: chosen.length, probes };
}

/** Facts with the anchors of cached replies, the number of candidates without one, and the sentences that the cache knows. */
async function knownReplies(context: FlowContext, found: Pick<RuleFacts, "candidates" | "facts">) {
  const { cache, params } = context;
  const all = found.candidates.map(({ sentence }) => oneLine(sentence.text));
  // An unreadable cache counts as empty.
  const held = (await cache?.known(all).catch(() => [])) ?? [];
  const lines = new Set(all.filter((_, i) => held[i]));
  if (lines.size === 0 || params.anchors === "rules")
    return { facts: found.facts, unasked: all.length, lines };
  const { anchors, unasked } = await knownAnchors(context, found.candidates);
  return { facts: makeFacts(anchors, params), unasked: unasked.length, lines };
}

/** Reports the work of a run whose texts were just read, if it has no estimate yet. */
export async function estimateBeforePlan(
  context: FlowContext,
  texts: readonly ReadText[],
  stored: Memory<EntryMeta> | null,
): Promise<void> {
  const { estimate, onProgress, onEvent, params } = context;
  if (!estimate || estimate.seconds || !onProgress || texts.length === 0) return;
  const found = texts.flatMap((text) => text.candidates);
  const facts = await factsByRule(found, params);
  const head = stored && { ...stored, vectors: stored.entries.length };
  const { work } = await estimateRun(context, { characters: 0, candidates: found, facts }, head, {});
  onEvent?.({ work });
}

/** The work of a run by its plan. Facts that an interrupted run left are in the index already. */
export function plannedWork(
  { engine, params, probed = [] }: FlowContext,
  { sources, layerPlan, planned, retained }: MemoryPlan,
  stored: Memory<EntryMeta> | null,
): StageWork {
  const fresh = new Set(retained.map(({ id }) => id));
  const choices = layerPlan?.choices.map(({ layer }) => layer) ?? [];
  return workOf(engine, params, {
    characters: sources.reduce((n, source) => n + source.characters, 0),
    asked: sources.reduce((n, source) => n + source.candidates, 0),
    probes: choices.filter((layer) => !probed.some((probe) => probe.layer === layer)),
    indexed: planned.filter(({ fact }) => fresh.has(fact.id)),
    encoded: planned,
    vectors: (stored?.entries.length ?? 0) + factWork(engine, planned, params).vectors,
  });
}
