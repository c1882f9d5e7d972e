/** @file Writes a memory as an archive, one block at a time. The same memory in the same store gives the same bytes. */

import { sha256Hex } from "../lib/hash.ts";
import { concat, startZip } from "../lib/zip.ts";
import type { MemoryEntry, ModelIdentity } from "../records/memory.ts";
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  entryMatrices,
  factsFile,
  lineParts,
  MANIFEST,
  ROUTING_LINES,
  ROUTING_VECTORS,
  routingLines,
  vectorsFile,
  type Manifest,
} from "./archiveFormat.ts";
import { toJson } from "./json.ts";
import type { Pieces } from "./pieces.ts";
import { entryBlocks, MAX_BLOCK_ENTRIES, type Placed } from "./rows.ts";
import { tensorParts } from "./tensors.ts";

export async function packMemory({ batches, routing, ...head }: Pieces, app: string): Promise<Blob> {
  const zip = await startZip();
  const files: Record<string, Manifest["files"][string]> = {};
  const add = async (name: string, parts: Iterable<Uint8Array>): Promise<void> => {
    const bytes = concat([...parts]);
    files[name] = { bytes: bytes.length, sha256: sha256Hex(bytes) };
    await zip.add({ name, bytes, stored: name.endsWith(".safetensors") });
  };
  let [facts, block] = [0, 0];
  for await (const batch of inBlocks(batches(), head.model)) {
    const number = String(block++).padStart(6, "0");
    const entries = batch.map(({ item }) => item);
    await add(factsFile(number), lineParts(batch.map(lineOf)));
    await add(vectorsFile(number), tensorParts(entryMatrices(entries, head.model)));
    facts += batch.length;
  }
  const { lines, matrices } = routingLines(routing);
  await add(ROUTING_LINES, lineParts(lines));
  await add(ROUTING_VECTORS, tensorParts(matrices, { format: ARCHIVE_FORMAT, model: head.model.name }));
  const counts = { facts, documents: routing.length };
  const manifest = { format: ARCHIVE_FORMAT, version: ARCHIVE_VERSION, app, memory: head, ...counts, files };
  const signed = { ...manifest, check: sha256Hex(toJson(manifest)) };
  await zip.add({ name: MANIFEST, bytes: new TextEncoder().encode(toJson(signed, 1)) });
  return zip.close();
}

/** Entries in blocks of one layer and one form: entries that were appended in many small steps make few files. */
async function* inBlocks(
  batches: AsyncIterable<readonly Placed<MemoryEntry>[]>,
  model: ModelIdentity,
): AsyncGenerator<readonly Placed<MemoryEntry>[]> {
  let waiting: Placed<MemoryEntry>[] = [];
  for await (const batch of batches) {
    const otherLayer = waiting.length > 0 && waiting[0]!.item.layer !== batch[0]?.item.layer;
    if (waiting.length + batch.length > MAX_BLOCK_ENTRIES || otherLayer) {
      yield* entryBlocks(waiting, model);
      waiting = [];
    }
    waiting.push(...batch);
  }
  yield* entryBlocks(waiting, model);
}

const lineOf = ({ item, place }: Placed<MemoryEntry>): object => ({
  ...item,
  key: undefined,
  residual: undefined,
  place,
});
