/**
 * @file A cross-encoder through transformers.js: question and passage are read together, and the model's one logit says
 * how well they fit. The raw logit is taken: the text-classification pipeline puts a softmax over it, which makes 1 of
 * any single number. For evaluations alone; our method has no use for one.
 */

import { assert, messageOf } from "../lib/assert.ts";
import { chunks } from "../lib/group.ts";
import type { EmbedderDtype } from "../records/embedder.ts";
import { createQueue } from "../runtime/queue.ts";
import { opening } from "./transformersSettings.ts";

export interface TransformersRerankerOptions {
  /** A folder name under `localPath`, or a Hub id when `remote` is true. */
  readonly model: string;
  readonly localPath?: string;
  readonly remote?: boolean;
  readonly dtype?: EmbedderDtype;
}

/** Scores pairs; larger is better. */
export interface CrossEncoder {
  readonly name: string;
  /** The raw logit of each passage beside the question. */
  score(question: string, passages: readonly string[]): Promise<readonly number[]>;
  dispose(): Promise<void>;
}

/** Pairs of one run. */
const BATCH = 8;

/** Calls take turns: a session of onnxruntime does one run at a time. */
const calls = createQueue();

/** @throws when the model cannot be opened, with where it was looked for */
export async function transformersReranker(options: TransformersRerankerOptions): Promise<CrossEncoder> {
  const { tokenizer, model } = await open(options);
  const batch = async (question: string, passages: readonly string[]): Promise<number[]> => {
    const questions = passages.map(() => question);
    const pair = { text_pair: [...passages], padding: true, truncation: true };
    const { logits } = (await model(tokenizer(questions, pair))) as {
      logits: { data: unknown; dims: number[] };
    };
    return logitsOf(logits, passages.length);
  };
  return {
    name: options.model,
    score: (question, passages) =>
      calls.run("engine: reranking", async () => {
        const found: number[] = [];
        for (const some of chunks(passages, BATCH)) found.push(...(await batch(question, some)));
        return found;
      }),
    dispose: async () => void (await model.dispose()),
  };
}

const open = ({ model: name, localPath, remote = false, dtype = "fp32" }: TransformersRerankerOptions) =>
  opening(
    "engine: opening a cross-encoder",
    { localPath, remote },
    {},
    async ({ AutoModelForSequenceClassification, AutoTokenizer }, from) => {
      try {
        const tokenizer = await AutoTokenizer.from_pretrained(name);
        return {
          tokenizer,
          model: await AutoModelForSequenceClassification.from_pretrained(name, { dtype }),
        };
      } catch (error) {
        throw new Error(
          `engine: the cross-encoder "${name}" cannot be opened from ${from} (${dtype}): ${messageOf(error)}`,
          { cause: error },
        );
      }
    },
  );

/** One logit a pair, [pairs, 1]. */
function logitsOf(
  { data, dims }: { readonly data: unknown; readonly dims: readonly number[] },
  pairs: number,
): number[] {
  assert(
    data instanceof Float32Array && dims[0] === pairs && dims[1] === 1,
    () =>
      `engine: the cross-encoder gave ${dims.join(" × ")} values for ${pairs} pairs; expected one logit for each: choose a reranker`,
  );
  return [...data];
}
