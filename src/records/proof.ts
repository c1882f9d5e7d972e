/**
 * @file The Merkle tree over the entries of a memory (docs/memory-file.md). A leaf contains a random number, which is deleted
 * with its entry: guesses cannot be compared with the leaf in a certificate.
 */

import { concat, rawBytes } from "../lib/bytes.ts";
import { createSha256, hexBytes, randomHex, sha256Hex, utf8Bytes } from "../lib/hash.ts";
import type { FactId } from "./ids.ts";
import { type EntryMeta, type RoutingFact } from "./memory.ts";
import type { EntryVectors } from "./vectors.ts";

const NONCE_BYTES = 16;

export const withNonce = <E extends EntryMeta>(entry: E): E => ({ ...entry, nonce: randomHex(NONCE_BYTES) });

type Identity = Omit<EntryVectors, "report"> & { readonly report: Pick<EntryMeta["report"], "exact"> };

const [LEAF, NODE] = [Uint8Array.of(0), Uint8Array.of(1)];

/** The leaf of an entry, 64 hex digits. @param routed routing facts by id: the digest of the fact's value belongs to the leaf */
export function leafOf(entry: Identity, routed: ReadonlyMap<FactId, RoutingFact>): string {
  const { nonce = "", id, documentId, anchor, index, offset, part, start, layer, tokens, report } = entry;
  const { exact } = report;
  const { digest = "" } = routed.get(id) ?? {};
  const { key, residual } = entry;
  const record = [nonce, id, documentId, anchor, index, offset, part, start, layer, tokens, exact, digest];
  const hash = createSha256();
  for (const bytes of [LEAF, utf8Bytes(JSON.stringify(record)), rawBytes(key), rawBytes(residual)])
    hash.update(bytes);
  return hash.hex();
}

/** The root over leaves in any order, 64 hex digits. A node without a partner moves up a level. */
export function rootOf(leaves: Iterable<string>): string {
  let level = [...leaves].sort();
  if (level.length === 0) return sha256Hex("");
  while (level.length > 1)
    level = Array.from({ length: Math.ceil(level.length / 2) }, (_, i) => {
      const [left, right] = [level[2 * i]!, level[2 * i + 1]];
      return right === undefined ? left : sha256Hex(concat([NODE, hexBytes(left), hexBytes(right)]));
    });
  return level[0]!;
}
