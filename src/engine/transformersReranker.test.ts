/** @file The real path through transformers.js, with a tokenizer and an ONNX model written here: a logit is a sum over all words of a pair. */

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { tinyReranker } from "./testing/tinyReranker.ts";
import { transformersReranker } from "./transformersHelpers.ts";

let parent: string;
beforeAll(async () => {
  parent = await mkdtemp(path.join(tmpdir(), "reranker-"));
  for (const [name, labels] of [
    ["tiny", 1],
    ["two", 2],
  ] as const) {
    await mkdir(path.join(parent, name, "onnx"), { recursive: true });
    for (const [file, bytes] of tinyReranker(labels)) await writeFile(path.join(parent, name, file), bytes);
  }
});
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
