/** @file How new facts join a memory that exists: known anchors keep their order, their spelling and their count. */

import type { Engine } from "../engine/engine.ts";
import { anchorKey } from "../extract/anchorKey.ts";
import { assert } from "../lib/assert.ts";
import type { Fact } from "../records/fact.ts";
import { documentOf, offsetOf, type DocumentId } from "../records/ids.ts";
import type { Memory, RoutingDocument } from "../records/memory.ts";
import type { Document } from "../records/source.ts";
import { documentText, type Embed } from "../router/documents.ts";

/** What a stored memory means for facts that come after it. */
export interface Standing {
  readonly anchors: ReadonlyMap<string, RoutingDocument>;
  readonly nextOrder: number;
  /** Facts of the memory, those an interrupted run left to be encoded among them. */
  readonly facts: number;
  /** All routing documents with `added` joined to those of the same anchor. */
  merge(added: readonly RoutingDocument[], embed: Embed): Promise<RoutingDocument[]>;
}

/**
 * Checks that a memory can be used with this engine.
 * @throws when it was made with another model (its keys would address nothing) or another text embedder
 */
export function checkFits(memory: Memory, { model, embedder }: Pick<Engine, "model" | "embedder">): void {
  assert(
    memory.model.sha256 === model.sha256,
    () =>
      `flow: the stored memory belongs to ${memory.model.name} (${memory.model.sha256.slice(0, 12)}), the model is ` +
      `${model.name} (${model.sha256.slice(0, 12)}); use that model, or another store`,
  );
  assert(
    memory.embedder === embedder,
    () =>
      `flow: the stored memory was indexed by "${memory.embedder}", now "${embedder}" is set; use the former`,
  );
}

/** The standing of a stored memory, or of none. Throws where {@link checkFits} does. */
export function standingOf(stored: Memory | null, engine: Pick<Engine, "model" | "embedder">): Standing {
  if (stored) checkFits(stored, engine);
  const routing = stored?.routing ?? [];
  const anchors = new Map(routing.map((document) => [anchorKey(document.anchor), document]));
  return {
    anchors,
    nextOrder: Math.max(-1, ...routing.map(({ order }) => order)) + 1,
    facts: stored ? stored.entries.length + pendingFacts(stored).length : 0,
    merge: (added, embed) => merge(routing, added, embed),
  };
}

/** A joined document gets the vector of its whole text, as if all its facts had come at once. */
async function merge(
  routing: readonly RoutingDocument[],
  added: readonly RoutingDocument[],
  embed: Embed,
): Promise<RoutingDocument[]> {
  const byOrder = new Map(routing.map((document) => [document.order, document]));
  const joined = added.flatMap((document) => {
    const old = byOrder.get(document.order);
    return old ? [{ ...document, facts: [...old.facts, ...document.facts] }] : [];
  });
  for (const document of added) byOrder.set(document.order, document);
  const vectors = joined.length > 0 ? await embed(joined.map(documentText)) : [];
  for (const [i, document] of joined.entries())
    byOrder.set(document.order, { ...document, vector: vectors[i]! });
  return [...byOrder.values()].sort((a, b) => a.order - b.order);
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
export function continueFrom({ anchors, nextOrder }: Standing, facts: readonly Fact[]): Fact[] {
  const orders = new Map<number, number>();
  let next = nextOrder;
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

/** Facts that the routing index holds but no entry stores: an interrupted run left them. */
export function pendingFacts({ routing, entries }: Memory): Fact[] {
  const encoded = new Set(entries.map(({ id }) => id));
  return routing.flatMap(({ anchor, order, facts }) =>
    facts
      .filter(({ id }) => !encoded.has(id))
      .map(({ id, index, value }) => {
        return {
          id,
          documentId: documentOf(id),
          anchor,
          anchorOrder: order,
          index,
          value,
          offset: offsetOf(id),
          validated: false,
        };
      }),
  );
}
