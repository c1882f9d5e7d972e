/**
 * @file Memories that keep no keys (`keys: recomputed`): k̂ follows from the recall prompt ρ(κ), the layer and its centre, so
 * the model can be asked for it again. What the flow works with has its keys; what a store gets has none.
 */

import type { Engine } from "../engine/engine.ts";
import { groupBy } from "../lib/group.ts";
import { commonForm, countOf, packRows, toLevels } from "../lib/vectorForms.ts";
import { addressOf, centreOf } from "../memory/address.ts";
import { recallPrompt } from "../memory/prompt.ts";
import { isAskable } from "../memory/stored.ts";
import { keyText } from "../records/fact.ts";
import { paramsOfEntry } from "../records/madeWith.ts";
import type { EntryMeta, Memory, MemoryEntry } from "../records/memory.ts";
import { keptMemory, type BlockVectors, type KeptMemory } from "../records/vectors.ts";
import type { Store } from "../store/port.ts";
import type { FlowContext } from "./context.ts";

type Addressed = Pick<Memory, "params" | "earlier" | "centres">;

/** `memory` for questions: the keys that its blocks lack are read from the model when somebody asks for them. */
export function withKeys(engine: Engine, memory: Memory | KeptMemory): KeptMemory {
  const kept = keptMemory(memory);
  const blocks = kept.blocks.map((block) => ({
    ...block,
    async keysOf({ keys }: BlockVectors) {
      if (countOf(keys) > 0) return keys;
      const made = await keysOf(engine, kept, block.entries);
      return packRows(made, commonForm(made));
    },
  }));
  return { ...kept, blocks };
}

/** A loaded memory with all its keys. @throws Cancelled */
export async function loadedWithKeys<M extends Memory | null>(
  { engine, signal }: Pick<FlowContext, "engine" | "signal">,
  memory: M,
): Promise<M> {
  const bare = memory?.entries.filter(({ key }) => key.length === 0) ?? [];
  if (memory === null || bare.length === 0) return memory;
  const made = await keysOf(engine, memory, bare, signal);
  const keys = new Map(bare.map((entry, i) => [entry, made[i]!]));
  return {
    ...memory,
    entries: memory.entries.map((entry) => ({ ...entry, key: keys.get(entry) ?? entry.key })),
  };
}

/** `context` whose store keeps no keys where its parameters say so, and gives memories with theirs. */
export function keepingKeys<C extends Pick<FlowContext, "engine" | "store" | "params" | "signal">>(
  context: C,
): C {
  const { store, params } = context;
  const bare = (entries: readonly MemoryEntry[]): readonly MemoryEntry[] =>
    params.keys === "recomputed" ? entries.map((entry) => ({ ...entry, key: NONE })) : entries;
  const keyless: Store = {
    name: store.name,
    load: async () => loadedWithKeys(context, await store.load()),
    open: () => store.open(),
    pieces: () => store.pieces(),
    revision: () => store.revision(),
    save: (memory) => store.save({ ...memory, entries: bare(memory.entries) }),
    take: (pieces) => store.take(pieces),
    append: ({ entries, ...rest }) => store.append({ ...rest, ...(entries && { entries: bare(entries) }) }),
    tidy: () => store.tidy(),
    remove: (removal) => store.remove(removal),
    clear: () => store.clear(),
  };
  return { ...context, store: keyless };
}

const NONE = new Float32Array(0);

/** k̂ of each of `entries`, in the numbers in which its memory would keep it. */
async function keysOf(
  engine: Engine,
  memory: Addressed,
  entries: readonly EntryMeta[],
  signal?: AbortSignal,
): Promise<Float32Array[]> {
  const keys: Float32Array[] = entries.map(() => new Float32Array(engine.model.dFf));
  const prompts = entries.map((entry) => recallPrompt(engine, entry));
  // What cannot be asked for is compared with nothing: no activation is similar to a key of zeros.
  const asked = [...entries.keys()].filter((i) => isAskable(engine, prompts[i]!, entries[i]!));
  for (const [layer, own] of groupBy(asked, (i) => entries[i]!.layer)) {
    const centre = centreOf(memory.centres, layer);
    const read = await engine.readKeys(own.map((i) => prompts[i]!), [layer], signal); // prettier-ignore
    for (const [n, i] of own.entries()) {
      const entry = entries[i]!;
      const address = addressOf(read[n]![0]!.activation, centre, `"${keyText(entry)}" at layer ${layer}`);
      keys[i] = paramsOfEntry(memory, entry).vectors === "float32" ? address : toLevels(address);
    }
  }
  return keys;
}
