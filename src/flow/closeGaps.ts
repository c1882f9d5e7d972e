/**
 * @file Closes the gaps that a deletion leaves: in the indices of an anchor, in the numbers of the anchors and in the offsets of a
 * text. A fact with another index has another prompt, so it is encoded again.
 */

import type { Engine } from "../engine/engine.ts";
import { startOf, stopsWhenExact } from "../memory/parts.ts";
import { assignLayers } from "../plan/layers.ts";
import { groupBy } from "../lib/group.ts";
import { isValue } from "../records/digest.ts";
import {
  charOffset,
  documentOf,
  editionOf,
  factId,
  newEdition,
  offsetOf,
  placeOf,
  textOrder,
  type DocumentId,
  type FactId,
} from "../records/ids.ts";
import {
  byFact,
  type EntryMeta,
  type MemoryEntry,
  type RoutingDocument,
  type RoutingFact,
  type SourceInfo,
} from "../records/memory.ts";
import { loadedBlocks, keptWithout, withVectors, type KeptMemory } from "../records/vectors.ts";
import { factOf } from "./facts.ts";
import { encodeAll } from "./layerProbe.ts";
import { sayFacts, asStored } from "./sayFacts.ts";

/** Facts of an anchor: one with thousands would be encoded for minutes. */
const MOST_MOVED = 512;

/**
 * Facts above the deleted ones `ids` with smaller indices. All facts of an anchor stay if one cannot be encoded again. Nothing
 * moves without a writer, since Adam's steps take seconds per fact. @returns entries of the moved facts, routing documents with the
 * new indices and the deleted facts still in them (others are the same objects), and the number of facts that keep their index above
 * a deleted one @throws Cancelled
 */
export async function closeGaps(
  engine: Engine,
  memory: KeptMemory,
  ids: ReadonlySet<FactId>,
  signal?: AbortSignal,
) {
  const { params, salts, layers, centres, waiting } = memory;
  const pending = new Set(waiting.map(({ id }) => id));
  const affected = memory.routing
    .map((document) => ({ document, indices: shifted(document, ids) }))
    .filter(({ indices }) => indices.size > 0);
  const writes = startOf(engine, params) === "writer" && stopsWhenExact(params);
  const movable = affected.filter(({ indices }) => writes && indices.size <= MOST_MOVED);
  const wanted = new Set(movable.flatMap(({ indices }) => [...indices.keys()]));
  const own = memory.entries.filter(({ id }) => wanted.has(id));
  const said = await sayFacts(engine, await withVectors(memory, own), signal);
  const planned = movable.flatMap(({ document, indices }) => {
    const facts = document.facts.filter(({ id }) => indices.has(id) && said.has(id));
    if (!facts.every((fact) => isValue(said.get(fact.id)!, fact, salts))) return [];
    const moved = facts.map(({ id }) =>
      factOf(document, { id, index: indices.get(id)!, value: said.get(id)! }),
    );
    return assignLayers(moved, layers, params);
  });
  const used = new Set(memory.entries.map(({ layer }) => layer));
  const made: MemoryEntry[] = [];
  if (planned.length > 0 && planned.every(({ layer }) => used.has(layer)))
    made.push(...(await encodeAll(engine, planned, params, { centres, signal })).map(asStored));
  const exact = new Set(
    byFact(made).flatMap((parts) => (parts.every(({ report }) => report.exact) ? parts[0]!.id : [])),
  );
  const moved = new Map(
    affected.flatMap(({ indices }) =>
      [...indices.keys()].every((id) => exact.has(id) || pending.has(id)) ? [...indices] : [],
    ),
  );
  return {
    entries: made.filter(({ id }) => moved.has(id)),
    routing: memory.routing.map((document) =>
      withFacts(document, moved, (fact) => ({ ...fact, index: moved.get(fact.id) ?? fact.index })),
    ),
    gaps: affected.reduce((sum, { indices }) => sum + indices.size, 0) - moved.size,
  };
}

/** The same object if it has no fact of `changed`. */
const withFacts = (
  document: RoutingDocument,
  changed: ReadonlyMap<FactId, unknown>,
  of: (fact: RoutingFact) => RoutingFact,
): RoutingDocument =>
  document.facts.some(({ id }) => changed.has(id))
    ? { ...document, facts: document.facts.map(of) }
    : document;

/** The new index of every retained fact that has a deleted one below it. */
function shifted({ facts }: RoutingDocument, ids: ReadonlySet<FactId>): Map<FactId, number> {
  const indices = new Map<FactId, number>();
  let gone = 0;
  for (const { id, index } of facts.toSorted((a, b) => a.index - b.index))
    if (ids.has(id)) gone++;
    else if (gone > 0) indices.set(id, index - gone);
  return indices;
}

/**
 * The texts as if the deleted sentences had never been in them: a stretch from a deleted fact to the next fact goes, and later
 * offsets move back by its length. @returns new ids of the retained facts of these texts, and their sources
 */
export function closedTexts(
  { routing, sources }: Pick<KeptMemory, "routing" | "sources">,
  gone: ReadonlySet<FactId>,
) {
  const ends = new Map(sources.map(({ id, characters }) => [id, characters]));
  const renamed = new Map<FactId, FactId>();
  const cuts = new Map<DocumentId, { readonly facts: number; readonly characters: number }>();
  const all = routing.flatMap(({ facts }) => facts.map(({ id }) => id));
  for (const ids of groupBy(all, editionOf).values()) {
    const document = documentOf(ids[0]!);
    const edition = newEdition(document);
    const lost = ids.filter((id) => gone.has(id)).length;
    if (lost === 0) continue;
    let cut = 0;
    ids.sort((a, b) => offsetOf(a) - offsetOf(b));
    for (const [i, id] of ids.entries()) {
      const [start, next] = [offsetOf(id), ids[i + 1]];
      const end = next === undefined ? (ends.get(document) ?? start) : offsetOf(next);
      if (gone.has(id)) cut += Math.max(0, end - start);
      else renamed.set(id, factId(edition, charOffset(start - cut)));
    }
    const { facts = 0, characters = 0 } = cuts.get(document) ?? {};
    cuts.set(document, { facts: facts + lost, characters: characters + cut });
  }
  const left = (count: number, by: number): number => Math.max(0, count - by);
  const texts = sources.flatMap((source): SourceInfo[] => {
    const cut = cuts.get(source.id);
    if (!cut) return [];
    const characters = left(source.characters, cut.characters);
    const share = characters / Math.max(1, source.characters);
    return [
      {
        ...{ ...source, characters },
        ...(source.bytes !== undefined && { bytes: Math.round(source.bytes * share) }),
        sentences: left(source.sentences, cut.facts),
        candidates: left(source.candidates, cut.facts),
      },
    ];
  });
  return { renamed, texts };
}

/** Routing documents with the new ids, and numbered in the order of their first facts if no layer depends on that number. */
export function renumbered(
  routing: readonly RoutingDocument[],
  { sources, params }: Pick<KeptMemory, "sources" | "params">,
  renamed: ReadonlyMap<FactId, FactId>,
): RoutingDocument[] {
  const documents = routing.map((document) =>
    withFacts(document, renamed, (fact) => ({ ...fact, id: renamed.get(fact.id) ?? fact.id })),
  );
  if (params.layersFrom === "order") return documents;
  const byText = textOrder(sources);
  const first = documents.map((document) => ({
    document,
    place: document.facts.map(({ id }) => placeOf(id)).toSorted(byText)[0]!,
  }));
  first.sort((a, b) => byText(a.place, b.place));
  return first.map(({ document }, order) => (document.order === order ? document : { ...document, order }));
}

/** `memory` with new entries of some of its facts in the places of the former ones. */
export function withMoved(memory: KeptMemory, moved: readonly MemoryEntry[]): KeptMemory {
  if (moved.length === 0) return memory;
  const made = new Map(byFact<EntryMeta>(moved).map((parts) => [parts[0]!.id, parts]));
  const rest = keptWithout(memory, new Set(made.keys()));
  return {
    ...memory,
    entries: byFact(memory.entries).flatMap((parts) => made.get(parts[0]!.id) ?? parts),
    blocks: [...rest.blocks, ...loadedBlocks(moved)],
  };
}
