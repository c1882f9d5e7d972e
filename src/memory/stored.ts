/** @file A stored part as it is asked for, and what it should say. */

import type { Engine, RecallRow } from "../engine/engine.ts";
import type { FactKey } from "../records/fact.ts";
import type { MemoryEntry } from "../records/memory.ts";
import { respelling } from "./parts.ts";
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

/** What a part says of v, whose tokens are `whole`. */
export function shareOf(
  engine: Engine,
  whole: readonly number[],
  { start, tokens, report }: Pick<MemoryEntry, "start" | "tokens" | "report">,
): readonly number[] {
  const own = whole.slice(start, start + tokens);
  return report.respelt ? (respelling(engine, own[0]!) ?? own) : own;
}
