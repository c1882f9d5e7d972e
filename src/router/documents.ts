/** @file Routing documents: built before the source text is dropped, and cleaned by deletion. */

import { assert, throwIfCancelled } from "../lib/assert.ts";
import { groupBy } from "../lib/group.ts";
import { toLevels } from "../lib/vectorForms.ts";
import type { Fact } from "../records/fact.ts";
import type { FactId } from "../records/ids.ts";
import type { RoutingDocument, RoutingFact } from "../records/memory.ts";
import type { ParamsOf } from "../records/params.ts";
import { unitEmbedding } from "./dense.ts";

/** Embeds texts, one vector each, of any length; they are scaled to unit length here. */
export type Embed = (texts: readonly string[]) => Promise<readonly Float32Array[]>;

/** A retained fact with its paraphrase questions. */
export interface RoutingInput {
  readonly fact: Fact;
  readonly questions: readonly string[];
}

/** The parameter that decides the stored form of vectors. */
type Stored = Pick<ParamsOf<"index">, "vectors">;

type WithoutVector = Omit<RoutingDocument, "vector">;

/**
 * Builds one routing document per retained anchor, in extraction order. Facts get vectors only with
 * `params.factVectors`. Texts are embedded in batches of {@link EMBED_BATCH}.
 * @throws {Cancelled} between batches; also the errors of `embed`
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
 * The indexed text of an anchor: anchor, values and questions, as far as they are stored. The latest value is first, so
 * that a short window keeps it.
 */
export function documentText({ anchor, facts }: WithoutVector): string {
  const values = facts.flatMap(({ value }) => value ?? []).toReversed();
  return [anchor, ...values, ...facts.flatMap(({ questions }) => questions)].join("\n");
}

/** The indexed text of a fact: its value and questions, as far as they are stored. */
export function factText({ value, questions }: Pick<RoutingFact, "value" | "questions">): string {
  return [value ?? [], ...questions].flat().join("\n");
}

/**
 * Removes facts with their values, questions and vectors. An anchor with other facts gets a new vector, computed from
 * the facts that are left; an anchor without facts is removed. Other documents are returned as the same objects, so
 * that a caller can see that they did not change. The index is rebuilt from the result.
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

export type TextsOf = (documents: readonly RoutingDocument[]) => Promise<readonly string[]>;

function without(document: RoutingDocument, ids: ReadonlySet<FactId>): RoutingDocument {
  const facts = document.facts.filter(({ id }) => !ids.has(id));
  return facts.length === document.facts.length ? document : { ...document, facts };
}

/** The routing documents of facts without their vectors, one per anchor, in extraction order. */
export function grouped(inputs: readonly RoutingInput[]): WithoutVector[] {
  const groups = [...groupBy(inputs, ({ fact }) => fact.anchorOrder)].toSorted(([a], [b]) => a - b);
  return groups.map(([order, own]) => {
    const facts = own.map(({ fact: { id, index, value }, questions }) => ({ id, index, value, questions }));
    return { anchor: own[0]!.fact.anchor, order, facts: facts.toSorted((a, b) => a.index - b.index) };
  });
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
 * Embeds texts and converts the vectors to their stored form, in batches of {@link EMBED_BATCH}.
 * @throws {Cancelled} between batches; also the errors of `embed`
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
 * Converts a text's vector to its stored form: 8-bit levels in a memory of compact vectors. That moves a cosine by
 * 4e-4 in the mean and by 3.2e-3 at most (80,656 pairs of sentences of Emma, by the bundled model's embedding), too little
 * to change a ranking.
 */
export const storedEmbedding = (vector: Float32Array, { vectors }: Stored): Float32Array =>
  vectors === "compact" ? toLevels(vector) : vector;

/** Texts per embedding call. */
export const EMBED_BATCH = 32;
