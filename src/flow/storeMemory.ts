/** @file The store step of memorising: the index first, then finished facts at checkpoints, then the end of the run. */

import { present } from "../lib/assert.ts";
import type { PlannedFact } from "../records/fact.ts";
import type { FactId } from "../records/ids.ts";
import {
  byFact,
  type EntryMeta,
  type Memory,
  type MemoryEntry,
  precisionOf,
  saidOf,
  wholeReport,
} from "../records/memory.ts";
import { ordered } from "../records/params.ts";
import { partName, retold } from "../records/updatedEntries.ts";
import { outlineOf } from "../records/vectors.ts";
import type { Batch, Store } from "../store/port.ts";
import { keepFacts } from "./cacheLookup.ts";
import { inStage, type FlowContext } from "./context.ts";
import type { EncodedFacts } from "./encodePlan.ts";
import { asStored, GONE, readBack, topOne } from "./sayFacts.ts";

/** Stores the `indexed` memory: as a batch if a batch can express the change, otherwise by rewriting the memory. */
export async function storeIndex(
  store: Store,
  stored: Memory<EntryMeta> | null,
  indexed: Memory<EntryMeta>,
): Promise<void> {
  if (!stored) return store.save({ ...indexed, entries: [] });
  const added = addedTo(stored, indexed);
  await (added ? store.append(added) : rewrite(store, indexed));
}

/** The batch that turns `stored` into `indexed`; null if no batch does. */
function addedTo(stored: Memory<EntryMeta>, indexed: Memory<EntryMeta>): Batch | null {
  const extends_ =
    headOf(stored) === headOf(indexed) &&
    startsWith(indexed.entries, stored.entries) &&
    stored.entries.length === indexed.entries.length &&
    startsWith(indexed.sources, stored.sources) &&
    startsWith(anchorsOf(indexed), anchorsOf(stored)) &&
    startsWith(indexed.waiting, stored.waiting);
  if (!extends_) return null;
  const { sources, centres } = indexed;
  const known = new Set(stored.routing);
  return {
    sources: sources.slice(stored.sources.length),
    routing: indexed.routing.filter((document) => !known.has(document)),
    waiting: indexed.waiting.slice(stored.waiting.length),
    ...(centres && { centres }),
  };
}

/** Everything that a batch cannot change, as text. */
const headOf = ({ model, params, earlier, embedder, salts, layers, keyToken }: Memory<EntryMeta>): string =>
  JSON.stringify([
    ...[model.name, model.sha256, precisionOf(model), embedder, salts, layers, keyToken],
    ...[params, ...(earlier ?? [])].map(ordered),
  ]);

const anchorsOf = ({ routing }: Memory<EntryMeta>): readonly string[] => routing.map(({ anchor }) => anchor);

const startsWith = (whole: readonly unknown[], first: readonly unknown[]): boolean =>
  first.every((item, i) => item === whole[i]);

/** Rewrites the stored memory as `outline`, in one step; kept entries are copied with their vectors block by block. */
export async function rewrite(store: Store, { entries, ...rest }: Memory<EntryMeta>): Promise<void> {
  const stored = present(await store.pieces(), () => GONE);
  await store.take({ ...rest, batches: () => retold(stored.batches(), entries) });
}

export async function storeVerdicts(store: Store, judged: readonly EntryMeta[]): Promise<void> {
  const stored = outlineOf(present(await store.open(), () => GONE));
  const known = new Map(judged.map((entry) => [partName(entry), entry]));
  const entries = stored.entries.map((entry) => known.get(partName(entry)) ?? entry);
  await rewrite(store, { ...stored, entries });
}

/**
 * Stores the facts of `encoded` as they come, without their words, and returns the memory with them. At the end it adds the
 * verdicts of the soft read. If the run fails or is cancelled, finished facts are stored too.
 */
export async function storeEncoded(
  context: FlowContext,
  memory: Memory<EntryMeta>,
  planned: readonly PlannedFact[],
  encoded: AsyncIterable<EncodedFacts>,
): Promise<{ readonly memory: Memory<EntryMeta>; readonly cached: number }> {
  const { store, params, onProgress, onSaid } = context;
  const byId = new Map(planned.map((one) => [one.fact.id, one]));
  const values = new Map(planned.map(({ fact }) => [fact.id, fact.value]));
  const made: EntryMeta[] = [];
  let cached = 0;
  const append = async (entries: readonly MemoryEntry[]): Promise<void> => {
    await store.append({ entries });
    made.push(...entries.map(saidOf));
    onSaid?.(exactWords(made.slice(-entries.length), values));
  };
  const checkpoints = new Checkpoints(context.now, async (entries) => {
    await append(entries);
    await keepFacts(context, memory, byId, entries);
  });
  try {
    await inStage(context, "encode", async () => {
      for await (const { entries, fromCache } of encoded) {
        const kept = entries.map(asStored);
        await (fromCache ? append(kept) : checkpoints.add(kept));
        if (fromCache) cached += new Set(entries.map(({ id }) => id)).size;
      }
      await checkpoints.flush();
      onProgress?.({ stage: "encode", done: planned.length, total: planned.length });
    });
    const encodedIds = new Set(made.map(({ id }) => id));
    const waiting = memory.waiting.filter(({ id }) => !encodedIds.has(id));
    const stored = { ...memory, entries: [...memory.entries, ...made], waiting };
    const soft = params.read === "soft";
    const whole = soft ? await inStage(context, "readBack", () => readBack(context, values)) : topOne(stored);
    if (whole !== stored) await rewrite(store, whole);
    await store.flush();
    return { cached, memory: whole };
  } catch (error) {
    // The first error is the one to report.
    await checkpoints.flush().catch(() => undefined);
    await store.flush().catch(() => undefined);
    throw error;
  }
}

/** The words of the facts whose every part is exact: the model says them so. */
function exactWords(entries: readonly EntryMeta[], values: ReadonlyMap<FactId, string>) {
  const exact = byFact(entries).filter((parts) => wholeReport(parts).exact);
  return new Map(exact.map(([first]) => [first!.id, values.get(first!.id)!]));
}

export const CHECKPOINT_ENTRIES = 128;
/** Milliseconds after which the next group makes a checkpoint due. */
export const CHECKPOINT_MS = 5000;

/** Collects entries of finished facts: a write has a fixed cost, and a long run finishes thousands of groups. */
export class Checkpoints {
  #pending: MemoryEntry[] = [];
  /** The first group is written at once, so that the user sees progress. */
  #written = -Infinity;

  /** @param now milliseconds; @param write gets every entry once, in order */
  constructor(
    private readonly now: () => number,
    private readonly write: (entries: readonly MemoryEntry[]) => Promise<void>,
  ) {}

  /** Adds the entries of whole facts, and writes all pending ones if a checkpoint is due. */
  async add(entries: readonly MemoryEntry[]): Promise<void> {
    this.#pending = [...this.#pending, ...entries];
    const due = this.#pending.length >= CHECKPOINT_ENTRIES || this.now() - this.#written >= CHECKPOINT_MS;
    if (due) await this.flush();
  }

  /** Writes pending entries. Failed writes are not retried; the caller decides. */
  async flush(): Promise<void> {
    const entries = this.#pending;
    this.#pending = [];
    if (entries.length > 0) await this.write(entries);
    this.#written = this.now();
  }
}
