/** @file Where downloaded models lie: folders of files that can be written on from any byte. OPFS is in opfs.ts. */

/** Folders of files. Names are those of the Hub; implementations make them safe for what they lie in. */
export interface FileCache {
  folders(): Promise<readonly string[]>;
  /** Name and bytes of every file; empty when there is no such folder. */
  files(folder: string): Promise<ReadonlyMap<string, number>>;
  /** A file to read in place; undefined when there is none. */
  open(folder: string, name: string): Promise<Blob | undefined>;
  /** A file to write from byte `from` on, made when it is not there; what lay behind is cut off. */
  writer(folder: string, name: string, from: number): Promise<CacheWriter>;
  /** Removes a file, or a folder with all its files; what is not there is passed over. */
  remove(folder: string, name?: string): Promise<void>;
  /** Bytes that may still be written; null where that is not known. */
  room(): Promise<number | null>;
}

/** An open file; nobody else can write it meanwhile. */
export interface CacheWriter {
  /** Rejects with a QuotaExceededError when there is no room. */
  write(bytes: Uint8Array): Promise<void>;
  /** Keeps what was written. */
  close(): Promise<void>;
}

/** Writes a whole small file. */
export async function writeWhole(
  cache: FileCache,
  folder: string,
  name: string,
  bytes: Uint8Array,
): Promise<void> {
  const writer = await cache.writer(folder, name, 0);
  try {
    await writer.write(bytes);
  } finally {
    await writer.close();
  }
}
