/** @file The files of a Hub repository that a model needs. */

import * as v from "valibot";
import { assert, messageOf } from "../lib/assert.ts";
import { checked, count } from "../lib/check.ts";
import { isOnnxFile, onnxFile } from "../records/embedder.ts";
import { DTYPES, type EmbedderDtype } from "../records/model.ts";
import type { HubCopy, RemoteFile } from "./cache.ts";

export const HUB_URL = "https://huggingface.co";

/** Files in addition to the weights; the first two are required. */
const TEXT_FILES = [
  "config.json",
  "tokenizer.json",
  "tokenizer_config.json",
  "generation_config.json",
  "special_tokens_map.json",
  "added_tokens.json",
  "chat_template.jinja",
];
/** More than any model has; the pages of a list need not end. */
const MOST_FILES = 5000;
const SINGLE = "model.safetensors";
const INDEX = "model.safetensors.index.json";
/** Also model.safetensors-00001-of-00001.safetensors; "consolidated" files are the same weights once more. */
const SHARD = /^(?!consolidated)[\w.-]+-\d+-of-\d+\.safetensors$/;

const listed = v.object({
  type: v.string(),
  path: v.string(),
  size: count(),
  oid: v.optional(v.string()),
  lfs: v.nullish(v.object({ oid: v.string() })),
});

/** @throws unless `repo` has the form owner/name, neither of them dots alone, which would lead to another page */
export function checkRepo(repo: string): void {
  assert(
    /^(?!\.+\/)[\w.-]+\/(?!\.+$)[\w.-]+$/.test(repo),
    () => `hub: "${repo}" is not a repository name; expected one like "Qwen/Qwen3-0.6B"`,
  );
}

/**
 * `send` for a page that was built with a mirror of the Hub: every request without a token goes there. @param mirror an
 * origin such as "https://hub.example.org" @throws if it is not an origin that a page may fetch from
 */
export function mirrored(send: typeof fetch, mirror: string | undefined): typeof fetch {
  if (!mirror) return send;
  const wrong = (): string =>
    `hub: the mirror "${mirror}" is not an address; build with VITE_HUB_MIRROR=https://hub.example.org`;
  assert(/^https:\/\/[\w.-]+(?::\d+)?$/.test(mirror), wrong);
  return (input, init) => {
    const url = String(input);
    const secret = new Headers(init?.headers).has("Authorization");
    return send(!secret && url.startsWith(`${HUB_URL}/`) ? mirror + url.slice(HUB_URL.length) : url, init);
  };
}

/** Sends requests to the Hub only: a list may name any server for its next page. A mirror's own address means the Hub's. */
const hubOnly =
  (asked: Asked, send: typeof fetch, mirror = HUB_URL): typeof fetch =>
  async (input, init) => {
    const given = input instanceof Request ? input.url : String(input);
    const url = given.startsWith(`${mirror}/`) ? HUB_URL + given.slice(mirror.length) : given;
    assert(
      url.startsWith(`${HUB_URL}/`),
      () =>
        `hub: ${asked.repo}: its list of files goes on at ${url.slice(0, 80)}, which is not the Hub; choose another model`,
    );
    return send(url, init).catch((error: unknown) => {
      throw offlineError(asked, error);
    });
  };

/** Lists the files of a repository to download. @throws with a remedy: gated, not found, offline, no weights */
export async function listRepository(
  asked: Asked & HubCopy,
  send: typeof fetch,
  mirror?: string,
): Promise<RemoteFile[]> {
  const { repo, revision, token, onnx } = asked;
  checkRepo(repo);
  const { listFiles } = await import("@huggingface/hub");
  const all = new Map<string, RemoteFile>();
  try {
    const pages = listFiles({
      repo: { type: "model", name: repo },
      revision: encodeURIComponent(revision),
      fetch: hubOnly(asked, send, mirror),
      recursive: onnx !== undefined,
      ...(token ? { accessToken: token } : {}),
    });
    for await (const page of pages) {
      assert(
        all.size < MOST_FILES,
        () => `hub: ${repo} lists over ${MOST_FILES} files; choose a repository that holds one model`,
      );
      const { type, path, size, oid, lfs } = checked(listed, page, `hub: the list of files of ${repo}: `);
      if (type === "file")
        all.set(path, { name: path, bytes: size, oid: lfs?.oid ?? oid ?? "", sha256: lfs?.oid ?? null });
    }
  } catch (error) {
    const status = (error as { statusCode?: number }).statusCode;
    if (status !== undefined) throw statusError(asked, status);
    const why = messageOf(error);
    if (why.startsWith("hub: ")) throw error;
    throw new Error(
      `hub: the list of files of ${repo} cannot be read (${why}). Check the name; if it is right, try again later.`,
      { cause: error },
    );
  }
  return onnx ? neededOfEmbedder(repo, onnx, all) : needed(repo, all);
}

function neededOfEmbedder(repo: string, dtype: EmbedderDtype, all: ReadonlyMap<string, RemoteFile>) {
  const has = (name: string): boolean => all.has(name);
  const offered = DTYPES.filter((known) => has(onnxFile(known)));
  assert(
    EMBEDDER_TEXT_FILES.every(has) && has(onnxFile(dtype)),
    () =>
      `hub: ${repo} has no ${[...EMBEDDER_TEXT_FILES, onnxFile(dtype)].find((name) => !has(name))!}; ` +
      (offered.length > 0 && !has(onnxFile(dtype))
        ? `its weights are ${offered.join(", ")}: choose one of these`
        : "choose a text embedder in the layout of transformers.js, as those of Xenova and onnx-community are"),
  );
  const weights = [...all.keys()].filter((name) => isOnnxFile(name, dtype)).sort();
  return [...EMBEDDER_TEXT_FILES, ...weights].map((name) => all.get(name)!);
}

const EMBEDDER_TEXT_FILES = TEXT_FILES.slice(0, 3);

function needed(repo: string, all: ReadonlyMap<string, RemoteFile>): RemoteFile[] {
  const missing = TEXT_FILES.slice(0, 2).find((name) => !all.has(name));
  assert(
    missing === undefined,
    () => `hub: ${repo} has no ${missing}; choose a model in Hugging Face layout with its fast tokenizer`,
  );
  const shards = [...all.keys()].filter((name) => SHARD.test(name)).sort();
  const weights = all.has(SINGLE) ? [SINGLE] : [INDEX, ...shards];
  assert(
    all.has(SINGLE) || (all.has(INDEX) && shards.length > 0),
    () => `hub: ${repo} has no ${SINGLE} and no shards of it; choose a repository with safetensors weights`,
  );
  return [...TEXT_FILES, ...weights].flatMap((name) => all.get(name) ?? []);
}

export const fileUrl = (repo: string, revision: string, name: string): string =>
  `${HUB_URL}/${repo}/resolve/${encodeURIComponent(revision)}/${name.split("/").map(encodeURIComponent).join("/")}`;

export const authorised = (token: string | undefined): Record<string, string> =>
  token ? { Authorization: `Bearer ${token}` } : {};

export interface Asked {
  readonly repo: string;
  readonly revision: string;
  readonly token: string | undefined;
  /** Absent for a request about the repository itself. */
  readonly file?: string;
}

export function statusError({ repo, revision, token, file }: Asked, status: number): Error {
  const page = `huggingface.co/${repo}`;
  const refused = token
    ? `the token has no access (${status}). Accept the model's terms on ${page} with the token's account, or check that the token may read gated repositories.`
    : `no public model has this name (${status}). Check the spelling; if it is gated or private, accept its terms on ${page} and enter a token that may read it.`;
  const reasons: Readonly<Record<number, string>> = {
    401: refused,
    403: refused,
    404: `not found at revision "${revision}" (404). Check the name, as in "Qwen/Qwen3-0.6B", and the revision.`,
    429: "too many requests (429). Downloaded parts are kept; continue in a few minutes.",
  };
  const reason = reasons[status] ?? `the Hub answered ${status}. Downloaded parts are kept; try again later.`;
  return new Error(`hub: ${repo}${file ? `/${file}` : ""}: ${reason}`);
}

export function offlineError({ repo, file }: Asked, cause: unknown): Error {
  const why = messageOf(cause);
  return new Error(
    `hub: ${repo}${file ? `/${file}` : ""}: no connection to huggingface.co (${why}). Downloaded parts are kept; continue when you are online, or use the bundled model.`,
    { cause },
  );
}

export function noRoomError({ repo }: Asked, needed: number, room: number | null, cause?: unknown): Error {
  const free = room === null ? "" : `; this browser has room for ${megabytes(room)}`;
  return new Error(
    `hub: ${repo} does not fit: ${megabytes(needed)} remain to be downloaded${free}. Delete another cached model or free disk space, then continue.`,
    { cause },
  );
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

export const ATTEMPTS = 4;
export const RETRY_MS = 500;
const LONGEST_MS = 300_000;

export const isBusy = ({ status }: Response): boolean => status === 429 || status >= 500;

/** Milliseconds that a busy server asks to wait (Retry-After or RateLimit), at most five minutes; or undefined. */
export function askedWait({ status, headers }: Response): number | undefined {
  // Answers of every kind have the second; it asks to wait once nothing is left.
  const window = status === 429 ? /;\s*t=(\d+)/.exec(headers.get("RateLimit") ?? "")?.[1] : undefined;
  const seconds = headers.get("Retry-After") ?? window;
  return seconds && /^\d+$/.test(seconds) ? Math.min(1000 * Number(seconds), LONGEST_MS) : undefined;
}

export const rest = (milliseconds: number, signal?: AbortSignal | null): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** `send` for small answers: the last failure is thrown, or its response returned. */
export const patient =
  (send: typeof fetch, retryMs: number = RETRY_MS): typeof fetch =>
  async (input, init) => {
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt === ATTEMPTS || init?.signal?.aborted === true;
      let wait = retryMs * 4 ** (attempt - 1);
      try {
        const response = await send(input, init);
        if (isLast || !isBusy(response)) return response;
        wait = askedWait(response) ?? wait;
        await response.body?.cancel();
      } catch (error) {
        if (isLast) throw error;
      }
      await rest(wait, init?.signal);
    }
  };
