/**
 * @file A token classifier of transformers.js that decides for every token whether to keep it, as LLMLingua-2's models
 * do (BERT and XLM-RoBERTa). For evaluations only; src/evaluate/compression.ts uses its probabilities.
 */

import type { PreTrainedTokenizer } from "@huggingface/transformers";
import { assert, throwIfCancelled } from "../lib/assert.ts";
import { chunks } from "../lib/group.ts";
import { softmax } from "../lib/stats.ts";
import { createQueue } from "../runtime/queue.ts";
import { openTransformers, sourceName, type Library, type TransformersSource } from "./transformersFiles.ts";

/** Gives the probability that each token of a text is kept. */
export interface TokenKeeper {
  readonly name: string;
  tokens(line: string): string[];
  readonly special: ReadonlySet<string>;
  readonly mark: { readonly kind: "continues" | "begins"; readonly text: string };
  keep(runs: readonly (readonly string[])[], signal?: AbortSignal): Promise<readonly (readonly number[])[]>;
  text(tokens: readonly string[]): string;
  dispose(): Promise<void>;
}

/** Positions of the published models. */
const WINDOW = 512;
/** Runs of tokens that are read at once. */
const BATCH = 8;
/** Label of kept tokens. */
const KEPT = 1;
const LABELS = 2;

/** Calls take turns: a session of onnxruntime does one run at a time. */
const calls = createQueue();

type Classifier = Awaited<ReturnType<Library["AutoModelForTokenClassification"]["from_pretrained"]>>;

/** @throws if the model cannot be opened, naming its location, or if its tokenizer does not mark words */
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
      // Of what its vocabulary lacks a tokenizer of pieces gives the text itself.
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

/** How a tokenizer's tokens mark the beginnings of words. @throws if they do not */
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

/** Probability of being kept of each token of each run; marks at both ends as far as the window goes, padding behind. */
async function keptOf(
  {
    tokenizer,
    model,
    Tensor,
  }: { tokenizer: PreTrainedTokenizer; model: Classifier; Tensor: Library["Tensor"] },
  runs: readonly (readonly string[])[],
): Promise<number[][]> {
  const first = tokenizer.encode("");
  const [opening, closing] = [first.slice(0, 1), first.slice(1)];
  const rows = runs.map((run) =>
    [...opening, ...tokenizer.convert_tokens_to_ids([...run]), ...closing].slice(0, WINDOW),
  );
  const width = Math.max(...rows.map(({ length }) => length));
  const [ids, mask] = [new BigInt64Array(rows.length * width), new BigInt64Array(rows.length * width)];
  const padding = BigInt(tokenizer.pad_token_id ?? 0);
  ids.fill(padding);
  for (const [i, row] of rows.entries()) {
    ids.set(row.map(BigInt), i * width);
    mask.fill(1n, i * width, i * width + row.length);
  }
  const dims = [rows.length, width];
  const { logits } = (await model({
    input_ids: new Tensor("int64", ids, dims),
    attention_mask: new Tensor("int64", mask, dims),
  })) as { logits?: Logits };
  const data = checkedLogits(logits, dims);
  return runs.map((run, i) =>
    run.map((_, j) => {
      const at = LABELS * (i * width + opening.length + j);
      return softmax(data.subarray(at, at + LABELS), 1)[KEPT]!;
    }),
  );
}

/** A model for something else gives none. */
interface Logits {
  readonly data: unknown;
  readonly dims: readonly number[];
}

/** Two logits a token, [runs, tokens, 2]. */
function checkedLogits(
  { data, dims }: Logits = { data: null, dims: [0] },
  [runs, width]: readonly number[],
): Float32Array {
  assert(
    data instanceof Float32Array && dims[0] === runs && dims[1] === width && dims[2] === LABELS,
    () =>
      `engine: the compressor gave ${dims.join(" × ")} values for ${runs} runs of ${width} tokens; expected two logits a token, ` +
      "left out and kept: choose one of LLMLingua-2's models",
  );
  return data;
}
