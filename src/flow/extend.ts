/** @file How new facts join a memory that exists: known anchors keep their order, their spelling and their count. */

import type { Engine } from "../engine/engine.ts";
import { anchorKey } from "../extract/anchorKey.ts";
import { assert } from "../lib/assert.ts";
import type { Fact } from "../records/fact.ts";
import { charOffset, type DocumentId } from "../records/ids.ts";
import type { Memory, RoutingDocument } from "../records/memory.ts";
import type { Document } from "../records/source.ts";

/** What a stored memory means for facts that come after it. */
export interface Standing {
  readonly anchors: ReadonlyMap<string, RoutingDocument>;
  readonly nextOrder: number;
  /** C for the new facts: what the old ones leave of K C, per layer. */
  capacityLeft(capacity: number, layers: number): number;
  /** All routing documents with `added` joined to those of the same anchor. */
  merge(added: readonly RoutingDocument[]): RoutingDocument[];
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
    capacityLeft: (capacity, layers) =>
      Math.max(1, capacity - Math.ceil((stored?.entries.length ?? 0) / Math.max(layers, 1))),
    merge: (added) => merge(routing, added),
  };
}

function merge(routing: readonly RoutingDocument[], added: readonly RoutingDocument[]): RoutingDocument[] {
  const byOrder = new Map(routing.map((document) => [document.order, document]));
  for (const document of added) {
    const old = byOrder.get(document.order);
    // The joined document takes the newer vector: it was made from the statements that now hold.
    byOrder.set(document.order, old ? { ...document, facts: [...old.facts, ...document.facts] } : document);
  }
  return [...byOrder.values()].sort((a, b) => a.order - b.order);
}

/** Documents that are not in the memory yet, each once. */
export function withoutKnown(documents: readonly Document[], stored: Memory | null): Document[] {
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
        const [document, offset] = id.split(":");
        return {
          id,
          documentId: document as DocumentId,
          anchor,
          anchorOrder: order,
          index,
          value,
          offset: charOffset(Number(offset)),
          validated: false,
        };
      }),
  );
}
