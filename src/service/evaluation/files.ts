/** @file The files that cases are made from: those that come with the app, and those that a person brings. */

import type { BenchmarkData, UserFile } from "../../evaluate/benchmarks/benchmark.ts";
import { assert } from "../../lib/assert.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { BroughtFile } from "../../rpc/evaluation.ts";

/** The files of the repository's data folder, packed as they lie there. */
export interface PackedFiles {
  /** Paths under the data folder. */
  names(): Promise<readonly string[]>;
  read(path: string): Promise<Uint8Array<ArrayBuffer>>;
}

/** Benchmark data from packed files; every file that is read leaves its hash in `hashes`. */
export const packedData = (files: PackedFiles, hashes: Record<string, string>): BenchmarkData => ({
  async text(path) {
    assert((await files.names()).includes(path), () => `evaluate: this app comes without ${path}; build it with the data folder of the repository`); // prettier-ignore
    const bytes = await files.read(path);
    hashes[path] = sha256Hex(bytes);
    return textOf(bytes);
  },
  list: async (folder) => (await files.names()).filter((name) => name.startsWith(`${folder}/`)).sort(),
});

/** Files that a person brought, with the hash of each. */
export async function broughtFiles(
  brought: readonly BroughtFile[],
): Promise<{ readonly files: readonly UserFile[]; readonly hashes: Readonly<Record<string, string>> }> {
  const files: UserFile[] = [];
  const hashes: Record<string, string> = {};
  for (const { name, file } of brought) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const plain = name.replace(/\.gz$/, "");
    hashes[plain] = sha256Hex(bytes);
    files.push({ name: plain, text: await textOf(bytes) });
  }
  return { files, hashes };
}

/** Whether it begins as gzip does: a server may have unpacked it on the way. */
const isPacked = ([first, second]: Uint8Array): boolean => first === 0x1f && second === 0x8b;

async function textOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  if (!isPacked(bytes)) return new TextDecoder().decode(bytes);
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(unpacked).text();
}
