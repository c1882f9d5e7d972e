/** @file Test support: the text side of an engine, with tokenizers made for one fault each. */

import type { Engine } from "../../engine/engine.ts";
import { openText } from "../../engine/text.ts";
import { makeFolder } from "../../weights/testing/files.ts";

/** Whatever tokens there are. */
export const ANY = { endTokens: [], vocabulary: Infinity };

type Text = Pick<Engine, "encode" | "decode">;
export const engineOf = (text: Text): Engine => text as Partial<Engine> as Engine;

/** Unigram over ASCII and `pieces`: as code models have them, tokens of a brace and what stands beside it. */
export async function madeTokenizer(
  pieces: readonly string[],
  more: Record<string, unknown> = {},
): Promise<Engine> {
  const ascii = Array.from({ length: 95 }, (_, i) => [String.fromCharCode(32 + i), -1]);
  const bytes = Array.from({ length: 256 }, (_, i) => [
    `<0x${i.toString(16).toUpperCase().padStart(2, "0")}>`,
    -9,
  ]);
  const tokenizer = {
    version: "1.0",
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: { type: "Sequence", decoders: [{ type: "ByteFallback" }, { type: "Fuse" }] },
    model: {
      type: "Unigram",
      unk_id: 0,
      byte_fallback: true,
      vocab: [["<unk>", -99], ...bytes, ...ascii, ...pieces.map((piece) => [piece, -1])],
    },
    ...more,
  };
  return engineOf(await openText(makeFolder({ "tokenizer.json": JSON.stringify(tokenizer) }), ANY));
}

/** As Llama 2, Mistral and Phi-3 have it: a mark for each space, one in front of the text, and none when it is decoded. */
export const SENTENCE_PIECE = {
  normalizer: {
    type: "Sequence",
    normalizers: [
      { type: "Prepend", prepend: "▁" },
      { type: "Replace", pattern: { String: " " }, content: "▁" },
    ],
  },
  decoder: {
    type: "Sequence",
    decoders: [
      { type: "Replace", pattern: { String: "▁" }, content: " " },
      { type: "ByteFallback" },
      { type: "Fuse" },
      { type: "Strip", content: " ", start: 1, stop: 0 },
    ],
  },
};
