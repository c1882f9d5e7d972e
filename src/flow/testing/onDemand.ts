/** @file Test support: a store that cannot be loaded, whose small blocks of vectors are counted as they are read. */

import { chunks } from "../../lib/group.ts";
import { rowsAt } from "../../lib/vectorForms.ts";
import type { LayerIndex } from "../../records/ids.ts";
import type { KeptMemory, VectorBlock } from "../../records/vectors.ts";
import type { Store } from "../../store/port.ts";

const PER_BLOCK = 4;

/** A view of `store`, and the layer of every block that was read through it, in order. */
export function onDemand(store: Store): { readonly store: Store; readonly read: LayerIndex[] } {
  const read: LayerIndex[] = [];
  const view: Store = {
    ...store,
    load: () => Promise.reject(new Error("test: all vectors of the memory were asked for at once")),
    pieces: () => Promise.reject(new Error("test: all of the memory was asked for")),
    open: async () => {
      const kept = await store.open();
      return kept && { ...kept, blocks: kept.blocks.flatMap((block) => smallBlocks(block, kept, read)) };
    },
  };
  return { store: view, read };
}

function smallBlocks(block: VectorBlock, { model }: KeptMemory, told: LayerIndex[]): VectorBlock[] {
  const { layer, entries } = block;
  return chunks([...entries.keys()], PER_BLOCK).map((at) => ({
    layer,
    entries: at.map((i) => entries[i]!),
    async read() {
      told.push(layer);
      const { keys, residuals } = await block.read();
      return {
        keys: rowsAt(
          at.map((i) => [keys, i]),
          model.dFf,
        ),
        residuals: rowsAt(
          at.map((i) => [residuals, i]),
          model.dModel,
        ),
      };
    },
  }));
}
