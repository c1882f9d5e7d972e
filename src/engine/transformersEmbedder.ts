/**
 * @file A dedicated embedding model through transformers.js (feature extraction, unit vectors), pooled and prefixed as
 * its card says. Loaded only when one is configured, and tried on made pairs before it is used: quantised models are
 * known to be silently wrong on some backends (transformers.js issue 1728). Calls take turns with our own sessions.
 */

import { assert, messageOf, throwIfCancelled } from "../lib/assert.ts";
import { chunks } from "../lib/group.ts";
import { inTurn } from "../runtime/turns.ts";
import { calibratedFloor, MADE_PAIRS, pairCosines, toldApart } from "./calibration.ts";
import type { Embedder } from "./embed.ts";
import { useOf, type Dtype, type EmbedderDevice, type Pooling } from "./embedderModels.ts";

export interface TransformersEmbedderOptions {
  /** A folder name under `localPath`, or a Hub id when `remote` is true. */
  readonly model: string;
  /** Where local models lie: a path or URL ending in the parent of the model's folder. */
  readonly localPath?: string;
  /** Ask the Hub; only when the user named a model there. */
  readonly remote?: boolean;
  /** Folder of onnxruntime's wasm files on our own origin (browser only). */
  readonly wasmPaths?: string;
  readonly dtype?: Dtype;
  /** What transformers.js takes by itself, without one. */
  readonly device?: EmbedderDevice;
  /** Instead of what is known of the model. */
  readonly pooling?: Pooling;
}

type Extract = (
  texts: string[],
  options: { pooling: Pooling; normalize: boolean },
) => Promise<{ readonly data: unknown; readonly dims: readonly number[] }>;

/**
 * Opens the embedder and tries it. Rejects when the model cannot be found or does not extract features, and when it
 * does not tell made pairs apart: it is not used in silence then.
 */
export async function transformersEmbedder(options: TransformersEmbedderOptions): Promise<Embedder> {
  const { model, dtype = "fp32" } = options;
  const known = useOf(model);
  const pooling = options.pooling ?? known.pooling;
  const extract = await openPipeline(options);
  const name = nameOf(model, pooling, known.query + known.passage !== "", dtype);
  const embed = (prefix: string, texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> =>
    // In the browser transformers.js runs on the same wasm as our WebGPU sessions, which takes one call at a time.
    inTurn(`embedding by ${model}`, async () => {
      const vectors = new Array<Float32Array>(texts.length);
      // Neighbours of similar length share a batch, so that little of it is padding.
      const order = [...texts.keys()].sort((a, b) => texts[a]!.length - texts[b]!.length);
      for (const batch of chunks(order, BATCH)) {
        throwIfCancelled(signal, `engine: embedding by ${model}`);
        const said = batch.map((i) => `${prefix}${texts[i]!}`);
        const rows = rowsOf(await extract(said, { pooling, normalize: true }), said.length);
        for (const [row, i] of batch.entries()) vectors[i] = rows[row]!;
      }
      return vectors;
    });
  const questions = await embed(known.query, MADE_PAIRS.map(([question]) => question)); // prettier-ignore
  const cosines = pairCosines(questions, await embed(known.passage, MADE_PAIRS.map(([, text]) => text))); // prettier-ignore
  checkTried(`${name}${options.device === undefined ? "" : ` on ${options.device}`}`, cosines);
  return {
    name,
    denseFloor: calibratedFloor(cosines),
    embed: (texts, signal) => embed(known.passage, texts, signal),
    embedQuestion: async (question, signal) => (await embed(known.query, [question], signal))[0]!,
  };
}

/** What a memory remembers of it: all that its vectors depend on beyond rounding. */
const nameOf = (model: string, pooling: Pooling, prefixed: boolean, dtype: Dtype): string =>
  `transformers.js ${model} (${[pooling, prefixed && "prefixed", dtype !== "fp32" && dtype].filter(Boolean).join(", ")})`;

/** Texts of one run. */
const BATCH = 16;

async function openPipeline(options: TransformersEmbedderOptions): Promise<Extract> {
  const { env, pipeline } = await import("@huggingface/transformers");
  const { model, remote, localPath, wasmPaths, dtype = "fp32", device } = options;
  env.allowRemoteModels = remote === true;
  env.allowLocalModels = remote !== true;
  if (localPath !== undefined) env.localModelPath = localPath;
  if (wasmPaths !== undefined && env.backends.onnx.wasm) env.backends.onnx.wasm.wasmPaths = wasmPaths;
  const settings = { dtype, ...(device === undefined ? {} : { device }) };
  return pipeline("feature-extraction", model, settings).catch((error: unknown) => {
    const from = remote ? "the Hub" : env.localModelPath;
    throw new Error(
      `engine: the embedding model "${model}" cannot be opened from ${from} (${dtype}): ${messageOf(error)}`,
      { cause: error },
    );
  });
}

/** The rows of a result [texts, width], each in memory of its own. */
function rowsOf({ data, dims }: Awaited<ReturnType<Extract>>, texts: number): Float32Array[] {
  const [rows, width] = dims;
  assert(
    data instanceof Float32Array && rows === texts && width !== undefined,
    () =>
      `engine: the embedding model gave ${dims.join(" × ")} values for ${texts} texts; expected a float32 row for each`,
  );
  return Array.from({ length: texts }, (_, i) => data.slice(i * width, (i + 1) * width));
}

/** Throws where vectors are no numbers, or say nothing of what a text is about. */
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
