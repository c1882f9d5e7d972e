/** @file Deletion with a certificate: everything of a fact goes, and the other facts are shown to be unchanged. */

import { many } from "../lib/format.ts";
import type { Engine } from "../engine/engine.ts";
import { assert, throwIfCancelled } from "../lib/assert.ts";
import { chunks, groupBy } from "../lib/group.ts";
import { sameTokens } from "../memory/fidelity.ts";
import { factKey } from "../records/fact.ts";
import { recallPrompt, isAskable } from "../memory/parts.ts";
import { openReader } from "../memory/read.ts";
import type { DeletionCertificate, GatedRead, Reconstruction } from "../records/answer.ts";
import type { FactId } from "../records/ids.ts";
import { byFact, renamedEntry, routingFacts } from "../records/memory.ts";
import type { DeletionRecord, EntryMeta } from "../records/memory.ts";
import { leafOf, rootOf } from "../records/proof.ts";
import type { DeletionProgress } from "../records/progress.ts";
import {
  keptWithout,
  mapVectors,
  withVectors,
  type EntryVectors,
  type KeptMemory,
} from "../records/vectors.ts";
import { forgetFacts } from "../router/documents.ts";
import { closedTexts, closeGaps, renumbered, withMoved } from "./closeGaps.ts";
import { checkFits, sourcesLeft } from "./extend.ts";
import type { EncodingCache } from "../store/encodingCache.ts";
import type { Removal } from "../store/port.ts";
import type { FlowContext } from "./context.ts";
import { storeVerdicts } from "./storeMemory.ts";
import { tracesOf, factTraces } from "./cacheLookup.ts";
import { sayFacts, textsOf, judgedAgain, layersOf } from "./sayFacts.ts";
import { spread } from "../lib/stats.ts";

/** The cache is cleaned of the deleted facts too. The signal cancels the deletion until the first change is made. */
interface ForgetContext extends Pick<FlowContext, "engine" | "store" | "params" | "cache" | "signal"> {
  readonly date?: FlowContext["date"];
  /** Retained facts to compare, at most; an even sample. */
  readonly compareAtMost?: number;
  /** Bytes of keys that stay on the device. */
  readonly deviceBytes?: number;
  readonly onAsked?: ((progress: DeletionProgress) => void) | undefined;
}

/**
 * Deletes facts `ids` from `open` and the store in one step. The certificate has the words of the deleted facts, recalled before
 * and after, and compares the tokens of a sample of the others. Gaps in indices and offsets are closed. @returns it, and
 * new ids of retained facts. @throws if the memory is of another model or embedder, an id is not stored, or anything fails, and Cancelled;
 * the store is unchanged then
 */
export async function forget(
  context: ForgetContext,
  kept: KeptMemory,
  ids: ReadonlySet<FactId>,
): Promise<Readonly<{ certificate: DeletionCertificate; renamed: ReadonlyMap<FactId, FactId> }>> {
  const { engine, store, cache, date, compareAtMost = DEFAULT_COMPARED, signal } = context;
  checkFits(kept, engine);
  const deletedEntries = kept.entries.filter(({ id }) => ids.has(id));
  const deleted = byFact(deletedEntries);
  assert(
    deleted.length === ids.size,
    () => `flow: ${many(ids.size, "fact")} to delete, but ${deleted.length} are stored; reload the list`,
  );

  const others = byFact(kept.entries.filter(({ id }) => !ids.has(id)));
  const compared = spread(others, compareAtMost).filter((parts) =>
    parts.every((part) => isAskable(engine, recallPrompt(engine, part), part)),
  );
  const recalled = [...deleted, ...compared];
  const before = await recallFrom(context, kept, recalled, "before");

  // The memory without them, and the same recall from it.
  const moved = await closeGaps(engine, kept, ids, signal);
  const routing = await forgetFacts(moved.routing, ids, kept.params, engine.embed, textsOf(engine, kept));
  const lost = deletedEntries.map(({ documentId }) => documentId);
  const sources = sourcesLeft(kept, routing, lost);
  const again = new Map(byFact<EntryMeta>(moved.entries).map((parts) => [parts[0]!.id, parts]));
  const askedAfter = recalled.map((parts) => again.get(parts[0]!.id) ?? parts);
  const left = { ...keptWithout(withMoved(kept, moved.entries), ids), routing, sources };
  const after = await recallFrom(context, left, askedAfter, "after");
  const onAsked = (done: number, total: number): void => context.onAsked?.({ stage: "others", done, total });
  const judged = await judgedAgain({ ...context, onAsked }, left, layersOf(deletedEntries));
  const { renamed, texts } = closedTexts(kept, ids);
  const ordered = renumbered(routing, { ...kept, sources }, renamed);
  const change = { ids, entries: moved.entries, routing: ordered, renamed, texts };
  // The day alone: nothing shows in which order or how fast facts were deleted.
  const day = date?.().slice(0, 10) ?? "";
  const record = { at: day, facts: ids.size, gaps: moved.gaps, ...(await rootsOf(kept, change)) };
  throwIfCancelled(signal, "flow: deletion");

  // Delete. The cache comes first: if it cannot be cleaned, nothing is deleted.
  const cached = cache && (await cleanCache(cache, engine, kept, deletedEntries));
  const known = new Set(kept.routing);
  await store.remove({
    ...change,
    routing: ordered.filter((document) => !known.has(document)),
    sources: kept.sources.filter((source) => !sources.includes(source)).map(({ id }) => id),
    record,
  });
  // A process that ends here leaves outdated verdicts, but no deleted fact.
  if (judged)
    await storeVerdicts(
      store,
      judged.map((entry) => renamedEntry(entry, renamed)),
    );
  const certificate = {
    ...certificateOf(kept, deleted.length, before, after),
    retained: others.length,
    ...(cached && { cached }),
    ...{ moved: again.size, gaps: moved.gaps },
    roots: { before: record.before, after: record.after, leaves: record.removed.length },
  };
  return { certificate, renamed };
}

/** The Merkle roots before and after, and those of the deleted facts. */
async function rootsOf(
  memory: KeptMemory,
  change: Required<Pick<Removal, "ids" | "entries" | "routing" | "renamed">>,
): Promise<Pick<DeletionRecord, "before" | "after" | "removed">> {
  // Without a random number a root could be compared with guesses.
  if (memory.entries.some(({ nonce }) => nonce === undefined))
    return { before: null, after: null, removed: [] };
  const { ids, entries, routing, renamed } = change;
  const [routed, routedNow] = [routingFacts(memory.routing), routingFacts(routing)];
  const stored = (entry: EntryVectors): string => leafOf(renamedEntry(entry, renamed), routedNow);
  const after = entries.map(stored);
  const again = new Set([...ids, ...entries.map(({ id }) => id)]);
  const before = await mapVectors(memory, memory.entries, (entry) => {
    if (!again.has(entry.id)) after.push(stored(entry));
    return leafOf(entry, routed);
  });
  const facts = groupBy(memory.entries.keys(), (at) => memory.entries[at]!.id);
  const removed = [...ids].map((id) => rootOf(facts.get(id)!.map((at) => before[at]!)));
  return { before: rootOf(before), after: rootOf(after), removed: removed.sort() };
}

/** @param deleted number of deleted facts; they come first in both recalls, the compared ones after them */
function certificateOf(
  { entries }: KeptMemory,
  deleted: number,
  before: readonly Reconstruction[],
  after: readonly Reconstruction[],
) {
  const keys = new Map(entries.map((entry) => [entry.id, factKey(entry)]));
  const certified = ({ id, key, text }: Reconstruction, read: GatedRead) => {
    const { similarity, gateOpen, winner } = read;
    return {
      key,
      text,
      read: { similarity, gateOpen, nearest: winner && keys.get(winner)!, own: winner === id },
    };
  };
  const gone = before.slice(0, deleted);
  return {
    keys: gone.map(({ key }) => key),
    before: gone.map((asked) => certified(asked, asked.read)),
    after: after.slice(0, deleted).map((asked) => {
      const read = nearestRead(asked);
      return { ...certified(asked, read), gateOpen: read.gateOpen };
    }),
    compared: before.length - deleted,
    changed: before.filter((one, i) => i >= deleted && !isSame(one, after[i]!)).length,
  };
}

/** A fact with another index may be cut into other tokens, which say the same. */
const isSame = (a: Reconstruction, b: Reconstruction): boolean =>
  sameTokens(a.tokens, b.tokens) || (a.key !== b.key && a.text === b.text);

/** Removes every cached value with traces of the facts `gone`, whose words are decoded from their vectors. */
async function cleanCache(
  cache: EncodingCache,
  engine: Engine,
  memory: KeptMemory,
  gone: readonly EntryMeta[],
): Promise<NonNullable<DeletionCertificate["cached"]>> {
  const deleted = await withVectors(memory, gone);
  const words = await sayFacts(engine, deleted);
  const traces = byFact(deleted).flatMap((parts) => factTraces(parts, words.get(parts[0]!.id)!));
  // The words of an inexact fact differ from those in the cache.
  const inexact = byFact(deleted).filter((parts) => !parts.every(({ report }) => report.exact));
  const through = inexact.flatMap((parts) => factTraces(parts, null));
  return cache.remove(traces.flatMap(tracesOf), through.flatMap(tracesOf));
}

/** Compared facts; the paper compares 56. All facts of a large memory would take minutes. */
const DEFAULT_COMPARED = 256;

/** Few, so that progress is shown, and many enough that a layer that the device cannot hold is seldom read. */
const ASKED_AT_ONCE = 32;

/** Recalls facts layer by layer, since the device may not hold the keys of all layers. @throws Cancelled */
async function recallFrom(
  { engine, params, deviceBytes, signal, onAsked }: ForgetContext,
  memory: KeptMemory,
  targets: readonly (readonly EntryMeta[])[],
  stage: DeletionProgress["stage"],
): Promise<Reconstruction[]> {
  const layers = [...groupBy(targets, ([first]) => first!.layer).values()];
  const reader = openReader(engine, memory, params, deviceBytes);
  const said = new Map<readonly EntryMeta[], Reconstruction>();
  try {
    for (const some of layers.flatMap((own) => chunks(own, ASKED_AT_ONCE))) {
      throwIfCancelled(signal, "flow: deletion");
      const recalled = await reader.recall(some, params, signal);
      for (const [i, facts] of some.entries()) said.set(facts, recalled[i]!);
      onAsked?.({ stage, done: said.size, total: targets.length });
    }
    return targets.map((facts) => said.get(facts)!);
  } finally {
    reader.dispose();
  }
}

/** The read of the part with the nearest key. The gate is open if it is open for one part. */
const nearestRead = ({ read, parts = [] }: Reconstruction): GatedRead =>
  parts.reduce((nearest, part) => (part.read.similarity > nearest.similarity ? part.read : nearest), read);
