/**
 * @file The queue of files of one source cell: read one after the other, each with its own state, outside React, so
 * that folding or moving the cell does not lose what is being read. What is ready goes to the cell's own input.
 */

import type { IncomingFile } from "../../../../rpc/protocol.ts";
import type { SourceEntry } from "../../../../records/notebook.ts";

/** Where one file stands; "duplicate": its text is in the cell already. */
export type QueueState =
  | { readonly kind: "waiting" }
  | { readonly kind: "reading" }
  | { readonly kind: "duplicate"; readonly of: string }
  | { readonly kind: "failed"; readonly message: string; readonly retry: boolean };

export interface QueueItem {
  readonly key: number;
  readonly name: string;
  readonly bytes: number;
  readonly state: QueueState;
}

/** A file or a paste before its bytes are in memory. */
export interface Incoming {
  readonly name: string;
  readonly size: number;
  /** Reads the bytes; called again on a retry. */
  readonly load: () => Promise<Uint8Array>;
}

export interface QueuePort {
  /** Reads a file into the library. */
  readonly ingest: (file: IncomingFile) => Promise<SourceEntry>;
  /** Takes a document into the cell; gives the title of the one it repeats, or null when it is new. */
  readonly accept: (entry: SourceEntry) => string | null;
  /** Why a file is not tried at all, or null. */
  readonly refuse: (name: string, bytes: number) => string | null;
}

/** A queue with the two methods that useSyncExternalStore asks for. */
export interface SourceQueue {
  readonly subscribe: (listener: () => void) => () => void;
  /** The same array until something changes. */
  readonly items: () => readonly QueueItem[];
  readonly add: (files: readonly Incoming[]) => void;
  readonly retry: (key: number) => void;
  readonly remove: (key: number) => void;
}

/** An empty queue that works through `port`; `port` is asked anew for each file, so it may change. */
export function createQueue(port: () => QueuePort): SourceQueue {
  const listeners = new Set<() => void>();
  const sources = new Map<number, Incoming>();
  let items: readonly QueueItem[] = [];
  let last = 0;
  let busy = false;

  function publish(next: readonly QueueItem[]): void {
    items = next;
    for (const listener of listeners) listener();
  }
  const setState = (key: number, state: QueueState): void =>
    publish(items.map((item) => (item.key === key ? { ...item, state } : item)));

  function drop(key: number): void {
    sources.delete(key);
    publish(items.filter((item) => item.key !== key));
  }

  async function read(key: number, source: Incoming): Promise<void> {
    setState(key, { kind: "reading" });
    try {
      const entry = await port().ingest({ name: source.name, bytes: await source.load() });
      if (!sources.has(key)) return; // removed while it was being read
      const twin = port().accept(entry);
      if (twin === null) drop(key);
      else setState(key, { kind: "duplicate", of: twin });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      setState(key, { kind: "failed", message, retry: true });
    }
  }

  async function work(): Promise<void> {
    if (busy) return;
    busy = true;
    try {
      for (;;) {
        const next = items.find(({ state }) => state.kind === "waiting");
        const source = next && sources.get(next.key);
        if (!next || !source) return;
        await read(next.key, source);
      }
    } finally {
      busy = false;
    }
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    items: () => items,
    add(files) {
      const added = files.map((file): QueueItem => {
        const why = port().refuse(file.name, file.size);
        const key = ++last;
        sources.set(key, file);
        const state: QueueState = why
          ? { kind: "failed", message: why, retry: false }
          : { kind: "waiting" };
        return { key, name: file.name, bytes: file.size, state };
      });
      publish([...items, ...added]);
      void work();
    },
    retry(key) {
      setState(key, { kind: "waiting" });
      void work();
    },
    remove: drop,
  };
}
