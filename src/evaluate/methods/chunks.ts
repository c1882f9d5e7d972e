/** @file Chunks of a text without overlap, of a limited number of tokens, with their offsets. */

import type { EngineValues } from "../../engine/engine.ts";
import { textTokens } from "../tokens.ts";

type Codec = Pick<EngineValues, "encode">;

export interface Chunk {
  /** A part of the text, trimmed. */
  readonly text: string;
  /** Its offset, including the white space before it. */
  readonly start: number;
  readonly tokens: number;
}

/** A word with the white space before it; very long words are split. */
const WORD = /\s*\S{1,40}/gu;

/**
 * The chunks of `text`, each as many of its next words as have `size` tokens, one at least. They are
 * cut from the text itself, since decoded tokens may lack white space and have other offsets.
 */
export function chunksOf(codec: Codec, text: string, size: number): Chunk[] {
  const tokensOf = wordTokens(codec);
  const found: { readonly start: number; end: number; tokens: number }[] = [];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const [tokens, end, open] = [tokensOf(word), index + word.length, found.at(-1)];
    if (open && open.tokens + tokens <= size) Object.assign(open, { end, tokens: open.tokens + tokens });
    else found.push({ start: index, end, tokens });
  }
  return found.map(({ start, end, tokens }) => ({ text: text.slice(start, end).trim(), start, tokens }));
}

/** Number of tokens that a word adds to a text, with the white space before it, by default one space. Cached. */
export function wordTokens(codec: Codec): (word: string) => number {
  const known = new Map<string, number>();
  const counted = (text: string): number => textTokens(codec, text).length;
  const before = counted("a");
  return (word) => {
    const tokens = known.get(word) ?? counted(`a${/^\s/.test(word) ? "" : " "}${word}`) - before;
    known.set(word, tokens);
    return tokens;
  };
}

/** The chunk that holds the character at `offset`, by position; the last one if all end before it. */
export function chunkAt(chunks: readonly Chunk[], offset: number): number {
  const next = chunks.findIndex(({ start }) => start > offset);
  return (next < 0 ? chunks.length : next) - 1;
}
