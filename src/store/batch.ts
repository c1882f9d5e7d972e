/** @file Checks before a store writes, and how a batch or a removal changes a memory. Pure. */

import {
  byFact,
  type EntryMeta,
  type Memory,
  type MemoryEntry,
  type ModelIdentity,
  type RoutingDocument,
} from "../records/memory.ts";
import { textOrder } from "../records/ids.ts";
import type { Batch, Removal } from "./port.ts";

export function withBatches<E extends EntryMeta>(memory: Memory<E>, batches: readonly Batch<E>[]): Memory<E> {
  return {
    ...batches.reduce(headWith, memory),
    entries: mergeEntries([memory.entries, ...batches.map(({ entries = [] }) => entries)]),
    routing: merge(
      memory.routing,
      batches.flatMap(({ routing = [] }) => routing),
      (document) => document.anchor,
    ),
    waiting: stillWaiting(memory.waiting, batches),
  };
}

function stillWaiting(waiting: Memory["waiting"], batches: readonly Batch<EntryMeta>[]): Memory["waiting"] {
  const encoded = new Set(batches.flatMap(({ entries = [] }) => entries.map(({ id }) => id)));
  const all = [...waiting, ...batches.flatMap((batch) => batch.waiting ?? [])];
  return all.filter(({ id }) => !encoded.has(id));
}

export const headWith = <H extends Pick<Memory, "sources" | "earlier" | "centres">>(
  head: H,
  { sources, earlier, centres }: Omit<Batch, "entries">,
): H => ({
  ...head,
  sources: merge(head.sources, sources, ({ id }) => id),
  ...(earlier && { earlier }),
  ...(centres && { centres }),
});

/** The entries of a fact come together and replace all earlier ones: the fact may have been split differently. */
function mergeEntries<E extends EntryMeta>(lists: readonly (readonly E[])[]): readonly E[] {
  if (lists.every((list, i) => i === 0 || list.length === 0)) return lists[0]!;
  const facts = lists.flatMap((list) => byFact(list).map((parts) => [parts[0]!.id, parts] as const));
  return [...new Map(facts).values()].flat();
}

function merge<T>(old: readonly T[], added: readonly T[] | undefined, id: (item: T) => string): readonly T[] {
  if (!added || added.length === 0) return old;
  const byId = new Map(old.map((item) => [id(item), item]));
  for (const item of added) byId.set(id(item), item);
  return [...byId.values()];
}

/** Everything but the entries, after a removal. */
export function restWithout<H extends Omit<Memory, "entries">>(rest: H, removal: Removal): H {
  const { ids, renamed, texts = [], record } = removal;
  const left = leaving(removal);
  const gone = new Set(removal.sources);
  const renewed = new Map(texts.map((source) => [source.id, source]));
  return {
    ...rest,
    sources: rest.sources.flatMap((one) => (gone.has(one.id) ? [] : (renewed.get(one.id) ?? one))),
    routing: rest.routing.flatMap((document) => left(document) ?? []).sort((a, b) => a.order - b.order),
    waiting: rest.waiting.flatMap(({ id, value }) =>
      ids.has(id) ? [] : { id: renamed?.get(id) ?? id, value },
    ),
    ...(record && { deletions: [...(rest.deletions ?? []), record] }),
  };
}

/** The order of entries after a removal: that of their sentences, which shows no run and no batch. */
export function inTextOrder({ sources }: Pick<Memory, "sources">) {
  type Place = Pick<EntryMeta, "id" | "documentId" | "offset" | "start">;
  const byText = textOrder(sources);
  return (a: Place, b: Place): number => byText(a, b) || a.id.localeCompare(b.id) || a.start - b.start;
}

/** To itself, its new form, or null if it is deleted. @throws if the new form is missing */
function leaving({ ids, routing }: Removal): (document: RoutingDocument) => RoutingDocument | null {
  const given = new Map(routing.map((document) => [document.anchor, document]));
  return (document) => {
    const renewed = given.get(document.anchor);
    if (renewed) return renewed;
    const kept = document.facts.filter(({ id }) => !ids.has(id)).length;
    if (kept === document.facts.length) return document;
    if (kept === 0) return null;
    throw new Error(
      `store: routing document "${document.anchor}" keeps ${kept} of ${document.facts.length} facts; give its new form without the others, with its vector`,
    );
  };
}

export function checkRemoval({ ids, routing, entries = [] }: Removal, model: ModelIdentity): void {
  checkBatch({ routing, entries }, model);
  for (const { anchor, facts } of routing) {
    const held = facts.find(({ id }) => ids.has(id));
    if (held)
      throw new Error(
        `store: routing document "${anchor}" still contains "${held.id}", which is to be deleted; leave it out`,
      );
  }
}

/** @throws on repeated ids, vectors of another length than the model has, routing vectors of mixed length */
export function checkBatch(batch: Batch, model: ModelIdentity): void {
  const { entries = [], routing = [], waiting = [], sources = [] } = batch;
  const named = {
    entry: entries.map(({ id, part }) => (part === 1 ? id : `${id} part ${part}`)),
    "routing document": routing.map(({ anchor }) => anchor),
    "waiting fact": waiting.map(({ id }) => id),
    source: sources.map(({ id }) => id),
  };
  for (const [what, ids] of Object.entries(named)) checkUnique(what, ids);
  for (const entry of entries) {
    checkVector(entry, "key", model.dFf, "dFf");
    checkVector(entry, "residual", model.dModel, "dModel");
  }
  const length = routing[0]?.vector.length ?? 0;
  for (const document of routing) checkRouting(document, length);
}

function checkUnique(what: string, ids: readonly string[]): void {
  const seen = new Set<string>();
  for (const id of ids) {
    if (seen.has(id))
      throw new Error(`store: ${what} "${id}" occurs twice in the memory to save; give each once`);
    seen.add(id);
  }
}

function checkVector(entry: MemoryEntry, field: "key" | "residual", length: number, name: string): void {
  if (entry[field].length !== length)
    throw new Error(
      `store: entry "${entry.id}": its ${field} has ${entry[field].length} values, but ${name} of the memory's model is ${length}`,
    );
}

function checkRouting(document: RoutingDocument, length: number): void {
  for (const vector of [document.vector, ...document.facts.map((fact) => fact.vector)]) {
    if (vector && vector.length !== length)
      throw new Error(
        `store: routing document "${document.anchor}" has a vector of ${vector.length} values and one of ${length}; use one embedder for all`,
      );
  }
}

export const nothingSaved = (name: string, change: "append to" | "delete from"): Error =>
  new Error(`store: ${name}: nothing is saved to ${change}; save a memory first`);
