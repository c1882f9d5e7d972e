/** @file What a memory holds already, as what the learned start can learn from: residuals with the tokens they say. */

import type { Engine } from "../engine/engine.ts";
import { LEARNT_PARTS, type WrittenPart } from "../memory/learnedStart.ts";
import { isCoded, sayAlone, shareOf, wholeTokens } from "../memory/stored.ts";
import type { FactId } from "../records/ids.ts";
import { byFact, type EntryMeta, type Memory } from "../records/memory.ts";
import { withResiduals, type EntryResidual, type KeptMemory } from "../records/vectors.ts";
import { valuesOf } from "./facts.ts";

/** Parts without words that are said again to learn from: each costs a decoding. */
const SAID_PARTS = 256;

/** The entries that are learnt from: the latest that say their part exactly. */
const latestExact = <E extends Pick<EntryMeta, "report">>(entries: readonly E[]): E[] =>
  entries.filter(({ report }) => report.exact).slice(-LEARNT_PARTS);

/** What a start can be learnt from in an opened memory without the facts that are `gone`: no more is read of it. */
export const learntFrom = (memory: KeptMemory, gone: ReadonlySet<FactId>): Promise<EntryResidual[]> =>
  withResiduals(memory, latestExact(memory.entries.filter(({ id }) => !gone.has(id))));

/**
 * The latest exact parts of `memory` with their tokens: from the values where they are kept in words, else as their
 * own vectors say them.
 */
export async function writtenParts(
  engine: Engine,
  memory: Pick<Memory, "routing"> & { readonly entries: readonly EntryResidual[] },
  signal?: AbortSignal,
): Promise<WrittenPart[]> {
  const exact = latestExact(memory.entries);
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
