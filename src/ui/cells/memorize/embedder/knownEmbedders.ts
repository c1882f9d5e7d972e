/** @file Text embedders that are offered by name, and what one takes before anybody asks the Hub. */

import type { EmbedderChoice, EmbedderDtype } from "../../../../records/embedder.ts";

export interface KnownEmbedder {
  readonly repo: string;
  /** Millions of parameters. */
  readonly millions: number;
  readonly note: string;
}

/** The smallest first. */
export const KNOWN_EMBEDDERS: readonly KnownEmbedder[] = [
  { repo: "Xenova/all-MiniLM-L6-v2", millions: 22.7, note: "English, the smallest" },
  { repo: "Xenova/bge-small-en-v1.5", millions: 33.4, note: "English" },
  { repo: "Xenova/gte-small", millions: 33.4, note: "English" },
  { repo: "Xenova/e5-small-v2", millions: 33.4, note: "English" },
  { repo: "Xenova/multilingual-e5-small", millions: 117.7, note: "About 100 languages" },
  { repo: "Xenova/bge-m3", millions: 567.8, note: "Over 100 languages, texts of 8,192 tokens" },
];

/** What the page proposes: small enough for any machine, and made for questions to passages. */
export const FIRST_HUB: EmbedderChoice = {
  from: { kind: "hub", repo: "Xenova/bge-small-en-v1.5", revision: "main" },
  dtype: "q8",
  device: "wasm",
};

/** Bytes of the weights, roughly; null in 4 bits, where it depends on what a converter left alone. */
export function aboutBytes({ millions }: KnownEmbedder, dtype: EmbedderDtype): number | null {
  const each = BYTES_EACH[dtype];
  return each === null ? null : millions * 1e6 * each;
}

const BYTES_EACH = { fp32: 4, fp16: 2, q8: 1, q4: null, q4f16: null } as const;
