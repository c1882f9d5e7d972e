/** @file The files of a Hub repository that a model is made of. */

import * as v from "valibot";
import { assert } from "../lib/assert.ts";
import { checked, count } from "../lib/check.ts";
import { offlineError, statusError, type Asked } from "./errors.ts";
import { isOnnxFile, onnxFile, DTYPES, type EmbedderDtype } from "../records/embedder.ts";
import type { HubCopy, RemoteFile } from "./manifest.ts";

export const HUB_URL = "https://huggingface.co";

/** What is read beside the weights; the first two must be there. */
const TEXT_FILES = [
  "config.json",
  "tokenizer.json",
  "tokenizer_config.json",
  "generation_config.json",
  "special_tokens_map.json",
  "added_tokens.json",
  "chat_template.jinja",
];
const SINGLE = "model.safetensors";
const INDEX = "model.safetensors.index.json";
const SHARD = /^model-\d+-of-\d+\.safetensors$/;

/** A line of the Hub's list of files, as far as it is used. */
const listed = v.object({
  type: v.string(),
  path: v.string(),
  size: count(),
  oid: v.optional(v.string()),
  lfs: v.nullish(v.object({ oid: v.string() })),
});

/** Lists what has to be downloaded of a repository. @throws saying what to do: gated, not found, offline, no weights */
export async function listRepository(asked: Asked & HubCopy, send: typeof fetch): Promise<RemoteFile[]> {
  const { repo, revision, token, onnx } = asked;
  assert(
    /^[\w.-]+\/[\w.-]+$/.test(repo),
    () => `hub: "${repo}" is no repository name; expected one like "Qwen/Qwen3-0.6B"`,
  );
  const { listFiles } = await import("@huggingface/hub");
  const all = new Map<string, RemoteFile>();
  try {
    const pages = listFiles({
      repo: { type: "model", name: repo },
      revision: encodeURIComponent(revision),
      fetch: send,
      recursive: onnx !== undefined,
      ...(token ? { accessToken: token } : {}),
    });
    for await (const page of pages) {
      const { type, path, size, oid, lfs } = checked(listed, page, `hub: the list of files of ${repo}: `);
      if (type === "file")
        all.set(path, { name: path, bytes: size, oid: lfs?.oid ?? oid ?? "", sha256: lfs?.oid ?? null });
    }
  } catch (error) {
    const status = (error as { statusCode?: number }).statusCode;
    if (status !== undefined) throw statusError(asked, status);
    throw offlineError(asked, error);
  }
  return onnx ? neededOfEmbedder(repo, onnx, all) : needed(repo, all);
}

/** What transformers.js reads of a feature-extraction model. */
function neededOfEmbedder(
  repo: string,
  dtype: EmbedderDtype,
  all: ReadonlyMap<string, RemoteFile>,
): RemoteFile[] {
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

const EMBEDDER_TEXT_FILES = ["config.json", "tokenizer.json", "tokenizer_config.json"];

function needed(repo: string, all: ReadonlyMap<string, RemoteFile>): RemoteFile[] {
  for (const name of TEXT_FILES.slice(0, 2))
    assert(
      all.has(name),
      () => `hub: ${repo} has no ${name}; choose a model in Hugging Face layout with its fast tokenizer`,
    );
  const shards = [...all.keys()].filter((name) => SHARD.test(name)).sort();
  const weights = all.has(SINGLE) ? [SINGLE] : [INDEX, ...shards];
  assert(
    all.has(SINGLE) || (all.has(INDEX) && shards.length > 0),
    () => `hub: ${repo} has no ${SINGLE} and no shards of it; choose a repository with safetensors weights`,
  );
  return [...TEXT_FILES, ...weights].flatMap((name) => all.get(name) ?? []);
}

/** Where a file of a repository is fetched from. */
export const fileUrl = (repo: string, revision: string, name: string): string =>
  `${HUB_URL}/${repo}/resolve/${encodeURIComponent(revision)}/${name.split("/").map(encodeURIComponent).join("/")}`;
