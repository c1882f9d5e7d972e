/**
 * @file Memory at response: what a device holds while one question's facts are recalled from memories of texts of 4K to 2M
 * tokens. The facts are made, in the shapes that a store has them; their blocks are made when they are read, as a store
 * reads them.
 */

import type { LocalEngine } from "../../engine/localEngine.ts";
import { seeded } from "../../lib/rng.ts";
import type { Rows } from "../../lib/vectorForms.ts";
import { candidateLayers } from "../../memory/probe.ts";
import { openReader } from "../../memory/read.ts";
import { chunks, groupBy } from "../../lib/group.ts";
import { spread } from "../../lib/stats.ts";
import { charOffset, documentId, factId, type LayerIndex } from "../../records/ids.ts";
import { vectorBytes, type EntryMeta } from "../../records/memory.ts";
import { SHARP } from "../../records/params.ts";
import type { VectorBlock } from "../../records/vectors.ts";
import type { Device } from "../../runtime/device.ts";
import { VALUE } from "./made.ts";
import { watchPeaks } from "./peaks.ts";

export interface ResponseFigures {
  /** Tokens of source, and the facts that are kept of them, each with one vector. */
  readonly tokens: number;
  readonly facts: number;
  /** Bytes of their keys and residuals as they are stored. */
  readonly stored: number;
  /** The most that the device held beside stored vectors while {@link RECALLED} facts were recalled, weights included. */
  readonly beside: number;
  /** The most of stored vectors that were on it: they come by blocks, within a budget. */
  readonly vectors: number;
}

export const SOURCE_TOKENS = [2 ** 12, 2 ** 15, 2 ** 18, 2 ** 21] as const;
/** Facts that a plan puts at a layer, at most. */
const LAYER_FACTS = 4096;
/**
 * Twelve full layers, taken to be what 2M tokens leave, and of shorter texts in proportion. How many a text really leaves
 * follows from its sentences: 1.5 million words left 67,965 vectors on the bundled model (docs/benchmarks).
 */
const LARGEST = { facts: 12 * LAYER_FACTS, tokens: 2 ** 21 } as const;
/** Facts of one question, at most. */
const RECALLED = 24;
/** Entries that a store keeps in one block. */
const BLOCK = 1024;

export const factsOf = (tokens: number): number => Math.round((tokens * LARGEST.facts) / LARGEST.tokens);

/** Recalls as many facts as one question may, of all layers that hold some, from a memory of each size. */
export async function measureResponse(engine: LocalEngine, device: Device): Promise<ResponseFigures[]> {
  const { model } = engine;
  const blockOf = madeBlocks(model);
  const found: ResponseFigures[] = [];
  for (const tokens of SOURCE_TOKENS) {
    const facts = factsOf(tokens);
    const entries = madeEntries(facts, storageLayers(model.layers));
    const blocks = [...groupBy(entries, ({ layer }) => layer).values()].flatMap((layer) =>
      chunks(layer, BLOCK).map(blockOf),
    );
    const reader = openReader(engine, { entries, blocks }, SHARP);
    const peaks = watchPeaks(device.ledger);
    try {
      await reader.recall(spread(entries, RECALLED));
    } finally {
      reader.dispose();
    }
    const { besideVectors: beside, byPurpose } = peaks();
    found.push({
      tokens,
      facts,
      stored: vectorBytes(facts, model, SHARP.vectors),
      beside,
      vectors: byPurpose.vectors,
    });
  }
  return found;
}

/** As many as the largest memory fills, where the model has them. */
const storageLayers = (layers: number): LayerIndex[] =>
  candidateLayers(layers).slice(0, Math.ceil(LARGEST.facts / LAYER_FACTS));

function madeEntries(facts: number, layers: readonly LayerIndex[]): EntryMeta[] {
  const document = documentId("bench:gpu");
  return Array.from({ length: facts }, (_, i) => ({
    ...{ id: factId(document, charOffset(i * 80)), documentId: document, offset: charOffset(i * 80) },
    ...{
      anchor: `ledger ${i}`,
      index: 1,
      part: 1,
      start: 0,
      tokens: VALUE,
      layer: layers[i % layers.length]!,
    },
    report: { steps: 8, exact: true, fidelity: 1, recalled: null, deltaNorm: 1 },
  }));
}

/** Blocks with vectors of a model's widths, keys as levels and residuals as float16: all of one stretch of numbers. */
function madeBlocks({ dFf, dModel }: LocalEngine["model"]): (entries: readonly EntryMeta[]) => VectorBlock {
  const next = seeded(7);
  const levels = Int8Array.from({ length: BLOCK * dFf }, () => Math.floor(255 * next()) - 127);
  const bits = new Uint16Array(BLOCK * dModel);
  const keys = (rows: number): Rows => ({
    levels: levels.subarray(0, rows * dFf),
    // Of unit rows: the mean square of a level is 127² / 3.
    scales: new Float32Array(rows).fill(Math.sqrt(3 / dFf) / 127),
  });
  return (entries) => ({
    layer: entries[0]!.layer,
    entries,
    read: () =>
      Promise.resolve({
        keys: keys(entries.length),
        residuals: { bits: bits.subarray(0, entries.length * dModel) },
      }),
  });
}
