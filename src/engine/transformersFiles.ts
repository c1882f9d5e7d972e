/**
 * @file What transformers.js opens, and from where: files that are here already, a local folder, or the Hub. Of given files
 * it reads those and asks no host, and what was read is known by its hash.
 */

import { messageOf } from "../lib/assert.ts";
import { sha256Hex } from "../lib/hash.ts";
import { isOnnxFile, type EmbedderDevice } from "../records/embedder.ts";
import type { EmbedderDtype } from "../records/model.ts";
import { readWhole, type ModelFiles } from "../weights/modelFiles.ts";
import { createQueue } from "../runtime/queue.ts";

export type Library = typeof import("@huggingface/transformers");

export interface TransformersSource {
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
  readonly sharedDevice?: Exclude<EmbedderDevice, "cpu">;
  /** Fires between two batches, and between opening and trying. */
  readonly signal?: AbortSignal;
}

/** What a `from_pretrained` or a pipeline of transformers.js is given beside a name. */
type Settings = NonNullable<Parameters<Library["AutoModel"]["from_pretrained"]>[1]>;

/** What was opened, and the SHA-256 (hex) of each given file that was read for it. */
export interface FromTransformers<T> {
  readonly opened: T;
  readonly hashes: ReadonlyMap<string, string>;
}

/**
 * Opens by `open` what `source` says, a model of the kind `what` ("cross-encoder").
 * @throws with what and where it was looked for; Cancelled while it waits for its turn
 */
export async function openTransformers<T>(
  what: string,
  source: TransformersSource,
  open: (library: Library, name: string, settings: Settings) => Promise<T>,
): Promise<FromTransformers<T>> {
  const { model, files, remote = false, localPath, dtype = "fp32", device, sharedDevice, signal } = source;
  const hashes = new Map<string, string>();
  const settings: Settings = {
    dtype,
    ...(device === undefined ? {} : { device }),
    // transformers.js knows no device of a runtime that it was lent.
    ...(sharedDevice === undefined
      ? {}
      : { device: "auto" as const, session_options: { executionProviders: [sharedDevice] } }),
    ...(files ? { use_external_data_format: partsOf(files, dtype) } : {}),
  };
  const opened = await opening(
    `engine: opening the ${what}`,
    // Given files are read as if they were the Hub's.
    { localPath, remote: remote || files !== undefined },
    files ? readingOnly(files, hashes) : {},
    async (library, from) => {
      try {
        return await open(library, files ? IN_PLACE : model, settings);
      } catch (error) {
        throw new Error(
          `engine: the ${what} "${model}" cannot be opened from ${files ? "its files" : from} (${dtype}${sharedDevice ? ` on ${sharedDevice}` : ""}): ${messageOf(error)}`,
          { cause: error },
        );
      }
    },
    signal,
  );
  return { opened, hashes };
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

/** What tells the weights of a folder from those of another one of its name; a name of the Hub says it itself. */
export function weightsOf(
  { model, files, dtype = "fp32" }: TransformersSource,
  hashes: ReadonlyMap<string, string>,
): string | undefined {
  const own = [...hashes].filter(([name]) => isOnnxFile(name, dtype));
  return files && !model.includes("/") ? shortHash(own) : undefined;
}

const shortHash = (hashes: readonly (readonly [string, string])[]): string =>
  sha256Hex(JSON.stringify([...hashes].sort())).slice(0, 16);

/** A model's name in a run: with all files of a folder in it, as tokenizers of one name differ too, and weights where rounded. */
export function sourceName(
  { model, files, dtype = "fp32" }: TransformersSource,
  hashes: ReadonlyMap<string, string>,
): string {
  const own = files && !model.includes("/") ? ` #${shortHash([...hashes])}` : "";
  return `${model}${own}${dtype === "fp32" ? "" : ` (${dtype})`}`;
}

/** Where to look for a model. */
interface Location {
  /** Parent of the model's folder, as a path or URL. */
  readonly localPath?: string | undefined;
  /** Ask the Hub; only if the user named a model there. */
  readonly remote: boolean;
}

const openings = createQueue();

/**
 * Runs `open` under temporary settings of transformers.js. The settings are global to the process, so openings take
 * turns.
 * @param over settings in addition to the location
 * @param open receives the location's name, for messages
 * @throws the errors of `open`, and Cancelled while it waits for its turn
 */
function opening<T>(
  what: string,
  { localPath, remote }: Location,
  over: Partial<Library["env"]>,
  open: (library: Library, from: string) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const task = async (): Promise<T> => {
    const library = await import("@huggingface/transformers");
    const { env } = library;
    const before = { ...env };
    Object.assign(env, { allowRemoteModels: remote, allowLocalModels: !remote }, over);
    if (localPath !== undefined) env.localModelPath = localPath;
    try {
      return await open(library, remote ? "the Hub" : env.localModelPath);
    } finally {
      Object.assign(env, before);
    }
  };
  return openings.run(what, task, signal);
}
