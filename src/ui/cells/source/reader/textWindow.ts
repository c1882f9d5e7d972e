/**
 * @file The part of a long text that is near the eye: fixed chunks fetched from the library on demand, the oldest
 * thrown out. Keeps a bounded number of characters in the page, whatever the length of the text.
 */

import { toldOf } from "../../../../lib/format.ts";

export interface TextWindow {
  /** Characters [start, end), or null while they are on their way. */
  slice(start: number, end: number): string | null;
  /** Characters [start, end), waited for; not counted as near the eye. */
  read(start: number, end: number): Promise<string>;
  /** Why the last fetch failed, until one succeeds; null otherwise. */
  error(): string | null;
  subscribe(listener: () => void): () => void;
  /** Rises whenever a chunk arrives or fails: the snapshot for useSyncExternalStore. */
  version(): number;
}

/** Opens a window on a text of `characters`; `fetch` gives [start, end) of it. */
export function openWindow(
  characters: number,
  fetch: (start: number, end: number) => Promise<string>,
): TextWindow {
  const chunks = new Map<number, string | null>();
  const listeners = new Set<() => void>();
  let version = 0;
  let error: string | null = null;

  function publish(): void {
    version++;
    for (const listener of listeners) listener();
  }

  function load(index: number): void {
    chunks.set(index, null);
    const start = index * CHUNK;
    fetch(start, Math.min(characters, start + CHUNK)).then(
      (text) => {
        chunks.set(index, text);
        error = null;
        for (const old of [...chunks.keys()].slice(0, Math.max(0, chunks.size - KEPT))) chunks.delete(old);
        publish();
      },
      (reason: unknown) => {
        // The place stays empty, so that a glance later asks again.
        chunks.delete(index);
        error = toldOf(reason);
        publish();
      },
    );
  }

  /** Text of a chunk; asks for it when it is not here. Looking at a chunk makes it the youngest. */
  function look(index: number): string | null {
    const text = chunks.get(index);
    if (text === undefined) {
      if (error === null) load(index);
      return null;
    }
    chunks.delete(index);
    chunks.set(index, text);
    return text;
  }

  return {
    slice(start, end) {
      let text = "";
      let whole = true;
      for (let index = Math.floor(start / CHUNK); index * CHUNK < end; index++) {
        const chunk = look(index);
        if (chunk === null) whole = false;
        else text += chunk.slice(Math.max(0, start - index * CHUNK), end - index * CHUNK);
      }
      return whole ? text : null;
    },
    read: (start, end) => fetch(start, Math.min(end, characters)),
    error: () => error,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    version: () => version,
  };
}

/** Characters fetched at once, and chunks kept: 2 M characters at most. */
export const CHUNK = 65_536;
const KEPT = 32;
