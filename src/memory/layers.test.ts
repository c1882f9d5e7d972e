/** @file Stored vectors on the device: only what a read needs, within the budget, and the numbers that are stored. */

import { expect, it } from "vitest";
import type { Engine, LayerMemory } from "../engine/engine.ts";
import { Cancelled } from "../lib/assert.ts";
import { dot, unit } from "../lib/vector.ts";
import { countOf, formOfRows, packRows, toFloat16, toLevels, unpackRow } from "../lib/vectorForms.ts";
import { charOffset, documentId, factId, layerIndex } from "../records/ids.ts";
import type { MemoryEntry } from "../records/memory.ts";
import type { VectorBlock } from "../records/vectors.ts";
import { Layers } from "./layers.ts";

const [D_FF, D_MODEL, PER_BLOCK] = [32, 8, 4];
const DOCUMENT = documentId("0123456789abcdef");
/** Keys and a centre. */
const BLOCK_BYTES = (PER_BLOCK + 1) * D_FF * 4;

const wave = (seed: number, length: number): Float32Array =>
  Float32Array.from({ length }, (_, i) => Math.sin(seed * 12.9898 + i * i));

/** What is asked for fact n. */
const activation = (n: number): Float32Array => wave(n, D_FF).map((x) => 3 * x);

function entry(n: number, layer: number, rounded: boolean): MemoryEntry {
  const [key, residual] = [unit(activation(n)), wave(n + 0.5, D_MODEL)];
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
    ...{ layer: layerIndex(layer), tokens: 3, report },
    key: rounded ? toLevels(key) : key,
    residual: rounded ? toFloat16(residual) : residual,
  };
}

/** A memory of twelve entries at each of two layers, in blocks of four, the rows of which are counted as they are read. */
function kept(rounded: boolean) {
  const read: string[] = [];
  const entries = Array.from({ length: 24 }, (_, n) => entry(n, n % 2, rounded));
  const blocks = [0, 1].flatMap((layer) =>
    [2, 0, 1].map((block): VectorBlock => {
      const rows = entries
        .filter((one) => one.layer === layer)
        .slice(block * PER_BLOCK, (block + 1) * PER_BLOCK);
      return {
        layer: layerIndex(layer),
        entries: rows,
        read: async () => {
          read.push(`${layer}.${block}`);
          const [key, residual] = rounded
            ? (["levels", "float16"] as const)
            : (["float32", "float32"] as const);
          return {
            keys: packRows(
              rows.map((one) => one.key),
              key,
            ),
            residuals: packRows(
              rows.map((one) => one.residual),
              residual,
            ),
          };
        },
      };
    }),
  );
  return { entries, blocks, read };
}

/** An engine that computes cosines on the host, and what lies on it. */
function device() {
  const held = { bytes: 0, peak: 0 };
  const openLayer: Engine["openLayer"] = (layer, keys, _, centre = new Float32Array(D_FF)) => {
    const packed = formOfRows(keys) === "levels";
    const bytes = (countOf(keys) + D_FF) * (packed ? 1 : 4);
    held.bytes += bytes;
    held.peak = Math.max(held.peak, held.bytes);
    const rows = Array.from({ length: countOf(keys) / D_FF }, (_, i) => unpackRow(keys, D_FF, i));
    const memory: LayerMemory = {
      layer,
      entries: rows.length,
      similarity: async (queries) =>
        queries.map((query) => {
          const apart = unit(query.map((x, i) => x - centre[i]!));
          return Float32Array.from(rows, (row) => dot(apart, row));
        }),
      softRecall: () => Promise.reject(new Error("not asked for")),
      dispose: () => void (held.bytes -= bytes),
    };
    return memory;
  };
  return { engine: { model: { dFf: D_FF, dModel: D_MODEL }, openLayer } as unknown as Engine, held };
}

it.each([true, false])(
  "gives similarities in the order of the entries, and the residuals asked for (rounded: %s)",
  async (rounded) => {
    const memory = kept(rounded);
    const layers = new Layers(device().engine, memory);
    const own = layers.entries(1);
    const { similarities, residuals } = await layers.read(
      layerIndex(1),
      [activation(5), activation(23)],
      [2, -1],
    );
    for (const [n, fact] of [5, 23].entries()) {
      const best = similarities[n]!.indexOf(Math.max(...similarities[n]!));
      expect(own[best]!.id).toBe(entry(fact, 1, rounded).id);
      expect(similarities[n]![best]).toBeCloseTo(1, 6);
    }
    expect(residuals).toEqual([entry(5, 1, rounded).residual, null]);
    layers.dispose();
  },
);

it("reads the blocks of the layer that is asked for, and each once while they fit", async () => {
  const memory = kept(true);
  const { engine, held } = device();
  const layers = new Layers(engine, memory);
  await layers.read(layerIndex(1), [activation(1)], [0]);
  expect(memory.read.toSorted()).toEqual(["1.0", "1.1", "1.2"]);
  await layers.read(layerIndex(1), [activation(3)], [0]);
  expect(memory.read).toHaveLength(3);
  // The residual of another entry is there as well.
  await layers.read(layerIndex(1), [activation(3)], [1]);
  expect(memory.read).toHaveLength(3);
  layers.dispose();
  expect(held.bytes).toBe(0);
});

it("takes no more of the device than the budget, and says the same", async () => {
  const memory = kept(false);
  const { engine, held } = device();
  const [free, bound] = [new Layers(device().engine, memory), new Layers(engine, memory, 2 * BLOCK_BYTES)];
  for (const layer of [0, 1, 0].map(layerIndex)) {
    const queries = [activation(4), activation(7)];
    expect(await bound.read(layer, queries, [3, 1])).toEqual(await free.read(layer, queries, [3, 1]));
  }
  expect(held.peak).toBe(2 * BLOCK_BYTES);
  bound.dispose();
  expect(held.bytes).toBe(0);
});

it("keeps keys packed that are over the budget as float32: each block is read once, and says the same", async () => {
  const memory = kept(true);
  const { engine, held } = device();
  const [free, bound] = [
    new Layers(device().engine, kept(true)),
    new Layers(engine, memory, 2 * BLOCK_BYTES),
  ];
  for (const layer of [0, 1, 0, 1].map(layerIndex)) {
    const queries = [activation(4), activation(7)];
    expect(await bound.read(layer, queries, [3, 1])).toEqual(await free.read(layer, queries, [3, 1]));
  }
  expect(memory.read).toHaveLength(6);
  expect(held.peak).toBe((6 * BLOCK_BYTES) / 4);
  bound.dispose();
});

it("reads of a layer that does not fit what has gone, and not all of it again", async () => {
  const memory = kept(false);
  const { engine, held } = device();
  const layers = new Layers(engine, memory, 2 * BLOCK_BYTES);
  for (let i = 0; i < 4; i++) await layers.read(layerIndex(1), [activation(1)], [0]);
  expect(memory.read).toHaveLength(3 + 3);
  expect(held.peak).toBe(2 * BLOCK_BYTES);
  layers.dispose();
});

it("serves calls made at once one after another", async () => {
  const memory = kept(true);
  const layers = new Layers(device().engine, memory, BLOCK_BYTES);
  const reads = [0, 1, 1, 0].map((layer) => layers.read(layerIndex(layer), [activation(layer)], [0]));
  for (const [i, { residuals }] of (await Promise.all(reads)).entries())
    expect(residuals[0]).toEqual(entry([0, 1, 1, 0][i]!, 0, true).residual);
  layers.dispose();
});

it("lets go at once who is cancelled while another one reads, and stops who reads between two blocks", async () => {
  const memory = kept(true);
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const [first, ...rest] = memory.blocks;
  const slow = { ...first!, read: () => held.then(() => first!.read()) };
  const layers = new Layers(device().engine, { ...memory, blocks: [slow, ...rest] });
  const [begun, waiting] = [new AbortController(), new AbortController()];
  const query = [activation(2)];
  const reads = layers.read(layerIndex(0), query, [0], begun.signal);
  const waits = layers.read(layerIndex(0), query, [0], waiting.signal);
  await Promise.resolve();
  waiting.abort();
  await expect(waits).rejects.toThrow(Cancelled);
  expect(memory.read).toEqual([]);
  begun.abort();
  release();
  await expect(reads).rejects.toThrow(Cancelled);
  expect(memory.read).toEqual(["0.2"]);
  await expect(layers.read(layerIndex(1), query, [0], begun.signal)).rejects.toThrow(Cancelled);
  expect((await layers.read(layerIndex(0), query, [0])).residuals[0]).toEqual(entry(0, 0, true).residual);
  expect(memory.read.toSorted()).toEqual(["0.0", "0.1", "0.2"]);
  layers.dispose();
});
