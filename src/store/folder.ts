/** @file What a store on files needs of a file system, so that failing ones can stand in for it. */

/** A folder of files named by paths with "/" relative to it. */
export interface Folder {
  /** For messages. */
  readonly name: string;
  /** Files in the folder itself and in its subfolder `vectors`; none when it does not exist. */
  list(): Promise<readonly string[]>;
  /** The whole file, or undefined when there is none. */
  read(name: string): Promise<Uint8Array | undefined>;
  /** Writes a file (folders as needed) and resolves when its data is safe on disk. A failure may leave a part. */
  write(name: string, parts: Iterable<Uint8Array>): Promise<void>;
  /** Moves a file over another in one atomic step. */
  rename(from: string, to: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Resolves when files made, moved and removed so far are so on disk. */
  sync(): Promise<void>;
  /** Keeps other writers out until the returned function is called. Rejects when another one is at work. */
  lock(): Promise<() => Promise<void>>;
}
