/** @file Verdicts of the soft read: made for all facts at the end of a run, and again for layers that a change touches. */

import { present } from "../lib/assert.ts";
import { softVerdicts, type Judged } from "../memory/softVerdicts.ts";
import type { FactId, LayerIndex } from "../records/ids.ts";
import { asTop1, type EntryMeta, type Memory, type MemoryEntry } from "../records/memory.ts";
import { keptWithout, outlineOf, type KeptMemory } from "../records/vectors.ts";
import type { Store } from "../store/port.ts";
import type { FlowContext } from "./context.ts";
import { valuesOf } from "./facts.ts";
import { asKept } from "./wordless.ts";

interface Asking extends Pick<FlowContext, "engine" | "signal"> {
  readonly onAsked: (done: number, total: number) => void;
}

/** The stored memory with the verdict of the soft read for every fact. It reads whole layers. */
export async function readBack(context: FlowContext, params: Memory["params"]): Promise<Memory<EntryMeta>> {
  const { store } = context;
  const open = present(await store.open(), () => GONE);
  const entries = await judgedEntries(asking(context), open, params);
  return { ...outlineOf(open), entries };
}

/** The memory without verdicts of the soft read. */
export const topOne = (memory: Memory<EntryMeta>): Memory<EntryMeta> =>
  isJudged(memory) ? { ...memory, entries: memory.entries.map(asTop1) } : memory;

/** Options for verdicts within a run, which reports them as a stage. */
export const asking = ({ engine, signal, onProgress }: FlowContext): Asking => ({
  engine,
  ...(signal ? { signal } : {}),
  onAsked: (done, total) => onProgress?.({ stage: "readBack", done, total }),
});

/**
 * `changed`, the successor of `before`, with new verdicts of the soft read for all parts at `layers`: the read mixes all
 * vectors of a layer, so every verdict there may change. A memory without verdicts stays as it is. It takes a pass per part.
 * @throws Cancelled
 */
export async function judgedAnew(
  given: Asking,
  before: Memory,
  changed: Memory,
  layers: ReadonlySet<LayerIndex>,
): Promise<Memory> {
  if (!isJudged(before)) return changed;
  return { ...changed, entries: await judgedEntries(given, changed, before.params, layers) };
}

/** A memory without the facts `ids`, and the facts whose verdicts of the soft read changed with that. @throws Cancelled */
export async function judgedWithout(
  given: Asking,
  memory: Memory | KeptMemory,
  ids: ReadonlySet<FactId>,
  changed: Pick<Memory, "routing" | "sources">,
): Promise<{ readonly memory: Memory | KeptMemory; readonly renewed: readonly MemoryEntry[] }> {
  if ("blocks" in memory) return { memory: { ...keptWithout(memory, ids), ...changed }, renewed: [] };
  const deleted = memory.entries.filter(({ id }) => ids.has(id));
  const left = { ...memory, ...changed, entries: memory.entries.filter(({ id }) => !ids.has(id)) };
  const judged = await judgedAnew(given, memory, left, layersOf(deleted));
  return { memory: judged, renewed: renewedFacts(left, judged) };
}

/** The facts of `after` with an entry that `before` lacks, as a store takes them: with all their entries. */
export function renewedFacts(before: Memory, after: Memory): MemoryEntry[] {
  const known = new Set(before.entries);
  const renewed = new Set<FactId>(after.entries.flatMap((entry) => (known.has(entry) ? [] : entry.id)));
  return after.entries.filter(({ id }) => renewed.has(id));
}

/** The layers of some entries. */
export const layersOf = (entries: readonly Pick<MemoryEntry, "layer">[]): Set<LayerIndex> =>
  new Set(entries.map(({ layer }) => layer));

/** Whether a memory has verdicts of the soft read. */
const isJudged = ({ entries }: { readonly entries: readonly Pick<EntryMeta, "report">[] }): boolean =>
  entries.some(({ report }) => report.soft);

/**
 * `open`, loaded if the soft read has judged it: a change then reaches all parts of its layer, and each is mixed with all
 * others and stored again.
 */
export const judgedWhole = async (store: Store, open: Memory | KeptMemory): Promise<Memory | KeptMemory> =>
  isJudged(open) && "blocks" in open ? present(await store.load(), () => GONE) : open;

const GONE = "flow: nothing is stored in this memory any more; reload the list";

/** The entries of `memory`, as it keeps them, with the verdicts of the soft read. */
async function judgedEntries<E extends EntryMeta>(
  { engine, signal, onAsked }: Asking,
  memory: Judged<E> & Pick<Memory, "routing" | "salt">,
  params: Memory["params"],
  layers?: ReadonlySet<LayerIndex>,
): Promise<E[]> {
  const entries = await softVerdicts(engine, memory, valuesOf(memory), params, {
    signal,
    layers,
    onProgress: onAsked,
  });
  return entries.map((entry) => asKept(memory, entry));
}
