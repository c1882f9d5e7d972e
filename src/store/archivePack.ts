/**
 * @file A memory as one zip: manifest.json, and for each block of entries facts/N.jsonl (a part of a fact a line) beside
 * vectors/N.safetensors; routing.jsonl and routing.safetensors. It is written block by block, so that no more than one is
 * held. The same memory in the same store gives the same bytes.
 */

import { sha256Hex } from "../lib/hash.ts";
import { startZip } from "../lib/zip.ts";
import type { MemoryEntry, ModelIdentity } from "../records/memory.ts";
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  ROUTING_LINES,
  ROUTING_VECTORS,
  type ArchiveManifest,
} from "./archiveLines.ts";
import { toJson } from "./json.ts";
import { entryMatrices, lineParts, routingLines } from "./lines.ts";
import type { Pieces } from "./pieces.ts";
import { entryBlocks, MAX_BLOCK_ENTRIES, type Placed } from "./rows.ts";
import { tensorParts } from "./tensors.ts";

/** The archive of `memory`; `app` is this app's version. */
export async function packMemory({ batches, ...rest }: Pieces, app: string): Promise<Blob> {
  const { routing, ...head } = rest;
  const zip = await startZip();
  const files: Record<string, ArchiveManifest["files"][string]> = {};
  const add = async (name: string, parts: Iterable<Uint8Array>): Promise<void> => {
    const bytes = joinBytes(parts);
    files[name] = { bytes: bytes.length, sha256: sha256Hex(bytes) };
    await zip.add({ name, bytes, stored: name.endsWith(".safetensors") });
  };
  let [facts, block] = [0, 0];
  for await (const batch of inBlocks(batches(), head.model)) {
    const number = String(block++).padStart(6, "0");
    await add(`facts/${number}.jsonl`, lineParts(batch.map(lineOf)));
    const matrices = entryMatrices(
      batch.map(({ item }) => item),
      head,
    );
    await add(`vectors/${number}.safetensors`, tensorParts(matrices));
    facts += batch.length;
  }
  const { lines, matrices } = routingLines(rest);
  await add(ROUTING_LINES, lineParts(lines));
  await add(ROUTING_VECTORS, tensorParts(matrices, { format: ARCHIVE_FORMAT, model: head.model.name }));
  const counts = { facts, documents: routing.length };
  const manifest = { format: ARCHIVE_FORMAT, version: ARCHIVE_VERSION, app, memory: head, ...counts, files };
  const signed = { ...manifest, check: sha256Hex(toJson(manifest)) };
  await zip.add({ name: "manifest.json", bytes: new TextEncoder().encode(toJson(signed, 1)) });
  return zip.close();
}

/** Entries in blocks of one layer and one form each, as large as a store has them: what was added in many steps is few files. */
async function* inBlocks(
  batches: AsyncIterable<readonly Placed<MemoryEntry>[]>,
  model: ModelIdentity,
): AsyncGenerator<readonly Placed<MemoryEntry>[]> {
  let held: Placed<MemoryEntry>[] = [];
  for await (const batch of batches) {
    const [layer, next] = [held[0]?.item.layer, batch[0]?.item.layer];
    if (held.length + batch.length > MAX_BLOCK_ENTRIES || (held.length > 0 && layer !== next)) {
      yield* entryBlocks(held, model);
      held = [];
    }
    held.push(...batch);
  }
  yield* entryBlocks(held, model);
}

/** Fields without a value are not written. */
const lineOf = ({ item, place }: Placed<MemoryEntry>): object => ({
  ...item,
  key: undefined,
  residual: undefined,
  place,
});

export function joinBytes(given: Iterable<Uint8Array>): Uint8Array {
  const parts = [...given];
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
