/** @file The encode step of memorising: planned facts become entries, taken from the cache or encoded. */

import type { Engine } from "../engine/engine.ts";
import { encodeFacts } from "../memory/encode.ts";
import { LEARNT_PARTS, type WrittenPart } from "../memory/learnedStart.ts";
import { isCoded, sayAlone, shareOf, wholeTokens, startOf } from "../memory/parts.ts";
import type { PlannedFact } from "../records/fact.ts";
import type { FactId } from "../records/ids.ts";
import { byFact, type EntryMeta, type Memory, type MemoryEntry, saidOf } from "../records/memory.ts";
import type { MemoryPlan } from "../records/plan.ts";
import { withResiduals, type EntryVectors, type KeptMemory } from "../records/vectors.ts";
import { cachedFacts } from "./cacheLookup.ts";
import type { FlowContext } from "./context.ts";
import { factWork } from "./estimateRun.ts";

export interface EncodedFacts {
  readonly entries: readonly MemoryEntry[];
  readonly fromCache: boolean;
}

/** Yields the facts that the cache holds, then encodes the others. @throws Cancelled */
export async function* encodePlan(
  context: FlowContext,
  memory: Memory<EntryMeta>,
  planned: readonly PlannedFact[],
  learnable: readonly EntryVectors<"residual">[],
): AsyncGenerator<EncodedFacts> {
  const { engine, params, onProgress, onEvent, signal } = context;
  const cached = new Set<FactId>();
  let residuals: EntryVectors<"residual">[] = [];
  for await (const facts of cachedFacts(context, memory, planned)) {
    const entries = facts.flat();
    yield { entries, fromCache: true };
    for (const { id } of entries) cached.add(id);
    const exact = entries.filter(({ report }) => report.exact);
    residuals.push(...exact.map((entry) => ({ ...saidOf(entry), residual: entry.residual })));
    residuals = residuals.slice(-LEARNT_PARTS);
    onProgress?.({ stage: "encode", done: cached.size, total: planned.length, note: "from the cache" });
  }
  const missing = planned.filter(({ fact }) => !cached.has(fact.id));
  onEvent?.({ work: { encode: factWork(engine, missing, params).encode } });
  if (missing.length === 0) return;
  const learnt = [...learnable, ...residuals.slice(-TAUGHT_PARTS * missing.length)];
  const values = new Map(planned.map(({ fact }) => [fact.id, fact.value]));
  const learns = startOf(engine, params) === "learned" && learnt.length > 0;
  const finished = encodeFacts(engine, missing, params, {
    written: learns ? await writtenParts(engine, learnt, values, signal) : [],
    soon: memory.entries.length + cached.size === 0,
    centres: memory.centres,
    signal,
    onProgress({ done, total, layer, batch, facts, losses, share }) {
      const loss = losses.at(-1);
      const note = `layer ${layer}, ${loss === undefined ? "written" : `loss ${loss.toFixed(2)}`}`;
      onProgress?.({ stage: "encode", done, total, note, encode: { layer, batch, facts, losses, share } });
    },
  });
  for await (const entries of finished) yield { entries, fromCache: false };
}

/** Cached parts to learn from, per fact to encode. With one changed fact of 265: 22 s with all cached parts, 10 s with 32. */
const TAUGHT_PARTS = 32;

const latestExact = <E extends Pick<EntryMeta, "report">>(entries: readonly E[]): E[] =>
  entries.filter(({ report }) => report.exact).slice(-LEARNT_PARTS);

/** The entries of an opened memory that the learned start learns from in a run of `plan`, with their residuals. */
export async function learnableEntries(
  opened: KeptMemory,
  { engine, params }: Pick<FlowContext, "engine" | "params">,
  { planned, evicted }: Pick<MemoryPlan, "planned" | "evicted">,
): Promise<EntryVectors<"residual">[]> {
  if (startOf(engine, params) !== "learned" || planned.length === 0) return [];
  return withResiduals(opened, latestExact(opened.entries.filter(({ id }) => !evicted.has(id))));
}

/** Parts of earlier runs that are decoded to learn from them. */
const DECODED_PARTS = 256;

/** The latest exact parts of `entries` with their tokens, decoded from their vectors if `values` lacks their words. */
export async function writtenParts(
  engine: Engine,
  entries: readonly EntryVectors<"residual">[],
  values: ReadonlyMap<FactId, string>,
  signal?: AbortSignal,
): Promise<WrittenPart[]> {
  const exact = latestExact(entries);
  const wholes = new Map(
    byFact(exact).flatMap((parts): (readonly [FactId, readonly number[]])[] => {
      const { id } = parts[0]!;
      const value = values.get(id);
      return value === undefined ? [] : [[id, wholeTokens(engine, parts[0]!, value, isCoded(parts))]];
    }),
  );
  const unknown = exact.filter(({ id }) => !wholes.has(id)).slice(-DECODED_PARTS);
  const decoded = await sayAlone(engine, unknown, signal);
  const said = new Map(unknown.map((entry, i) => [entry, decoded[i]!]));
  return exact.flatMap((entry) => {
    const whole = wholes.get(entry.id);
    const targets = whole ? shareOf(engine, whole, entry) : said.get(entry);
    return targets?.length ? [{ layer: entry.layer, residual: entry.residual, targets }] : [];
  });
}
