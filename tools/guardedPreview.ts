/** @file What the server of the built app answers at all: files of that folder, asked for by GET or HEAD, nothing else. */

import { realpathSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { resolve, sep } from "node:path";
import type { Plugin } from "vite";

/** Runs before Vite's own preview, which follows links out of the folder and crashes on a malformed range. */
export function guardedPreview(): Plugin {
  return {
    name: "palimpsest:guarded-preview",
    configurePreviewServer({ middlewares, config }) {
      const root = resolve(config.root, config.build.outDir);
      middlewares.use((request, response, next) => {
        const status = refusal(request, root);
        if (status === null) next();
        else end(response, status);
      });
    },
  };
}

/** The status that a request is refused with; null for one that may be answered. */
function refusal(request: IncomingMessage, root: string): number | null {
  if (request.method !== "GET" && request.method !== "HEAD") return METHOD_NOT_ALLOWED;
  // To answer with the whole file is always right.
  if (!isRange(request.headers.range)) delete request.headers.range;
  const path = pathOf(request.url ?? "/");
  if (path === null) return BAD_REQUEST;
  return path.split(/[/\\]/).some((name) => name.startsWith(".")) || leadsOut(resolve(root, `.${path}`), root)
    ? NOT_FOUND
    : null;
}

/** The path of an address without its query; null if it cannot be decoded or contains a NUL. */
function pathOf(url: string): string | null {
  try {
    const path = decodeURIComponent(url.replace(/[?#].*$/s, ""));
    return path.startsWith("/") && !path.includes("\0") ? path : null;
  } catch {
    return null;
  }
}

/** Whether `file` exists and is outside `root` once all links are followed. */
function leadsOut(file: string, root: string): boolean {
  try {
    return !`${realpathSync(file)}${sep}`.startsWith(`${realpathSync(root)}${sep}`);
  } catch {
    return false; // There is no such file: Vite answers with the page.
  }
}

/** One range in bytes that does not run backwards, or none. */
function isRange(range: string | undefined): boolean {
  const [, start, end] = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(range ?? "") ?? [];
  return start !== undefined && (end === "" || Number(end) >= Number(start));
}

function end(response: ServerResponse, status: number): void {
  response.writeHead(status, status === METHOD_NOT_ALLOWED ? { Allow: "GET, HEAD" } : {});
  response.end();
}

const [BAD_REQUEST, NOT_FOUND, METHOD_NOT_ALLOWED] = [400, 404, 405];
