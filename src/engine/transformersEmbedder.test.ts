/**
 * @file The real path through transformers.js: a folder with tokenizer and ONNX model, both written here, no network.
 * The model looks tokens up in a table, so every vector can be worked out by hand.
 */

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { onnxModel } from "../runtime/testing/models.ts";
import { MADE_PAIRS } from "./calibration.ts";
import { useOf } from "./embedderModels.ts";
import { transformersEmbedder } from "./transformersEmbedder.ts";
import { vector } from "./testing/models.ts";

const WIDTH = 16;
const SPECIAL = ["[PAD]", "[UNK]"];
const PLAIN = ["mary", "moved", "to", "the", "garden", "."];
const inLower = (text: string): string[] => text.toLowerCase().match(/[a-z]+/g) ?? [];
/** Words that stand in one of the made pairs alone: to this model each such pair is one topic. */
const TOPICS = MADE_PAIRS.map((pair, i) => {
  const others = new Set(MADE_PAIRS.flatMap((other, j) => (i === j ? [] : inLower(other.join(" ")))));
  return [...new Set(inLower(pair.join(" ")))].filter((word) => !others.has(word) && !PLAIN.includes(word));
});
const WORDS = [...SPECIAL, ...PLAIN, ...TOPICS.flat()];
/** A word of a topic is its axis, another one of a few has random numbers, and an unknown one is nothing. */
const TABLE = vector(WORDS.length * WIDTH, 3);
for (const [id, word] of WORDS.entries()) {
  const topic = TOPICS.findIndex((words) => words.includes(word));
  if (topic < 0 && !SPECIAL.includes(word)) continue;
  TABLE.fill(0, id * WIDTH, (id + 1) * WIDTH);
  if (topic >= 0) TABLE[id * WIDTH + topic] = 1;
}

const TOKENIZER = {
  version: "1.0",
  added_tokens: [],
  normalizer: { type: "Lowercase" },
  pre_tokenizer: { type: "BertPreTokenizer" },
  post_processor: null,
  decoder: null,
  model: { type: "WordLevel", unk_token: "[UNK]", vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])) },
}; // prettier-ignore

/** Each token's state is its own row and the sum of all, so that the first one knows of the others. */
const model = (table: Float32Array): Uint8Array =>
  onnxModel({
    inputs: { input_ids: ["int64", ["batch", "time"]], attention_mask: ["int64", ["batch", "time"]] },
    outputs: { last_hidden_state: ["float32", ["batch", "time", WIDTH]] },
    initializers: {
      table: { port: ["float32", [WORDS.length, WIDTH]], data: table },
      axis: { port: ["int64", [1]], data: BigInt64Array.of(2n) },
      time: { port: ["int64", [1]], data: BigInt64Array.of(1n) },
    },
    nodes: [
      { op: "Gather", in: ["table", "input_ids"], out: ["rows"] },
      { op: "Cast", in: ["attention_mask"], out: ["seen"], attributes: { to: 1 } },
      { op: "Unsqueeze", in: ["seen", "axis"], out: ["column"] },
      { op: "Mul", in: ["rows", "column"], out: ["own"] },
      { op: "ReduceSum", in: ["own", "time"], out: ["all"] },
      { op: "Add", in: ["own", "all"], out: ["last_hidden_state"] },
    ],
  });

let parent: string;
beforeAll(async () => {
  parent = await mkdtemp(path.join(tmpdir(), "embedder-"));
  for (const name of ["tiny", "tiny-bge-small-en", "tiny-e5-small"]) await writeModel(name, TABLE);
  await writeModel("broken", TABLE.map(() => 1)); // prettier-ignore
});
async function writeModel(name: string, table: Float32Array): Promise<void> {
  const folder = path.join(parent, name);
  await mkdir(path.join(folder, "onnx"), { recursive: true });
  const json = (file: string, value: unknown) => writeFile(path.join(folder, file), JSON.stringify(value));
  await json("config.json", { model_type: "bert", architectures: ["BertModel"], hidden_size: WIDTH });
  await json("tokenizer.json", TOKENIZER);
  await json("tokenizer_config.json", { tokenizer_class: "BertTokenizer", pad_token: "[PAD]", unk_token: "[UNK]", model_max_length: 64 }); // prettier-ignore
  await writeFile(path.join(folder, "onnx", "model.onnx"), model(table));
}
afterAll(() => rm(parent, { recursive: true }));

const unit = (v: readonly number[]): number[] => v.map((x) => x / Math.hypot(...v));
const row = (word: string): number[] => [...TABLE.slice(WORDS.indexOf(word) * WIDTH, (WORDS.indexOf(word) + 1) * WIDTH)]; // prettier-ignore
const sumOf = (words: readonly string[]): number[] =>
  Array.from({ length: WIDTH }, (_, i) => words.reduce((s, w) => s + row(w)[i]!, 0));
const near = (got: Float32Array | undefined, expected: readonly number[]): void =>
  expected.forEach((v, j) => expect(got![j]).toBeCloseTo(v, 5));

describe("transformersEmbedder", () => {
  it("gives the unit mean of a text's hidden states, alone and in a batch", async () => {
    const embedder = await transformersEmbedder({ model: "tiny", localPath: parent });
    expect(embedder.name).toBe("transformers.js tiny (mean)");
    const texts = ["Mary moved to the garden.", "garden", "the unknown"];
    const words = [["mary", "moved", "to", "the", "garden", "."], ["garden"], ["the", "[UNK]"]];
    const found = await embedder.embed(texts);
    for (const [i, got] of found.entries()) {
      near(got, unit(sumOf(words[i]!)));
      const [alone] = await embedder.embed([texts[i]!]);
      near(alone, [...got]);
    }
    expect(await embedder.embed([])).toEqual([]);
  });

  it("takes the first token's state of a model that is made for that, and its prefix for a question", async () => {
    const embedder = await transformersEmbedder({ model: "tiny-bge-small-en", localPath: parent });
    expect(embedder.name).toBe("transformers.js tiny-bge-small-en (cls, prefixed)");
    const [got] = await embedder.embed(["garden the"]);
    near(got, unit(sumOf(["garden", "garden", "the"])));
    // "Represent this sentence for …": its first word is unknown here, and "for" the only one that is not.
    near(await embedder.embedQuestion("garden the"), unit(sumOf(["for", "garden", "the"])));
  });

  it("knows how BGE, GTE and E5 are used, whoever converted them", () => {
    expect(useOf("Xenova/bge-small-en-v1.5")).toMatchObject({ pooling: "cls", passage: "", known: true });
    expect(useOf("Xenova/bge-m3")).toMatchObject({ pooling: "cls", query: "", known: true });
    expect(useOf("Xenova/multilingual-e5-small")).toMatchObject({
      pooling: "mean",
      query: "query: ",
      passage: "passage: ",
    });
    expect(useOf("Xenova/gte-small").pooling).toBe("mean");
    expect(useOf("onnx-community/gte-multilingual-base").pooling).toBe("cls");
    expect(useOf("someone/else")).toEqual({ pooling: "mean", query: "", passage: "", known: false });
  });

  it("is calibrated on pairs that it tells apart", async () => {
    const { denseFloor } = await transformersEmbedder({ model: "tiny-e5-small", localPath: parent });
    expect(denseFloor).toBeGreaterThanOrEqual(0);
    expect(denseFloor).toBeLessThan(1);
  });

  it("refuses a model that is silently wrong", async () => {
    await expect(transformersEmbedder({ model: "broken", localPath: parent })).rejects.toThrow(
      /broken \(mean\) failed its self-test: 0 of 12 made questions were nearest to their answer.*fp32/,
    );
  });

  it("names a folder that is not there, and asks no network for it", async () => {
    await expect(transformersEmbedder({ model: "absent", localPath: parent })).rejects.toThrow(
      /engine: the embedding model "absent" cannot be opened from .*embedder-/,
    );
  });
});
