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

/** The Hub with one repository; notes requests for the weights, and sends half of them where none was asked for. */
export function playHub(files: ReadonlyMap<string, Buffer>, ranges: (string | undefined)[]) {
  return async (route: Route): Promise<void> => {
    const url = new URL(route.request().url());
    const range = await route.request().headerValue("range");
    if (!url.pathname.includes(REPO)) return route.fulfill({ status: 401, headers: CORS });
    if (url.pathname.startsWith("/api/")) {
      const listed = [...files].map(([path, bytes]) => {
        const sha256 = createHash("sha256").update(bytes).digest("hex");
        return {
          type: "file",
          path,
          size: bytes.length,
          oid: sha256,
          lfs: { oid: sha256, size: bytes.length },
        };
      });
      return route.fulfill({ json: listed, headers: CORS });
    }
    const name = decodeURIComponent(url.pathname.split("/resolve/main/")[1]!);
    const bytes = files.get(name);
    if (!bytes) return route.fulfill({ status: 404, headers: CORS });
    if (name === WEIGHTS) ranges.push(range ?? undefined);
    if (range === null) {
      const body = name === WEIGHTS ? bytes.subarray(0, bytes.length / 2) : bytes;
      return route.fulfill({ status: 200, headers: CORS, body });
    }
    const start = Number(/bytes=(\d+)-/.exec(range)![1]);
    const part = `bytes ${start}-${bytes.length - 1}/${bytes.length}`;
    return route.fulfill({
      status: 206,
      headers: { ...CORS, "Content-Range": part },
      body: bytes.subarray(start),
    });
  };
}
