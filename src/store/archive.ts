/** @file Export and import of a memory as one zip. What is imported is written in one step, or not at all. */

import { countFacts, modelTag, sameModel, type Memory, type ModelIdentity } from "../records/memory.ts";
import { packMemory } from "./archivePack.ts";
import { unpackMemory } from "./archiveUnpack.ts";
import { joinMemories } from "./join.ts";
import type { Store } from "./port.ts";

export interface ImportOptions {
  /** The file's name, for messages. */
  readonly name: string;
  /** "merge" adds facts whose id is not stored yet to a memory of the same model. */
  readonly mode: "replace" | "merge";
  /** The model in use: an archive of another one is imported, but said to be unusable with this one. */
  readonly model?: ModelIdentity;
}

export interface ImportResult {
  /** Encoded facts that are in the memory now and were not before (all of them when it was replaced). */
  readonly added: number;
  /** Facts of the archive that were stored already. */
  readonly skipped: number;
  /** For the user, in whole sentences. */
  readonly notes: readonly string[];
}

/** The memory of `store` as an archive; `app` is this app's version. Rejects when nothing is stored. */
export async function exportMemory(store: Store, app: string): Promise<Uint8Array<ArrayBuffer>> {
  const memory = await store.load();
  if (!memory) throw new Error(`store: ${store.name} holds no memory to export; memorise something first`);
  return packMemory(memory, app);
}

/** What an archive says of itself once all of it was checked. */
export interface ArchiveInfo {
  readonly facts: number;
  /** Facts that are still to be encoded. */
  readonly pending: number;
  /** The model that its vectors belong to, for people. */
  readonly model: string;
  readonly titles: readonly string[];
}

/** Checks an archive whole and changes nothing. Throws as {@link importMemory} does. */
export async function inspectArchive(bytes: Uint8Array, name: string): Promise<ArchiveInfo> {
  const { entries, routing, model, sources } = await unpackMemory(bytes, name);
  const encoded = new Set(entries.map(({ id }) => id));
  return {
    facts: encoded.size,
    pending: routing.flatMap(({ facts }) => facts).filter(({ id }) => !encoded.has(id)).length,
    model: modelTag(model),
    titles: sources.map(({ title }) => title),
  };
}

/**
 * Puts an archive into `store`: all of it, or nothing when anything is wrong with it.
 * @throws {StoreVersion} when a newer Palimpsest wrote it; an error naming the file and what is wrong otherwise
 */
export async function importMemory(
  store: Store,
  bytes: Uint8Array,
  options: ImportOptions,
): Promise<ImportResult> {
  const memory = await unpackMemory(bytes, options.name);
  const notes = otherModel(memory, options);
  const stored = options.mode === "merge" ? await store.load() : null;
  if (!stored) {
    await store.save(memory);
    return { added: countFacts(memory.entries), skipped: 0, notes };
  }
  const { batch, skipped, notes: joined } = joinMemories(stored, memory, options.name);
  await store.append(batch);
  return { added: countFacts(batch.entries), skipped, notes: [...notes, ...joined] };
}

function otherModel({ model }: Memory, { name, model: used }: ImportOptions): string[] {
  if (!used || sameModel(used, model)) return [];
  return [
    `"${name}" belongs to the model ${modelTag(model)}, not to ${modelTag(used)}: open that model to recall its facts.`,
  ];
}
