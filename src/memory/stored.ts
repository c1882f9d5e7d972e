/** @file A stored part as it is asked for, and what it should say. */

import type { Engine, RecallRow } from "../engine/engine.ts";
import type { FactKey } from "../records/fact.ts";
import type { MemoryEntry } from "../records/memory.ts";
import { recallPrompt, valueTokens } from "./prompt.ts";

/** The row that decodes what a part's own residual says, whatever else is stored. */
export const ownRow = (engine: Engine, entry: MemoryEntry): RecallRow => ({
  prompt: recallPrompt(engine, entry),
  injection: { layer: entry.layer, residual: entry.residual },
  tokens: entry.tokens,
});

/** v of a fact as tokens, all its parts together. */
export function wholeTokens(
  engine: Engine,
  { anchor, index }: Pick<FactKey, "anchor" | "index">,
  value: string,
): number[] {
  const key = { anchor, index };
  return valueTokens(engine, key, recallPrompt(engine, key), value);
}

/** A part's share of the tokens of v. */
export const shareOf = (
  whole: readonly number[],
  { start, tokens }: Pick<MemoryEntry, "start" | "tokens">,
): number[] => whole.slice(start, start + tokens);
