/** @file What memorising would do, before it: Eq. 1 on rule anchors, and the work that follows from the very values. */

import type { Engine } from "../engine/engine.ts";
import { assignAnchors } from "../extract/anchors.ts";
import { makeFacts } from "../extract/facts.ts";
import { candidates } from "../ingest/candidates.ts";
import { sentences } from "../ingest/sentences.ts";
import { spread } from "../lib/stats.ts";
import { candidateLayers } from "../memory/probe.ts";
import { allocate } from "../plan/budget.ts";
import { assignLayers, chooseLayers } from "../plan/layers.ts";
import { routingBytes } from "../records/bytes.ts";
import type { Workload } from "../records/cost.ts";
import type { Anchor, ExtractedFact, Fact, PlannedFact } from "../records/fact.ts";
import type { LayerIndex } from "../records/ids.ts";
import { vectorBytes, type MemoryHead } from "../records/memory.ts";
import type { MethodParams, ParamsOf } from "../records/params.ts";
import type { Budget, LayerProbe } from "../records/plan.ts";
import type { Candidate, Document } from "../records/source.ts";
import { fitting } from "./stages.ts";
import { budgetInputs, factWork, partCount, readBackWork, SAMPLE } from "./workload.ts";

/** The facts of a text: by rule anchors they depend on text, filter and anchor rule alone. */
export interface RuleFacts {
  /** What reading them took. */
  readonly seconds: number;
  readonly characters: number;
  readonly candidates: readonly Candidate[];
  readonly facts: readonly ExtractedFact[];
}

/** The facts of texts that were read, with how many sentences these have. */
export interface ReadFacts extends RuleFacts {
  readonly sentences: number;
}

/** Reads `documents` as memorising would, with rule anchors in place of the model's. */
export async function ruleFacts(
  documents: readonly Document[],
  params: ParamsOf<"candidates" | "anchors">,
  now: () => number,
): Promise<ReadFacts> {
  const started = now();
  const read = documents.flatMap((document) => [...sentences(document)]);
  const found = [...candidates(read, params.candidateFilter)];
  const facts = await factsByRule(found, params);
  const characters = documents.reduce((sum, { text }) => sum + text.length, 0);
  return {
    seconds: (now() - started) / 1000,
    ...{ characters, sentences: read.length, candidates: found, facts },
  };
}

/** The facts of candidates whose anchors are those that rules give. */
export async function factsByRule(
  found: readonly Candidate[],
  params: ParamsOf<"anchors">,
): Promise<ExtractedFact[]> {
  const anchors: Anchor[] = [];
  for await (const anchor of assignAnchors(found, { ...params, anchors: "rules" }, null))
    anchors.push(anchor);
  return makeFacts(anchors, params);
}

export interface Forecast {
  readonly budget: Budget;
  /** Those that the budget keeps, each at a layer that it may come to lie at. */
  readonly planned: readonly PlannedFact[];
  /** The storage layers; while a probe is still to choose, those that it prefers where all recall alike. */
  readonly layers: readonly LayerIndex[];
  /** Facts among them that do not fit the model's window and will be left out. */
  readonly skipped: number;
  readonly work: Workload;
  /** Bytes that their keys, residuals and routing vectors will take. */
  readonly bytes: number;
}

export interface ForecastInput {
  readonly engine: Engine;
  readonly params: MethodParams;
  readonly stored: MemoryHead | null;
  /** Storage layers as they were given, e.g. by a probe cell. */
  readonly layers?: readonly LayerIndex[] | undefined;
  /** What is known of the layers. */
  readonly probed: readonly LayerProbe[];
}

/** Eq. 1 over the facts of documents that are not in the memory yet, and what storing them takes. */
export function forecast(
  { characters, candidates: found, facts: extracted }: RuleFacts,
  { engine, params, stored, layers: given, probed }: ForecastInput,
): Forecast {
  const { layers, count, probes } = storage(engine, params, stored, given, probed);
  const { budget, facts } = allocate(
    extracted,
    budgetInputs(engine, params, count, stored?.vectors ?? 0, extracted),
  );
  const planned = assignLayers(facts, layers, params);
  const perFact = factWork(engine, planned, params, stored?.vectors ?? 0);
  const work = {
    characters,
    proposals: params.anchors === "model" ? found.length : 0,
    probes,
    ...perFact,
    readBack: readBackWork(params, partCount(perFact.parts) + (stored?.vectors ?? 0)),
  };
  const anchors = new Set(facts.map(({ anchorOrder }) => anchorOrder)).size;
  const vectors = anchors + (params.factVectors ? facts.length : 0);
  const bytes =
    vectorBytes(partCount(work.parts), engine.model, params.vectors) +
    vectors * engine.model.dModel * routingBytes(params);
  return { budget, planned, layers, skipped: skippedOf(engine, facts, params), work, bytes };
}

/** Facts that do not fit the model's window, going by an even sample. */
function skippedOf(engine: Engine, facts: readonly Fact[], params: MethodParams): number {
  const sample = spread(facts, SAMPLE);
  return Math.round(
    (fitting(engine, sample, params).skipped.length * facts.length) / Math.max(1, sample.length),
  );
}

/**
 * The layers that facts will lie at, K, and the layers to be probed for it. While a probe is still to choose, facts
 * are taken to lie at the last ones: of layers that recall alike those of less work are chosen.
 */
function storage(
  { model }: Engine,
  params: MethodParams,
  stored: MemoryHead | null,
  given: readonly LayerIndex[] | undefined,
  probed: readonly LayerProbe[],
): {
  readonly layers: readonly LayerIndex[];
  readonly count: number;
  readonly probes: readonly LayerIndex[];
} {
  const known = stored?.layers ?? given;
  if (known) return { layers: known, count: known.length, probes: [] };
  const layers = candidateLayers(model.layers);
  // Whoever says what was probed may speak of layers that the model lacks.
  const results = probed.filter(({ layer }) => layers.includes(layer));
  const count = Math.min(params.layers, layers.length);
  const probes = layers.filter((layer) => !results.some((probe) => probe.layer === layer));
  if (probes.length > 0) return { layers: layers.slice(-count), count, probes };
  const chosen = chooseLayers(results, count, params.layerShare).layers;
  return { layers: chosen, count: chosen.length, probes };
}
