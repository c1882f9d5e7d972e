/**
 * @file A dedicated embedding model through transformers.js (feature extraction, unit vectors), pooled and prefixed as
 * its card says. Loaded only when one is configured, and tried on made pairs before it is used: quantised models are
 * known to be silently wrong on some backends (transformers.js issue 1728). In a browser it runs on our own
 * onnxruntime (runtime/lent.ts) and reads files that are here already, so it asks nothing of any host.
 */

import { assert, messageOf, throwIfCancelled } from "../lib/assert.ts";
import { chunks } from "../lib/group.ts";
import { sha256Hex } from "../lib/hash.ts";
import { isOnnxFile, type EmbedderDtype, type EmbedderDevice } from "../records/embedder.ts";
import { embedderName } from "../records/embedderName.ts";
import { readWhole, type ModelFiles } from "../weights/modelFiles.ts";
import { calibratedFloor, MADE_PAIRS, pairCosines, toldApart } from "./calibration.ts";
import type { Embedder } from "./embed.ts";
import { useOf, type Pooling } from "./embedderModels.ts";
import { opening } from "./transformersSettings.ts";

export interface TransformersEmbedderOptions {
  /** What it is called: a folder name under `localPath`, a Hub id when `remote` is true, or what `files` are of. */
  readonly model: string;
  /** Its files in the layout of transformers.js, wherever they lie; nothing else is read or asked for then. */
  readonly files?: ModelFiles;
  /** Where local models lie: a path or URL ending in the parent of the model's folder. */
  readonly localPath?: string;
  /** Ask the Hub; only when the user named a model there. */
  readonly remote?: boolean;
  readonly dtype?: EmbedderDtype;
  /** In Node; what transformers.js takes by itself, without one. */
  readonly device?: EmbedderDevice;
  /** In a browser: where the runtime that was lent runs it. */
  readonly lent?: Exclude<EmbedderDevice, "cpu">;
  /** Instead of what is known of the model. */
  readonly pooling?: Pooling;
  /** Fires between two batches, and between opening and trying. */
  readonly signal?: AbortSignal;
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
  const hashes = new Map<string, string>();
  const extract = await openPipeline(options, hashes);
  options.onOpened?.();
  const embed = (prefix: string, texts: readonly string[], stop?: AbortSignal): Promise<Float32Array[]> =>
    inBatches(extract, texts.map((text) => `${prefix}${text}`), { model, pooling, stop }); // prettier-ignore
  const prefixed = known.query + known.passage !== "";
  const name = embedderName(model, { pooling, prefixed, dtype, weights: weightsOf(options, hashes) });
  const on = options.lent ?? options.device;
  try {
    const questions = await embed(known.query, MADE_PAIRS.map(([question]) => question), signal); // prettier-ignore
    const cosines = pairCosines(questions, await embed(known.passage, MADE_PAIRS.map(([, text]) => text), signal)); // prettier-ignore
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

/** What tells the weights of a folder from those of another one of its name; a name of the Hub says it itself. */
function weightsOf(
  { model, files, dtype = "fp32" }: TransformersEmbedderOptions,
  hashes: ReadonlyMap<string, string>,
): string | undefined {
  const own = [...hashes].filter(([name]) => isOnnxFile(name, dtype)).sort();
  return files && !model.includes("/") ? sha256Hex(JSON.stringify(own)).slice(0, 16) : undefined;
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

/** Notes in `hashes` what it reads of given files: file -> SHA-256. */
function openPipeline(options: TransformersEmbedderOptions, hashes: Map<string, string>): Promise<Extract> {
  const { model, files, remote = false, localPath, dtype = "fp32", device, lent, signal } = options;
  const settings = {
    dtype,
    ...(device === undefined ? {} : { device }),
    // transformers.js knows no device of a runtime that it was lent.
    ...(lent === undefined
      ? {}
      : { device: "auto" as const, session_options: { executionProviders: [lent] } }),
    ...(files ? { use_external_data_format: partsOf(files, dtype) } : {}),
  };
  // Given files are read as if they were the Hub's.
  const where = { localPath, remote: remote || files !== undefined };
  const over = files ? readingOnly(files, hashes) : {};
  return opening(
    "engine: opening an embedding model",
    where,
    over,
    async ({ pipeline }, from) => {
      try {
        return await pipeline("feature-extraction", files ? IN_PLACE : model, settings);
      } catch (error) {
        throw new Error(
          `engine: the embedding model "${model}" cannot be opened from ${files ? "its files" : from} (${dtype}${lent ? ` on ${lent}` : ""}): ${messageOf(error)}`,
          { cause: error },
        );
      }
    },
    signal,
  );
}

/** What a model is called whose files are given; a name of one's own may be none that transformers.js takes. */
const IN_PLACE = "given/files";

/** Settings of transformers.js under which it reads `files` and nothing else; what was read is noted in `hashes`. */
function readingOnly(files: ModelFiles, hashes: Map<string, string>) {
  const nameIn = (url: string): string | undefined => url.split(`${IN_PLACE}/resolve/main/`)[1];
  return {
    useCustomCache: true,
    customCache: {
      match: async (url: string) => {
        const name = nameIn(url);
        if (name === undefined) return undefined;
        const bytes = await readWhole(files, name);
        if (!bytes) return undefined;
        if (!hashes.has(name)) hashes.set(name, sha256Hex(bytes));
        const headers = { "Content-Length": String(bytes.byteLength) };
        return new Response(bytes as Uint8Array<ArrayBuffer>, { headers });
      },
      put: () => Promise.resolve(),
    },
    fetch: () => Promise.resolve(new Response(null, { status: 404 })),
  };
}

/** Files beside the weights' own that hold parts of them. */
const partsOf = ({ names }: ModelFiles, dtype: EmbedderDtype): number =>
  Math.max(0, names.filter((name) => isOnnxFile(name, dtype)).length - 1);

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
