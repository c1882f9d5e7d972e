/** @file Proof of a memory file: every statement that it makes about itself, and whether it holds. */

import { messageOf } from "../lib/assert.ts";
import { many } from "../lib/format.ts";
import { groupBy } from "../lib/group.ts";
import type { FactId } from "../records/ids.ts";
import { routingFacts, type DeletionRecord } from "../records/memory.ts";
import { leafOf, rootOf } from "../records/proof.ts";
import { isSealed } from "./archiveFormat.ts";
import { openArchive, piecesOfArchive, type ArchiveFiles } from "./archiveRead.ts";
import { StoreVersion } from "./port.ts";
import { fingerprint, isSigned } from "./signing.ts";

export interface Finding {
  /** null: the file makes no such statement. */
  readonly holds: boolean | null;
  readonly text: string;
}

/** Checks seal, checksums, root, deletion records and signature of a file. @param signer the key that must have signed it */
export async function verifyArchive(
  archive: Blob,
  name: string,
  signer?: string,
): Promise<readonly Finding[]> {
  try {
    return (await readWithFindings(archive, name, signer)).findings;
  } catch (error) {
    if (error instanceof StoreVersion) throw error;
    return [{ holds: false, text: messageOf(error) }];
  }
}

/** Reads a whole archive, with findings. @throws {StoreVersion} on another version; otherwise on wrong contents */
export async function readWithFindings(archive: Blob, name: string, signer?: string) {
  const sealed = await isSealed(archive);
  const files = await openArchive(archive, name);
  const { root, memory, facts: vectors } = files.manifest;
  const pieces = await piecesOfArchive(files);
  const routed = routingFacts(pieces.routing);
  const leaves = new Map<FactId, string[]>();
  for await (const batch of pieces.batches())
    for (const [id, own] of groupBy(batch, ({ item }) => item.id))
      leaves.set(id, [...(leaves.get(id) ?? []), ...own.map(({ item }) => leafOf(item, routed))]);
  const findings: readonly Finding[] = [
    {
      holds: sealed,
      text: sealed
        ? "No bit of the file has changed since it was written."
        : "The files inside are unchanged, but a header, the directory or the final checksum of the zip is not.",
    },
    {
      holds: true,
      text: `Every file fits its checksum: ${many(Object.keys(files.manifest.files).length, "file")} with ${many(vectors, "vector")}.`,
    },
    { holds: true, text: `The entries have the Merkle root ${root}.` },
    ...deletionFindings(memory.deletions ?? [], new Set([...leaves.values()].map(rootOf)), root),
    await signatureFinding(files, signer),
  ];
  return { pieces, facts: leaves.size, findings };
}

async function signatureFinding({ signature, check }: ArchiveFiles, signer?: string): Promise<Finding> {
  if (!signature) return { holds: signer === undefined ? null : false, text: "The file is not signed." };
  const owner = fingerprint(signature.key);
  if (signer !== undefined && signer !== signature.key)
    return { holds: false, text: `The file is signed with another key, ${owner}.` };
  return (await isSigned(signature, check))
    ? { holds: true, text: `The root and the deletions are signed by the owner of the key ${owner}.` }
    : { holds: false, text: `manifest.json, signature: it is not by the owner of the key ${owner}.` };
}

/** @param stored the root over the leaves of each stored fact */
function deletionFindings(
  deletions: readonly DeletionRecord[],
  stored: ReadonlySet<string>,
  root: string,
): Finding[] {
  const place = (at: string): string => `manifest.json, memory.deletions: the deletion of ${at}`;
  for (const { at, facts, before, removed } of deletions) {
    const left = removed.filter((leaf) => stored.has(leaf)).length;
    if (left > 0) return [{ holds: false, text: `${place(at)}: ${many(left, "deleted fact")} is stored` }];
    if (before !== null && removed.length !== facts)
      return [{ holds: false, text: `${place(at)} counts ${facts} facts, but names ${removed.length}` }];
  }
  // Back from the stored entries, as far as nothing else changed in between.
  let [at, after]: [number, string | null] = [deletions.length, root];
  while (after !== null && deletions[at - 1]?.after === after) after = deletions[--at]!.before;
  const proven = deletions.length - at;
  const led = `${many(proven, "deletion")} of ${deletions.length} led to this root, one after the other, and none of their facts is stored.`;
  const other = `${many(at, "deletion")} came before other changes: only a signature supports them.`;
  return [
    ...(proven > 0 ? [{ holds: true, text: led }] : []),
    ...(at > 0 ? [{ holds: null, text: other }] : []),
  ];
}
