/** @file Lengths by name: "0k", "16k", "2M". */

import { assert } from "../../lib/assert.ts";

/**
 * Tokens that a name stands for.
 * @param thousand 1000 as BABILong counts, 1024 as RULER does
 */
export function tokensOf(name: string, thousand: 1000 | 1024): number {
  const [, digits, unit = ""] = /^(\d+)([kM]?)$/.exec(name) ?? [];
  assert(digits, () => `evaluate: the length "${name}" is none; expected e.g. 0k, 16k, 128k, 1M or a number`);
  return Number(digits) * thousand ** ["", "k", "M"].indexOf(unit);
}

/** GPT-2 tokens of English novels by their characters: 29.4 MB of them are about 7 million tokens. */
const CHARACTERS_PER_TOKEN = 4.2;

/** Where GPT-2's own tokenizer is not at hand. */
export const estimatedGpt2 = {
  name: `GPT-2 tokens, estimated as characters / ${CHARACTERS_PER_TOKEN}`,
  count: (text: string): number => Math.ceil(text.length / CHARACTERS_PER_TOKEN),
};
