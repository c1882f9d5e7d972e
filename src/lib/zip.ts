/** @file Zip archives: read with a guard against bombs. zip.js runs in the calling thread and is loaded on first use. */

import { concat } from "./bytes.ts";
import type { FileEntry } from "@zip.js/zip.js/lib/zip-core-custom.js";
import { assert, messageOf } from "./assert.ts";

export interface ZipLimits {
  readonly maxBytes: number;
  /** Inflated bytes for each compressed byte of one entry, once it is past {@link RATIO_FREE_BYTES}. */
  readonly maxRatio: number;
  readonly maxEntries: number;
}

/** Enough for any book; XML and text deflate 3 to 20 times, a bomb about 1000 times. */
export const DOCUMENT_LIMITS: ZipLimits = { maxBytes: 200e6, maxRatio: 200, maxEntries: 20_000 };

export interface ZipEntry {
  /** Path with forward slashes, as stored; never use it as a path on a disk. */
  readonly name: string;
  /** Inflated size as claimed; the guard counts the real one. */
  readonly size: number;
  readonly encrypted: boolean;
  /** Inflates the entry and checks its CRC-32. @throws if a limit is passed, or the entry is damaged or encrypted */
  read(): Promise<Uint8Array<ArrayBuffer>>;
}

export interface ZipInput {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Whether to store the bytes without deflating them (packed vectors, or EPUB's mimetype). */
  readonly stored?: boolean;
}

/** Lists the files of an archive by name. @throws if it is not a zip archive, truncated, or has too many files */
export async function readZip(
  archive: Uint8Array | Blob,
  name: string,
  limits: ZipLimits = DOCUMENT_LIMITS,
): Promise<ReadonlyMap<string, ZipEntry>> {
  const zip = await loadZip();
  const size = "size" in archive ? archive.size : archive.length;
  const bytes = "size" in archive ? new zip.BlobReader(archive) : new zip.Uint8ArrayReader(archive);
  const reader = new zip.ZipReader(bytes, { useWebWorkers: false, checkCrc32: true });
  const budget = new Budget(name, limits);
  const entries = new Map<string, ZipEntry>();
  try {
    for await (const entry of reader.getEntriesGenerator()) {
      if (entry.directory) continue;
      const file = entry.filename.replaceAll("\\", "/");
      assert(entries.size < limits.maxEntries, () => tooMany(name, limits));
      entries.set(file, {
        name: file,
        size: entry.uncompressedSize,
        encrypted: entry.encrypted,
        read: () => inflate(entry, file, budget),
      });
    }
  } catch (error) {
    throw explain(error, `"${name}" (${size} bytes)`);
  }
  return entries;
}

/** Begins an archive, which goes `into` a stream as it is made, or becomes a Blob. */
export async function startZip(into?: WritableStream<Uint8Array>) {
  const zip = await loadZip();
  const writer = new zip.ZipWriter<unknown>(into ?? new zip.BlobWriter("application/zip"), {
    useWebWorkers: false,
    extendedTimestamp: false,
  });
  const names = new Set<string>();
  return {
    async add({ name, bytes, stored = false }: ZipInput): Promise<void> {
      assert(!names.has(name), () => `zip: two files named "${name}" cannot go into one archive; rename one`);
      names.add(name);
      // A fixed date: the same content gives the same archive, byte for byte.
      await writer.add(name, new zip.Uint8ArrayReader(bytes), {
        lastModDate: EPOCH,
        ...(stored ? { level: 0 } : {}),
      });
    },
    /** Its Blob, if it went into none. */
    close: (comment = "") => writer.close(new TextEncoder().encode(comment)) as Promise<Blob>,
  };
}

export async function writeZip(files: Iterable<ZipInput>): Promise<Uint8Array<ArrayBuffer>> {
  const zip = await startZip();
  for (const file of files) await zip.add(file);
  return new Uint8Array(await (await zip.close()).arrayBuffer());
}

async function inflate(entry: FileEntry, file: string, budget: Budget): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  const count = budget.count(file, entry.compressedSize);
  const sink = new WritableStream<Uint8Array>({
    write(chunk) {
      count(chunk.length);
      chunks.push(chunk);
    },
  });
  try {
    budget.refuseDeclared(file, entry.uncompressedSize);
    await entry.getData(sink, { useWebWorkers: false });
  } catch (error) {
    throw explain(error, `"${file}" in "${budget.archive}"`);
  }
  return concat(chunks);
}

class Budget {
  readonly #spent = new Map<string, number>();
  #total = 0;

  constructor(
    readonly archive: string,
    private readonly limits: ZipLimits,
  ) {}

  refuseDeclared(file: string, declared: number): void {
    const others = this.#others(file);
    if (others + declared > this.limits.maxBytes) throw this.#tooBig(file, others + declared);
  }

  /** Starts the count of one entry; the returned function adds a chunk and throws at a limit. */
  count(file: string, compressed: number): (bytes: number) => void {
    const others = this.#others(file);
    this.#total = others;
    this.#spent.set(file, 0);
    let size = 0;
    return (bytes) => {
      size += bytes;
      this.#total += bytes;
      this.#spent.set(file, size);
      if (others + size > this.limits.maxBytes) throw this.#tooBig(file, others + size);
      if (size > RATIO_FREE_BYTES && size > this.limits.maxRatio * compressed)
        throw new LimitPassed(
          `zip: "${file}" in "${this.archive}" unpacks ${compressed} bytes to over ${size}; more than ` +
            `${this.limits.maxRatio} times is the mark of a zip bomb, so it was not read`,
        );
    };
  }

  #others(file: string): number {
    return this.#total - (this.#spent.get(file) ?? 0);
  }

  #tooBig(file: string, bytes: number): LimitPassed {
    return new LimitPassed(
      `zip: "${this.archive}" unpacks to at least ${bytes} bytes at "${file}"; the limit is ` +
        `${this.limits.maxBytes}. Split it, or take out what is not needed`,
    );
  }
}

class LimitPassed extends Error {}

const tooMany = (name: string, limits: ZipLimits): string =>
  `zip: "${name}" holds over ${limits.maxEntries} files; that is more than a document or an export has`;

function explain(error: unknown, what: string): Error {
  const message = messageOf(error);
  if (error instanceof LimitPassed || message.startsWith("zip: ")) return error as Error;
  const [, reason] = REASONS.find(([pattern]) => pattern.test(message)) ?? [null, `is damaged (${message})`];
  return new Error(`zip: ${what} ${reason}`, { cause: error });
}

const REASONS: readonly (readonly [RegExp, string])[] = [
  [/not recognized|end of central/i, "is not a zip archive or is truncated; download it again"],
  [/contains encrypted|encryption method|encrypted central/i, "is protected by a password; remove it first"],
  [/compression method/i, "is packed with a method other than deflate; pack it again as an ordinary zip"],
  [/split zip/i, "is one part of a split archive; join the parts first"],
  [/unsafe filename/i, "holds a file whose name leads out of the archive; it was not read"],
  [
    /crc|signature|compressed data|uncompressed size/i,
    "is damaged: its content does not match its checksum or size",
  ],
];

/** The build without workers, wasm or inlined code. */
const loadZip = () => import("@zip.js/zip.js/lib/zip-core-custom.js");

/** Short runs of white space deflate without end; past this size the ratio is meaningful. */
const RATIO_FREE_BYTES = 4e6;
const EPOCH = new Date(1980, 0, 1);
