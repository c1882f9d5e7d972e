/** @file How new facts join a memory that exists: known anchors keep their order, their spelling and their count. */

import type { Engine } from "../engine/engine.ts";
import { anchorKey } from "../extract/anchorKey.ts";
import { assert } from "../lib/assert.ts";
import { unit } from "../lib/vector.ts";
import type { Fact } from "../records/fact.ts";
import type { DocumentId } from "../records/ids.ts";
import { modelTag, type Memory, type RoutingDocument } from "../records/memory.ts";
import type { Document } from "../records/source.ts";
import { documentText, type Embed } from "../router/documents.ts";

/**
 * Checks that a memory can be used with this engine.
 * @throws when it was made with another model (its keys would address nothing) or another text embedder
 */
export function checkFits(memory: Memory, { model, embedder }: Pick<Engine, "model" | "embedder">): void {
  assert(
    memory.model.sha256 === model.sha256,
    () =>
      `flow: the stored memory belongs to ${modelTag(memory.model)}, the model is ` +
      `${modelTag(model)}; use that model, or another store`,
  );
  assert(
    memory.embedder === embedder,
    () =>
      `flow: the stored memory was indexed by "${memory.embedder}", now "${embedder}" is set; use the former`,
  );
}

/** Documents that are not in the memory yet, each once. */
export function withoutKnown(
  documents: readonly Document[],
  stored: Pick<Memory, "sources"> | null,
): Document[] {
  const known = new Set<DocumentId>(stored?.sources.map(({ id }) => id));
  return documents.filter(({ id }) => !known.has(id) && known.add(id));
}

/** Renumbers ι and j of new facts so that they follow what is stored. */
export function continueFrom(routing: readonly RoutingDocument[], facts: readonly Fact[]): Fact[] {
  const anchors = new Map(routing.map((document) => [anchorKey(document.anchor), document]));
  const orders = new Map<number, number>();
  let next = Math.max(-1, ...routing.map(({ order }) => order)) + 1;
  return facts.map((fact) => {
    const known = anchors.get(anchorKey(fact.anchor));
    if (known) {
      const last = Math.max(0, ...known.facts.map(({ index }) => index));
      return { ...fact, anchor: known.anchor, anchorOrder: known.order, index: last + fact.index };
    }
    if (!orders.has(fact.anchorOrder)) orders.set(fact.anchorOrder, next++);
    return { ...fact, anchorOrder: orders.get(fact.anchorOrder)! };
  });
}

/**
 * All routing documents with `added` joined to those of the same anchor. A joined document gets the vector of its
 * whole text, as if all its facts had come at once; where the older facts keep no words, the mean of both vectors by
 * the number of their facts.
 */
export async function mergeRouting(
  routing: readonly RoutingDocument[],
  added: readonly RoutingDocument[],
  embed: Embed,
): Promise<RoutingDocument[]> {
  const byOrder = new Map(routing.map((document) => [document.order, document]));
  const joined: RoutingDocument[] = [];
  for (const document of added) {
    const old = byOrder.get(document.order);
    const whole = old ? joinedTo(old, document) : document;
    byOrder.set(document.order, whole);
    if (old && old.facts.every(({ value }) => value !== null)) joined.push(whole);
  }
  const vectors = joined.length > 0 ? await embed(joined.map(documentText)) : [];
  for (const [i, document] of joined.entries())
    byOrder.set(document.order, { ...document, vector: vectors[i]! });
  return [...byOrder.values()].sort((a, b) => a.order - b.order);
}

/** A document with the facts of another of the same anchor, found by the mean of both. */
function joinedTo(old: RoutingDocument, added: RoutingDocument): RoutingDocument {
  const [a, b] = [old.facts.length, added.facts.length];
  const vector = unit(old.vector.map((x, i) => (a * x + b * added.vector[i]!) / (a + b)));
  return { ...added, facts: [...old.facts, ...added.facts], vector };
}
