/** @file Export and import of a memory as one zip, and merging it into a stored one. An import is written in one step, or not at all. */

import { present, messageOf } from "../lib/assert.ts";
import { omit } from "../lib/omit.ts";
import type { FactId, LayerIndex } from "../records/ids.ts";
import {
  countFacts,
  type EntryMeta,
  type Memory,
  modelTag,
  sameModel,
  MOST_SALTS,
  type RoutingDocument,
  haveVectors,
} from "../records/memory.ts";
import { outlineOf } from "../records/vectors.ts";
import { retold } from "../records/updatedEntries.ts";
import { NOTEBOOK_FILE, packMemory } from "./archiveFormat.ts";
import { openArchive, readArchive, checkFacts, checkLayers } from "./archiveRead.ts";
import { withBatches } from "./batch.ts";
import { outlineOfPieces, type Pieces } from "./pieces.ts";
import type { Store } from "./port.ts";
import type { SigningKey } from "./signing.ts";
import { readWithFindings } from "./verifyArchive.ts";
import { many } from "../lib/format.ts";
import { meanDirection } from "../lib/vector.ts";
import { joining } from "../records/parameterSets.ts";

/**
 * `left`: encoded facts whose key is taken, or whose layer uses another key centre here; only their words could be added.
 * @throws on other models or embedders, or too many salts
 */
export function joinMemories(stored: Memory<EntryMeta>, given: Memory<EntryMeta>, name: string) {
  const near = haveVectors(stored.routing);
  const added = near || stored.routing.length === 0 ? given : withoutVectors(given);
  checkSame(stored, added, name);
  const known = new Set(stored.routing.flatMap(({ facts }) => facts.map(({ id }) => id)));
  const held = new Map(stored.routing.map((document) => [document.anchor, document]));
  const { foreign, centres } = joinCentres(stored, added);
  const elsewhere = new Set(added.entries.filter(({ layer }) => foreign.has(layer)).map(({ id }) => id));
  const encoded = new Set(added.entries.map(({ id }) => id));
  const lost = new Set<FactId>();
  let order = Math.max(-1, ...stored.routing.map((document) => document.order)) + 1;
  const routing = added.routing.flatMap((document) => {
    const old = held.get(document.anchor);
    const taken = new Set(old?.facts.map(({ index }) => index));
    const fresh = document.facts.filter(({ id }) => !known.has(id));
    const gone = fresh.filter(({ id, index }) => encoded.has(id) && (taken.has(index) || elsewhere.has(id)));
    for (const { id } of gone) lost.add(id);
    const facts = fresh.filter(({ id }) => !lost.has(id));
    if (facts.length === 0) return [];
    return old ? joinDocuments(old, { ...document, facts }) : { ...document, facts, order: order++ };
  });
  const comes = ({ id }: { readonly id: FactId }): boolean => !known.has(id) && !lost.has(id);
  const entries = added.entries.filter(comes);
  const sources = new Set(stored.sources.map(({ id }) => id));
  return {
    batch: {
      ...joining(stored, added, entries),
      ...(centres && { centres }),
      routing,
      waiting: added.waiting.filter(comes),
      sources: added.sources.filter(({ id }) => !sources.has(id)),
    },
    salts: saltsOf(stored, added),
    skipped: countFacts(added.entries) - countFacts(entries) - lost.size,
    left: [...lost],
    notes: notesOf(routing.filter(({ anchor }) => held.has(anchor)).length, near),
  };
}

/** Two documents of one anchor as one. A fact that waits and whose number is taken gets the next free one. */
function joinDocuments(old: RoutingDocument, added: RoutingDocument): RoutingDocument {
  const taken = new Set(old.facts.map(({ index }) => index));
  let next = Math.max(...[...old.facts, ...added.facts].map(({ index }) => index)) + 1;
  const facts = added.facts.map((fact) => (taken.has(fact.index) ? { ...fact, index: next++ } : fact));
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

const withoutVectors = (memory: Memory<EntryMeta>): Memory<EntryMeta> => ({
  ...memory,
  routing: memory.routing.map((document) => ({
    ...document,
    facts: document.facts.map((fact) => omit(fact, "vector")),
    vector: new Float32Array(0),
  })),
});

function notesOf(joined: number, near: boolean): string[] {
  if (joined === 0) return [];
  const found = near ? ", found by the mean of both vectors" : "";
  return [`${many(joined, "anchor")} now with facts of both memories${found}.`];
}

const saltsOf = (...memories: Memory<EntryMeta>[]): string[] => [
  ...new Set(memories.flatMap(({ salts }) => salts)),
];

function checkSame(stored: Memory<EntryMeta>, added: Memory<EntryMeta>, name: string): void {
  const refused = (why: string): Error =>
    new Error(
      `archive: "${name}" cannot be merged: ${why}. Nothing was changed: import it into a new notebook, or replace the memory.`,
    );
  const differs = (what: string, theirs: string, ours: string): Error =>
    refused(`its ${what} is ${theirs}, that of the stored memory is ${ours}`);
  if (!sameModel(stored.model, added.model))
    throw differs("model", modelTag(added.model), modelTag(stored.model));
  if (stored.embedder !== added.embedder) throw differs("embedder", added.embedder, stored.embedder);
  const salts = saltsOf(stored, added).length;
  if (salts > MOST_SALTS)
    throw refused(`the two memories have ${salts} different salts, expected at most ${MOST_SALTS}`);
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

/** @param notebook text of the notebook that goes into the same file */
export async function exportMemory(
  store: Store,
  app: string,
  key?: SigningKey | null,
  notebook?: string,
): Promise<Blob> {
  const memory = await store.pieces();
  if (!memory) throw new Error(`store: ${store.name} holds no memory to export; memorise something first`);
  return packMemory(memory, app, key, notebook);
}

/** The text of the notebook in an archive; null if the archive holds a memory alone. Rejects like the import. */
export async function notebookIn(archive: Blob, name: string): Promise<string | null> {
  const { manifest, explained, read } = await openArchive(archive, name);
  if (!Object.hasOwn(manifest.files, NOTEBOOK_FILE)) return null;
  return explained(async () => new TextDecoder("utf-8", { fatal: true }).decode(await read(NOTEBOOK_FILE)));
}

export async function inspectArchive(archive: Uint8Array | Blob, name: string) {
  const file = archive instanceof Blob ? archive : new Blob([Uint8Array.from(archive)]);
  const { pieces, facts, findings } = await readWithFindings(file, name);
  const { waiting, model, sources } = pieces;
  return {
    ...{ facts, findings },
    pending: waiting.length,
    model: modelTag(model),
    titles: sources.map(({ title }) => title),
  };
}

/** Imports an archive into `store`, all or nothing. @throws {StoreVersion} on another version; otherwise naming the file */
export async function importMemory(
  store: Store,
  archive: Uint8Array | Blob,
  options: Readonly<{ name: string; mode: "replace" | "merge" }>,
): Promise<Omit<ReturnType<typeof joinMemories>, "batch" | "salts"> & { readonly added: number }> {
  const pieces = await readArchive(archive, options.name);
  const opened = options.mode === "merge" ? await store.open() : null;
  if (!opened) {
    const { facts } = await store.take(pieces);
    return { added: facts, skipped: 0, left: [], notes: [] };
  }
  const stored = outlineOf(opened);
  const joined = joinMemories(stored, await outlineOfPieces(pieces), options.name);
  const { batch, skipped, left, notes } = joined;
  await store.take(joinedPieces(store, stored, pieces, joined));
  return { added: countFacts(batch.entries), skipped, left, notes };
}

function joinedPieces(
  store: Store,
  stored: Memory<EntryMeta>,
  added: Pieces,
  { batch, salts }: Pick<ReturnType<typeof joinMemories>, "batch" | "salts">,
) {
  return {
    ...omit(withBatches({ ...stored, entries: [] }, [{ ...batch, entries: [] }]), "entries"),
    salts,
    async *batches() {
      const own = present(await store.pieces(), () => `store: ${store.name} was cleared since it was opened`);
      yield* retold(own.batches(), stored.entries);
      yield* retold(added.batches(), batch.entries, stored.entries.length);
    },
  };
}
