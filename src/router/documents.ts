/** @file Routing documents: made before the source is thrown away, and all that deletion has to clean. */

import { assert, throwIfCancelled } from "../lib/assert.ts";
import { toLevels } from "../lib/vectorForms.ts";
import type { Fact } from "../records/fact.ts";
import type { FactId } from "../records/ids.ts";
import type { RoutingDocument, RoutingFact } from "../records/memory.ts";
import type { ParamsOf } from "../records/params.ts";
import { unitEmbedding } from "./dense.ts";

/** Texts -> one vector each, of any length; they are scaled to unit vectors here. */
export type Embed = (texts: readonly string[]) => Promise<readonly Float32Array[]>;

/** A retained fact with its paraphrase questions. */
export interface RoutingInput {
  readonly fact: Fact;
  readonly questions: readonly string[];
}

/** What says in which numbers vectors are stored. */
type Stored = Pick<ParamsOf<"index">, "vectors">;

type WithoutVector = Omit<RoutingDocument, "vector">;

/**
 * Makes one routing document per retained anchor, in extraction order. Per-fact vectors are made only with
 * `params.factVectors`. Texts are embedded in batches of {@link EMBED_BATCH}.
 * @throws {Cancelled} between batches; whatever `embed` throws.
 */
export async function buildRouting(
  inputs: readonly RoutingInput[],
  params: ParamsOf<"index">,
  embed: Embed,
  signal?: AbortSignal,
): Promise<RoutingDocument[]> {
  const groups = grouped(inputs);
  const vectors = await storedVectors(groups.map(documentText), params, embed, signal);
  const documents = groups.map((group, i) => ({ ...group, vector: vectors[i]! }));
  return params.factVectors ? withFactVectors(documents, params, embed, signal) : documents;
}

/**
 * The text an anchor is found by: anchor, values (latest first: a short window keeps what is current), questions, all
 * as far as they are kept.
 */
export function documentText({ anchor, facts }: WithoutVector): string {
  const values = facts.flatMap(({ value }) => value ?? []).toReversed();
  return [anchor, ...values, ...facts.flatMap(({ questions }) => questions)].join("\n");
}

/** The text a single fact is found by: its value and its questions, as far as they are kept. */
export function factText({ value, questions }: Pick<RoutingFact, "value" | "questions">): string {
  return [value ?? [], ...questions].flat().join("\n");
}

/**
 * Removes facts without a trace: value, questions and vector of each go, the vector of an anchor that keeps other
 * facts is made anew from what is left, and an anchor without facts goes whole. Untouched documents are returned as
 * the same objects, so a caller can see that nothing else changed. The index is rebuilt from the result.
 * @param textsOf the texts of anchors that keep other facts; their own words by default
 */
export async function forgetFacts(
  documents: readonly RoutingDocument[],
  ids: ReadonlySet<FactId>,
  params: Stored,
  embed: Embed,
  textsOf: TextsOf = async (touched) => touched.map(documentText),
): Promise<RoutingDocument[]> {
  const before = new Set(documents);
  const left = documents.map((document) => without(document, ids)).filter(({ facts }) => facts.length > 0);
  const touched = left.filter((document) => !before.has(document));
  const vectors = await storedVectors(await textsOf(touched), params, embed);
  const renewed = new Map(touched.map((document, i) => [document, vectors[i]!]));
  return left.map((document) => {
    const vector = renewed.get(document);
    return vector ? { ...document, vector } : document;
  });
}

/** The texts of documents, one each. */
export type TextsOf = (documents: readonly RoutingDocument[]) => Promise<readonly string[]>;

function without(document: RoutingDocument, ids: ReadonlySet<FactId>): RoutingDocument {
  const facts = document.facts.filter(({ id }) => !ids.has(id));
  return facts.length === document.facts.length ? document : { ...document, facts };
}

function grouped(inputs: readonly RoutingInput[]): WithoutVector[] {
  const groups = new Map<number, { anchor: string; order: number; facts: RoutingFact[] }>();
  for (const { fact, questions } of inputs) {
    const { anchor, anchorOrder: order, id, index, value } = fact;
    const group = groups.get(order) ?? { anchor, order, facts: [] };
    group.facts.push({ id, index, value, questions });
    groups.set(order, group);
  }
  const documents = [...groups.values()].toSorted((a, b) => a.order - b.order);
  return documents.map((group) => ({ ...group, facts: group.facts.toSorted((a, b) => a.index - b.index) }));
}

async function withFactVectors(
  documents: readonly RoutingDocument[],
  params: Stored,
  embed: Embed,
  signal?: AbortSignal,
): Promise<RoutingDocument[]> {
  const all = documents.flatMap(({ facts }) => facts);
  const vectors = await storedVectors(all.map(factText), params, embed, signal);
  const byId = new Map(all.map(({ id }, i) => [id, vectors[i]!]));
  return documents.map((document) => ({
    ...document,
    facts: document.facts.map((fact) => ({ ...fact, vector: byId.get(fact.id)! })),
  }));
}

/**
 * Vectors of texts as they are stored, made in batches of {@link EMBED_BATCH}.
 * @throws {Cancelled} between batches; whatever `embed` throws.
 */
export async function storedVectors(
  texts: readonly string[],
  params: Stored,
  embed: Embed,
  signal?: AbortSignal,
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (let start = 0; start < texts.length; start += EMBED_BATCH) {
    throwIfCancelled(signal, "router: embedding");
    const batch = texts.slice(start, start + EMBED_BATCH);
    const made = await embed(batch);
    assert(
      made.length === batch.length,
      () => `router: the embedding model gave ${made.length} vectors for ${batch.length} texts`,
    );
    vectors.push(...made.map((vector) => storedEmbedding(unitEmbedding(vector), params)));
  }
  return vectors;
}

/**
 * A text's vector as it is stored: levels of 8 bits in a memory of compact vectors. That moves a cosine by
 * 4e-4 in the mean and by 3.2e-3 at most (80,656 pairs of sentences of Emma, by the bundled model's embedding): less
 * than tells texts apart.
 */
export const storedEmbedding = (vector: Float32Array, { vectors }: Stored): Float32Array =>
  vectors === "compact" ? toLevels(vector) : vector;

/** Texts per embedding call. */
export const EMBED_BATCH = 32;
