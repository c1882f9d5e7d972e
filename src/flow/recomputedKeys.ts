/**
 * @file Memories that keep no keys (`keys: recomputed`): k̂ follows from the recall prompt ρ(κ), the layer and its centre, so
 * the model can be asked for it again, where somebody needs it. Keys that were made are kept for a while: a memory is
 * opened anew after every change, and its keys stay the same.
 */

import type { Engine } from "../engine/engine.ts";
import { throwIfCancelled } from "../lib/assert.ts";
import { chunks, groupBy } from "../lib/group.ts";
import { sha256Hex } from "../lib/hash.ts";
import {
  bytesOfRows,
  commonForm,
  countOf,
  formOf,
  packRows,
  toLevels,
  unpackRow,
  type Rows,
} from "../lib/vectorForms.ts";
import { norm, unit } from "../lib/vector.ts";
import { apartFrom, centreOf } from "../memory/address.ts";
import { promptText, recallPrompt } from "../memory/prompt.ts";
import { isAskable } from "../memory/stored.ts";
import type { LayerIndex } from "../records/ids.ts";
import { paramsOfEntry } from "../records/madeWith.ts";
import {
  withoutKeys,
  type EntryMeta,
  type Memory,
  type MemoryEntry,
  type ModelIdentity,
} from "../records/memory.ts";
import type { MethodParams } from "../records/params.ts";
import { keptMemory, type BlockVectors, type KeptMemory, type KeyCall } from "../records/vectors.ts";
import type { Pieces } from "../store/pieces.ts";
import type { Store } from "../store/port.ts";
import type { FlowContext } from "./context.ts";

type Addressed = Pick<Memory, "params" | "earlier" | "centres">;

/** `memory` for questions: the keys that its blocks lack are read from the model when somebody asks for them. */
export function withKeys(engine: Engine, memory: Memory | KeptMemory): KeptMemory {
  const kept = keptMemory(memory);
  // No activation is similar to a key of zeros.
  const nothing = new Float32Array(engine.model.dFf);
  const blocks = kept.blocks.map((block) => ({
    ...block,
    async keysOf({ keys }: BlockVectors, call?: KeyCall): Promise<Rows> {
      if (countOf(keys) > 0) return keys;
      const made = (await keysOf(engine, kept, block.entries, call)).map((key) => key ?? nothing);
      return packRows(made, commonForm(made));
    },
  }));
  return { ...kept, blocks };
}

/** A loaded memory, or some entries of one, with all keys that the model can be asked for. @throws Cancelled */
export async function loadedWithKeys<M extends Addressed & Pick<Memory, "entries">>(
  { engine, signal }: Pick<FlowContext, "engine" | "signal">,
  memory: M,
): Promise<M> {
  const bare = memory.entries.filter(({ key }) => key.length === 0);
  if (bare.length === 0) return memory;
  const made = await keysOf(engine, memory, bare, { signal });
  const keys = new Map(bare.map((entry, i) => [entry, made[i]]));
  const filled = (entry: MemoryEntry): MemoryEntry => {
    const key = keys.get(entry);
    return key ? { ...entry, key } : entry;
  };
  return { ...memory, entries: memory.entries.map(filled) };
}

/** `context` whose store gets entries as a memory with these `keys` keeps them. */
export function keepingKeys<C extends Pick<FlowContext, "engine" | "store" | "signal">>(
  context: C,
  keys: MethodParams["keys"],
): C {
  const { store } = context;
  const bare = keys === "recomputed";
  /** Entries of a memory, which may have been begun with other `keys`. */
  const kept = async (memory: Addressed, entries: readonly MemoryEntry[]): Promise<readonly MemoryEntry[]> =>
    bare ? withoutKeys(entries) : (await loadedWithKeys(context, { ...memory, entries })).entries;
  async function* keptBatches(pieces: Pieces): ReturnType<Pieces["batches"]> {
    for await (const batch of pieces.batches()) {
      const entries = await kept(
        pieces,
        batch.map(({ item }) => item),
      );
      yield batch.map(({ place }, i) => ({ item: entries[i]!, place }));
    }
  }
  const keeping: Store = {
    name: store.name,
    load: () => store.load(),
    open: () => store.open(),
    pieces: () => store.pieces(),
    revision: () => store.revision(),
    save: async (memory) => store.save({ ...memory, entries: await kept(memory, memory.entries) }),
    take: (pieces) => store.take({ ...pieces, batches: () => keptBatches(pieces) }),
    append: ({ entries, ...rest }) =>
      store.append({ ...rest, ...(entries && { entries: bare ? withoutKeys(entries) : entries }) }),
    tidy: () => store.tidy(),
    remove: (removal) => store.remove(removal),
    clear: () => store.clear(),
  };
  return { ...context, store: keeping };
}

/**
 * k̂ of each of `entries` in the numbers in which its memory would keep it; undefined where there is none. Who asks is told
 * of every batch that the model read. @throws Cancelled, and keeps the keys of the batches that are done
 */
async function keysOf(
  engine: Engine,
  memory: Addressed,
  entries: readonly EntryMeta[],
  { signal, onKeys }: KeyCall = {},
): Promise<(Float32Array | undefined)[]> {
  const known = madeKeys(engine.model);
  const found = new Array<Float32Array | undefined>(entries.length);
  for (const [layer, own] of groupBy(entries.keys(), (i) => entries[i]!.layer)) {
    const centre = centreOf(memory.centres, layer);
    const behind = centre
      ? sha256Hex(new Uint8Array(centre.buffer, centre.byteOffset, centre.byteLength))
      : "";
    const compact = (i: number) => paramsOfEntry(memory, entries[i]!).vectors === "compact";
    const nameOf = (i: number) => `${layer} ${behind} ${compact(i)} ${promptText(entries[i]!)}`;
    for (const i of own) found[i] = known.get(nameOf(i));
    const missing = own.filter((i) => !found[i]);
    let left = missing.length;
    for (const some of chunks(missing, READ_TOGETHER)) {
      throwIfCancelled(signal, "flow: reading keys again");
      const read = await activationsOf(
        engine,
        some.map((i) => entries[i]!),
        layer,
        signal,
      );
      for (const [n, i] of some.entries()) {
        const apart = read[n] && apartFrom(read[n], centre);
        // Nothing tells such a part from the centre; what came from elsewhere may say so.
        if (!apart || !(norm(apart) > 0)) continue;
        found[i] = compact(i) ? toLevels(unit(apart)) : unit(apart);
        known.set(nameOf(i), found[i]);
      }
      left -= some.length;
      onKeys?.({ layer, done: own.length - left, total: own.length });
    }
  }
  return found;
}

/** Prompts read between two places to stop. */
const READ_TOGETHER = 256;

/** a(ℓ) at the key token of each entry's recall prompt; undefined of those that cannot be asked for. */
async function activationsOf(
  engine: Engine,
  entries: readonly EntryMeta[],
  layer: LayerIndex,
  signal: AbortSignal | undefined,
): Promise<(Float32Array | undefined)[]> {
  const prompts = entries.map((entry) => recallPrompt(engine, entry));
  const asked = [...entries.keys()].filter((i) => isAskable(engine, prompts[i]!, entries[i]!));
  const read = await engine.readKeys(
    asked.map((i) => prompts[i]!),
    [layer],
    signal,
  );
  const found = new Array<Float32Array | undefined>(entries.length);
  for (const [n, i] of asked.entries()) found[i] = read[n]![0]!.activation;
  return found;
}

/** Keys that a model made, by what they follow from; of many the latest, up to so many bytes. */
class MadeKeys {
  readonly #width: number;
  readonly #kept = new Map<string, Rows>();
  #bytes = 0;

  constructor(width: number) {
    this.#width = width;
  }

  get(name: string): Float32Array | undefined {
    const rows = this.#kept.get(name);
    return rows && unpackRow(rows, this.#width, 0);
  }

  set(name: string, key: Float32Array): void {
    const rows = packRows([key], formOf(key));
    this.#kept.set(name, rows);
    this.#bytes += bytesOfRows(rows);
    for (const [oldest, held] of this.#kept) {
      if (this.#bytes <= KEPT_BYTES) return;
      this.#kept.delete(oldest);
      this.#bytes -= bytesOfRows(held);
    }
  }
}

/** On the host, where a page of fifty thousand facts has 350 MB in all. */
const KEPT_BYTES = 64 * 2 ** 20;

/** By the opened model: another one, or the same on another device, makes its own. */
const made = new WeakMap<ModelIdentity, MadeKeys>();

function madeKeys(model: ModelIdentity): MadeKeys {
  const known = made.get(model) ?? new MadeKeys(model.dFf);
  made.set(model, known);
  return known;
}
