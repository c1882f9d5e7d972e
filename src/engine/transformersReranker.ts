/**
 * @file A cross-encoder of transformers.js: it reads question and passage together, and its one logit is their
 * relevance. The raw logit is used, because the text-classification pipeline applies a softmax, which turns any single
 * number into 1. For evaluations only.
 */

import { assert } from "../lib/assert.ts";
import { chunks } from "../lib/group.ts";
import { createQueue } from "../runtime/queue.ts";
import { openTransformers, sourceName, type TransformersSource } from "./transformersFiles.ts";

/** Scores pairs; larger is better. */
export interface CrossEncoder {
  readonly name: string;
  /** The raw logit of each passage for the question. */
  score(question: string, passages: readonly string[]): Promise<readonly number[]>;
  dispose(): Promise<void>;
}

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
  const batch = async (question: string, passages: readonly string[]): Promise<number[]> => {
    const questions = passages.map(() => question);
    const pair = { text_pair: [...passages], padding: true, truncation: true };
    const { logits } = (await model(tokenizer(questions, pair))) as { logits?: Logits };
    return logitsOf(logits, passages.length);
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

/** A model for something else gives none. */
interface Logits {
  readonly data: unknown;
  readonly dims: readonly number[];
}

/** One logit a pair, [pairs, 1]. */
function logitsOf({ data, dims }: Logits = { data: null, dims: [0] }, pairs: number): number[] {
  assert(
    data instanceof Float32Array && dims[0] === pairs && dims[1] === 1,
    () =>
      `engine: the cross-encoder gave ${dims.join(" × ")} values for ${pairs} pairs; expected one logit for each: choose a reranker`,
  );
  return [...data];
}
