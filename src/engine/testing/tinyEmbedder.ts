/**
 * @file Test support: a text embedder in transformers.js layout, tokenizer and ONNX model both written here. It looks
 * tokens up in a table, so every vector can be worked out by hand, and to it each of the made pairs is one topic.
 */

import { onnxModel } from "../../runtime/testing/models.ts";
import { MADE_PAIRS } from "../embed.ts";
import { vector } from "./models.ts";

/** Numbers of a vector. */
export const WIDTH = 16;
const SPECIAL = ["[PAD]", "[UNK]"];
const PLAIN = ["mary", "moved", "to", "the", "garden", "."];
const inLower = (text: string): string[] => text.toLowerCase().match(/[a-z]+/g) ?? [];
/** Words that stand in one of the made pairs alone: to this model each such pair is one topic. */
const TOPICS = MADE_PAIRS.map((pair, i) => {
  const others = new Set(MADE_PAIRS.flatMap((other, j) => (i === j ? [] : inLower(other.join(" ")))));
  return [...new Set(inLower(pair.join(" ")))].filter((word) => !others.has(word) && !PLAIN.includes(word));
});
export const WORDS = [...SPECIAL, ...PLAIN, ...TOPICS.flat()];
/** A word of a topic is its axis, another one of a few has random numbers, and an unknown one is nothing. */
export const TABLE = vector(WORDS.length * WIDTH, 3);
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
  model: {
    type: "WordLevel",
    unk_token: "[UNK]",
    vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])),
  },
};

/** How each of these models begins: "own" [batch, time, .] are the rows of "table" of the tokens that the mask lets through. */
export const OWN_ROWS = {
  inputs: { input_ids: ["int64", ["batch", "time"]], attention_mask: ["int64", ["batch", "time"]] },
  initializers: {
    axis: { port: ["int64", [1]], data: BigInt64Array.of(2n) },
    time: { port: ["int64", [1]], data: BigInt64Array.of(1n) },
  },
  nodes: [
    { op: "Gather", in: ["table", "input_ids"], out: ["rows"] },
    { op: "Cast", in: ["attention_mask"], out: ["seen"], attributes: { to: 1 } },
    { op: "Unsqueeze", in: ["seen", "axis"], out: ["column"] },
    { op: "Mul", in: ["rows", "column"], out: ["own"] },
  ],
} as const;

/** Each token's state is its own row and the sum of all, so that the first one knows of the others. */
const model = (table: Float32Array): Uint8Array =>
  onnxModel({
    inputs: OWN_ROWS.inputs,
    outputs: { last_hidden_state: ["float32", ["batch", "time", WIDTH]] },
    initializers: {
      table: { port: ["float32", [WORDS.length, WIDTH]], data: table },
      ...OWN_ROWS.initializers,
    },
    nodes: [
      ...OWN_ROWS.nodes,
      { op: "ReduceSum", in: ["own", "time"], out: ["all"] },
      { op: "Add", in: ["own", "all"], out: ["last_hidden_state"] },
    ],
  });

/** Its files by name; with another `table` it knows something else, or nothing. */
export function tinyEmbedder(
  table: Float32Array = TABLE,
  padding: "left" | "right" = "right",
): Map<string, Uint8Array> {
  const json = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
  return new Map([
    ["config.json", json({ model_type: "bert", architectures: ["BertModel"], hidden_size: WIDTH })],
    ["tokenizer.json", json(TOKENIZER)],
    [
      "tokenizer_config.json",
      json({
        tokenizer_class: "BertTokenizer",
        pad_token: "[PAD]",
        unk_token: "[UNK]",
        model_max_length: 64,
        padding_side: padding,
      }),
    ],
    ["onnx/model.onnx", model(table)],
  ]);
}

/** An embedder to which all texts are the same. */
export const blindEmbedder = (): Map<string, Uint8Array> => tinyEmbedder(TABLE.map(() => 1));
