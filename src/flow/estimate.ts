/** @file What memorising would do, before it: Eq. 1 on rule anchors. The model is asked for nothing but dimensions. */

import { assignAnchors } from "../extract/anchors.ts";
import { makeFacts } from "../extract/facts.ts";
import { candidates } from "../ingest/candidates.ts";
import { sentences } from "../ingest/sentences.ts";
import { allocate } from "../plan/budget.ts";
import type { Anchor, ExtractedFact, Fact } from "../records/fact.ts";
import type { Memory, ModelIdentity } from "../records/memory.ts";
import type { MethodParams, ParamsOf } from "../records/params.ts";
import type { Budget } from "../records/plan.ts";
import type { Document } from "../records/source.ts";

/** The facts of a text by rule anchors; they depend on text, filter and anchor rule alone. */
export interface RuleFacts {
  readonly candidates: number;
  readonly facts: readonly ExtractedFact[];
}

/** Reads `documents` as memorising would, with rule anchors in place of the model's. */
export async function ruleFacts(
  documents: readonly Document[],
  params: ParamsOf<"candidates" | "anchors">,
): Promise<RuleFacts> {
  const found = documents.flatMap((document) => [...candidates(sentences(document), params.candidateFilter)]);
  const anchors: Anchor[] = [];
  for await (const anchor of assignAnchors(found, { ...params, anchors: "rules" }, null))
    anchors.push(anchor);
  return { candidates: found.length, facts: makeFacts(anchors, params) };
}

export interface Forecast {
  readonly candidates: number;
  readonly budget: Budget;
  /** Those that the budget keeps. */
  readonly facts: readonly Fact[];
  /** Bytes that their keys, residuals and routing vectors will take. */
  readonly bytes: number;
}

/** What a forecast needs to know of a memory. */
export interface MemoryHead extends Pick<Memory, "layers" | "sources"> {
  readonly facts: number;
}

export interface ForecastInput {
  readonly stored: MemoryHead | null;
  readonly model: Pick<ModelIdentity, "dModel" | "dFf">;
  readonly params: MethodParams;
  /** Storage layers that a new memory would have. */
  readonly layers: number;
  /** How many tokens a value has. */
  readonly tokensOf: (value: string) => number;
}

/** Eq. 1 over the facts of documents that are not in the memory yet. */
export function forecast(
  { candidates, facts: extracted }: RuleFacts,
  { stored, model, params, layers, tokensOf }: ForecastInput,
): Forecast {
  const { budget, facts } = allocate(extracted, {
    depth: params.depth,
    layers: stored?.layers.length ?? layers,
    capacity: params.capacity,
    ...(stored && stored.facts > 0 ? { stored: stored.facts } : {}),
  });
  const documentVectors = new Set(facts.map(({ anchorOrder }) => anchorOrder)).size;
  const vectors = documentVectors + (params.factVectors ? facts.length : 0);
  const entries = vectorsFor(facts, params.partTokens, tokensOf);
  const numbers = entries * (model.dFf + model.dModel) + vectors * model.dModel;
  return { candidates, budget, facts, bytes: numbers * Float32Array.BYTES_PER_ELEMENT };
}

/** Facts whose tokens are counted: a long text has tens of thousands. */
const SAMPLE = 256;

/** How many vectors will hold `facts` before any part is halved, going by a sample of them. */
function vectorsFor(
  facts: readonly Pick<Fact, "value">[],
  longest: number | null,
  tokensOf: ForecastInput["tokensOf"],
): number {
  if (longest === null || facts.length === 0) return facts.length;
  const every = Math.ceil(facts.length / SAMPLE);
  const sample = facts.filter((_, i) => i % every === 0);
  const parts = sample.reduce((sum, { value }) => sum + Math.max(1, Math.ceil(tokensOf(value) / longest)), 0);
  return Math.round((parts / sample.length) * facts.length);
}
