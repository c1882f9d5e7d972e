/** @file Memorising in five steps: read the texts, plan, index, encode, store. */

import { assert } from "../lib/assert.ts";
import type { EntryMeta, Memory } from "../records/memory.ts";
import type { MemoryPlan } from "../records/plan.ts";
import type { Document } from "../records/source.ts";
import { outlineOf, type KeptMemory } from "../records/vectors.ts";
import type { SaidFacts } from "./carry.ts";
import { inStage, type FlowContext } from "./context.ts";
import { encodePlan, learnableEntries } from "./encodePlan.ts";
import { estimateBeforePlan, plannedWork } from "./estimateRun.ts";
import { checkFits, withoutKnown } from "./extend.ts";
import { indexFacts } from "./indexFacts.ts";
import { withKeyCentres } from "./keyCentres.ts";
import { observeRun, type RunMeasures } from "./observeRun.ts";
import { checkRoom, planMemory } from "./planMemory.ts";
import { readTexts } from "./readTexts.ts";
import { storeEncoded, storeIndex } from "./storeMemory.ts";

/** Result of a run. The vectors are in the store. */
export interface MemorizeReport extends RunMeasures {
  readonly plan: MemoryPlan;
  readonly memory: Memory<EntryMeta>;
  /** Entries that the memory held before the run; the entries of the run follow them. */
  readonly before: number;
  readonly cached: number;
}

/**
 * Adds `documents` to the store, finished facts every few seconds; after a crash {@link resume} or the next call continues.
 * @throws if there is nothing to memorise, the store belongs to another model or is full, and Cancelled
 */
export async function memorize(
  context: FlowContext,
  documents: readonly Document[],
): Promise<MemorizeReport> {
  assert(documents.length > 0, () => "flow: no documents to memorise; add a text");
  return run(context, await context.store.open(), documents);
}

/** Encodes what an interrupted {@link memorize} left; null if the store is empty. */
export async function resume(context: FlowContext): Promise<MemorizeReport | null> {
  const opened = await context.store.open();
  return opened && run(context, opened, []);
}

/** Encodes facts in words: into the memory `into`, or as a new memory in place of the stored one. @throws as {@link memorize} */
export const memorizeSaid = (
  context: FlowContext,
  said: SaidFacts,
  into: KeptMemory | null,
): Promise<MemorizeReport> => run(context, into, [], said);

async function run(
  given: FlowContext,
  opened: KeptMemory | null,
  documents: readonly Document[],
  said?: SaidFacts,
): Promise<MemorizeReport> {
  const stored = opened && outlineOf(opened);
  const fresh = withoutKnown(documents, stored);
  if (stored) checkFits(stored, given.engine);
  if (stored && (said ?? fresh.length > 0)) checkRoom(given, stored);
  const { observed, measures } = observeRun(given);

  // Read: sentences, and which of them can become facts.
  const texts = await inStage(observed, "read", () => readTexts(observed, fresh));
  await estimateBeforePlan(observed, texts, stored);

  // Plan: anchors, facts, storage layers, the budget of Eq. 1.
  const known = documents.filter((document) => !fresh.includes(document)).map(({ title }) => title);
  const plan = { ...(await planMemory(observed, stored, texts, said)), known };
  const context = { ...observed, params: { ...observed.params, partTokens: plan.partTokens } };
  context.onEvent?.({ work: plannedWork(context, plan, stored) });

  // Index: questions and routing documents, while the words are at hand.
  const indexed = await indexFacts(context, stored, plan);
  const memory = await withKeyCentres(context, indexed, plan.planned);
  // Read before the first write, which invalidates the opened vectors.
  const learnable = opened ? await learnableEntries(opened, context, plan) : [];
  if (memory !== stored) await storeIndex(context.store, stored, memory);

  const encoded = encodePlan(context, memory, plan.planned, learnable);
  const written = await storeEncoded(context, memory, plan.planned, encoded);
  return { plan, ...written, before: memory.entries.length, ...measures() };
}
