/** @file Archives with something changed in them, for tests. */

import { assert } from "../../lib/assert.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { readZip, writeZip } from "../../lib/zip.ts";
import type { Memory } from "../../records/memory.ts";
import { packMemory } from "../archiveFormat.ts";
import { fromJson, toJson } from "../json.ts";
import { piecesOf } from "../pieces.ts";

/** `memory` as an archive. */
export async function packed(memory: Memory): Promise<Uint8Array<ArrayBuffer>> {
  const blob = await packMemory(piecesOf(memory), "1.0.0");
  return new Uint8Array(await blob.arrayBuffer());
}

/** The files of an archive by name. */
export async function filesOf(bytes: Uint8Array): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  for (const [name, entry] of await readZip(bytes, "m.zip")) files.set(name, await entry.read());
  return files;
}

/** The files as an archive; with `sign`, checksums are made to fit what they hold. */
export async function archiveOf(files: Map<string, Uint8Array>, sign: boolean): Promise<Uint8Array> {
  if (sign) {
    const { check, ...found } = fromJson(new TextDecoder().decode(files.get("manifest.json"))) as {
      readonly check?: unknown;
      readonly files: object;
    };
    assert(check !== undefined, () => "test: the manifest has no checksum");
    const sums = Object.keys(found.files).map((name) => {
      const bytes = files.get(name)!;
      return [name, { bytes: bytes.length, sha256: sha256Hex(bytes) }] as const;
    });
    const manifest = { ...found, files: Object.fromEntries(sums) };
    const signed = toJson({ ...manifest, check: sha256Hex(toJson(manifest)) });
    files.set("manifest.json", new TextEncoder().encode(signed));
  }
  return writeZip([...files].map(([name, bytes]) => ({ name, bytes })));
}

/** An archive of `memory` with the text of a file changed. */
export async function changedArchive(
  memory: Memory,
  file: string,
  change: (text: string) => string,
  sign: boolean,
): Promise<Uint8Array> {
  const files = await filesOf(await packed(memory));
  files.set(file, new TextEncoder().encode(change(new TextDecoder().decode(files.get(file)))));
  return archiveOf(files, sign);
}
