/**
 * @file Memories opened for questions, kept between calls. After a change, by any tab, the next call opens a memory again.
 */

import type { Engine } from "../../engine/engine.ts";
import { openMemory, type OpenMemory } from "../../flow/answer.ts";
import type { Memory } from "../../records/memory.ts";
import { SHARP } from "../../records/params.ts";
import { keptMemory } from "../../records/vectors.ts";
import { StoreChanged, type Store } from "../../store/port.ts";

interface Kept {
  readonly open: Promise<OpenMemory>;
  readonly engine: Engine;
  readonly store: Promise<Store>;
  /** Read before the memory: a change in between opens it once too often, never too rarely. */
  readonly revision: Promise<string | null>;
  users: number;
  stale: boolean;
}

export function createMemories(openStore: (memory: string) => Promise<Store>) {
  /** In order of use. */
  const kept = new Map<string, Kept>();

  function release(entry: Kept): void {
    if (entry.stale && entry.users === 0)
      entry.open.then(
        (open) => open.dispose(),
        () => undefined, // it never opened
      );
  }

  function drop(memory: string): void {
    const entry = kept.get(memory);
    kept.delete(memory);
    if (entry) release(Object.assign(entry, { stale: true }));
  }

  function entryOf(engine: Engine, memory: string): Kept {
    const known = kept.get(memory);
    if (known?.engine === engine) {
      kept.delete(memory);
      kept.set(memory, known);
      return known;
    }
    drop(memory);
    const store = openStore(memory);
    const revision = store.then((opened) => opened.revision());
    const open = revision.then(async () => {
      const stored = (await (await store).open()) ?? keptMemory(empty(engine));
      return openMemory(engine, stored, stored.params);
    });
    const entry: Kept = { open, engine, store, revision, users: 0, stale: false };
    kept.set(memory, entry);
    // A memory that failed to open is tried again by the next call.
    entry.open.catch(() => {
      if (kept.get(memory) === entry) kept.delete(memory);
    });
    for (const oldest of [...kept.keys()].slice(0, -MOST_OPEN)) drop(oldest);
    return entry;
  }

  async function used<T>(engine: Engine, memory: string, work: (open: OpenMemory) => Promise<T>): Promise<T> {
    const known = kept.get(memory);
    // If the revision cannot be read, opening it again reports why.
    if (known && !(await isCurrent(known).catch(() => false)) && kept.get(memory) === known) drop(memory);
    const entry = entryOf(engine, memory);
    entry.users++;
    try {
      return await work(await entry.open);
    } finally {
      entry.users--;
      release(entry);
    }
  }

  return {
    /** Runs `work` on the memory, which stays open at least until it ends. Nothing stored is an empty memory. */
    async using<T>(engine: Engine, memory: string, work: (open: OpenMemory) => Promise<T>): Promise<T> {
      try {
        return await used(engine, memory, work);
      } catch (error) {
        if (!(error instanceof StoreChanged)) throw error;
        // The memory changed during the work; try with the stored one.
        return used(engine, memory, work);
      }
    },
    reload(memory?: string): void {
      for (const name of memory === undefined ? [...kept.keys()] : [memory]) drop(name);
    },
  };
}

const isCurrent = async ({ store, revision }: Kept): Promise<boolean> =>
  (await (await store).revision()) === (await revision);

function empty({ model, embedder }: Engine): Memory {
  const none = { layers: [], sources: [], entries: [], routing: [], waiting: [] };
  return { ...none, model, params: SHARP, embedder, salts: [""] };
}

/** Memories kept open; each holds its vectors on the device once it was read. */
const MOST_OPEN = 2;
