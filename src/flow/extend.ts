/** @file How new facts join a memory that exists: known anchors keep their order, their spelling and their count. */

import type { Engine } from "../engine/engine.ts";
import { samenessOf, type Sameness } from "../extract/facts.ts";
import { assert } from "../lib/assert.ts";
import { meanDirection } from "../lib/vector.ts";
import type { Fact } from "../records/fact.ts";
import { documentOf, type DocumentId, type FactId } from "../records/ids.ts";
import {
  type EntryMeta,
  type Memory,
  modelTag,
  precisionOf,
  type RoutingDocument,
} from "../records/memory.ts";
import type { ParamsOf } from "../records/params.ts";
import type { Document } from "../records/source.ts";
import { storedEmbedding } from "../router/documents.ts";

/** The memory was indexed by another text embedder; a page offers to choose that one. */
export class WrongEmbedder extends Error {
  override name = "WrongEmbedder";
}

/** @throws if the memory was made with another model or precision, and {@link WrongEmbedder} */
export function checkFits(memory: Pick<Memory, "model" | "embedder">, engine: Engine): void {
  checkModel(memory, engine);
  checkEmbedder(memory, engine);
}

/** Advice if one model may have replaced the other; the bundled model is named after its size, which an edition may change. */
function replacement(made: string, open: string): string {
  if (made !== open && ![made, open].every((name) => /^palimpsest-\d+m$/.test(name))) return "";
  const [why, where] =
    made === open
      ? ["Both have one name: the weights were replaced", ""]
      : [
          "Both are editions of the bundled model, the memory of an earlier one",
          ` (public/models/${made} of the version of the app that made it)`,
        ];
  return `. ${why}. To recall from the memory, carry it over to this model (menu of the memory cell, or --carry), for which the former weights are opened as files${where}, or memorise the text again`;
}

/** @throws if `memory` was made with another model, or in another precision: its keys would not match */
export function checkModel(memory: Pick<Memory, "model">, { model }: Pick<Engine, "model">): void {
  assert(
    memory.model.sha256 === model.sha256,
    () =>
      `flow: the stored memory belongs to ${modelTag(memory.model)}, the model is ` +
      `${modelTag(model)}; use that model, or another store${replacement(memory.model.name, model.name)}`,
  );
  const [made, open] = [memory.model, model].map(precisionOf);
  assert(
    made === open,
    () =>
      `flow: the stored memory was made with ${model.name} in ${made}, which is open in ${open} now: its vectors would ` +
      `say other words; open the model in ${made} (--precision ${made}), or use another store`,
  );
}

/** @throws {WrongEmbedder} if `memory` was indexed by another one: vectors cannot be compared */
export function checkEmbedder(memory: Pick<Memory, "embedder">, { embedder }: Engine): void {
  if (memory.embedder === embedder) return;
  throw new WrongEmbedder(
    `flow: the stored memory was indexed by "${memory.embedder}", now "${embedder}" is set; use the former: ` +
      'in the page it is chosen under "Text embedder" in the memorise cell, on the command line by --embedder',
  );
}

export function withoutKnown(
  documents: readonly Document[],
  stored: Pick<Memory, "sources"> | null,
): Document[] {
  const known = new Set<DocumentId>(stored?.sources.map(({ id }) => id));
  return documents.filter(({ id }) => !known.has(id) && known.add(id));
}

/** Facts of new texts under the anchors of a memory: known ones keep their spelling and ι, new ones follow in order. */
export function placeAnchors<F extends Fact>(
  routing: readonly RoutingDocument[],
  facts: readonly F[],
  sameness: Sameness,
): F[] {
  const keyOf = samenessOf(sameness);
  const anchors = new Map(routing.map((document) => [keyOf(document.anchor), document]));
  const fresh = facts.filter(({ anchor }) => !anchors.has(keyOf(anchor))).map((fact) => fact.anchorOrder);
  const next = Math.max(-1, ...routing.map(({ order }) => order)) + 1;
  const orders = [...new Set(fresh)].sort((a, b) => a - b);
  const placeOf = new Map(orders.map((order, i) => [order, next + i]));
  return facts.map((fact) => {
    const known = anchors.get(keyOf(fact.anchor));
    return known
      ? { ...fact, anchor: known.anchor, anchorOrder: known.order }
      : { ...fact, anchorOrder: placeOf.get(fact.anchorOrder)! };
  });
}

/** Continues j after the last of the anchor's stored facts, so that no key is used twice. */
export function countOn(routing: readonly RoutingDocument[], facts: readonly Fact[]): Fact[] {
  const last = new Map(
    routing.map(({ order, facts }) => [order, Math.max(0, ...facts.map(({ index }) => index))]),
  );
  return facts.map((fact) => ({ ...fact, index: (last.get(fact.anchorOrder) ?? 0) + fact.index }));
}

/** The oldest stored facts, which make room for new ones if an anchor keeps at most `depth` (m̂) facts in the memory. */
export function evictedBy(
  routing: readonly RoutingDocument[],
  added: readonly Fact[],
  depth: number,
): Set<FactId> {
  const counts = new Map<number, number>();
  for (const { anchorOrder } of added) counts.set(anchorOrder, (counts.get(anchorOrder) ?? 0) + 1);
  const over = routing.flatMap(({ order, facts }) => {
    const excess = facts.length + (counts.get(order) ?? 0) - depth;
    const oldest = facts.toSorted((a, b) => a.index - b.index);
    return counts.has(order) ? oldest.slice(0, Math.max(0, excess)) : [];
  });
  return new Set(over.map(({ id }) => id));
}

/** `memory` without the facts `evicted`; documents are joined later. */
export function withoutEvicted(memory: Memory<EntryMeta>, evicted: ReadonlySet<FactId>): Memory<EntryMeta> {
  if (evicted.size === 0) return memory;
  const stays = ({ id }: { readonly id: FactId }): boolean => !evicted.has(id);
  const routing = memory.routing.map((document) => ({ ...document, facts: document.facts.filter(stays) }));
  const sources = sourcesLeft(memory, routing, [...evicted].map(documentOf));
  const waiting = memory.waiting.filter(stays);
  return { ...memory, entries: memory.entries.filter(stays), routing, waiting, sources };
}

/** The sources without those of `lost` that have no fact left: they can be memorised again. */
export function sourcesLeft(
  { sources }: Pick<Memory, "sources">,
  routing: Memory["routing"],
  lost: readonly DocumentId[],
): Memory["sources"] {
  const alive = new Set(routing.flatMap(({ facts }) => facts.map(({ id }) => documentOf(id))));
  return sources.filter(({ id }) => alive.has(id) || !lost.includes(id));
}

export function mergeRouting(
  routing: readonly RoutingDocument[],
  added: readonly RoutingDocument[],
  params: ParamsOf<"index">,
): RoutingDocument[] {
  const byOrder = new Map(routing.map((document) => [document.order, document]));
  for (const document of added) {
    const old = byOrder.get(document.order);
    byOrder.set(document.order, old ? joinedTo(old, document, params) : document);
  }
  return [...byOrder.values()].sort((a, b) => a.order - b.order);
}

function joinedTo(old: RoutingDocument, added: RoutingDocument, params: ParamsOf<"index">): RoutingDocument {
  const [a, b] = [old.facts.length, added.facts.length];
  const vector = meanDirection(old.vector, a, added.vector, b);
  return { ...added, facts: [...old.facts, ...added.facts], vector: storedEmbedding(vector, params) };
}
