/** @file A stored part as it is asked for, and what it should say. */

import type { Engine, RecallRow } from "../engine/engine.ts";
import type { FactKey } from "../records/fact.ts";
import type { EntryMeta } from "../records/memory.ts";
import type { EntryVectors } from "../records/vectors.ts";
import { inCodes } from "./codes.ts";
import { respelling } from "./parts.ts";
import { recallPrompt, valueTokens } from "./prompt.ts";

/** The row that decodes what a part's own residual says, whatever else is stored. */
export const ownRow = (engine: Engine, entry: EntryVectors): RecallRow => ({
  prompt: recallPrompt(engine, entry),
  injection: { layer: entry.layer, residual: entry.residual },
  tokens: entry.tokens,
});

/** v of a fact as tokens, all its parts together, as they are stored: `coded` as its entries say. */
export function wholeTokens(
  engine: Engine,
  { anchor, index }: Pick<FactKey, "anchor" | "index">,
  value: string,
  coded: boolean,
): readonly number[] {
  const key = { anchor, index };
  const tokens = valueTokens(engine, key, recallPrompt(engine, key), value);
  return coded ? inCodes(engine, tokens, value) : tokens;
}

/** Whether a fact was stored with codes for some of its characters; a respelt part may have one alone. */
export const isCoded = (parts: readonly Pick<EntryMeta, "report">[]): boolean =>
  parts.some(({ report }) => report.coded);

/** What a part says of v, whose tokens are `whole`. */
export function shareOf(
  engine: Engine,
  whole: readonly number[],
  { start, tokens, report }: Pick<EntryMeta, "start" | "tokens" | "report">,
): readonly number[] {
  const own = whole.slice(start, start + tokens);
  return report.respelt ? (respelling(engine, own[0]!, report.coded === true) ?? own) : own;
}
