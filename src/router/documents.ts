/** @file Routing documents: built before the source text is dropped, and cleaned by deletion. */

import { throwIfCancelled } from "../lib/assert.ts";
import { groupBy } from "../lib/group.ts";
import { toLevels } from "../lib/vectorForms.ts";
import type { Fact } from "../records/fact.ts";
import type { FactId } from "../records/ids.ts";
import { haveVectors, type RoutingDocument, type RoutingFact } from "../records/memory.ts";
import type { ParamsOf } from "../records/params.ts";
import { unitEmbedding } from "./dense.ts";
import { digestOf } from "../records/digest.ts";
import { hashedTerms, termHasher } from "./termHashes.ts";

export type Embed = (texts: readonly string[]) => Promise<readonly Float32Array[]>;

export const noVectors: Embed = (texts) => Promise.resolve(texts.map(() => new Float32Array(0)));

export interface RoutingInput {
  readonly fact: Fact;
  readonly questions: readonly string[];
}

type Stored = Pick<ParamsOf<"index">, "vectors">;
type Ranked = Pick<ParamsOf<"route">, "ranking">;

interface AnchorInputs {
  readonly anchor: string;
  readonly order: number;
  readonly inputs: readonly RoutingInput[];
}

/**
 * Builds one routing document per anchor, in extraction order. Facts get vectors with `params.factVectors`. @param salt of the
 * stored hashes @throws {Cancelled}; also the errors of `embed`
 */
export async function buildRouting(
  inputs: readonly RoutingInput[],
  salt: string,
  params: ParamsOf<"index"> & Ranked,
  embed: Embed,
  signal?: AbortSignal,
): Promise<RoutingDocument[]> {
  const groups = grouped(inputs);
  const vectors = await storedVectors(groups.map(anchorText), params, embed, signal);
  const all = params.factVectors ? groups.flatMap((group) => group.inputs) : [];
  const own = await storedVectors(all.map(inputText), params, embed, signal);
  const byId = new Map(all.map(({ fact }, i) => [fact.id, own[i]!]));
  const hashed = factHasher(salt, await meaningsFor(params));
  return groups.map(({ anchor, order, inputs: ofAnchor }, i) => ({
    anchor,
    order,
    facts: ofAnchor.map((input) => {
      const vector = byId.get(input.fact.id);
      return vector?.length ? { ...hashed(input), vector } : hashed(input);
    }),
    vector: vectors[i]!,
  }));
}

/** Makes the stored meaning of a value (router/meaning.ts) for the learned ranking, otherwise "". */
export const meaningsFor = async ({ ranking }: Ranked): Promise<(value: string) => string> =>
  ranking === "learned" ? (await import("./meaning.ts")).meaningOf : () => "";

export function factHasher(
  salt: string,
  meaningOf = (_: string): string => "",
): (input: RoutingInput) => RoutingFact {
  const hasher = termHasher(salt);
  return ({ fact: { id, index, value }, questions }) => ({
    id,
    index,
    terms: hashedTerms(value, questions, hasher, meaningOf(value)),
    digest: digestOf(value, salt),
  });
}

/** The text that an anchor is found by: its name, its values and questions. The latest value is first: a short window keeps it. */
export function anchorText({ anchor, inputs }: Omit<AnchorInputs, "order">): string {
  const values = inputs.map(({ fact }) => fact.value).toReversed();
  return [anchor, ...values, ...inputs.flatMap(({ questions }) => questions)].join("\n");
}

export const inputText = ({ fact, questions }: RoutingInput): string => [fact.value, ...questions].join("\n");

/**
 * Removes facts. An anchor with other facts gets a new vector, one without facts is removed; unchanged documents stay the same
 * objects. @param textsOf the texts of anchors that keep other facts
 */
export async function forgetFacts(
  documents: readonly RoutingDocument[],
  ids: ReadonlySet<FactId>,
  params: Stored,
  embed: Embed,
  textsOf: TextsOf,
): Promise<RoutingDocument[]> {
  const before = new Set(documents);
  const left = documents.map((document) => without(document, ids)).filter(({ facts }) => facts.length > 0);
  const touched = left.filter((document) => !before.has(document));
  if (!haveVectors(touched)) return left;
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

export function grouped(inputs: readonly RoutingInput[]): AnchorInputs[] {
  const groups = [...groupBy(inputs, ({ fact }) => fact.anchorOrder)].toSorted(([a], [b]) => a - b);
  return groups.map(([order, own]) => ({
    anchor: own[0]!.fact.anchor,
    order,
    inputs: own.toSorted((a, b) => a.fact.index - b.fact.index),
  }));
}

/** Embeds texts in batches, in stored form. @throws {Cancelled} between batches; also the errors of `embed` */
async function storedVectors(texts: readonly string[], params: Stored, embed: Embed, signal?: AbortSignal) {
  const vectors: Float32Array[] = [];
  for (let start = 0; start < texts.length; start += EMBED_BATCH) {
    throwIfCancelled(signal, "router: embedding");
    const batch = texts.slice(start, start + EMBED_BATCH);
    const made = await embed(batch);
    if (made.length !== batch.length)
      throw new Error(`router: the embedding model gave ${made.length} vectors for ${batch.length} texts`);
    vectors.push(...made.map((vector) => storedEmbedding(unitEmbedding(vector), params)));
  }
  return vectors;
}

/** A text's vector in stored form: 8-bit levels of compact ones, which move a cosine by at most 3.2e-3 (Emma). */
export const storedEmbedding = (vector: Float32Array, { vectors }: Stored): Float32Array =>
  vectors === "compact" ? toLevels(vector) : vector;

export const EMBED_BATCH = 32;
