/**
 * @file A cross-encoder of transformers.js: it reads question and passage together, and its one logit is their
 * relevance. The raw logit is used, because the text-classification pipeline applies a softmax, which turns any single
 * number into 1. For evaluations only.
 */

import { chunks } from "../lib/group.ts";
import { createQueue } from "../runtime/queue.ts";
import type { CrossEncoder } from "./engine.ts";
import {
  floatsOf,
  openTransformers,
  sourceName,
  type Output,
  type TransformersSource,
} from "./transformersFiles.ts";

/** Pairs of one run. */
const BATCH = 8;

/** Calls take turns: a session of onnxruntime does one run at a time. */
const calls = createQueue();

/** @throws if the model cannot be opened, naming its location */
export async function transformersReranker(source: TransformersSource): Promise<CrossEncoder> {
  const { opened, hashes } = await openTransformers(
    "cross-encoder",
    source,
    async ({ AutoModelForSequenceClassification, AutoTokenizer }, name, settings) => ({
      tokenizer: await AutoTokenizer.from_pretrained(name),
      model: await AutoModelForSequenceClassification.from_pretrained(name, settings),
    }),
  );
  const { tokenizer, model } = opened;
  const batch = async (question: string, passages: readonly string[]): Promise<Float32Array> => {
    const questions = passages.map(() => question);
    const pair = { text_pair: [...passages], padding: true, truncation: true };
    const { logits } = (await model(tokenizer(questions, pair))) as { logits?: Output };
    const { length } = passages;
    const expected = `${length} pairs; expected one logit for each: choose a reranker`;
    return floatsOf("cross-encoder", logits, [length, 1], expected);
  };
  return {
    name: sourceName(source, hashes),
    score: (question, passages) =>
      calls.run("engine: reranking", async () => {
        const found: number[] = [];
        for (const some of chunks(passages, BATCH)) found.push(...(await batch(question, some)));
        return found;
      }),
    dispose: async () => void (await model.dispose()),
  };
}
