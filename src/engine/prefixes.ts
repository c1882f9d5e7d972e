/** @file The cache of the tokens in front of each prompt's key token: what recall and encoding both begin with. */

import type { RecallPrompt } from "./engine.ts";
import { prefix } from "./roles.ts";
import { freeing, padLeft, pasts, type Feeds, type Runner } from "./runner.ts";

export interface PrefixOptions {
  /** Columns that every prefix is padded to on the left. */
  readonly columns: number;
  /** Tokens of each row at its end. */
  readonly length: readonly number[];
  /** The last layer that is wanted; all without it. */
  readonly until?: number;
  readonly signal: AbortSignal | undefined;
}

/** Reads the prefixes of `prompts`, which fill the program, into a cache; gives it with the pads of its rows. */
export async function readPrefixes(
  runner: Runner,
  prompts: readonly RecallPrompt[],
  { columns, length, until, signal }: PrefixOptions,
): Promise<{ cache: Feeds; pads: number[] }> {
  const prefixes = prompts.map(({ ids, keyPosition }) => ids.slice(0, keyPosition));
  const { rows, pads } = padLeft(prefixes, columns);
  const feeds = runner.tokens(rows, { pads, past: 0, length });
  const outputs = await freeing(feeds, () => runner.forward(prefix(prompts.length, until), feeds, signal));
  outputs["hidden"]?.dispose();
  return { cache: pasts(outputs), pads };
}
