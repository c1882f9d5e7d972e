/** @file Models that are offered by name, and what one takes before anybody asks the Hub. */

import type { EmbedderDtype } from "../../../records/embedder.ts";

export interface KnownModel {
  readonly repo: string;
  /** Millions of parameters. */
  readonly millions: number;
  readonly note: string;
}

/** Bytes of the weights, roughly; null in 4 bits, where it depends on what a converter left alone. */
export function aboutBytes({ millions }: KnownModel, dtype: EmbedderDtype): number | null {
  const each = BYTES_EACH[dtype];
  return each === null ? null : millions * 1e6 * each;
}

const BYTES_EACH = { fp32: 4, fp16: 2, q8: 1, q4: null, q4f16: null } as const;
