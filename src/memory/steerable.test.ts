/**
 * @file The method apart from the model: a tiny decoder that was taught, here, to be steered (trainTiny.ts). What
 * encoding then fails to do is a fault of the method.
 */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { folder, open, type Opened } from "../engine/testing/models.ts";
import { parseConfig } from "../graph/models/config.ts";
import { familyOf } from "../graph/models/registry.ts";
import { cpu } from "../graph/testing/run.ts";
import { trainTiny, type Lesson } from "../graph/testing/trainTiny.ts";
import type { PlannedFact } from "../records/fact.ts";
import { charOffset, documentId, factId, layerIndex } from "../records/ids.ts";
import type { MemoryEntry } from "../records/memory.ts";
import { SHARP } from "../records/params.ts";
import { openReader } from "./read.ts";
import { encodeAll } from "./testing/facts.ts";

const NAMES = ["Mary", "John", "Sandra", "Daniel", "Ivan", "Anna", "Boris", "Clara"];
const VERBS = ["visited", "left", "painted", "sold", "found", "cleaned", "bought", "saw"];
const PLACES = ["garden", "kitchen", "office", "hallway", "attic", "cellar", "library", "tower"];
const INDICES = ["1", "2", "3", "4"];
const WORDS = ["[UNK]", "Recall", "the", "fact", "about", "(", ")", ":", ".", ...INDICES, ...NAMES, ...VERBS, ...PLACES]; // prettier-ignore

const CONFIG = {
  architectures: ["Qwen3ForCausalLM"],
  vocab_size: WORDS.length,
  hidden_size: 48,
  intermediate_size: 96,
  num_hidden_layers: 4,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 12,
  rms_norm_eps: 1e-6,
  max_position_embeddings: 32,
  tie_word_embeddings: true,
};

const TOKENIZER = {
  version: "1.0",
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: "BertPreTokenizer" },
  post_processor: null,
  decoder: null,
  model: { type: "WordLevel", unk_token: "[UNK]", vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])) },
}; // prettier-ignore

const id = (word: string): number => WORDS.indexOf(word);
const PROMPT = 9; // Recall the fact about NAME ( INDEX ) :

function draw(pick: (count: number) => number): Lesson {
  const [n, v, p] = [pick(8), pick(8), pick(8)];
  const words = ["Recall", "the", "fact", "about", NAMES[n]!, "(", INDICES[pick(4)]!, ")", ":", NAMES[n]!, VERBS[v]!, "the", PLACES[p]!, "."]; // prettier-ignore
  return { ids: words.map(id), slots: [n, 8 + v, 16 + p] };
}

/** 32 facts with all names, verbs and places, at one layer. */
const planned = (layer: number): PlannedFact[] =>
  Array.from({ length: 32 }, (_, i) => {
    const [document, offset, anchor] = [documentId("taught"), charOffset(i * 50), NAMES[i % 8]!];
    const value = `${anchor} ${VERBS[(i * 3 + Math.floor(i / 8)) % 8]!} the ${PLACES[(i * 5 + Math.floor(i / 4)) % 8]!}.`; // prettier-ignore
    const fact = { id: factId(document, offset), documentId: document, anchor, anchorOrder: i % 8, index: Math.floor(i / 8) + 1, value, offset }; // prettier-ignore
    return { fact, layer: layerIndex(layer) };
  });

describe("a model that was taught to be steered", () => {
  let opened: Opened;
  const byLayer = new Map<number, MemoryEntry[]>();
  const params = SHARP;

  beforeAll(async () => {
    const config = parseConfig(CONFIG);
    const decoder = { config, family: familyOf(config.architecture) };
    const { weights, losses } = await trainTiny({ decoder, draw, slots: 24, keyPosition: 7, firstValue: PROMPT, steps: 240, batch: 24, rate: 0.01, seed: 1 }); // prettier-ignore
    expect(losses.at(-1)).toBeLessThan(0.3);
    const tensors = [...weights].map(([name, { dims, data }]) => ({ name, dtype: "F32" as const, shape: dims, data })); // prettier-ignore
    opened = await open(folder(CONFIG, tensors, { "tokenizer.json": JSON.stringify(TOKENIZER) }));
  }, 120_000);
  afterAll(async () => {
    await opened.engine.dispose();
    await opened.device.dispose();
    await (await cpu()).dispose();
  });

  it.each([0, 1, 2])("takes all 32 facts exactly at layer %s, in few steps", async (layer) => {
    const entries = await encodeAll(opened.engine, planned(layer), params);
    byLayer.set(layer, entries);
    const steps = entries.map(({ report }) => report.steps).sort((a, b) => a - b);
    expect(entries.filter(({ report }) => !report.exact)).toEqual([]);
    expect(steps.at(-1)).toBeLessThanOrEqual(20);
    expect(steps[16]).toBeLessThanOrEqual(5);
  });

  it("says hardly any of them without a residual: what is recalled comes from the memory", async () => {
    const entries = byLayer.get(0)!;
    const reader = openReader(opened.engine, { entries: [] }, params);
    const plain = await reader.recall(entries);
    const values = planned(0).map(({ fact }) => fact.value);
    expect(plain.filter(({ text }, i) => text.replace(" .", ".") === values[i]).length).toBeLessThan(4);
  });

  it("says them again exactly, all layers in one store", async () => {
    const entries = [...byLayer.values()].flat().map((entry, i) => ({ ...entry, id: factId(entry.documentId, charOffset(i)) })); // prettier-ignore
    const reader = openReader(opened.engine, { entries }, params);
    const recalled = await reader.recall(entries);
    reader.dispose();
    const values = [...byLayer.keys()].flatMap((layer) => planned(layer).map(({ fact }) => fact.value));
    expect(recalled.map(({ text }) => text.replace(" .", "."))).toEqual(values);
  });
});
