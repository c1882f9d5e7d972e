/**
 * @file Entries of finished facts on their way into the store, several groups together: each write costs something
 * whatever it brings, and a run of a million words finishes thousands of groups.
 */

import type { MemoryEntry } from "../records/memory.ts";

/** A checkpoint is due at so many entries. */
export const CHECKPOINT_ENTRIES = 128;
/** Or with the first group that is finished so long after the one before. */
export const CHECKPOINT_MS = 5000;

export class Checkpoints {
  readonly #now: () => number;
  readonly #write: (entries: readonly MemoryEntry[]) => Promise<void>;
  #waiting: MemoryEntry[] = [];
  /** The first group is written at once: whoever looks on sees that facts come. */
  #written = -Infinity;

  /** `now` in milliseconds; `write` is given every entry once, in order. */
  constructor(now: () => number, write: (entries: readonly MemoryEntry[]) => Promise<void>) {
    this.#now = now;
    this.#write = write;
  }

  /** Takes the entries of whole facts, and writes all that wait where that is due. */
  async add(entries: readonly MemoryEntry[]): Promise<void> {
    this.#waiting = [...this.#waiting, ...entries];
    const due = this.#waiting.length >= CHECKPOINT_ENTRIES || this.#now() - this.#written >= CHECKPOINT_MS;
    if (due) await this.flush();
  }

  /** Writes what waits. What cannot be written is not tried again: whoever is told decides. */
  async flush(): Promise<void> {
    const entries = this.#waiting;
    this.#waiting = [];
    if (entries.length > 0) await this.#write(entries);
    this.#written = this.#now();
  }
}
