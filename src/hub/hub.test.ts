/** @file Models of the Hub against a server of our own: listing, resuming, checking, and what goes wrong. */

import { randomBytes } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { Cancelled } from "../lib/assert.ts";
import type { FileProgress } from "../records/model.ts";
import { readWhole } from "../weights/modelFiles.ts";
import { createHub, type Hub } from "./hub.ts";
import { MANIFEST } from "./cache.ts";
import { hubServer, type HubServer } from "./testing/hubServer.ts";
import { memoryCache, type MemoryCache } from "./testing/memoryCache.ts";

const REPO = "someone/tiny";
const MODEL = { repo: REPO, revision: "main" };
const FOLDER = `${REPO}@main`;
const WEIGHTS = "model.safetensors";

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const content = (): Map<string, Uint8Array> =>
  new Map([
    ["README.md", text("# no part of it")],
    ["config.json", text('{"architectures":["Qwen3ForCausalLM"]}')],
    ["tokenizer.json", text('{"model":{}}')],
    [WEIGHTS, randomBytes(300_000)],
  ]);

const servers: HubServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function start(
  files = content(),
  cache = memoryCache(),
): Promise<{ hub: Hub; server: HubServer; cache: MemoryCache }> {
  const server = await hubServer(REPO, files);
  servers.push(server);
  return { hub: createHub({ cache, fetch: server.fetch, retryMs: 1 }), server, cache };
}

/** What lies in the cache of a file. */
const held = (cache: MemoryCache, name = WEIGHTS): Uint8Array =>
  Uint8Array.from(cache.content.get(FOLDER)?.get(name) ?? []);

/** Downloads and stops when `bytes` of the weights are there. */
async function interrupt(hub: Hub, bytes: number): Promise<void> {
  const stop = new AbortController();
  const onProgress = (files: readonly FileProgress[]): void => {
    if (files.find(({ name }) => name === WEIGHTS)!.done >= bytes) stop.abort();
  };
  await expect(hub.download(MODEL, { signal: stop.signal, onProgress })).rejects.toThrow(Cancelled);
}

describe("a mirror that the page was built with", () => {
  it("answers requests without a token; one with a token goes to the Hub alone", async () => {
    const server = await hubServer(REPO, content());
    servers.push(server);
    const asked: string[] = [];
    const fetch: typeof globalThis.fetch = (input, init) => {
      const url = String(input);
      const token = new Headers(init?.headers).get("Authorization");
      asked.push(`${new URL(url).origin} ${token ?? "no token"}`);
      return server.fetch(url.replace("https://mirror.example", "https://huggingface.co"), init);
    };
    const hubWith = (mirror: string): Hub => createHub({ cache: memoryCache(), fetch, retryMs: 1, mirror });
    const hub = hubWith("https://mirror.example");
    const files = await hub.download(MODEL);
    expect(await readWhole(files, "config.json")).toEqual(content().get("config.json"));
    expect(new Set(asked.splice(0))).toEqual(new Set(["https://mirror.example no token"]));
    await hubWith("https://mirror.example").download({ ...MODEL, token: "hf_secret" });
    expect(new Set(asked)).toEqual(new Set(["https://huggingface.co Bearer hf_secret"]));
    expect(() => hubWith("mirror.example/x")).toThrow(/"mirror.example\/x" is not an address; build with/);
  });
});

describe("a model", () => {
  it("is listed with the files it needs and no others, downloaded with progress, and read from the cache", async () => {
    const { hub, server, cache } = await start();
    expect(await hub.files(MODEL)).toEqual([
      { name: "config.json", bytes: 38, cached: 0 },
      { name: "tokenizer.json", bytes: 12, cached: 0 },
      { name: WEIGHTS, bytes: 300_000, cached: 0 },
    ]);
    expect(await hub.config(MODEL)).toEqual({ architectures: ["Qwen3ForCausalLM"] });
    const progress: (readonly FileProgress[])[] = [];
    const files = await hub.download(MODEL, { onProgress: (now) => progress.push(now) });
    expect(progress.at(-1)!.map(({ done, total }) => done === total)).toEqual([true, true, true]);
    expect(progress[0]!.map(({ done }) => done)).toEqual([0, 0, 0]);
    expect(files.names).toEqual(["config.json", "tokenizer.json", WEIGHTS]);
    expect(await readWhole(files, WEIGHTS)).toEqual(Uint8Array.from(server.files.get(WEIGHTS)!));
    expect(await files.open("README.md")).toBeUndefined();
    expect(await hub.cached()).toEqual([{ ...MODEL, bytes: 300_050, complete: true }]);
    await hub.remove(MODEL);
    expect(await hub.cached()).toEqual([]);
    expect(cache.content.size).toBe(0);
  });

  it("in shards comes with its index", async () => {
    const files = content();
    files.delete(WEIGHTS);
    for (const name of ["model-00002-of-00002.safetensors", "model-00001-of-00002.safetensors"])
      files.set(name, randomBytes(10));
    files.set("model.safetensors.index.json", text("{}"));
    files.set("consolidated.safetensors", randomBytes(10));
    const { hub } = await start(files);
    expect((await hub.files(MODEL)).map(({ name }) => name).slice(2)).toEqual([
      "model.safetensors.index.json",
      "model-00001-of-00002.safetensors",
      "model-00002-of-00002.safetensors",
    ]);
  });

  it("in shards whose names begin with the whole file's comes as well", async () => {
    const files = content();
    files.delete(WEIGHTS);
    const shard = "model.safetensors-00001-of-00001.safetensors";
    for (const name of [shard, "consolidated-00001-of-00002.safetensors"]) files.set(name, randomBytes(10));
    files.set("model.safetensors.index.json", text("{}"));
    const { hub } = await start(files);
    expect((await hub.files(MODEL)).map(({ name }) => name).slice(3)).toEqual([shard]);
  });

  it("that is complete needs no connection any more", async () => {
    const { hub, server, cache } = await start();
    await hub.download(MODEL);
    await server.close();
    const offline = createHub({ cache, fetch: () => Promise.reject(new TypeError("fetch failed")) });
    expect((await offline.files(MODEL)).every(({ bytes, cached }) => bytes === cached)).toBe(true);
    expect(await offline.config(MODEL)).toEqual({ architectures: ["Qwen3ForCausalLM"] });
    expect((await offline.download(MODEL)).names.length).toBe(3);
  });
});

describe("a download that was cancelled", () => {
  it("keeps what it has, and goes on from there to the same bytes", async () => {
    const { hub, server, cache } = await start();
    await interrupt(hub, 1);
    const kept = held(cache).length;
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThan(300_000);
    expect(await hub.cached()).toEqual([{ ...MODEL, bytes: kept + 50, complete: false }]);
    expect((await hub.files(MODEL)).at(-1)).toEqual({ name: WEIGHTS, bytes: 300_000, cached: kept });
    server.requests.length = 0;
    await hub.download(MODEL);
    expect(server.requests).toEqual([{ name: WEIGHTS, range: `bytes=${kept}-` }]);
    expect(held(cache)).toEqual(Uint8Array.from(server.files.get(WEIGHTS)!));
  });

  it("is begun anew where the server ignores ranges, or the file changed on the Hub", async () => {
    const { hub, server, cache } = await start();
    await interrupt(hub, 1);
    server.ignoreRanges = true;
    await hub.download(MODEL);
    expect(held(cache)).toEqual(Uint8Array.from(server.files.get(WEIGHTS)!));

    const other = await start();
    await interrupt(other.hub, 1);
    other.server.files.set(WEIGHTS, randomBytes(200_000));
    other.server.requests.length = 0;
    await other.hub.download(MODEL);
    expect(other.server.requests).toEqual([{ name: WEIGHTS, range: undefined }]);
    expect(held(other.cache)).toEqual(Uint8Array.from(other.server.files.get(WEIGHTS)!));
  });

  it("whose first bytes are not those of the file is thrown away by the checksum, and says so", async () => {
    const { hub, server, cache } = await start();
    await interrupt(hub, 1);
    const files = cache.content.get(FOLDER)!;
    files.set(
      WEIGHTS,
      held(cache).map((byte) => byte ^ 1),
    );
    await expect(hub.download(MODEL)).rejects.toThrow(/damaged and thrown away, start it again/);
    expect(held(cache).length).toBe(0);
    await hub.download(MODEL);
    expect(held(cache)).toEqual(Uint8Array.from(server.files.get(WEIGHTS)!));
  });

  it("counts for nothing where its manifest was cut off in writing", async () => {
    const { hub, server, cache } = await start();
    await interrupt(hub, 1);
    cache.content.get(FOLDER)!.set(MANIFEST, text('{"repo":'));
    server.requests.length = 0;
    await hub.download(MODEL);
    expect(server.requests.map(({ range }) => range)).toEqual([undefined, undefined, undefined]);
    expect(held(cache)).toEqual(Uint8Array.from(server.files.get(WEIGHTS)!));
  });
});

describe("a connection that breaks", () => {
  it("is taken up again in the middle of the file, as often as it brings something", async () => {
    const { hub, server, cache } = await start();
    server.cut = { after: 40_000, times: 6 };
    await hub.download(MODEL);
    expect(held(cache)).toEqual(Uint8Array.from(server.files.get(WEIGHTS)!));
    const ranges = server.requests.filter(({ name }) => name === WEIGHTS).map(({ range }) => range);
    expect(ranges.length).toBe(7);
    expect(ranges[0]).toBeUndefined();
    expect(new Set(ranges).size).toBe(7);
  });

  it("and brings nothing any more is given up with what to do", async () => {
    const { hub, server, cache } = await start();
    await interrupt(hub, 1);
    const kept = held(cache).length;
    await server.close();
    await expect(hub.download(MODEL)).rejects.toThrow(
      /no connection to huggingface\.co .*continue when you are online, or use the bundled model/,
    );
    expect(held(cache).length).toBe(kept);
  });

  it("waits as long as a busy Hub asks, for its list and for a file", async () => {
    const { hub, server } = await start();
    server.busy = 2;
    expect(await hub.files(MODEL)).toHaveLength(3);
    let told = false;
    const onProgress = ([config]: readonly FileProgress[]): void => {
      if (!told && config!.done > 0) server.busy = 6;
      told ||= config!.done > 0;
    };
    await hub.download(MODEL, { onProgress });
    expect(told).toBe(true);
    expect(server.busy).toBe(0);
    server.busy = 99;
    await expect(hub.files({ ...MODEL, revision: "other" })).rejects.toThrow(/too many requests \(429\)/);
  });

  it("begins at the first byte where requests for the rest are refused", async () => {
    const { hub, server, cache } = await start();
    await interrupt(hub, 1);
    server.refuseRanges = true;
    await hub.download(MODEL);
    expect(held(cache)).toEqual(Uint8Array.from(server.files.get(WEIGHTS)!));
  });

  it("of an overloaded Hub is tried again, then told", async () => {
    const { hub, server } = await start();
    server.status = 503;
    await expect(hub.download(MODEL)).rejects.toThrow("the Hub answered 503. Downloaded parts are kept");
    expect(server.requests.length).toBe(4);
  });
});

describe("what cannot be had says what to do", () => {
  it("a gated repository, without and with a wrong token, and with the right one", async () => {
    const { hub, server } = await start();
    server.token = "hf_right";
    await expect(hub.files(MODEL)).rejects.toThrow(
      /no public model has this name \(401\).*accept its terms on huggingface\.co\/someone\/tiny and enter a token/,
    );
    await expect(hub.files({ ...MODEL, token: "hf_wrong" })).rejects.toThrow(
      /the token has no access \(403\)/,
    );
    const open = { ...MODEL, token: "hf_right" };
    expect((await hub.files(open)).length).toBe(3);
    expect((await hub.download(open)).names.length).toBe(3);
  });

  it("a repository that is not there, a bad name, a repository without weights or tokenizer", async () => {
    const { hub, server } = await start();
    await expect(hub.files({ ...MODEL, repo: "someone/other" })).rejects.toThrow(
      /not found at revision "main" \(404\)/,
    );
    await expect(hub.files({ ...MODEL, repo: "tiny" })).rejects.toThrow(
      'expected one like "Qwen/Qwen3-0.6B"',
    );
    server.files.delete(WEIGHTS);
    await expect(hub.files(MODEL)).rejects.toThrow(/no model\.safetensors and no shards/);
    server.files.delete("tokenizer.json");
    await expect(hub.files(MODEL)).rejects.toThrow("has no tokenizer.json");
  });

  it("no room, before the download and in the middle of it", async () => {
    const small = await start(content(), memoryCache(100_000));
    await expect(small.hub.download(MODEL)).rejects.toThrow(
      /does not fit: 0\.3 MB remain to be downloaded; this browser has room for 0\.1 MB\. Delete another/,
    );
    expect(small.server.requests).toEqual([]);
    const { hub, cache } = await start();
    const onProgress = (files: readonly FileProgress[]): void => {
      if (files.at(-1)!.done > 0) cache.limit = 1000;
    };
    await expect(hub.download(MODEL, { onProgress })).rejects.toThrow(
      /does not fit: .* Delete another cached model/,
    );
    cache.limit = Infinity;
    expect((await hub.download(MODEL)).names.length).toBe(3);
  });
});
