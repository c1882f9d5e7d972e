/** @file Made tokens for the measurements: what they say does not matter, how many there are does. */

import type { EncodeRow, RecallRow } from "../../engine/engine.ts";
import type { LocalEngine } from "../../engine/localEngine.ts";
import { seeded } from "../../lib/rng.ts";

/** Tokens of a prompt that is read, and of what is decoded behind it. */
export const PROMPT = 256;
export const DECODED = 16;
/** Facts of an encoding step, and tokens of a value. */
export const BATCH = 8;
export const VALUE = 16;
/** Tokens in front of the key token and from it on, as recall prompts have them. */
export const PREFIX = 24;
export const SUFFIX = 6;

export const ADAM = { beta1: 0.9, beta2: 0.999 } as const;

/** Where facts are encoded: half of the layers are above it. */
export const middleLayer = ({ model }: Pick<LocalEngine, "model">): number => Math.floor(model.layers / 2);

/** Always the same tokens, in the order in which they are asked for. */
export class MadeTokens {
  readonly next = seeded(9);
  readonly #vocabulary: number;

  constructor({ model }: Pick<LocalEngine, "model">) {
    this.#vocabulary = model.vocabulary;
  }

  ids(count: number): number[] {
    return Array.from({ length: count }, () => Math.floor(this.next() * this.#vocabulary));
  }

  prompt(): RecallRow["prompt"] {
    return { ids: this.ids(PREFIX + SUFFIX), keyPosition: PREFIX };
  }

  facts(count: number, tokens: number): EncodeRow[] {
    return Array.from({ length: count }, () => ({ prompt: this.prompt(), targets: this.ids(tokens) }));
  }
}

/** Seconds of `work`. */
export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}
