/** @file A text in chunks of so many tokens, none overlapping the next, and where each stands. */

import type { EngineValues } from "../../engine/engine.ts";
import { textTokens } from "../tokens.ts";

export interface Chunk {
  readonly text: string;
  /** Characters of all chunks before it. */
  readonly start: number;
  readonly tokens: number;
}

/** The chunks of `text`; put together they are its tokens, in order. */
export function chunksOf(
  codec: Pick<EngineValues, "encode" | "decode">,
  text: string,
  size: number,
): Chunk[] {
  const ids = textTokens(codec, text);
  const found: Chunk[] = [];
  let start = 0;
  for (let at = 0; at < ids.length; at += size) {
    const own = ids.slice(at, at + size);
    const decoded = codec.decode(own);
    found.push({ text: decoded.replaceAll("\uFFFD", "").trim(), start, tokens: own.length });
    start += decoded.length;
  }
  return found;
}

/** The chunk that holds the character at `offset`, by position; the last where all end before it. */
export function chunkAt(chunks: readonly Chunk[], offset: number): number {
  const next = chunks.findIndex(({ start }) => start > offset);
  return (next < 0 ? chunks.length : next) - 1;
}
