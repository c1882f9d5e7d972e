/** @file Export and import of a memory as one zip. An import is written in one step, or not at all. */

import { present } from "../lib/assert.ts";
import { omit } from "../lib/omit.ts";
import type { FactId } from "../records/ids.ts";
import {
  countFacts,
  type EntryMeta,
  type Memory,
  type ModelIdentity,
  modelTag,
  sameModel,
} from "../records/memory.ts";
import { outlineOf } from "../records/vectors.ts";
import { retold } from "../records/updatedEntries.ts";
import { NOTEBOOK_FILE, packMemory } from "./archiveFormat.ts";
import { openArchive, readArchive } from "./archiveRead.ts";
import { withBatches } from "./batch.ts";
import { joinMemories, type Joined } from "./mergeMemories.ts";
import { outlineOfPieces, type Pieces } from "./pieces.ts";
import type { Store } from "./port.ts";
import type { SigningKey } from "./signing.ts";
import { readWithFindings, type Finding } from "./verifyArchive.ts";

interface ImportOptions {
  readonly name: string;
  readonly mode: "replace" | "merge";
  /** The open model: an archive of another model is imported with a note. */
  readonly model?: ModelIdentity;
}

interface ImportResult {
  readonly added: number;
  readonly skipped: number;
  /** Facts whose key is taken, or whose layer uses another key centre here: a merge could only add their words. */
  readonly left: readonly FactId[];
  readonly notes: readonly string[];
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

interface ArchiveInfo {
  readonly facts: number;
  readonly pending: number;
  readonly model: string;
  readonly titles: readonly string[];
  readonly findings: readonly Finding[];
}

export async function inspectArchive(archive: Uint8Array | Blob, name: string): Promise<ArchiveInfo> {
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
  options: ImportOptions,
): Promise<ImportResult> {
  const pieces = await readArchive(archive, options.name);
  const notes = otherModel(pieces, options);
  const opened = options.mode === "merge" ? await store.open() : null;
  if (!opened) {
    const { facts } = await store.take(pieces);
    return { added: facts, skipped: 0, left: [], notes };
  }
  const stored = outlineOf(opened);
  const joined = joinMemories(stored, await outlineOfPieces(pieces), options.name);
  const { batch, skipped, left } = joined;
  await store.take(joinedPieces(store, stored, pieces, joined));
  return { added: countFacts(batch.entries), skipped, left, notes: [...notes, ...joined.notes] };
}

function joinedPieces(
  store: Store,
  stored: Memory<EntryMeta>,
  added: Pieces,
  { batch, salts }: Pick<Joined, "batch" | "salts">,
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

function otherModel({ model }: Pieces, { name, model: used }: ImportOptions): string[] {
  if (!used || sameModel(used, model)) return [];
  return [
    `"${name}" belongs to the model ${modelTag(model)}, not to ${modelTag(used)}: open that model to recall its facts.`,
  ];
}
