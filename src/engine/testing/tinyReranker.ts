/**
 * @file Test support: a cross-encoder in transformers.js layout, tokenizer and ONNX model both written here: a logit is a
 * sum over all words of a pair.
 */

import { onnxModel } from "../../runtime/testing/models.ts";
import { OWN_ROWS, tinyEmbedder, WORDS } from "./tinyEmbedder.ts";

/** What each word adds to a logit; an unknown one adds nothing. */
const WEIGHTS: Readonly<Record<string, number>> = { mary: 1, garden: 3, to: -1, moved: 0.5 };

/** `labels` columns of the same sums. */
const model = (labels: number): Uint8Array =>
  onnxModel({
    inputs: OWN_ROWS.inputs,
    outputs: { logits: ["float32", ["batch", labels]] },
    initializers: {
      table: {
        port: ["float32", [WORDS.length, labels]],
        data: Float32Array.from(WORDS.flatMap((word) => Array<number>(labels).fill(WEIGHTS[word] ?? 0))),
      },
      ...OWN_ROWS.initializers,
    },
    nodes: [
      ...OWN_ROWS.nodes,
      { op: "ReduceSum", in: ["own", "time"], out: ["logits"], attributes: { keepdims: 0 } },
    ],
  });

/** Its files by name; a reranker has one label. */
export function tinyReranker(labels = 1): Map<string, Uint8Array> {
  const config = { model_type: "bert", architectures: ["BertForSequenceClassification"] };
  return new Map([
    ...tinyEmbedder(),
    ["config.json", new TextEncoder().encode(JSON.stringify(config))],
    ["onnx/model.onnx", model(labels)],
  ]);
}
