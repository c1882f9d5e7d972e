/** @file The estimate before a memorise run: its budget, its work and its time. It reads the text and asks no model. */

import type { Engine } from "../engine/engine.ts";
import { oneLine } from "../extract/anchorKey.ts";
import { assignAnchors } from "../extract/anchors.ts";
import { makeFacts } from "../extract/facts.ts";
import { candidates } from "../ingest/candidates.ts";
import { sentences } from "../ingest/sentences.ts";
import { throwIfCancelled } from "../lib/assert.ts";
import { spread } from "../lib/stats.ts";
import { partsOf } from "../memory/parts.ts";
import { expectedSteps } from "../memory/schedule.ts";
import { allocate } from "../plan/budget.ts";
import { reach, secondsOf } from "../plan/estimate.ts";
import { assignLayers, chooseLayers } from "../plan/layers.ts";
import { routingBytes } from "../records/bytes.ts";
import type { StageRates, StageSeconds, StageWork } from "../records/cost.ts";
import type { Anchor, ExtractedFact, Fact, PlannedFact } from "../records/fact.ts";
import type { LayerIndex } from "../records/ids.ts";
import {
  countFacts,
  type EntryMeta,
  type Memory,
  type MemoryHead,
  type SourceInfo,
  vectorBytes,
} from "../records/memory.ts";
import type { MethodParams, ParamsOf } from "../records/params.ts";
import type { Budget, MemoryPlan } from "../records/plan.ts";
import type { Candidate, Document } from "../records/source.ts";
import { heldFacts } from "./cachedFacts.ts";
import type { FlowContext } from "./context.ts";
import { budgetInputs, SAMPLED_FACTS } from "./planMemory.ts";
import { candidateLayers, knownPartTokens, knownProbes, withRecordedLayers } from "./layerProbe.ts";
import type { ReadText } from "./readTexts.ts";
import { fitting, knownAnchors } from "./stages.ts";

/** A text as rules read it. */
export interface RuleFacts {
  readonly characters: number;
  readonly sentences: number;
  readonly candidates: readonly Candidate[];
  readonly facts: readonly ExtractedFact[];
}

/** Reads `documents` with rule anchors in place of the model's. */
export async function ruleFacts(
  documents: readonly Document[],
  params: ParamsOf<"candidates" | "anchors">,
): Promise<RuleFacts> {
  const read = documents.flatMap((document) => [...sentences(document)]);
  const found = [...candidates(read, params.candidateFilter)];
  return {
    characters: documents.reduce((sum, { text }) => sum + text.length, 0),
    sentences: read.length,
    candidates: found,
    facts: await factsByRule(found, params),
  };
}

/** The facts of candidates with rule anchors. */
async function factsByRule(
  found: readonly Candidate[],
  params: ParamsOf<"anchors">,
): Promise<ExtractedFact[]> {
  const anchors: Anchor[] = [];
  for await (const anchor of assignAnchors(found, { ...params, anchors: "rules" }, null))
    anchors.push(anchor);
  return makeFacts(anchors, params);
}

export interface RunEstimate {
  readonly budget: Budget;
  readonly planned: readonly PlannedFact[];
  /** Storage layers; before the layers are probed, the last ones. */
  readonly layers: readonly LayerIndex[];
  /** Facts that will be left out: they do not fit the model's window. */
  readonly skipped: number;
  /** Bytes of keys, residuals and routing vectors. */
  readonly bytes: number;
  /** Without the work that the cache saves. */
  readonly work: StageWork;
  readonly seconds: StageSeconds;
}

type EstimateContext = Omit<FlowContext, "onProgress" | "onEvent">;

/** Estimates memorising `found` into a memory with the head `stored`, at `rates`. Nothing is stored. */
export async function estimateRun(
  given: EstimateContext,
  found: RuleFacts,
  stored: Pick<MemoryHead, "params" | "layers" | "vectors"> | null,
  rates: StageRates,
): Promise<RunEstimate> {
  const context = withRecordedLayers(given);
  const { engine, signal } = context;
  throwIfCancelled(signal, "flow: estimate");
  const partTokens = await knownPartTokens(context, stored);
  const params = partTokens === undefined ? context.params : { ...context.params, partTokens };
  const known = await knownReplies(context, found);
  const { layers, count, probes } = await storageLayers(context, stored);
  const vectorsBefore = stored?.vectors ?? 0;
  const { budget, facts } = allocate(
    known.facts,
    budgetInputs(engine, params, count, vectorsBefore, known.facts),
  );
  const planned = assignLayers(facts, layers, params);
  const whole = factWork(engine, planned, params);
  // In a memory with facts, a fact of a known anchor gets another number j, so its prompt is not in the cache.
  const likely = vectorsBefore > 0 ? [] : planned.filter(({ fact }) => known.lines.has(oneLine(fact.value)));
  const cached = await heldFacts(context, params, { layers }, likely);
  const held = new Set(cached.map(({ planned: { fact } }) => fact.id));
  const fresh = planned.filter(({ fact }) => !held.has(fact.id));
  const work: StageWork = {
    read: found.characters,
    anchors: params.anchors === "model" ? known.unasked : 0,
    layers: probeWork(engine, probes, params),
    ...stageWork(engine, fresh, params),
    readBack: readBackWork(params, whole.vectors + vectorsBefore),
  };
  const anchors = new Set(facts.map(({ anchorOrder }) => anchorOrder)).size;
  const routingVectors = anchors + (params.factVectors ? facts.length : 0);
  return {
    budget,
    planned,
    layers,
    skipped: skippedOf(engine, facts, params),
    bytes:
      vectorBytes(whole.vectors, engine.model, params.vectors) +
      routingVectors * engine.model.dModel * routingBytes(params),
    work,
    seconds: secondsOf(rates, work),
  };
}

/** Vectors and tokens of facts, and their encoding work. */
interface FactWork {
  readonly vectors: number;
  readonly tokens: number;
  readonly encode: number;
}

/** The parts of `planned` facts in numbers, from an even sample of a long list. */
function factWork(engine: Engine, planned: readonly PlannedFact[], params: MethodParams): FactWork {
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

/** Work of indexing and encoding `planned` facts. */
export function stageWork(
  engine: Engine,
  planned: readonly PlannedFact[],
  params: MethodParams,
): Required<Pick<StageWork, "questions" | "routing" | "encode">> {
  const { tokens, encode } = factWork(engine, planned, params);
  return {
    questions: params.anchors === "model" && params.questionsPerFact > 0 ? planned.length : 0,
    // Once in the document of the anchor, and once for the vector of the fact.
    routing: tokens * (params.factVectors ? 2 : 1),
    encode,
  };
}

/** Tokens of all facts of the layer probe together. */
const PROBE_TOKENS = 80;

/** Work of probing `layers`. */
const probeWork = ({ model }: Engine, layers: readonly LayerIndex[], params: MethodParams): number =>
  layers.reduce((sum, layer) => sum + reach(model, layer), 0) * PROBE_TOKENS * expectedSteps(params);

/** Vectors that a memory of `vectors` reads back at the end of a run: all under the soft read, otherwise none. */
const readBackWork = ({ read }: Pick<MethodParams, "read">, vectors: number): number =>
  read === "soft" ? vectors : 0;

/** Facts that do not fit the model's window, from an even sample. */
function skippedOf(engine: Engine, facts: readonly Fact[], params: MethodParams): number {
  const sample = spread(facts, SAMPLED_FACTS);
  const skipped = fitting(engine, sample, params).skipped.length;
  return Math.round((skipped * facts.length) / Math.max(1, sample.length));
}

/**
 * The layers that facts will be stored at, K, and the layers to be probed first. Until they are probed, facts count at the
 * last ones: of layers that recall alike, those of less work are chosen.
 */
async function storageLayers(
  context: EstimateContext,
  stored: Pick<MemoryHead, "params" | "layers" | "vectors"> | null,
): Promise<{
  readonly layers: readonly LayerIndex[];
  readonly count: number;
  readonly probes: readonly LayerIndex[];
}> {
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

/** Knowledge of the cache about the candidates. */
interface KnownReplies {
  readonly facts: readonly ExtractedFact[];
  /** Candidates that the model has yet to be asked about. */
  readonly unasked: number;
  /** Sentences of which the cache holds something. */
  readonly lines: ReadonlySet<string>;
}

/** The facts of `found`, with the anchors of cached replies where the cache has them. */
async function knownReplies(context: EstimateContext, found: RuleFacts): Promise<KnownReplies> {
  const { cache, params } = context;
  const lines = found.candidates.map(({ sentence }) => oneLine(sentence.text));
  // An unreadable cache counts as empty.
  const held = (await cache?.known(lines).catch(() => [])) ?? [];
  const seen = new Set(lines.filter((_, i) => held[i]));
  if (seen.size === 0 || params.anchors === "rules")
    return { facts: found.facts, unasked: lines.length, lines: seen };
  const { anchors, unasked } = await knownAnchors(context, found.candidates);
  return { facts: makeFacts(anchors, params), unasked: unasked.length, lines: seen };
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
  const head = stored && { ...stored, facts: countFacts(stored.entries), vectors: stored.entries.length };
  const { work } = await estimateRun(
    context,
    { characters: 0, sentences: 0, candidates: found, facts },
    head,
    {},
  );
  onEvent?.({ work });
}

/** The work of a run by its plan. */
export function plannedWork(
  { engine, probed = [] }: FlowContext,
  params: MethodParams,
  { sources, layerPlan, planned, retained }: MemoryPlan,
  stored: Memory<EntryMeta> | null,
): StageWork {
  const sum = (of: (source: SourceInfo) => number): number =>
    sources.reduce((n, source) => n + of(source), 0);
  const fresh = new Set(retained.map(({ id }) => id));
  const { vectors, encode } = factWork(engine, planned, params);
  const choices = layerPlan?.choices.map(({ layer }) => layer) ?? [];
  const probes = choices.filter((layer) => !probed.some((probe) => probe.layer === layer));
  return {
    read: sum(({ characters }) => characters),
    anchors: params.anchors === "model" ? sum(({ candidates: n }) => n) : 0,
    layers: probeWork(engine, probes, params),
    // Facts that an interrupted run left are in the index already.
    ...stageWork(
      engine,
      planned.filter(({ fact }) => fresh.has(fact.id)),
      params,
    ),
    encode,
    readBack: readBackWork(params, (stored?.entries.length ?? 0) + vectors),
  };
}
