/** @file The real path through transformers.js, with a tokenizer and an ONNX model written here: a logit is a sum over all words of a pair. */

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { onnxModel } from "../runtime/testing/models.ts";
import { tinyEmbedder, WORDS } from "./testing/tinyEmbedder.ts";
import { transformersReranker } from "./transformersReranker.ts";

/** What each word adds to a logit; an unknown one adds nothing. */
const WEIGHTS: Readonly<Record<string, number>> = { mary: 1, garden: 3, to: -1, moved: 0.5 };

/** `labels` columns of the same sums. */
const model = (labels: number): Uint8Array =>
  onnxModel({
    inputs: { input_ids: ["int64", ["batch", "time"]], attention_mask: ["int64", ["batch", "time"]] },
    outputs: { logits: ["float32", ["batch", labels]] },
    initializers: {
      table: {
        port: ["float32", [WORDS.length, labels]],
        data: Float32Array.from(WORDS.flatMap((word) => Array<number>(labels).fill(WEIGHTS[word] ?? 0))),
      },
      axis: { port: ["int64", [1]], data: BigInt64Array.of(2n) },
      time: { port: ["int64", [1]], data: BigInt64Array.of(1n) },
    },
    nodes: [
      { op: "Gather", in: ["table", "input_ids"], out: ["rows"] },
      { op: "Cast", in: ["attention_mask"], out: ["seen"], attributes: { to: 1 } },
      { op: "Unsqueeze", in: ["seen", "axis"], out: ["column"] },
      { op: "Mul", in: ["rows", "column"], out: ["own"] },
      { op: "ReduceSum", in: ["own", "time"], out: ["logits"], attributes: { keepdims: 0 } },
    ],
  });

let parent: string;
beforeAll(async () => {
  parent = await mkdtemp(path.join(tmpdir(), "reranker-"));
  for (const [name, labels] of [["tiny", 1], ["two", 2]] as const) {
    await mkdir(path.join(parent, name, "onnx"), { recursive: true });
    for (const [file, bytes] of tinyEmbedder()) await writeFile(path.join(parent, name, file), bytes);
    const config = { model_type: "bert", architectures: ["BertForSequenceClassification"] };
    await writeFile(path.join(parent, name, "config.json"), JSON.stringify(config));
    await writeFile(path.join(parent, name, "onnx/model.onnx"), model(labels));
  }
}); // prettier-ignore
afterAll(() => rm(parent, { recursive: true }));

it("gives the raw logit of each pair, whichever others are scored with it", async () => {
  const reranker = await transformersReranker({ model: "tiny", localPath: parent });
  const passages = ["moved to the garden", "to", "garden garden garden", ...Array<string>(9).fill("mary")];
  const scores = await reranker.score("Mary", passages);
  expect(scores.slice(0, 4)).toEqual([1 + 0.5 - 1 + 3, 0, 10, 2]);
  expect(scores).toHaveLength(12);
  expect(await reranker.score("Mary", ["to"])).toEqual([0]);
  await reranker.dispose();
});

it("refuses a classifier, and a folder that is not there", async () => {
  const classifier = await transformersReranker({ model: "two", localPath: parent });
  await expect(classifier.score("Mary", ["to"])).rejects.toThrow(
    "gave 1 × 2 values for 1 pairs; expected one logit",
  );
  await classifier.dispose();
  await expect(transformersReranker({ model: "none", localPath: parent })).rejects.toThrow(
    'the cross-encoder "none" cannot be opened from',
  );
});
