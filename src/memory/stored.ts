/** @file Stored parts: whether they can be recalled, how, and which tokens they should give. */

import type { Engine, RecallPrompt, RecallRow } from "../engine/engine.ts";
import { LONGEST_ANCHOR, type FactKey } from "../records/fact.ts";
import type { EntryMeta } from "../records/memory.ts";
import type { EntryVectors } from "../records/vectors.ts";
import { inCodes } from "./codes.ts";
import { respelling } from "./parts.ts";
import { recallPrompt, valueTokens } from "./prompt.ts";

/** Whether the model can recall a part: an imported one may claim too many tokens, or an impossible anchor. */
export const isAskable = (
  { model }: Pick<Engine, "model">,
  { ids }: RecallPrompt,
  { anchor, layer, tokens }: Pick<EntryMeta, "anchor" | "layer" | "tokens">,
): boolean =>
  anchor.length <= LONGEST_ANCHOR &&
  tokens > 0 &&
  layer < model.layers &&
  ids.length + tokens <= model.window;

/** The tokens that each part's own residual decodes to; empty for parts that cannot be recalled. */
export async function sayAlone(
  engine: Engine,
  entries: readonly EntryVectors<"residual">[],
  signal?: AbortSignal,
): Promise<number[][]> {
  const rows = entries.map((entry) => ownRow(engine, entry));
  const asked = [...rows.keys()].filter((i) => isAskable(engine, rows[i]!.prompt, entries[i]!));
  const said = await engine.recall(
    asked.map((i) => rows[i]!),
    signal,
  );
  const tokens = new Map(asked.map((i, n) => [i, said[n]!]));
  return entries.map((_, i) => tokens.get(i) ?? []);
}

export const ownRow = (engine: Engine, entry: EntryVectors<"residual">): RecallRow => ({
  prompt: recallPrompt(engine, entry),
  injection: { layer: entry.layer, residual: entry.residual },
  tokens: entry.tokens,
});

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

export const isCoded = (parts: readonly Pick<EntryMeta, "report">[]): boolean =>
  parts.some(({ report }) => report.coded);

export function shareOf(
  engine: Engine,
  whole: readonly number[],
  { start, tokens, report }: Pick<EntryMeta, "start" | "tokens" | "report">,
): readonly number[] {
  const own = whole.slice(start, start + tokens);
  const [first] = own;
  return report.respelt && first !== undefined
    ? (respelling(engine, first, report.coded === true) ?? own)
    : own;
}
