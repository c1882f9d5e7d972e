/** @file huggingface.co with one repository, played by a test: no request leaves the machine. */
import { createHash } from "node:crypto";
import type { Route } from "@playwright/test";

export const REPO = "someone/tiny";
export const WEIGHTS = "model.safetensors";
export const HUB = /^https:\/\/huggingface\.co\//;

const CORS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "ETag, Content-Range, Link",
};

/** A file of the repository. */
export interface PlayedFile {
  readonly size: number;
  readonly sha256: string;
  read(start: number, end: number): Promise<Buffer>;
}

export interface PlayedHub {
  readonly repo?: string;
  /** The token of somebody who accepted the model's terms; nobody else gets a file, or the list of them. */
  readonly token?: string;
  /** Takes note of every request for weights: the Range asked for, and the file. */
  readonly onWeights?: (range: string | undefined, name: string) => void | Promise<void>;
  /** Bytes of a file of weights that are sent from its start, or where a request goes on; by default half, and the rest. */
  readonly most?: number;
}

/** A file that lies in memory. */
export const playedFile = (bytes: Buffer): PlayedFile => ({
  size: bytes.length,
  sha256: createHash("sha256").update(bytes).digest("hex"),
  read: (start, end) => Promise.resolve(bytes.subarray(start, end)),
});

/** The Hub with one repository, whose connections break off in the middle of the weights. */
export function playHub(
  files: ReadonlyMap<string, PlayedFile>,
  { repo = REPO, token, onWeights, most }: PlayedHub = {},
) {
  return async (route: Route): Promise<void> => {
    const url = new URL(route.request().url());
    const range = (await route.request().headerValue("range")) ?? undefined;
    if (!url.pathname.includes(repo)) return route.fulfill({ status: 401, headers: CORS });
    const given = await route.request().headerValue("authorization");
    if (token !== undefined && given !== `Bearer ${token}`)
      return route.fulfill({ status: given === null ? 401 : 403, headers: CORS });
    if (url.pathname.startsWith("/api/")) return route.fulfill({ json: listed(files), headers: CORS });
    const name = decodeURIComponent(url.pathname.split("/resolve/main/")[1]!);
    const file = files.get(name);
    if (!file) return route.fulfill({ status: 404, headers: CORS });
    const isWeights = name.endsWith(".safetensors");
    if (isWeights) await onWeights?.(range, name);
    const start = Number(/bytes=(\d+)-/.exec(range ?? "")?.[1] ?? 0);
    const first = most ?? Math.floor(file.size / 2);
    const end = isWeights && (most !== undefined || range === undefined) ? start + first : file.size;
    const body = await file.read(start, Math.min(end, file.size));
    const part = `bytes ${start}-${file.size - 1}/${file.size}`;
    return route.fulfill({
      status: range === undefined ? 200 : 206,
      headers: { ...CORS, ...(range === undefined ? {} : { "Content-Range": part }) },
      body,
    });
  };
}

const listed = (files: ReadonlyMap<string, PlayedFile>) =>
  [...files].map(([path, { size, sha256 }]) => ({
    type: "file",
    path,
    size,
    oid: sha256,
    lfs: { oid: sha256, size },
  }));
