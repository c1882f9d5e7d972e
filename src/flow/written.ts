/** @file What a memory holds already, as what the learned start can learn from: residuals with the tokens they say. */

import type { Engine } from "../engine/engine.ts";
import { LEARNT_PARTS, type WrittenPart } from "../memory/learnedStart.ts";
import { recallPrompt, valueTokens } from "../memory/prompt.ts";
import type { Memory, MemoryEntry } from "../records/memory.ts";
import { valuesOf } from "./facts.ts";

/** Parts without words that are said again to learn from: each costs a decoding. */
const SAID_PARTS = 256;

/**
 * The latest exact parts of `memory` with their tokens: from the values where they are kept in words, else as their
 * own vectors say them.
 */
export async function writtenParts(
  engine: Engine,
  memory: Pick<Memory, "entries" | "routing">,
  signal?: AbortSignal,
): Promise<WrittenPart[]> {
  const exact = memory.entries.filter(({ report }) => report.exact).slice(-LEARNT_PARTS);
  const values = valuesOf(memory);
  const unknown = exact.filter(({ id }) => !values.has(id)).slice(-SAID_PARTS);
  const said = await engine.recall(
    unknown.map((entry) => ({
      prompt: recallPrompt(engine, entry),
      injection: { layer: entry.layer, residual: entry.residual },
      tokens: entry.tokens,
    })),
    signal,
  );
  const tokens = new Map(unknown.map((entry, i) => [entry, said[i]!]));
  return exact.flatMap((entry) => {
    const value = values.get(entry.id);
    const targets = value === undefined ? tokens.get(entry) : slice(engine, entry, value);
    return targets ? [{ layer: entry.layer, residual: entry.residual, targets }] : [];
  });
}

/** The part's tokens of v. */
function slice(engine: Engine, entry: MemoryEntry, value: string): number[] {
  const whole = { anchor: entry.anchor, index: entry.index };
  const all = valueTokens(engine, whole, recallPrompt(engine, whole), value);
  return all.slice(entry.start, entry.start + entry.tokens);
}
