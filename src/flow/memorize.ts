/** @file The memorization phase: Document[] -> read -> plan -> index -> encode -> Memory. */

import { assert } from "../lib/assert.ts";
import type { Memory } from "../records/memory.ts";
import type { MemoryPlan } from "../records/plan.ts";
import type { MemorizeStage } from "../records/progress.ts";
import type { Document } from "../records/source.ts";
import { withCentres } from "./centres.ts";
import type { FlowContext } from "./context.ts";
import { encodePlan } from "./encodePlan.ts";
import { checkFits, withoutKnown } from "./extend.ts";
import { indexFacts } from "./indexFacts.ts";
import { checkRoom, planMemory } from "./planMemory.ts";
import { readTexts } from "./readTexts.ts";
import { stageClock } from "./timed.ts";

/** What a run did; the memory itself is in the store as well. */
export interface MemorizeReport {
  readonly plan: MemoryPlan;
  readonly memory: Memory;
  /** Entries of the memory that were stored before; those after them are of this run. */
  readonly before: number;
  readonly milliseconds: Readonly<Partial<Record<MemorizeStage, number>>>;
}

/**
 * Reads `documents` into the store, adding to what it already holds. After it returns no source text is needed.
 * Every encoded batch is stored before the next one starts, so a crash loses at most one: {@link resume} goes on,
 * and so does the next call.
 * @throws when nothing can be read from the documents, when the store belongs to another model or is full, and
 * Cancelled; before the first fact is encoded the store is unchanged then
 */
export async function memorize(
  context: FlowContext,
  documents: readonly Document[],
): Promise<MemorizeReport> {
  assert(documents.length > 0, () => "flow: there is no document to memorise");
  return write(context, await context.store.load(), documents);
}

/** Encodes what an interrupted {@link memorize} left; null where nothing is stored. */
export async function resume(context: FlowContext): Promise<MemorizeReport | null> {
  const stored = await context.store.load();
  return stored && write(context, stored, []);
}

async function write(
  context: FlowContext,
  stored: Memory | null,
  documents: readonly Document[],
): Promise<MemorizeReport> {
  const fresh = withoutKnown(documents, stored);
  if (stored) checkFits(stored, context.engine);
  if (stored && fresh.length > 0) checkRoom(context, stored);
  const { timed, milliseconds } = stageClock(context.now);
  const texts = await timed("read", () => readTexts(context, fresh));
  const known = documents.filter((document) => !fresh.includes(document)).map(({ title }) => title);
  const plan = { ...(await planMemory(context, stored, texts, timed)), known };
  const indexed = await withCentres(context, await indexFacts(context, stored, plan, timed), plan.planned);
  // Where nothing is new there is nothing to begin.
  if (indexed !== stored) await context.store.save(indexed);
  const memory = await timed("encode", () => encodePlan(context, indexed, plan.planned));
  return { plan, memory, before: indexed.entries.length, milliseconds };
}
