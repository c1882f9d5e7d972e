/** @file Reading an archive back, block by block: every byte and field is checked before it comes out. */

import type { FactId } from "../records/ids.ts";
import type { Memory, MemoryEntry } from "../records/memory.ts";
import { checkCounts, checkFinite, openArchive, type ArchiveFiles } from "./archiveFiles.ts";
import { archivedEntry, ROUTING_LINES, ROUTING_VECTORS } from "./archiveLines.ts";
import { checkBatch } from "./batch.ts";
import {
  checkImportedFacts,
  checkImportedHead,
  checkUnitKeys,
  partOf,
  type ImportedPart,
} from "./imported.ts";
import { entryOf, readLines, routingLine, routingOf } from "./lines.ts";
import { Passing, wholeOf, type Pieces } from "./pieces.ts";
import type { Placed } from "./rows.ts";
import { rowsOf } from "./tensors.ts";

/**
 * The memory of an archive in pieces. All but its entries is checked here, and these as they come.
 * @param name the file's name, for messages
 * @throws {StoreVersion} when it has another format version; an error naming the file and what is wrong otherwise
 */
export async function readArchive(archive: Uint8Array | Blob, name: string): Promise<Pieces> {
  const files = await openArchive(archive, name);
  return files.told(() => pieces(files));
}

/** The memory of an archive with all of its vectors, checked whole. Throws as {@link readArchive} does. */
export const unpackMemory = async (archive: Uint8Array | Blob, name: string): Promise<Memory> =>
  wholeOf(await readArchive(archive, name));

async function pieces(files: ArchiveFiles): Promise<Pieces> {
  const head = files.manifest.memory;
  const lines = readLines(await files.read(ROUTING_LINES), ROUTING_LINES, routingLine);
  const sizes = { documents: [lines.length, null], facts: [null, null] } as const;
  const row = rowsOf(await files.read(ROUTING_VECTORS), ROUTING_VECTORS, sizes);
  const routing = lines.map((line) => routingOf(line, row));
  if (routing.length !== files.manifest.documents)
    throw new Error(
      `manifest.json counts ${files.manifest.documents} routing documents, the files hold ${routing.length}`,
    );
  checkBatch({ routing, sources: head.sources }, head.model);
  checkFinite({ ...head, routing });
  checkImportedHead(head);
  checkCounts(head.params);
  return { ...head, routing, batches: () => batchesOf(files) };
}

async function* batchesOf(files: ArchiveFiles): AsyncGenerator<readonly Placed<MemoryEntry>[]> {
  const { told, manifest } = files;
  const passing = new Passing();
  const parts: ImportedPart[] = [];
  // The parts of a fact that was encoded again stand where it stood, all at one place.
  const factAt = new Map<number, FactId>();
  for (const number of blocksOf(manifest.files)) {
    yield await told(async () => {
      const batch = await blockOf(files, number);
      passing.add(batch);
      for (const { item } of batch) parts.push(partOf(item));
      for (const { item, place } of batch) {
        const there = factAt.get(place) ?? item.id;
        if (there !== item.id) throw new Error(`${there} and ${item.id} both stand at place ${place}`);
        factAt.set(place, item.id);
      }
      return batch;
    });
  }
  await told(async () => {
    if (passing.vectors !== manifest.facts)
      throw new Error(`manifest.json counts ${manifest.facts} vectors, the files hold ${passing.vectors}`);
    checkImportedFacts(parts, manifest.memory);
  });
}

/** Numbers of the blocks, in order. */
const blocksOf = (files: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(files)
    .flatMap((name) => /^facts\/(\d+)\.jsonl$/.exec(name)?.[1] ?? [])
    .sort();

async function blockOf(
  { manifest, read }: ArchiveFiles,
  number: string,
): Promise<readonly Placed<MemoryEntry>[]> {
  const { model } = manifest.memory;
  const [facts, vectors] = [`facts/${number}.jsonl`, `vectors/${number}.safetensors`];
  const lines = readLines(await read(facts), facts, archivedEntry(model));
  const row = rowsOf(await read(vectors), vectors, {
    keys: [lines.length, model.dFf],
    residuals: [lines.length, model.dModel],
  });
  const batch = lines.map(({ place, ...line }, i) => ({ item: entryOf(line, i, row), place }));
  const entries = batch.map(({ item }) => item);
  checkFinite({ entries });
  checkUnitKeys(entries);
  return batch;
}
