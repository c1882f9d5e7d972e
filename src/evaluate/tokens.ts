/** @file Sentences of a text, and tokens of texts of any length, for budgets, and back. */

import type { EngineValues } from "../engine/engine.ts";
import { sentences } from "../ingest/sentences.ts";
import { makeDocument } from "../ingest/text.ts";

export const passagesOf = (text: string): readonly string[] =>
  text.trim() === "" ? [] : Array.from(sentences(makeDocument("context", text)), (sentence) => sentence.text);

type Codec = Pick<EngineValues, "encode" | "decode">;

/** Characters per tokenizer call, which limits its time and memory. */
const PIECE = 20_000;

/** The tokens of a text, without a start token. */
export function textTokens({ encode }: Pick<Codec, "encode">, text: string): number[] {
  const start = encode("");
  const ids: number[] = [];
  for (const piece of pieces(text)) {
    const own = encode(piece);
    const from = start.length > 0 && start.every((id, i) => own[i] === id) ? start.length : 0;
    for (let i = from; i < own.length; i++) ids.push(own[i]!);
  }
  return ids;
}

/** Pieces that end before white space, so that no word is cut. */
export function* pieces(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    let to = Math.min(from + PIECE, text.length);
    while (to > from + 1 && to < text.length && !/\s/.test(text[to]!)) to--;
    if (to === from + 1) to = Math.min(from + PIECE, text.length);
    yield text.slice(from, to);
    from = to;
  }
}

/** Tokens as text, without incomplete characters. */
export const tokensText = ({ decode }: Codec, ids: readonly number[]): string =>
  decode(ids).replaceAll("\uFFFD", "").trim();
