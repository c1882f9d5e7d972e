/** @file Merges an imported memory into a stored one, whose facts keep their place, spelling and numbers. */

import { messageOf } from "../lib/assert.ts";
import { many } from "../lib/format.ts";
import { meanDirection } from "../lib/vector.ts";
import type { LayerIndex } from "../records/ids.ts";
import { joining } from "../records/parameterSets.ts";
import {
  countFacts,
  type EntryMeta,
  type Memory,
  modelTag,
  type RoutingDocument,
  type RoutingFact,
  sameModel,
} from "../records/memory.ts";
import { checkFacts, checkLayers } from "./checkImported.ts";
import type { Batch } from "./port.ts";

export interface Joined {
  readonly batch: Required<Pick<Batch, "routing" | "sources">> &
    Pick<Batch, "earlier" | "centres"> & { readonly entries: readonly EntryMeta[] };
  readonly skipped: number;
  readonly notes: readonly string[];
}

/**
 * The batch that adds the facts of `added` whose id is not stored yet. Facts whose key is taken, or whose layer uses another
 * key centre here, are encoded again later; without words they are skipped.
 * @throws if the two have different models or embedders, or store their words differently
 */
export function joinMemories(stored: Memory<EntryMeta>, added: Memory<EntryMeta>, name: string): Joined {
  checkSame(stored, added, name);
  const known = new Set([
    ...stored.entries.map(({ id }) => id),
    ...stored.routing.flatMap(({ facts }) => facts.map(({ id }) => id)),
  ]);
  const held = new Map(stored.routing.map((document) => [document.anchor, document]));
  const renumbered = new Set<string>();
  const { foreign, centres } = joinCentres(stored, added);
  const elsewhere = new Set(added.entries.filter(({ layer }) => foreign.has(layer)).map(({ id }) => id));
  const lost = new Set<string>();
  let order = Math.max(-1, ...stored.routing.map((document) => document.order)) + 1;
  const routing = added.routing
    .map((document) => ({ ...document, facts: document.facts.filter(({ id }) => !known.has(id)) }))
    .map((document) => withoutLost(document, held.get(document.anchor), elsewhere, lost))
    .filter(({ facts }) => facts.length > 0)
    .map((document) => {
      const old = held.get(document.anchor);
      return old ? joinDocuments(old, document, renumbered) : { ...document, order: order++ };
    });
  const fresh = added.entries.filter(({ id }) => !known.has(id) && !lost.has(id));
  const sources = new Set(stored.sources.map(({ id }) => id));
  const joined = routing.filter(({ anchor }) => held.has(anchor)).length;
  const apart = new Set(fresh.filter(({ id }) => elsewhere.has(id)).map(({ id }) => id));
  const encoded = fresh.filter(({ id }) => !renumbered.has(id) && !apart.has(id));
  return {
    batch: {
      ...joining(stored, added, encoded),
      ...(centres && { centres }),
      routing,
      sources: added.sources.filter(({ id }) => !sources.has(id)),
    },
    skipped: countFacts(added.entries) - countFacts(fresh) - lost.size,
    notes: notesOf(joined, {
      renumbered: renumbered.size,
      apart: [...apart].filter((id) => !renumbered.has(id)).length,
      lost: lost.size,
    }),
  };
}

/** Without wordless facts that would have to be encoded again: their key is taken, or uses another centre (`elsewhere`). */
function withoutLost(
  added: RoutingDocument,
  old: RoutingDocument | undefined,
  elsewhere: ReadonlySet<string>,
  lost: Set<string>,
): RoutingDocument {
  const taken = new Set(old?.facts.map(({ index }) => index));
  const gone = added.facts.filter(
    ({ id, index, value }) => value === null && (taken.has(index) || elsewhere.has(id)),
  );
  for (const { id } of gone) lost.add(id);
  return gone.length === 0 ? added : { ...added, facts: added.facts.filter((fact) => !gone.includes(fact)) };
}

function joinDocuments(
  old: RoutingDocument,
  added: RoutingDocument,
  renumbered: Set<string>,
): RoutingDocument {
  const taken = new Set(old.facts.map(({ index }) => index));
  let next =
    Math.max(0, ...old.facts.map(({ index }) => index), ...added.facts.map(({ index }) => index)) + 1;
  const facts = added.facts.map((fact): RoutingFact => {
    if (!taken.has(fact.index)) return fact;
    renumbered.add(fact.id);
    return { ...fact, index: next++ };
  });
  const [a, b] = [old.facts.length, added.facts.length];
  const vector = meanDirection(old.vector, a, added.vector, b);
  return { ...old, facts: [...old.facts, ...facts], vector };
}

function joinCentres(stored: Memory<EntryMeta>, added: Memory<EntryMeta>) {
  const held = new Set([...stored.entries, ...(stored.centres ?? [])].map(({ layer }) => layer));
  const vectorOf = ({ centres }: Memory<EntryMeta>, layer: LayerIndex): string =>
    (centres?.find((one) => one.layer === layer)?.vector ?? []).join();
  const layers = [...new Set(added.entries.map(({ layer }) => layer))];
  const foreign = layers.filter(
    (layer) => held.has(layer) && vectorOf(stored, layer) !== vectorOf(added, layer),
  );
  const fresh = (added.centres ?? []).filter(({ layer }) => !held.has(layer));
  return {
    foreign: new Set<number>(foreign),
    centres: fresh.length > 0 ? [...(stored.centres ?? []), ...fresh] : undefined,
  };
}

function notesOf(
  joined: number,
  { renumbered, apart, lost }: Readonly<Record<"renumbered" | "apart" | "lost", number>>,
): string[] {
  const later = "with the model open, resume encoding to store";
  const notes: readonly [count: number, note: string][] = [
    [joined, `${many(joined, "anchor")} now with facts of both memories, found by the mean of both vectors.`],
    [renumbered, `${many(renumbered, "fact")} with a key that another fact already has; ${later} new keys.`],
    [
      apart,
      `${many(apart, "fact")} with another key centre than the layer has here; ${later} comparable keys.`,
    ],
    [
      lost,
      `${many(lost, "fact")} skipped: the key is already taken or uses another centre, and a memory without words cannot be re-encoded.`,
    ],
  ];
  return notes.filter(([count]) => count > 0).map(([, note]) => note);
}

function checkSame(stored: Memory<EntryMeta>, added: Memory<EntryMeta>, name: string): void {
  const differs = (what: string, theirs: string, ours: string): Error =>
    new Error(
      `archive: "${name}" cannot be merged: its ${what} is ${theirs}, that of the stored memory is ${ours}. Nothing was changed: import it into a new notebook, or replace the memory.`,
    );
  if (!sameModel(stored.model, added.model))
    throw differs("model", modelTag(added.model), modelTag(stored.model));
  if (stored.embedder !== added.embedder) throw differs("embedder", added.embedder, stored.embedder);
  // Terms with different salts, or without one, cannot be looked up together.
  if (stored.salt !== added.salt) throw differs("routing index", indexOf(added), indexOf(stored));
  // So far the archive was checked against its own claims about the model only.
  try {
    const claimed = { ...added, model: stored.model };
    checkLayers(claimed);
    checkFacts(claimed.entries, claimed);
  } catch (error) {
    throw new Error(
      `archive: "${name}" cannot be merged: ${messageOf(error)}. Nothing was changed: export it again, or get another copy.`,
      { cause: error },
    );
  }
  const [a, b] = [stored, added].map(({ routing }) => routing[0]?.vector.length);
  if (a !== undefined && b !== undefined && a !== b)
    throw differs("length of routing vectors", String(b), String(a));
}

const indexOf = ({ salt }: Memory<EntryMeta>): string =>
  salt === undefined ? "in words" : "wordless, with its own salt";
