/** @file The server of `npm start` under attack: what lies outside the built app, and what is no question for a file. */

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { preview, type PreviewServer } from "vite";
import { afterAll, beforeAll, expect } from "vitest";
import { attacks } from "../src/lib/testing/attacks.ts";

const SECRET = "what lies outside";
const PAGE = "<!doctype html><title>the page</title>";
const ASSET = "0123456789";

let folder: string;
let server: PreviewServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-served-"));
  const dist = join(folder, "dist");
  mkdirSync(join(dist, "assets"), { recursive: true });
  writeFileSync(join(dist, "index.html"), PAGE);
  writeFileSync(join(dist, "assets", "a.txt"), ASSET);
  writeFileSync(join(folder, "secret.txt"), SECRET);
  writeFileSync(join(dist, ".env"), SECRET);
  symlinkSync(join(folder, "secret.txt"), join(dist, "assets", "link.txt"));
  symlinkSync(folder, join(dist, "assets", "up"));
  server = await preview({
    logLevel: "silent",
    build: { outDir: dist },
    preview: { port: 0, host: "127.0.0.1" },
  });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Asks for `path` as it is written: fetch would tidy it up. */
function ask(path: string, { method = "GET", headers = {}, body = "" } = {}): Promise<Answer> {
  const { port } = server.httpServer.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      response.on("end", () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: text }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

const hidden = async (path: string): Promise<void> => {
  const { body } = await ask(path);
  expect(body, path).not.toContain(SECRET);
};

attacks("the server", {
  "dots that lead upwards": () => hidden("/../secret.txt"),
  "dots that lead upwards, written as numbers": () => hidden("/%2e%2e/secret.txt"),
  "dots and slashes as numbers": () => hidden("/..%2fsecret.txt"),
  "dots and slashes as numbers, twice over": () => hidden("/%252e%252e%252fsecret.txt"),
  backslashes: () => hidden("/..\\secret.txt"),
  "dots behind a folder that there is": () => hidden("/assets/../../secret.txt"),
  "an absolute path": () => hidden(`//${join(folder, "secret.txt")}`),
  "Vite's own way to files anywhere": () => hidden(`/@fs${join(folder, "secret.txt")}`),
  "a NUL in the path": () => hidden("/assets/a.txt%00/../../secret.txt"),
  "a path that is no text": async () => {
    expect((await ask("/%ff%fe")).status).toBeLessThan(500);
  },
  "a link to a file outside": {
    fault: "links that lay in the built folder were followed wherever they led",
    attack: () => hidden("/assets/link.txt"),
  },
  "a link to a folder outside": {
    fault: "links that lay in the built folder were followed wherever they led",
    attack: () => hidden("/assets/up/secret.txt"),
  },
  "a hidden file": {
    fault: "a file such as .env that lay in the built folder was given out",
    attack: () => hidden("/.env"),
  },
  "a list of a folder": async () => {
    const { body } = await ask("/assets/");
    expect(body).not.toContain("a.txt");
  },
  "methods that write": {
    fault: "POST, PUT, PATCH and DELETE were answered like GET",
    attack: async () => {
      for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
        const { status, headers } = await ask("/assets/a.txt", { method, body: "x" });
        expect([status, headers["allow"]], method).toEqual([405, "GET, HEAD"]);
      }
      expect((await ask("/assets/a.txt")).body).toBe(ASSET);
    },
  },
  "a TRACE that would echo": async () => {
    const { body } = await ask("/", { method: "TRACE", headers: { "X-Secret": SECRET } });
    expect(body).not.toContain(SECRET);
  },
  "ranges that lie": {
    fault: "a range that ran backwards ended the server",
    attack: async () => {
      for (const range of ["bytes=5-2", "bytes=-0", "bytes=99-", "bytes=a-b", "bytes=0-1,3-4", "lines=0-1"]) {
        const { status, body } = await ask("/assets/a.txt", { headers: { Range: range } });
        expect([200, 206, 416], range).toContain(status);
        expect(ASSET.includes(body) || body === "", range).toBe(true);
      }
      const part = await ask("/assets/a.txt", { headers: { Range: "bytes=2-4" } });
      expect([part.status, part.body]).toEqual([206, "234"]);
    },
  },
  "five hundred ranges at once": async () => {
    const range = `bytes=${Array.from({ length: 500 }, () => "0-9").join(",")}`;
    expect((await ask("/assets/a.txt", { headers: { Range: range } })).body.length).toBeLessThan(1000);
  },
  "another page that asks under another name": async () => {
    const { status, body } = await ask("/", { headers: { Host: "evil.example" } });
    expect(status).toBe(403);
    expect(body).not.toContain("the page");
  },
  "another origin that reads": {
    fault: "every port of this machine could read the page's files",
    attack: async () => {
      for (const origin of ["https://evil.example", "http://localhost:9999"]) {
        const { headers } = await ask("/assets/a.txt", { headers: { Origin: origin } });
        expect(headers["access-control-allow-origin"], origin).toBeUndefined();
      }
    },
  },
  "a page that frames ours": async () => {
    const { headers } = await ask("/");
    expect(String(headers["content-security-policy"])).toContain("frame-ancestors 'none'");
    expect(headers["cross-origin-opener-policy"]).toBe("same-origin");
  },
  "a name that lets the browser guess": {
    fault: "nothing told the browser to take a file for what it is called",
    attack: async () => {
      expect((await ask("/assets/a.txt")).headers["x-content-type-options"]).toBe("nosniff");
    },
  },
});
