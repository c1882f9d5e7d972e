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
  /** Name of the model: a folder under `localPath`, a Hub id if `remote` is true, or a label for `files`. */
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

/** Options of `from_pretrained` and of pipelines. */
type Settings = NonNullable<Parameters<Library["AutoModel"]["from_pretrained"]>[1]>;

/** The opened model, and the SHA-256 (hex) of each given file that was read. */
export interface FromTransformers<T> {
  readonly opened: T;
  readonly hashes: ReadonlyMap<string, string>;
}

/**
 * Opens `source` with `open`; `what` is the kind of model, for messages ("cross-encoder").
 * @throws naming the kind and the location; Cancelled while it waits for its turn
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

/** Name under which given files are opened; their own name may not be one that transformers.js accepts. */
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

/** Number of external data files of the weights. */
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
