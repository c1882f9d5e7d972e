/** @file Rounded copies beside models of the Hub: kept, read, thrown away when they are not to be trusted, done without. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterEach, beforeAll, expect, it } from "vitest";
import { loadWeights, type LoadedWeights, type LoadOptions } from "../../engine/loadWeights.ts";
import { BUNDLED, randomConfig, randomWeights } from "../../engine/testing/models.ts";
import { createHub, type Hub } from "../../hub/hub.ts";
import { hubServer, type HubServer } from "../../hub/testing/hubServer.ts";
import { memoryCache, type MemoryCache } from "../../hub/testing/memoryCache.ts";
import type { Device } from "../../runtime/device.ts";
import { createNodeDevice } from "../../../tools/node/nodeDevice.ts";
import { copyName } from "../../weights/copyName.ts";
import { COPY_LAYOUT, TAIL_BYTES, TAIL_MARK } from "../../weights/roundedCopy.ts";
import { makeShards } from "../../weights/testing/files.ts";

const MODEL = { repo: "someone/sharded", revision: "main" };
const FOLDER = "someone/sharded@main";
const COPY = copyName("q8");
/** As blocks, which are held as float32 on the processor by default where a model is as small as this one. */
const Q8: LoadOptions = { precision: "q8", expandUpTo: 0 };

const config = randomConfig("Qwen3ForCausalLM");
const published = (seed = 1): Map<string, Uint8Array> =>
  new Map([
    ["config.json", new TextEncoder().encode(JSON.stringify(config))],
    ["tokenizer.json", new Uint8Array(readFileSync(`${BUNDLED}/tokenizer.json`))],
    ...Object.entries(makeShards(randomWeights(config, seed), 3)),
  ]);

let device: Device;
beforeAll(async () => void (device = await createNodeDevice({ backend: "cpu", threads: 1 })));
const servers: HubServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

interface Started {
  readonly hub: Hub;
  readonly server: HubServer;
  readonly cache: MemoryCache;
  /** Opens the model as a page does, and gives what lies on the device, which is freed. */
  open(options?: LoadOptions): Promise<Opened>;
}
type Opened = Pick<LoadedWeights, "copy" | "sha256"> & {
  readonly bytes: ReadonlyMap<string, string>;
  readonly read: number;
};

async function start(cache = memoryCache()): Promise<Started> {
  const server = await hubServer(MODEL.repo, published());
  servers.push(server);
  const hub = createHub({ cache, fetch: server.fetch, retryMs: 1 });
  const open = async (options = Q8): Promise<Opened> => {
    let read = 0;
    const onProgress = ({ done }: { readonly done: number }): void => void (read = done);
    const loaded = await loadWeights(device, await hub.download(MODEL), { ...options, onProgress });
    const bytes = new Map<string, string>();
    for (const [name, tensor] of loaded.weights) {
      const { buffer, byteOffset, byteLength } = await tensor.read();
      bytes.set(name, Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength).toString("base64"));
    }
    for (const tensor of loaded.weights.values()) tensor.dispose();
    return { copy: loaded.copy, sha256: loaded.sha256, bytes, read };
  };
  return { hub, server, cache, open };
}

const kept = (cache: MemoryCache): Uint8Array => cache.content.get(FOLDER)!.get(COPY)!;
/** Puts `bytes` in the place of the copy. */
const put = (cache: MemoryCache, bytes: Uint8Array): void => void cache.content.get(FOLDER)!.set(COPY, bytes);

it("a model read again comes from its copy: the same bytes on the device, and a third of them from the disk", async () => {
  const { open, hub, cache } = await start();
  const first = await open();
  expect(first.copy).toEqual({ from: "files", bytes: expect.any(Number), problem: null });
  const again = await open();
  expect(again.copy).toEqual({ ...first.copy, from: "copy" });
  expect(again.bytes).toEqual(first.bytes);
  expect(again.sha256).toBe(first.sha256);
  // 8 bits and a scale for 32, of float32.
  expect(again.read).toBe(first.copy!.bytes);
  expect(again.read / first.read).toBeLessThan(0.34);
  expect((await hub.cached())[0]!.copies).toBe(kept(cache).length);
});

it(
  "a copy serves devices that hold the matrices as float32 as well, and each precision has its own",
  { timeout: 180_000 },
  async () => {
    const { open } = await start();
    await open();
    const expanded = await open({ precision: "q8" });
    expect(expanded.copy!.from).toBe("copy");
    const plain = await start();
    expect(expanded.bytes).toEqual((await plain.open({ precision: "q8" })).bytes);
    expect((await open({ precision: "q4", expandUpTo: 0 })).copy!.from).toBe("files");
    const four = await open({ precision: "q4", expandUpTo: 0 });
    expect(four.copy!.from).toBe("copy");
    expect(four.bytes).toEqual((await plain.open({ precision: "q4", expandUpTo: 0 })).bytes);
    expect((await open({ precision: "f32" })).copy).toBeNull();
  },
);

it(
  "a byte that changed anywhere is noticed: the model comes from its files, and the copy is made again",
  { timeout: 180_000 },
  async () => {
    const { open, cache } = await start();
    const { bytes, sha256 } = await open();
    const whole = Uint8Array.from(kept(cache));
    const damaged = "files, since the copy was damaged";
    // In the first tensor, in the last, in what says what is there, in its checksum and in its length.
    const last = (await open()).copy!.bytes - 1;
    for (const [at, from] of [
      [7, damaged],
      [last, damaged],
      [last + 40, "files"],
      [whole.length - 50, "files"],
      [whole.length - 7, "files"],
    ] as const) {
      const spoilt = Uint8Array.from(whole);
      spoilt[at]! ^= 4;
      put(cache, spoilt);
      const again = await open();
      expect(again.copy).toMatchObject({ from, problem: null });
      expect([again.sha256, again.bytes]).toEqual([sha256, bytes]);
      expect(Buffer.compare(kept(cache), whole)).toBe(0);
    }
    for (const length of [0, 71, 100_000, whole.length - 1]) {
      put(cache, whole.slice(0, length));
      expect((await open()).copy!.from).toBe("files");
      expect(Buffer.compare(kept(cache), whole)).toBe(0);
    }
    expect(device.ledger.bytes.weights).toBe(0);
  },
);

/** Has `change` rewrite what a copy says of itself, and puts the checksum right. */
function rewrite(cache: MemoryCache, change: (json: string) => string): void {
  const text = Buffer.from(kept(cache)).toString("latin1");
  const json = /\{"layout":.*\}/.exec(text)![0];
  const changed = change(json);
  const tail = Buffer.alloc(TAIL_BYTES);
  tail.write(createHash("sha256").update(changed).digest("hex"));
  tail.writeUInt32LE(changed.length, 64);
  tail.writeUInt32LE(TAIL_MARK, 68);
  put(cache, Buffer.concat([kept(cache).slice(0, text.indexOf(json)), Buffer.from(changed), tail]));
}

it("a copy of another layout, or of what the files held before, is made again", async () => {
  const { open, cache, server, hub } = await start();
  await open();
  rewrite(cache, (json) => json);
  expect((await open()).copy!.from).toBe("copy");
  rewrite(cache, (json) => json.replace(`"layout":${COPY_LAYOUT}`, `"layout":${COPY_LAYOUT + 1}`));
  expect((await open()).copy!.from).toBe("files");
  expect((await open()).copy!.from).toBe("copy");

  const before = await open();
  for (const [name, bytes] of published(2)) server.files.set(name, bytes);
  await hub.remove(MODEL);
  expect((await open()).sha256).not.toBe(before.sha256);
  const moved = kept(cache);
  // As if the copy had stayed when the files changed.
  const other = await start();
  await other.open();
  put(other.cache, moved);
  const after = await other.open();
  expect(after.copy!.from).toBe("files");
  expect(after.sha256).toBe(before.sha256);
});

it("no room, before it is begun or in the middle: said, nothing left behind, and the model is there", async () => {
  const { open, cache, hub } = await start();
  await hub.download(MODEL);
  const used = [...cache.content.get(FOLDER)!.values()].reduce((sum, { length }) => sum + length, 0);
  cache.limit = used + 1000;
  const refused = (await open()).copy;
  expect(refused).toEqual({
    from: "files",
    bytes: 0,
    problem: expect.stringMatching(/^it takes 0\.\d MB, and this browser gives 0\.0 MB more$/),
  });
  cache.limit = Infinity;
  const room = cache.room;
  cache.room = async () => ((cache.limit = used + 50_000), null);
  expect((await open()).copy).toMatchObject({ bytes: 0, problem: "this browser gives no more room" });
  expect(kept(cache)).toBeUndefined();
  cache.limit = Infinity;
  cache.room = room;
  expect((await open()).copy!.problem).toBeNull();
});

it("two tabs that open a model at once both get it, and one of them keeps the copy", async () => {
  const { open, cache } = await start();
  await open({ precision: "f32" });
  const both = await Promise.all([open(), open()]);
  expect(both[0].bytes).toEqual(both[1].bytes);
  const problems = both.map(({ copy }) => copy!.problem).filter((problem) => problem !== null);
  expect(problems).toEqual([expect.stringContaining("open for writing already")]);
  expect(kept(cache).length).toBeGreaterThan(0);
  expect((await open()).copy!.from).toBe("copy");
});

it("a load that is cancelled, or fails, leaves no copy", async () => {
  const { open, cache, hub } = await start();
  const stop = new AbortController();
  const files = await hub.download(MODEL);
  const onProgress = (): void => stop.abort();
  await expect(loadWeights(device, files, { ...Q8, signal: stop.signal, onProgress })).rejects.toThrow(
    "cancelled",
  );
  expect(kept(cache)).toBeUndefined();
  await open();
  const again = new AbortController();
  const cancelled = loadWeights(device, files, {
    ...Q8,
    signal: again.signal,
    onProgress: () => again.abort(),
  });
  await expect(cancelled).rejects.toThrow("cancelled");
  expect((await open()).copy!.from).toBe("copy");
  await hub.remove(MODEL);
  expect(cache.content.size).toBe(0);
});
