/** @file Test support: a small Hub over HTTP in this process, with Range requests and everything that can go wrong. */

import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { HUB_URL } from "../listing.ts";

export interface HubServer {
  /** Sends what is meant for the Hub here. */
  readonly fetch: typeof fetch;
  /** Content by name; may be changed at any time. */
  readonly files: Map<string, Uint8Array>;
  /** Every request for a file: its name and its Range. */
  readonly requests: { readonly name: string; readonly range: string | undefined }[];
  /** Ends the connection after so many bytes of a body, so many times. */
  cut: { after: number; times: number };
  /** Sends whole files whatever is asked for. */
  ignoreRanges: boolean;
  /** Tokens that open it; null for a public repository. */
  token: string | null;
  /** Answered to every request for a file. */
  status: number | null;
  /** Answers of the next requests, of the list too: 429 with a wait of no seconds. */
  busy: number;
  /** Ends every connection that asks for a part of a file, without an answer. */
  refuseRanges: boolean;
  close(): Promise<void>;
}

const sha = (kind: "sha1" | "sha256", bytes: Uint8Array): string =>
  createHash(kind).update(bytes).digest("hex");

/** Starts it with one repository; files ending in .safetensors are LFS files, whose SHA-256 is told. */
export async function hubServer(repo: string, files: Map<string, Uint8Array>): Promise<HubServer> {
  const server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const hub: HubServer = {
    fetch: (input, init) => fetch(String(input).replace(HUB_URL, origin), init),
    files,
    requests: [],
    cut: { after: 0, times: 0 },
    ignoreRanges: false,
    token: null,
    status: null,
    busy: 0,
    refuseRanges: false,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "", origin);
    if (hub.token !== null && request.headers.authorization !== `Bearer ${hub.token}`) {
      response.writeHead(request.headers.authorization ? 403 : 401).end();
      return;
    }
    if (hub.busy > 0) {
      hub.busy--;
      response.writeHead(429, { RateLimit: '"resolvers";r=0;t=0' }).end();
      return;
    }
    if (url.pathname === `/api/models/${repo}/tree/main`) {
      const listed = [...files].map(([path, bytes]) => ({
        type: "file",
        path,
        size: bytes.length,
        oid: sha("sha1", bytes),
        ...(path.endsWith(".safetensors")
          ? { lfs: { oid: sha("sha256", bytes), size: bytes.length, pointerSize: 130 } }
          : {}),
      }));
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(listed));
      return;
    }
    const name = decodeURIComponent(url.pathname.replace(`/${repo}/resolve/main/`, ""));
    const bytes = files.get(name);
    if (!bytes) {
      response.writeHead(404).end();
      return;
    }
    send(request, response, name, bytes);
  }

  function send(request: IncomingMessage, response: ServerResponse, name: string, bytes: Uint8Array): void {
    const { range } = request.headers;
    hub.requests.push({ name, range });
    if (hub.refuseRanges && range !== undefined) {
      request.socket.destroy();
      return;
    }
    if (hub.status !== null) {
      response.writeHead(hub.status).end();
      return;
    }
    const start = Number(/^bytes=(\d+)-/.exec(range ?? "")?.[1] ?? 0);
    const partial = range !== undefined && !hub.ignoreRanges;
    const body = bytes.subarray(partial ? start : 0);
    response.writeHead(partial ? 206 : 200, {
      ETag: `"${sha("sha1", bytes)}"`,
      "Content-Length": String(body.length),
      ...(partial
        ? { "Content-Range": `bytes ${String(start)}-${String(bytes.length - 1)}/${String(bytes.length)}` }
        : {}),
    });
    if (hub.cut.times === 0 || body.length <= hub.cut.after) {
      response.end(body);
      return;
    }
    hub.cut.times--;
    // Half of a body, and then nothing: what a train in a tunnel does.
    response.write(body.subarray(0, hub.cut.after), () => setTimeout(() => response.destroy(), 20));
  }

  return hub;
}
