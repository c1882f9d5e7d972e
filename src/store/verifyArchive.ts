/** @file Proof of a memory file: every statement that it makes about itself, and whether it holds. */

import { messageOf } from "../lib/assert.ts";
import { many } from "../lib/format.ts";
import type { FactId } from "../records/ids.ts";
import type { DeletionRecord } from "../records/memory.ts";
import { rootOf } from "../records/proof.ts";
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
  const leaves: string[] = [];
  const files = await openArchive(archive, name);
  const { root, memory } = files.manifest;
  const pieces = await piecesOfArchive(files, leaves);
  const encoded = new Set<FactId>();
  for await (const batch of pieces.batches()) for (const { item } of batch) encoded.add(item.id);
  const seal = sealed ?? (root === undefined ? null : false);
  const findings: readonly Finding[] = [
    { holds: seal, text: SEAL[String(seal) as keyof typeof SEAL] },
    {
      holds: true,
      text: `Every file fits its checksum: ${many(Object.keys(files.manifest.files).length, "file")} with ${many(leaves.length, "vector")}.`,
    },
    root === undefined
      ? { holds: null, text: "The file has no Merkle root; it is of an earlier build." }
      : { holds: true, text: `The entries have the Merkle root ${root}.` },
    ...deletionFindings(memory.deletions ?? [], leaves),
    await signatureFinding(files, signer),
  ];
  return { pieces, facts: encoded.size, findings };
}

const SEAL = {
  true: "No bit of the file has changed since it was written.",
  false:
    "The files inside are unchanged, but a header, the directory or the final checksum of the zip is not.",
  null: "The file has no checksum over the whole; it is of an earlier build.",
} as const;

async function signatureFinding(
  { signature, check }: Pick<ArchiveFiles, "signature" | "check">,
  signer: string | undefined,
): Promise<Finding> {
  if (!signature) return { holds: signer === undefined ? null : false, text: "The file is not signed." };
  if (signer !== undefined && signer !== signature.key)
    return { holds: false, text: `The file is signed with another key, ${fingerprint(signature.key)}.` };
  const owner = `the owner of the key ${fingerprint(signature.key)}`;
  return (await isSigned(signature, check))
    ? { holds: true, text: `The root and the deletions are signed by ${owner}.` }
    : { holds: false, text: `${MANIFEST_SIGNATURE} is not by ${owner}.` };
}

const MANIFEST_SIGNATURE = "manifest.json, signature: it";

const MOST_RECOMPUTED = 64;

/** Goes back from the stored entries, deletion by deletion, as far as nothing else changed in between. */
function deletionFindings(deletions: readonly DeletionRecord[], stored: readonly string[]): Finding[] {
  const leaves = new Set(stored);
  let root = rootOf(leaves);
  for (const [i, { at, before, after, removed, added }] of deletions.toReversed().entries()) {
    if (after !== root || i === MOST_RECOMPUTED) return kept(deletions.length, i);
    const place = `manifest.json, memory.deletions: the deletion of ${at}`;
    const wrong = added.find((leaf) => !leaves.delete(leaf));
    if (wrong) return [{ holds: false, text: `${place} added the leaf ${wrong}, which is not there` }];
    for (const leaf of removed) leaves.add(leaf);
    root = rootOf(leaves);
    if (root !== before)
      return [{ holds: false, text: `${place} leads from the root ${before}, but its leaves give ${root}` }];
  }
  return kept(deletions.length, deletions.length);
}

function kept(all: number, proven: number): Finding[] {
  if (all === 0) return [];
  const text = `${many(proven, "deletion")} of ${all} follow from the entries: these leaves went, and no others.`;
  return [
    ...(proven > 0 ? [{ holds: true, text }] : []),
    ...(proven < all
      ? [
          {
            holds: null,
            text: `${many(all - proven, "deletion")} came before other changes: only a signature supports them.`,
          },
        ]
      : []),
  ];
}
