/** @file A kept text for the reader: a window on its characters, and its outline as it streams through once. */

import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { toldOf } from "../../../../lib/format.ts";
import { outlineBuilder, type Outline } from "./outline.ts";

export type ReadRange = (start: number, end: number) => Promise<string>;

export interface ReaderText {
  readonly window: TextWindow;
  readonly outline: Outline;
  /** Rises when text arrived; reading it draws the component again. */
  readonly version: number;
  /** The error of reading the text, if any. */
  readonly problem: string | null;
}

export function useText(characters: number, readRange: ReadRange): ReaderText {
  const window = useMemo(() => openWindow(characters, readRange), [characters, readRange]);
  const version = useSyncExternalStore(window.subscribe, window.version);
  const [{ outline, problem }, setState] = useState<{ outline: Outline; problem: string | null }>(NOTHING);
  useEffect(() => {
    const controller = new AbortController();
    setState(NOTHING);
    streamOutline(characters, readRange, controller.signal, (now) =>
      setState({ outline: now, problem: null }),
    ).catch((error: unknown) => {
      if (!controller.signal.aborted) setState((now) => ({ ...now, problem: toldOf(error) }));
    });
    return () => controller.abort();
  }, [characters, readRange]);
  return { window, outline, version, problem: problem ?? window.error() };
}

/** Reads the text in pieces and reports the outline after the first piece, at intervals, and at the end. */
async function streamOutline(
  characters: number,
  readRange: ReadRange,
  signal: AbortSignal,
  tell: (outline: Outline) => void,
): Promise<void> {
  const builder = outlineBuilder();
  let told = -TELL_MS;
  for (let start = 0; start < characters; start += PIECE) {
    builder.push(await readRange(start, Math.min(characters, start + PIECE)));
    if (signal.aborted) return;
    if (performance.now() - told >= TELL_MS) {
      told = performance.now();
      tell(builder.outline());
    }
  }
  builder.finish();
  tell(builder.outline());
}

const NOTHING = { outline: { starts: [], breaks: [], characters: 0 }, problem: null };
/** Small enough that cutting a piece takes a few milliseconds. */
const PIECE = 131_072;
const TELL_MS = 400;

interface TextWindow {
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
