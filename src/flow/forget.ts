/** @file Deletion with proof: key, residual, value, questions and vectors go; what stays is shown to be unchanged. */

import { many } from "../lib/format.ts";
import type { Engine } from "../engine/engine.ts";
import { assert, throwIfCancelled } from "../lib/assert.ts";
import { chunks, groupBy } from "../lib/group.ts";
import { sameTokens } from "../memory/fidelity.ts";
import { factKey } from "../records/fact.ts";
import { recallPrompt } from "../memory/prompt.ts";
import { openReader } from "../memory/read.ts";
import { isAskable } from "../memory/stored.ts";
import type { CertifiedRead, DeletionCertificate, GatedRead, Reconstruction } from "../records/answer.ts";
import type { FactId } from "../records/ids.ts";
import { byFact, DEVICE_BYTES, type EntryMeta, type Memory, type MemoryEntry } from "../records/memory.ts";
import type { MethodParams } from "../records/params.ts";
import type { DeletionProgress } from "../records/progress.ts";
import { keptMemory, keptWithout, withVectors, type KeptMemory } from "../records/vectors.ts";
import { forgetFacts } from "../router/documents.ts";
import { checkFits, sourcesLeft } from "./extend.ts";
import type { EncodingCache } from "../store/encodingCache.ts";
import type { Store } from "../store/port.ts";
import { factTraces } from "./cachedFacts.ts";
import { valuesOf } from "./facts.ts";
import { judgedAnew, judgedWhole, layersOf, renewedFacts } from "./readBack.ts";
import { tracesOf } from "./cacheLookup.ts";
import { digestOf, sayFacts, textsOf } from "./wordless.ts";
import { spread } from "../lib/stats.ts";

export interface ForgetContext {
  readonly engine: Engine;
  readonly store: Store;
  readonly params: MethodParams;
  /** Where what is deleted may lie as well. */
  readonly cache?: EncodingCache;
  /** Retained facts to compare at most, evenly spread; all of them when there are no more. */
  readonly compareAtMost?: number;
  /** Bytes of keys that stay on the device; DEVICE_BYTES by default. */
  readonly deviceBytes?: number;
  /** Ends a deletion while it asks and compares; from the first change on it goes to its end. */
  readonly signal?: AbortSignal;
  readonly onAsked?: (progress: DeletionProgress) => void;
}

/** A memory without the facts that were deleted, and what shows that they are. */
interface Forgotten<M> {
  readonly memory: M;
  readonly certificate: DeletionCertificate;
}

/**
 * Deletes `ids` from `open` and from the store in one step, and certifies it: the deleted facts are asked for
 * before and after, and the outputs of retained facts are compared token by token. A source of which nothing is left
 * goes too, so that it can be memorised again. What the soft read says of those that stay is asked again, where the memory
 * is read so. The certificate of a memory without words has digests in their place.
 *
 * Of a memory that is opened, no more is read than the layers of what is asked, block by block; only one that the soft
 * read has judged is loaded, since every part of a layer is mixed there, judged and stored anew.
 * @throws when the memory is of another model or embedder, an id is not stored, or anything fails, and Cancelled; the
 * store is unchanged then
 */
export function forget(
  given: ForgetContext,
  open: Memory,
  ids: ReadonlySet<FactId>,
): Promise<Forgotten<Memory>>;
export function forget(
  given: ForgetContext,
  open: KeptMemory,
  ids: ReadonlySet<FactId>,
): Promise<Forgotten<Memory | KeptMemory>>;
export async function forget(
  context: ForgetContext,
  open: Memory | KeptMemory,
  ids: ReadonlySet<FactId>,
): Promise<Forgotten<Memory | KeptMemory>> {
  const { engine, store, cache, compareAtMost = DEFAULT_COMPARED, signal } = context;
  checkFits(open, engine);
  const memory = await judgedWhole(store, open);
  const kept = keptMemory(memory);
  const deleted = kept.entries.filter(({ id }) => ids.has(id));
  const stored = byFact(deleted);
  assert(
    stored.length === ids.size,
    () => `flow: ${many(ids.size, "fact")} to be deleted, ${stored.length} of them stored; reload the list`,
  );
  const others = byFact(kept.entries.filter(({ id }) => !ids.has(id)));
  // Where nothing can be said before or after, nothing is compared.
  const compared = spread(others, compareAtMost).filter((parts) =>
    parts.every((part) => isAskable(engine, recallPrompt(engine, part), part)),
  );
  const asked = [...stored, ...compared];
  const before = await recallFrom(context, kept, asked, "before");
  const routing = await forgetFacts(kept.routing, ids, kept.params, engine.embed, textsOf(engine, kept));
  const sources = sourcesLeft(
    kept,
    routing,
    deleted.map(({ documentId }) => documentId),
  );
  const after = await recallFrom(context, keptWithout(kept, ids), asked, "after");
  const left = await memoryLeft(context, memory, ids, { routing, sources });
  throwIfCancelled(signal, "flow: deletion");
  const known = new Set(kept.routing);
  // First: where the cache cannot be cleaned, nothing is deleted.
  const cached = cache && (await scrape(cache, engine, kept, deleted));
  await store.remove({
    ids,
    routing: routing.filter((document) => !known.has(document)),
    sources: kept.sources.filter((source) => !sources.includes(source)).map(({ id }) => id),
  });
  // Behind the deletion, which waits for nothing: a process that dies between the two leaves verdicts of before.
  if (left.renewed.length > 0) await store.append({ entries: left.renewed });
  const certificate = certificateOf(kept, { stored, compared, retained: others.length }, before, after);
  return { memory: left.memory, certificate: { ...certificate, ...(cached && { cached }) } };
}

/** What is left of a memory, and the facts of it of which the soft read says something else now. */
async function memoryLeft(
  context: ForgetContext,
  memory: Memory | KeptMemory,
  ids: ReadonlySet<FactId>,
  changed: Pick<Memory, "routing" | "sources">,
): Promise<{ readonly memory: Memory | KeptMemory; readonly renewed: readonly MemoryEntry[] }> {
  if ("blocks" in memory) return { memory: { ...keptWithout(memory, ids), ...changed }, renewed: [] };
  const onAsked = (done: number, total: number): void => context.onAsked?.({ stage: "others", done, total });
  const deleted = memory.entries.filter(({ id }) => ids.has(id));
  const left = { ...memory, ...changed, entries: memory.entries.filter(({ id }) => !ids.has(id)) };
  const judged = await judgedAnew({ ...context, onAsked }, memory, left, layersOf(deleted));
  return { memory: judged, renewed: renewedFacts(left, judged) };
}

/** The facts that went, those that were asked for beside them, and how many stay. */
interface Asked {
  readonly stored: readonly (readonly EntryMeta[])[];
  readonly compared: readonly (readonly EntryMeta[])[];
  readonly retained: number;
}

/** What was said `before` and `after`: of the deleted facts first, then of those that are compared. */
function certificateOf(
  { entries, salt }: KeptMemory,
  { stored, compared, retained }: Asked,
  before: readonly Reconstruction[],
  after: readonly Reconstruction[],
): DeletionCertificate {
  const n = stored.length;
  const keys = new Map(byFact(entries).map(([first]) => [first!.id, factKey(first!)]));
  const certified = ({ id }: Reconstruction, read: GatedRead): CertifiedRead => certifiedRead(read, id, keys);
  const told = (text: string): string => (salt === undefined ? text : digestOf(text, salt));
  return {
    keys: stored.map(([first]) => factKey(first!)),
    before: before
      .slice(0, n)
      .map((asked) => ({ key: asked.key, text: told(asked.text), read: certified(asked, asked.read) })),
    after: after.slice(0, n).map((asked) => {
      const read = nearestRead(asked);
      return {
        key: asked.key,
        text: told(asked.text),
        gateOpen: read.gateOpen,
        read: certified(asked, read),
      };
    }),
    ...{ compared: compared.length, retained },
    changed: compared.filter((_, i) => !sameTokens(before[n + i]!.tokens, after[n + i]!.tokens)).length,
  };
}

/** What a certificate says of a read that was asked for fact `id`. */
function certifiedRead(
  { similarity, gateOpen, winner }: GatedRead,
  id: FactId,
  keys: ReadonlyMap<FactId, string>,
): CertifiedRead {
  return { similarity, gateOpen, nearest: winner && keys.get(winner)!, own: winner === id };
}

/**
 * Removes from the cache all that holds traces of facts, and looks again. The words of a fact without words are what its
 * own vectors say, whatever the gated read makes of them, and, where these are not exact, those that its row in the
 * cache is marked with.
 */
async function scrape(
  cache: EncodingCache,
  engine: Engine,
  memory: KeptMemory,
  gone: readonly EntryMeta[],
): Promise<NonNullable<DeletionCertificate["cached"]>> {
  const values = valuesOf(memory);
  const deleted = await withVectors(memory, gone);
  const silent = deleted.filter(({ id }) => !values.has(id));
  const words = new Map([...values, ...(await sayFacts(engine, silent))]);
  const traces = byFact(deleted).flatMap((parts) => factTraces(parts, words.get(parts[0]!.id)!));
  const through = byFact(silent).flatMap((parts) => factTraces(parts, null));
  return cache.remove(traces.flatMap(tracesOf), through.flatMap(tracesOf));
}

/** The paper compares 56; a store of tens of thousands would be recalled for minutes. */
const DEFAULT_COMPARED = 256;

/** Facts asked for at once: what decodes together, and how soon a person sees something move. */
const ASKED_AT_ONCE = 24;

/**
 * The same of a layer with more keys than stay on the device: each turn reads it again, which takes longer than a person
 * waits for. All at once, in as many activations of real models, would be hundreds of megabytes.
 */
const ASKED_OF_LARGE_LAYER = 128;

async function recallFrom(
  context: ForgetContext,
  memory: KeptMemory,
  targets: readonly (readonly EntryMeta[])[],
  stage: DeletionProgress["stage"],
): Promise<Reconstruction[]> {
  const { engine, params, deviceBytes, signal, onAsked } = context;
  const reader = openReader(engine, memory, params, deviceBytes);
  const said = new Map<number, Reconstruction>();
  try {
    for (const some of turnsOf(context, memory, targets)) {
      throwIfCancelled(signal, "flow: deletion");
      const recalled = await reader.recall(
        some.map((at) => targets[at]!),
        params,
        signal,
      );
      for (const [i, at] of some.entries()) said.set(at, recalled[i]!);
      onAsked?.({ stage, done: said.size, total: targets.length });
    }
    return [...targets.keys()].map((at) => said.get(at)!);
  } finally {
    reader.dispose();
  }
}

/** Facts by their place that are asked for in one turn. */
function turnsOf(
  { engine, deviceBytes = DEVICE_BYTES }: ForgetContext,
  memory: KeptMemory,
  targets: readonly (readonly EntryMeta[])[],
): number[][] {
  // Layer by layer: a memory has more vectors than the device keeps, and each turn reads those of its own layers.
  const layerOf = (at: number): number => targets[at]![0]!.layer;
  const order = [...targets.keys()].sort((a, b) => layerOf(a) - layerOf(b) || a - b);
  const entries = groupBy(memory.entries, ({ layer }) => layer as number);
  const isLarge = (layer: number): boolean =>
    (entries.get(layer)?.length ?? 0) * engine.model.dFf * Float32Array.BYTES_PER_ELEMENT > deviceBytes;
  const large = groupBy(
    order.filter((at) => isLarge(layerOf(at))),
    layerOf,
  );
  return [
    ...[...large.values()].flatMap((own) => chunks(own, ASKED_OF_LARGE_LAYER)),
    ...chunks(
      order.filter((at) => !isLarge(layerOf(at))),
      ASKED_AT_ONCE,
    ),
  ];
}

/**
 * The fact that a key such as "Sandra (1)" names, in any case of letters.
 * @throws when no fact has that key, listing the most similar ones
 */
export function findKey(memory: Memory, key: string): MemoryEntry {
  const plain = (text: string): string => text.toLowerCase().replace(/\s+/g, " ").trim();
  const facts = byFact(memory.entries).map(([first]) => first!);
  const found = facts.find((entry) => plain(factKey(entry)) === plain(key));
  if (found) return found;
  const name = plain(key).replace(/ ?\(?\d*\)?$/, "");
  const likeness = ({ anchor }: MemoryEntry): number => shared(plain(anchor), name);
  const near = facts.toSorted((a, b) => likeness(b) - likeness(a) || a.index - b.index);
  const hint =
    near.length > 0 ? `near it: ${near.slice(0, 5).map(factKey).join(", ")}` : "the memory is empty";
  throw new Error(`flow: no fact has the key "${key}"; ${hint}`);
}

/** Share of letter pairs that two texts have in common (Dice): a mistyped name keeps most of its own. */
function shared(a: string, b: string): number {
  const pairs = (text: string) => new Set(Array.from(text, (_, i) => text.slice(i, i + 2)));
  const [left, right] = [pairs(a), pairs(b)];
  const common = [...left].filter((pair) => right.has(pair)).length;
  return (2 * common) / Math.max(1, left.size + right.size);
}

/** Of a fact in parts that of the part which a key is nearest to: a gate that is open for one is open. */
const nearestRead = ({ read, parts = [] }: Reconstruction): GatedRead =>
  parts.reduce((nearest, part) => (part.read.similarity > nearest.similarity ? part.read : nearest), read);
