/** @file A kept text for the reader: a window on its characters, and its outline as it streams through once. */

import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { toldOf } from "../../../../lib/format.ts";
import { outlineBuilder, type Outline } from "./outline.ts";
import { openWindow, type TextWindow } from "./textWindow.ts";

export type ReadRange = (start: number, end: number) => Promise<string>;

export interface ReaderText {
  readonly window: TextWindow;
  readonly outline: Outline;
  /** Rises when text arrived; reading it draws the component again. */
  readonly version: number;
  /** What went wrong with the text, if anything. */
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

/** Reads the text piece by piece, and says what is known after the first piece, now and then, and at the end. */
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
