/**
 * @file Memories that mix forms of vectors. The page reads them in the blocks they are stored in, commands and deletions
 * load them whole: a fact is the nearest to its own prompt in both, or in neither.
 */

import { expect } from "vitest";
import type { Engine, LayerMemory } from "../engine/engine.ts";
import { attacks } from "../lib/testing/attacks.ts";
import { dot, unit } from "../lib/vector.ts";
import { countOf, toLevels, unpackRow } from "../lib/vectorForms.ts";
import { charOffset, documentId, factId, layerIndex } from "../records/ids.ts";
import type { MemoryEntry } from "../records/memory.ts";
import { entryBlocks, packEntries } from "../store/rows.ts";
import { Layers, type KeptVectors } from "./layers.ts";

const [D_FF, D_MODEL, FACTS] = [256, 4, 64];
const LAYER = layerIndex(1);
const DOCUMENT = documentId("0123456789abcdef");

const noise = (seed: number, length: number): Float32Array => {
  let state = Math.imul(seed + 1, 2654435761) >>> 0;
  return Float32Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  });
};

const SHARED = noise(0, D_FF);
/** As activations of large models are: much in common, and one number a hundred times the others. */
const activation = (n: number): Float32Array => {
  const own = noise(n + 7, D_FF);
  return SHARED.map((x, i) => (i === 3 ? 100 : x + 0.5 * own[i]!));
};

function entry(n: number, key: Float32Array): MemoryEntry {
  const offset = charOffset(n * 10);
  const report = { steps: 1, exact: true, fidelity: 1, recalled: null, deltaNorm: 1, margin: 1, losses: [] };
  return {
    ...{
      id: factId(DOCUMENT, offset),
      documentId: DOCUMENT,
      anchor: `a${n}`,
      index: 1,
      offset,
      part: 1,
      start: 0,
    },
    ...{ layer: LAYER, tokens: 3, report, key, residual: new Float32Array(D_MODEL) },
  };
}

/** Cosines on the host, cut at 1 as the device cuts them. */
const engine = {
  model: { dFf: D_FF, dModel: D_MODEL },
  openLayer: (layer, keys, _, centre = new Float32Array(D_FF)): LayerMemory => ({
    layer,
    entries: countOf(keys) / D_FF,
    similarity: async (queries) =>
      queries.map((query) => {
        const apart = unit(query.map((x, i) => x - centre[i]!));
        const rows = Array.from({ length: countOf(keys) / D_FF }, (_, i) => unpackRow(keys, D_FF, i));
        return Float32Array.from(rows, (row) => Math.max(-1, Math.min(1, dot(apart, row))));
      }),
    softRecall: () => Promise.reject(new Error("not asked for")),
    dispose: () => undefined,
  }),
} as Pick<Engine, "model" | "openLayer"> as Engine;

/** Which facts win for their own prompt, by the rule of read.ts. */
async function winners(stored: KeptVectors | { entries: readonly MemoryEntry[] }): Promise<string[]> {
  const layers = new Layers(engine, stored);
  const won: string[] = [];
  for (const [place, { id, offset }] of layers.entries(LAYER).entries()) {
    const { similarities } = await layers.read(LAYER, [activation(offset / 10)]);
    if (similarities[0]![place]! >= Math.max(...similarities[0]!) - 1e-6) won.push(id);
  }
  layers.dispose();
  return won;
}

const compact = (n: number): MemoryEntry => entry(n, toLevels(unit(activation(n))));
const plain = (n: number): MemoryEntry => entry(n, unit(activation(n)));
const numbers = Array.from({ length: FACTS }, (_, n) => n);

attacks("storage", {
  "a memory in one form, either of them": async () => {
    for (const made of [compact, plain])
      expect(await winners({ entries: numbers.map(made) })).toHaveLength(FACTS);
  },
  "a memory in float32 that was added to in compact vectors, loaded whole": {
    fault:
      "half of the facts, exact in the page, lost to others where the memory is loaded: in commands and certificates",
    attack: async () => {
      const entries = numbers.map((n) => (n % 2 ? plain(n) : compact(n)));
      const placed = entries.map((item, place) => ({ item, place }));
      const blocks = entryBlocks(placed, engine.model).map((rows, block) => {
        const { vectors } = packEntries("m", block, rows);
        return { layer: LAYER, entries: rows.map(({ item }) => item), read: async () => vectors };
      });
      const page = await winners({ entries, blocks });
      const loaded = await winners({ entries });
      expect({ page: page.length, loaded: loaded.length }).toEqual({ page: FACTS, loaded: FACTS });
      return { facts: FACTS, lost: FACTS - loaded.length };
    },
  },
  "the deletion of the only fact that was in float32": {
    fault: "others read otherwise before and after it, which a certificate calls changed",
    attack: async () => {
      const entries = numbers.map((n) => (n === 5 ? plain(n) : compact(n)));
      const left = entries.filter((_, n) => n !== 5);
      const before = (await winners({ entries })).filter((id) => id !== entries[5]!.id);
      expect(await winners({ entries: left })).toEqual(before);
    },
  },
});
