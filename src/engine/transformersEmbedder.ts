/**
 * @file A dedicated embedding model of transformers.js (feature extraction, unit vectors), with the pooling and
 * prefixes of its model card. It is loaded only if one is chosen, and tested on prepared pairs before use: quantised
 * models are silently wrong on some backends (transformers.js issue 1728). In a browser it runs on our onnxruntime
 * (runtime/sharedRuntime.ts) and reads local files, so it contacts no host.
 */

import { assert, throwIfCancelled } from "../lib/assert.ts";
import { chunks } from "../lib/group.ts";
import { embedderName } from "../records/embedder.ts";
import { calibratedFloor, MADE_PAIRS, pairCosines, toldApart } from "./calibration.ts";
import type { Embedder } from "./embed.ts";
import { openTransformers, weightsOf, type TransformersSource } from "./transformersFiles.ts";

/** Vector of a text: the state of its first token, or the mean of all tokens. */
export type Pooling = "cls" | "mean";

export interface EmbedderUse {
  readonly pooling: Pooling;
  /** Prefixes of questions and of passages. */
  readonly query: string;
  readonly passage: string;
}

/**
 * How known models are used, as their model cards document it, by name; the first match counts. Other settings still give
 * vectors, but worse ones.
 */
const KNOWN: readonly (readonly [name: RegExp, use: EmbedderUse])[] = [
  [/bge-m3/i, { pooling: "cls", query: "", passage: "" }],
  [
    /bge-(?:small|base|large)-zh/i,
    { pooling: "cls", query: "为这个句子生成表示以用于检索相关文章：", passage: "" },
  ],
  [
    /bge-(?:small|base|large)-en/i,
    { pooling: "cls", query: "Represent this sentence for searching relevant passages: ", passage: "" },
  ],
  [
    /e5-(?:small|base|large)-instruct/i,
    {
      pooling: "mean",
      query: "Instruct: Given a question, retrieve passages that answer it\nQuery: ",
      passage: "",
    },
  ],
  [/e5-(?:small|base|large)/i, { pooling: "mean", query: "query: ", passage: "passage: " }],
  [
    /gte-(?:base|large)-en-v1\.5|gte-multilingual|gte-modernbert/i,
    { pooling: "cls", query: "", passage: "" },
  ],
  [/gte-(?:small|base|large)/i, { pooling: "mean", query: "", passage: "" }],
  [/all-minilm|all-mpnet|multi-qa|paraphrase-/i, { pooling: "mean", query: "", passage: "" }],
];

/** How a model is used; an unknown one by its mean state and without prefixes, as most are. */
export const useOf = (model: string): EmbedderUse & { readonly known: boolean } => {
  const found = KNOWN.find(([name]) => name.test(model));
  return found ? { ...found[1], known: true } : { pooling: "mean", query: "", passage: "", known: false };
};

export interface TransformersEmbedderOptions extends TransformersSource {
  /** Overrides the known pooling of the model. */
  readonly pooling?: Pooling;
  readonly onOpened?: () => void;
}

type Extract = ((
  texts: string[],
  options: { pooling: Pooling; normalize: boolean },
) => Promise<{ readonly data: unknown; readonly dims: readonly number[] }>) & { dispose(): Promise<unknown> };

/**
 * Opens the embedder and tries it. Rejects when the model cannot be found or does not extract features, and when it
 * does not tell made pairs apart: it is not used in silence then.
 */
export async function transformersEmbedder(options: TransformersEmbedderOptions): Promise<Embedder> {
  const { model, dtype = "fp32", signal } = options;
  const known = useOf(model);
  const pooling = options.pooling ?? known.pooling;
  const { opened: extract, hashes } = await openTransformers<Extract>(
    "embedding model",
    options,
    ({ pipeline }, name, settings) => pipeline("feature-extraction", name, settings),
  );
  options.onOpened?.();
  const embed = (prefix: string, texts: readonly string[], stop?: AbortSignal): Promise<Float32Array[]> =>
    inBatches(
      extract,
      texts.map((text) => `${prefix}${text}`),
      { model, pooling, stop },
    );
  const prefixed = known.query + known.passage !== "";
  const name = embedderName(model, { pooling, prefixed, dtype, weights: weightsOf(options, hashes) });
  const on = options.sharedDevice ?? options.device;
  try {
    const questions = await embed(
      known.query,
      MADE_PAIRS.map(([question]) => question),
      signal,
    );
    const cosines = pairCosines(
      questions,
      await embed(
        known.passage,
        MADE_PAIRS.map(([, text]) => text),
        signal,
      ),
    );
    checkTried(`${name}${on === undefined ? "" : ` on ${on}`}`, cosines);
    return {
      name,
      identity: options.files ? JSON.stringify([name, on ?? null, [...hashes].sort()]) : null,
      denseFloor: calibratedFloor(cosines),
      embed: (texts, stop) => embed(known.passage, texts, stop),
      embedQuestion: async (question, stop) => (await embed(known.query, [question], stop))[0]!,
      dispose: async () => void (await extract.dispose()),
    };
  } catch (error) {
    await extract.dispose();
    throw error;
  }
}

/** Unit vectors in the order of `texts`; neighbours of similar length share a batch, so that little of it is padding. */
async function inBatches(
  extract: Extract,
  texts: readonly string[],
  { model, pooling, stop }: { model: string; pooling: Pooling; stop: AbortSignal | undefined },
): Promise<Float32Array[]> {
  const vectors = new Array<Float32Array>(texts.length);
  const order = [...texts.keys()].sort((a, b) => texts[a]!.length - texts[b]!.length);
  for (const batch of chunks(order, BATCH)) {
    throwIfCancelled(stop, `engine: embedding by ${model}`);
    const said = batch.map((i) => texts[i]!);
    const rows = rowsOf(await extract(said, { pooling, normalize: true }), said.length);
    for (const [row, i] of batch.entries()) vectors[i] = rows[row]!;
  }
  return vectors;
}

/** Texts of one run. */
const BATCH = 16;

/** The rows of a result [texts, width], each as a separate array. */
function rowsOf({ data, dims }: Awaited<ReturnType<Extract>>, texts: number): Float32Array[] {
  const [rows, width] = dims;
  assert(
    data instanceof Float32Array && rows === texts && width !== undefined,
    () =>
      `engine: the embedding model gave ${dims.join(" × ")} values for ${texts} texts; expected a float32 row for each`,
  );
  return Array.from({ length: texts }, (_, i) => data.slice(i * width, (i + 1) * width));
}

/** Throws if vectors contain NaN, or do not separate related from unrelated texts. */
function checkTried(name: string, cosines: readonly (readonly number[])[]): void {
  const finite = cosines.flat().every(Number.isFinite);
  const told = finite ? toldApart(cosines) : 0;
  assert(
    told >= Math.ceil(cosines.length / 2),
    () =>
      `engine: ${name} failed its self-test: ${finite ? `${told} of ${cosines.length} made questions were nearest to their answer` : "its vectors hold NaN or infinity"}, ` +
      `at least ${Math.ceil(cosines.length / 2)} are expected. Choose more exact weights (fp32), another device, or another model.`,
  );
}
