/** @file Models of transformers.js that only evaluations use: one that ranks passages, and one that shortens texts. */

import type { PreTrainedTokenizer } from "@huggingface/transformers";
import { throwIfCancelled } from "../lib/assert.ts";
import { chunks } from "../lib/group.ts";
import { softmax } from "../lib/stats.ts";
import { createQueue } from "../lib/queue.ts";
import type { CrossEncoder, TokenKeeper } from "./engine.ts";
import {
  floatsOf,
  openTransformers,
  sourceName,
  type Library,
  type Output,
  type TransformersSource,
} from "./transformersFiles.ts";

const BATCH = 8;
/** Positions of the published compressors. */
const WINDOW = 512;
const KEPT = 1;
const LABELS = 2;

/** Calls take turns: a session of onnxruntime does one run at a time. */
const calls = createQueue();

/** A cross-encoder: its one raw logit is the relevance of a passage to a question. @throws if it cannot be opened */
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

interface Opened {
  readonly tokenizer: PreTrainedTokenizer;
  readonly model: Awaited<ReturnType<Library["AutoModelForTokenClassification"]["from_pretrained"]>>;
  readonly Tensor: Library["Tensor"];
}

/** A token classifier that keeps or drops tokens, as LLMLingua-2 does. @throws if it cannot be opened or does not mark words */
export async function transformersCompressor(source: TransformersSource): Promise<TokenKeeper> {
  const { opened, hashes } = await openTransformers(
    "compressor",
    source,
    async ({ AutoModelForTokenClassification, AutoTokenizer, Tensor }, name, settings) => ({
      tokenizer: await AutoTokenizer.from_pretrained(name),
      model: await AutoModelForTokenClassification.from_pretrained(name, settings),
      Tensor,
    }),
  );
  const { tokenizer, model } = opened;
  const name = sourceName(source, hashes);
  try {
    const mark = markOf(tokenizer, name);
    return {
      name,
      mark,
      special: new Set([...tokenizer.all_special_tokens, tokenizer.unk_token]),
      // A tokenizer of pieces returns the text itself if its vocabulary lacks it.
      tokens: (line) =>
        tokenizer
          .tokenize(line)
          .map((token) =>
            tokenizer._tokenizer.token_to_id(token) === undefined ? tokenizer.unk_token : token,
          ),
      keep: (runs, signal) =>
        calls.run("engine: compressing", async () => {
          const found: number[][] = [];
          for (const some of chunks(runs, BATCH)) {
            throwIfCancelled(signal, `engine: compressing by ${name}`);
            found.push(...(await keptOf(opened, some)));
          }
          return found;
        }),
      text: (tokens) => tokenizer._tokenizer.decoder!.decode([...tokens]),
      dispose: async () => void (await model.dispose()),
    };
  } catch (error) {
    await model.dispose();
    throw error;
  }
}

function markOf({ _tokenizer }: PreTrainedTokenizer, name: string): TokenKeeper["mark"] {
  const { type = "none", ...config } = (_tokenizer.decoder?.config ?? {}) as Readonly<
    Record<string, unknown>
  >;
  if (type === "WordPiece") return { kind: "continues", text: String(config["prefix"] ?? "##") };
  if (type === "Metaspace") return { kind: "begins", text: String(config["replacement"] ?? "▁") };
  throw new Error(
    `engine: the compressor ${name} has a tokenizer whose decoder is ${JSON.stringify(type)}; words are kept whole by the marks of ` +
      "WordPiece (BERT) or Metaspace (XLM-RoBERTa): choose one of LLMLingua-2's models",
  );
}

/** Probability that each token of each run is kept. Rows have marks at both ends, up to the window, then padding. */
async function keptOf({ tokenizer, model, Tensor }: Opened, runs: readonly (readonly string[])[]) {
  const first = tokenizer.encode("");
  const [opening, closing] = [first.slice(0, 1), first.slice(1)];
  const rows = runs.map((run) =>
    [...opening, ...tokenizer.convert_tokens_to_ids([...run]), ...closing].slice(0, WINDOW),
  );
  const width = Math.max(...rows.map(({ length }) => length));
  const [ids, mask] = [new BigInt64Array(rows.length * width), new BigInt64Array(rows.length * width)];
  ids.fill(BigInt(tokenizer.pad_token_id ?? 0));
  for (const [i, row] of rows.entries()) {
    ids.set(row.map(BigInt), i * width);
    mask.fill(1n, i * width, i * width + row.length);
  }
  const dims = [rows.length, width];
  const { logits } = (await model({
    input_ids: new Tensor("int64", ids, dims),
    attention_mask: new Tensor("int64", mask, dims),
  })) as { logits?: Output };
  const expected =
    `${rows.length} runs of ${width} tokens; expected two logits per token, left out and kept: ` +
    "choose one of LLMLingua-2's models";
  const data = floatsOf("compressor", logits, [...dims, LABELS], expected);
  return runs.map((run, i) =>
    run.map((_, j) => {
      const at = LABELS * (i * width + opening.length + j);
      return softmax(data.subarray(at, at + LABELS), 1)[KEPT]!;
    }),
  );
}
