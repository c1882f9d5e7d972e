/**
 * @file The real path through transformers.js: a folder with tokenizer and ONNX model, both written here, no network.
 * The model looks tokens up in a table, so every vector can be worked out by hand.
 */

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { onnxModel } from "../runtime/testing/models.ts";
import { transformersEmbedder } from "./transformersEmbedder.ts";
import { vector } from "./testing/models.ts";

const WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "mary", "moved", "to", "the", "garden", "."];
const WIDTH = 8;
const TABLE = vector(WORDS.length * WIDTH, 3);

const TOKENIZER = {
  version: "1.0",
  added_tokens: [],
  normalizer: { type: "Lowercase" },
  pre_tokenizer: { type: "BertPreTokenizer" },
  post_processor: null,
  decoder: null,
  model: { type: "WordLevel", unk_token: "[UNK]", vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])) },
}; // prettier-ignore

const model = (): Uint8Array =>
  onnxModel({
    inputs: { input_ids: ["int64", ["batch", "time"]], attention_mask: ["int64", ["batch", "time"]] },
    outputs: { last_hidden_state: ["float32", ["batch", "time", WIDTH]] },
    initializers: {
      table: { port: ["float32", [WORDS.length, WIDTH]], data: TABLE },
      axis: { port: ["int64", [1]], data: BigInt64Array.of(2n) },
    },
    nodes: [
      { op: "Gather", in: ["table", "input_ids"], out: ["rows"] },
      { op: "Cast", in: ["attention_mask"], out: ["seen"], attributes: { to: 1 } },
      { op: "Unsqueeze", in: ["seen", "axis"], out: ["column"] },
      { op: "Mul", in: ["rows", "column"], out: ["last_hidden_state"] },
    ],
  });

let parent: string;
beforeAll(async () => {
  parent = await mkdtemp(path.join(tmpdir(), "embedder-"));
  const folder = path.join(parent, "tiny");
  await mkdir(path.join(folder, "onnx"), { recursive: true });
  const json = (name: string, value: unknown) => writeFile(path.join(folder, name), JSON.stringify(value));
  await json("config.json", { model_type: "bert", architectures: ["BertModel"], hidden_size: WIDTH });
  await json("tokenizer.json", TOKENIZER);
  await json("tokenizer_config.json", { tokenizer_class: "BertTokenizer", pad_token: "[PAD]", unk_token: "[UNK]", model_max_length: 64 }); // prettier-ignore
  await writeFile(path.join(folder, "onnx", "model.onnx"), model());
});
afterAll(() => rm(parent, { recursive: true }));

const unit = (v: readonly number[]): number[] => v.map((x) => x / Math.hypot(...v));
const row = (word: string): number[] => [...TABLE.slice(WORDS.indexOf(word) * WIDTH, (WORDS.indexOf(word) + 1) * WIDTH)]; // prettier-ignore
const meanOf = (words: readonly string[]): number[] =>
  Array.from({ length: WIDTH }, (_, i) => words.reduce((s, w) => s + row(w)[i]!, 0) / words.length);

describe("transformersEmbedder", () => {
  it("gives the unit mean of a text's hidden states, the same alone and in company", async () => {
    const embedder = await transformersEmbedder({ model: "tiny", localPath: parent });
    expect(embedder.name).toBe("transformers.js tiny (mean)");
    const texts = ["Mary moved to the garden.", "garden", "the unknown"];
    const words = [["mary", "moved", "to", "the", "garden", "."], ["garden"], ["the", "[UNK]"]];
    const found = await embedder.embed(texts);
    for (const [i, got] of found.entries()) {
      unit(meanOf(words[i]!)).forEach((v, j) => expect(got[j]).toBeCloseTo(v, 5));
      expect(await embedder.embed([texts[i]!])).toEqual([got]);
    }
    expect(await embedder.embed([])).toEqual([]);
  });

  it("takes the first token's state where a model is made for that", async () => {
    const embedder = await transformersEmbedder({ model: "tiny", localPath: parent, pooling: "cls" });
    const [got] = await embedder.embed(["garden the"]);
    unit(row("garden")).forEach((v, j) => expect(got![j]).toBeCloseTo(v, 5));
  });

  it("names a folder that is not there, and asks no network for it", async () => {
    await expect(transformersEmbedder({ model: "absent", localPath: parent })).rejects.toThrow(
      /engine: the embedding model "absent" cannot be opened from .*embedder-/,
    );
  });
});
