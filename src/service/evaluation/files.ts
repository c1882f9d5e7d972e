/** @file The files that cases are made from: those of the app, and brought ones. */

import type { BenchmarkData, UserFile } from "../../evaluate/benchmarks/benchmark.ts";
import { assert } from "../../lib/assert.ts";
import { unpackedText } from "../../lib/gzip.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { PackedFiles } from "../types.ts";

/** A file of cases from outside; packed if its name ends in .gz. */
export interface BroughtFile {
  readonly name: string;
  readonly file: Blob;
}

/** Benchmark data from packed files. The hash of every file that is read is added to `hashes`. */
export const packedData = (files: PackedFiles, hashes: Record<string, string>): BenchmarkData => ({
  async text(path) {
    assert(
      (await files.names()).includes(path),
      () => `evaluate: this app comes without ${path}; build it with the data folder of the repository`,
    );
    const bytes = await files.read(path);
    hashes[path] = sha256Hex(bytes);
    return textOf(bytes, path, MOST_BYTES);
  },
  list: async (folder) => (await files.names()).filter((name) => name.startsWith(`${folder}/`)).sort(),
});

/** Limit of all files together, unpacked: several times a benchmark file with 128K tokens per record. */
const MOST_BYTES = 2 ** 27;

/** Brought files, with the hash of each. @throws if they are too large for a tab, also unpacked */
export async function broughtFiles(
  brought: readonly BroughtFile[],
): Promise<{ readonly files: readonly UserFile[]; readonly hashes: Readonly<Record<string, string>> }> {
  const files: UserFile[] = [];
  const hashes: Record<string, string> = {};
  let room = MOST_BYTES;
  for (const { name, file } of brought) {
    assert(file.size <= room, () => tooLarge(name));
    const bytes = new Uint8Array(await file.arrayBuffer());
    const plain = name.replace(/\.gz$/, "");
    hashes[plain] = sha256Hex(bytes);
    const text = await textOf(bytes, name, room);
    room -= text.length;
    files.push({ name: plain, text });
  }
  return { files, hashes };
}

const tooLarge = (name: string): string =>
  `evaluate: with ${name} the files have more than ${MOST_BYTES} bytes unpacked; give fewer records, or run them by the command line`;

const textOf = (bytes: Uint8Array<ArrayBuffer>, name: string, most: number): Promise<string> =>
  unpackedText(bytes, most, () => tooLarge(name));
