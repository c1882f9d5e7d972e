/** @file What a memory holds already, as what the learned start can learn from: residuals with the tokens they say. */

import type { Engine } from "../engine/engine.ts";
import { LEARNT_PARTS, type WrittenPart } from "../memory/learnedStart.ts";
import { isCoded, sayAlone, shareOf, wholeTokens } from "../memory/stored.ts";
import type { FactId } from "../records/ids.ts";
import { byFact, type Memory } from "../records/memory.ts";
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
  const wholes = new Map(
    byFact(exact).flatMap((parts): (readonly [FactId, readonly number[]])[] => {
      const { id } = parts[0]!;
      const value = values.get(id);
      return value === undefined ? [] : [[id, wholeTokens(engine, parts[0]!, value, isCoded(parts))]];
    }),
  );
  const unknown = exact.filter(({ id }) => !wholes.has(id)).slice(-SAID_PARTS);
  const decoded = await sayAlone(engine, unknown, signal);
  const said = new Map(unknown.map((entry, i) => [entry, decoded[i]!]));
  return exact.flatMap((entry) => {
    const whole = wholes.get(entry.id);
    const targets = whole ? shareOf(engine, whole, entry) : said.get(entry);
    return targets?.length ? [{ layer: entry.layer, residual: entry.residual, targets }] : [];
  });
}
