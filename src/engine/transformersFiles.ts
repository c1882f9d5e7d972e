/** @file Opens models of transformers.js: given files, which are hashed and fetched from no host, a folder, or the Hub. An embedder is tested before use: quantised ones may be silently wrong (issue 1728 of transformers.js). */

import { messageOf, throwIfCancelled } from "../lib/assert.ts";
import { sha256Hex } from "../lib/hash.ts";
import { isOnnxFile, type EmbedderDevice, embedderName } from "../records/embedder.ts";
import type { EmbedderDtype } from "../records/model.ts";
import { readWhole, type ModelFiles } from "../weights/modelFiles.ts";
import { createQueue } from "../lib/queue.ts";
import {
  calibratedFloor,
  MADE_ANSWERS,
  MADE_QUESTIONS,
  pairCosines,
  toldApart,
  type Embedder,
} from "./embed.ts";
import { byLength } from "./runner.ts";

export type Library = typeof import("@huggingface/transformers");

export interface TransformersSource {
  /** Name of the model: a folder under `localPath`, a Hub id if `remote` is true, or a label for `files`. */
  readonly model: string;
  /** Its files in the layout of transformers.js; nothing else is read or requested then. */
  readonly files?: ModelFiles;
  readonly localPath?: string;
  /** Ask the Hub; only if the user named a model there. */
  readonly remote?: boolean;
  readonly dtype?: EmbedderDtype;
  readonly device?: EmbedderDevice;
  /** In a browser: the device of the shared runtime. */
  readonly sharedDevice?: Exclude<EmbedderDevice, "cpu">;
  readonly signal?: AbortSignal | undefined;
}

type Settings = NonNullable<Parameters<Library["AutoModel"]["from_pretrained"]>[1]>;

const openings = createQueue();

/**
 * Opens `source`; openings take turns, since settings of transformers.js are global. Returns the SHA-256 of each file read.
 * @throws naming the kind `what` and the location; Cancelled while it waits
 */
export function openTransformers<T>(
  what: string,
  source: TransformersSource,
  open: (library: Library, name: string, settings: Settings) => Promise<T>,
): Promise<{ readonly opened: T; readonly hashes: ReadonlyMap<string, string> }> {
  const { model, files, remote = false, localPath, dtype = "fp32", device, sharedDevice, signal } = source;
  const hashes = new Map<string, string>();
  const settings: Settings = {
    dtype,
    ...(device === undefined ? {} : { device }),
    // transformers.js does not know the device of a shared runtime.
    ...(sharedDevice === undefined
      ? {}
      : { device: "auto" as const, session_options: { executionProviders: [sharedDevice] } }),
    ...(files ? { use_external_data_format: partsOf(files, dtype) } : {}),
  };
  const task = async () => {
    const library = await import("@huggingface/transformers");
    const { env } = library;
    const before = { ...env };
    // Given files are read as if they were the Hub's.
    const asRemote = remote || files !== undefined;
    Object.assign(env, { allowRemoteModels: asRemote, allowLocalModels: !asRemote });
    if (files) Object.assign(env, readingOnly(files, hashes));
    if (localPath !== undefined) env.localModelPath = localPath;
    const from = files ? "its files" : remote ? "the Hub" : env.localModelPath;
    try {
      return { opened: await open(library, files ? IN_PLACE : model, settings), hashes };
    } catch (error) {
      throw new Error(
        `engine: the ${what} "${model}" cannot be opened from ${from} (${dtype}${sharedDevice ? ` on ${sharedDevice}` : ""}): ${messageOf(error)}`,
        { cause: error },
      );
    } finally {
      Object.assign(env, before);
    }
  };
  return openings.run(`engine: opening the ${what}`, task, signal);
}

const IN_PLACE = "given/files";

const readingOnly = (files: ModelFiles, hashes: Map<string, string>): Partial<Library["env"]> => ({
  useCustomCache: true,
  customCache: {
    match: async (url: string) => {
      const name = url.split(`${IN_PLACE}/resolve/main/`)[1];
      const bytes = name === undefined ? undefined : await readWhole(files, name);
      if (!bytes) return undefined;
      if (!hashes.has(name!)) hashes.set(name!, sha256Hex(bytes));
      const headers = { "Content-Length": String(bytes.byteLength) };
      return new Response(bytes as Uint8Array<ArrayBuffer>, { headers });
    },
    put: () => Promise.resolve(),
  },
  fetch: () => Promise.resolve(new Response(null, { status: 404 })),
});

const partsOf = ({ names }: ModelFiles, dtype: EmbedderDtype): number =>
  Math.max(0, names.filter((name) => isOnnxFile(name, dtype)).length - 1);

/** A hash that distinguishes folders of the same name; undefined for a name of the Hub, which is unique. */
export function weightsOf(
  { model, files, dtype = "fp32" }: TransformersSource,
  hashes: ReadonlyMap<string, string>,
): string | undefined {
  const own = [...hashes].filter(([name]) => isOnnxFile(name, dtype));
  return files && !model.includes("/") ? shortHash(own) : undefined;
}

const shortHash = (hashes: readonly (readonly [string, string])[]): string =>
  sha256Hex(JSON.stringify([...hashes].sort())).slice(0, 16);

/** A model's name in a run, with a hash of all files of a folder, as tokenizers of one name differ too. */
export function sourceName(
  { model, files, dtype = "fp32" }: TransformersSource,
  hashes: ReadonlyMap<string, string>,
): string {
  const own = files && !model.includes("/") ? ` #${shortHash([...hashes])}` : "";
  return `${model}${own}${dtype === "fp32" ? "" : ` (${dtype})`}`;
}

export interface Output {
  readonly data: unknown;
  readonly dims: readonly number[];
}

/** The numbers of an output whose first extents are `dims`. @throws if it has others; `expected` ends the message */
export function floatsOf(
  what: string,
  { data, dims: found }: Output = { data: null, dims: [0] },
  dims: readonly number[],
  expected: string,
): Float32Array {
  if (!(data instanceof Float32Array && dims.every((size, i) => found[i] === size)))
    throw new Error(`engine: the ${what} gave ${found.join(" × ")} values for ${expected}`);
  return data;
}

interface EmbedderUse {
  readonly pooling: "cls" | "mean" | "last_token";
  readonly query: string;
  readonly passage: string;
}

const E5_TASK = "Given a question, retrieve passages that answer it";

/** How known models are used, by name, as their model cards document it; the first match counts. */
const KNOWN: readonly (readonly [name: RegExp, EmbedderUse["pooling"], query?: string, passage?: string])[] =
  [
    [/bge-m3/i, "cls"],
    [/bge-(?:small|base|large)-zh/i, "cls", "为这个句子生成表示以用于检索相关文章："],
    [/bge-(?:small|base|large)-en/i, "cls", "Represent this sentence for searching relevant passages: "],
    [/e5-(?:small|base|large)-instruct/i, "mean", `Instruct: ${E5_TASK}\nQuery: `],
    [/e5-(?:small|base|large)/i, "mean", "query: ", "passage: "],
    [/qwen3-embedding/i, "last_token", `Instruct: ${E5_TASK}\nQuery:`],
    [/gte-(?:base|large)-en-v1\.5|gte-multilingual|gte-modernbert/i, "cls"],
    [/gte-(?:small|base|large)|all-minilm|all-mpnet|multi-qa|paraphrase-/i, "mean"],
  ];

/** How a model is used; an unknown one by its mean state and without prefixes, as most are. */
export const useOf = (model: string): EmbedderUse & { readonly known: boolean } => {
  const found = KNOWN.find(([name]) => name.test(model));
  const [, pooling = "mean", query = "", passage = ""] = found ?? [];
  return { pooling, query, passage, known: found !== undefined };
};

type Extract = ((
  texts: string[],
  options: { pooling: EmbedderUse["pooling"]; normalize: boolean },
) => Promise<Output>) & { dispose(): Promise<unknown> };

const BATCH = 16;

/** Opens the embedder and tries it. @throws if it cannot be opened, extracts no features, or does not tell made pairs apart */
export async function transformersEmbedder(
  options: TransformersSource & { readonly onOpened?: () => void },
): Promise<Embedder> {
  const { model, dtype = "fp32", signal } = options;
  const { pooling, query, passage } = useOf(model);
  const { opened: extract, hashes } = await openTransformers<Extract>(
    "embedding model",
    options,
    ({ pipeline }, name, settings) => pipeline("feature-extraction", name, settings),
  );
  options.onOpened?.();
  const embed = (prefix: string, texts: readonly string[], stop?: AbortSignal): Promise<Float32Array[]> =>
    byLength(
      texts.map((text) => `${prefix}${text}`),
      BATCH,
      async (batch) => {
        throwIfCancelled(stop, `engine: embedding by ${model}`);
        const output = await extract([...batch], { pooling, normalize: true });
        const expected = `${batch.length} texts; expected a float32 row for each`;
        const data = floatsOf("embedding model", output, [batch.length], expected);
        const width = data.length / batch.length;
        return batch.map((_, i) => data.slice(i * width, (i + 1) * width));
      },
    );
  const prefixed = query + passage !== "";
  const name = embedderName(model, { pooling, prefixed, dtype, weights: weightsOf(options, hashes) });
  const on = options.sharedDevice ?? options.device;
  try {
    const questions = await embed(query, MADE_QUESTIONS, signal);
    const cosines = pairCosines(questions, await embed(passage, MADE_ANSWERS, signal));
    checkTried(`${name}${on === undefined ? "" : ` on ${on}`}`, cosines);
    return {
      name,
      identity: options.files ? JSON.stringify([name, on ?? null, [...hashes].sort()]) : null,
      denseFloor: calibratedFloor(cosines),
      embed: (texts, stop) => embed(passage, texts, stop),
      embedQuestion: async (question, stop) => (await embed(query, [question], stop))[0]!,
      dispose: async () => void (await extract.dispose()),
    };
  } catch (error) {
    await extract.dispose();
    throw error;
  }
}

function checkTried(name: string, cosines: readonly (readonly number[])[]): void {
  const least = Math.ceil(cosines.length / 2);
  const finite = cosines.flat().every(Number.isFinite);
  const told = finite ? toldApart(cosines) : 0;
  if (told < least)
    throw new Error(
      `engine: ${name} failed its self-test: ${finite ? `${told} of ${cosines.length} made questions were nearest to their answer` : "its vectors hold NaN or infinity"}, ` +
        `at least ${least} are expected. Choose more exact weights (fp32), another device, or another model.`,
    );
}
