/** @file Another text embedder in the engine service: from files and from the Hub, while the model stays open. */

import { afterEach, describe, expect, it } from "vitest";
import { blindEmbedder, TABLE, tinyEmbedder, WIDTH } from "../engine/testing/tinyEmbedder.ts";
import { BY_ANCHORS } from "../flow/testing/runs.ts";
import { createHub } from "../hub/hub.ts";
import { hubServer } from "../hub/testing/hubServer.ts";
import { memoryCache } from "../hub/testing/memoryCache.ts";
import { Cancelled } from "../lib/assert.ts";
import type { EmbedderChoice } from "../records/embedder.ts";
import { layerIndex } from "../records/ids.ts";
import { SHARP, type MethodParams } from "../records/params.ts";
import type { EngineService } from "./engineService.ts";
import { encodingCache } from "../store/cacheRows.ts";
import { inMemoryRows } from "../store/testing/cacheRows.ts";
import { createEngineService } from "./engineService.ts";
import { testHost, type TestHostOptions } from "./testing/host.ts";

const BUNDLED = { source: { kind: "bundled" }, backend: "auto" } as const;
const PARAMS: MethodParams = {
  ...SHARP,
  ...BY_ANCHORS,
  anchors: "rules",
  partTokens: null,
  steps: 2,
  refine: 0,
  answerTokens: 4,
};
const LAYERS = [layerIndex(1)];
const TEXT = "Ondine mended the old timepiece in the tower. Tobias always orders strong coffee.";
/** Shares no word with the fact that answers it. */
const QUESTION = "Who repaired the clock?";

const FILES: EmbedderChoice = { from: { kind: "files", name: "tiny" }, dtype: "fp32", device: "wasm" };
const REPO = "someone/tiny";
const HUB: EmbedderChoice = { ...FILES, from: { kind: "hub", repo: REPO, revision: "main" } };

/** As good as the first, but every topic has another axis. */
const TURNED = TABLE.map((_, i) => TABLE[i - (i % WIDTH) + (WIDTH - 1 - (i % WIDTH))]!);

const blobs = (files: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, Blob> =>
  new Map([...files].map(([name, bytes]) => [name, new Blob([bytes.slice()])]));

const after: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of after.splice(0)) await end();
});

async function start(options: TestHostOptions = {}) {
  const host = testHost(options);
  const service = createEngineService(host);
  after.push(() => service.close(null));
  await service.open(BUNDLED);
  return { host, service, documents: [host.addText("story", TEXT)] };
}

const routedTo = async (service: EngineService, memory: string): Promise<string[]> => {
  const { route } = await service.ask({ memory, question: QUESTION, settings: null });
  return route.anchors.filter(({ kept }) => kept).map(({ anchor }) => anchor);
};

describe("a text embedder of dropped files", () => {
  it("routes a question that shares no word with its fact, and the model's own is back afterwards", async () => {
    const { host, service, documents } = await start();
    const own = await service.embedder(null);
    expect(own).toEqual({ name: "mean-pooled hidden states", denseFloor: null });
    const stages: string[] = [];
    const ready = await service.chooseEmbedder(
      { choice: FILES, files: blobs(tinyEmbedder()) },
      { onProgress: ({ stage }) => stages.push(stage) },
    );
    expect(stages).toEqual(["weights", "pairs"]);
    expect(ready!.name).toMatch(/^transformers\.js tiny #[0-9a-f]{16} \(mean\)$/);
    expect(ready!.denseFloor).toBeLessThan(1);
    expect(await service.embedder(null)).toEqual(ready);
    const run = { documents, params: PARAMS, layers: LAYERS };
    await service.memorize({ memory: "tiny", ...run });
    expect(await routedTo(service, "tiny")).toEqual(["Ondine"]);

    expect((await service.chooseEmbedder({ choice: null }))!.name).toBe(own!.name);
    await expect(routedTo(service, "tiny")).rejects.toMatchObject({ name: "WrongEmbedder" });
    // What needs no vector of a text works with any embedder.
    const [entry] = (await host.stores.get("tiny")!.load())!.entries;
    expect(await service.recall({ memory: "tiny", ids: [entry!.id] })).toMatchObject([{ id: entry!.id }]);
    await service.memorize({ memory: "own", ...run });
    expect(await routedTo(service, "own")).not.toEqual(["Ondine"]);
    expect((await service.embedder(null))!.denseFloor).toBeGreaterThan(0);
  });

  it("stays over a change of the model", async () => {
    const { service, documents } = await start();
    await service.chooseEmbedder({ choice: FILES, files: blobs(tinyEmbedder()) });
    await service.memorize({ memory: "m", documents, params: PARAMS, layers: LAYERS });
    await service.open({ ...BUNDLED, backend: "wasm" });
    expect(await routedTo(service, "m")).toEqual(["Ondine"]);
  });

  it("leaves the former in place when it fails its self-test, is cancelled, or its files are not there", async () => {
    const { service } = await start();
    const former = await service.chooseEmbedder({ choice: FILES, files: blobs(tinyEmbedder()) });
    const blind = {
      choice: { ...FILES, from: { kind: "files", name: "blind" } },
      files: blobs(blindEmbedder()),
    } as const;
    await expect(service.chooseEmbedder(blind)).rejects.toThrow(
      /transformers\.js blind #\w+ \(mean\) failed its self-test: 0 of 12 .*Choose more exact weights/,
    );
    const stop = new AbortController();
    const cancelled = service.chooseEmbedder(
      { choice: FILES, files: blobs(tinyEmbedder()) },
      { signal: stop.signal, onProgress: () => stop.abort() },
    );
    await expect(cancelled).rejects.toThrow(Cancelled);
    await expect(service.chooseEmbedder({ choice: FILES })).rejects.toThrow(
      'engine: the files of the text embedder "tiny" are not available; drop the folder again',
    );
    expect(await service.embedder(null)).toEqual(former);
  });

  it("is distinguished from another one with the same name, which cannot ask", async () => {
    const { service, documents } = await start();
    await service.chooseEmbedder({ choice: FILES, files: blobs(tinyEmbedder()) });
    await service.memorize({ memory: "one", documents, params: PARAMS, layers: LAYERS });
    await service.chooseEmbedder({ choice: FILES, files: blobs(tinyEmbedder(TURNED)) });
    await expect(routedTo(service, "one")).rejects.toThrow(/was indexed by "transformers\.js tiny #/);
    await service.chooseEmbedder({ choice: FILES, files: blobs(tinyEmbedder()) });
    expect(await routedTo(service, "one")).toEqual(["Ondine"]);
  });

  it("shares no cached vector with another one of its name", async () => {
    const { host, service, documents } = await start({ cache: encodingCache(inMemoryRows()) });
    const vectorBy = async (memory: string, table: Float32Array): Promise<Float32Array> => {
      await service.chooseEmbedder({ choice: FILES, files: blobs(tinyEmbedder(table)) });
      await service.memorize({ memory, documents, params: PARAMS, layers: LAYERS });
      return (await host.stores.get(memory)!.load())!.routing[0]!.vector;
    };
    const [one, other] = [await vectorBy("one", TABLE), await vectorBy("other", TURNED)];
    for (const [i, x] of [...other].reverse().entries()) expect(x).toBeCloseTo(one[i]!, 5);
    expect(other[0]).not.toBeCloseTo(one[0]!, 2);
    expect(await vectorBy("again", TABLE)).toEqual(one);
  });

  it("waits for a run to end", async () => {
    const { service, documents } = await start();
    const order: string[] = [];
    const running = service
      .memorize({ memory: "m", documents, params: PARAMS, layers: LAYERS })
      .then(() => order.push("run"));
    await service.chooseEmbedder({ choice: FILES, files: blobs(tinyEmbedder()) });
    order.push("embedder");
    await running;
    expect(order).toEqual(["run", "embedder"]);
  });
});

describe("a text embedder of the Hub", () => {
  it("is downloaded once, without the weights of other kinds, kept beside the models, and opened offline", async () => {
    const files = tinyEmbedder();
    files.set("model.safetensors", new Uint8Array(8)).set("onnx/model_fp16.onnx", new Uint8Array(8));
    const server = await hubServer(REPO, files);
    after.push(() => server.close());
    const hub = createHub({ cache: memoryCache(), fetch: server.fetch, retryMs: 1 });
    const { service } = await start({ hub });
    const stages: string[] = [];
    const ready = await service.chooseEmbedder(
      { choice: HUB },
      { onProgress: ({ stage }) => stages.push(stage) },
    );
    expect([...new Set(stages)]).toEqual(["download", "weights", "pairs"]);
    expect(ready!.name).toBe("transformers.js someone/tiny (mean)");
    expect(server.requests.map(({ name }) => name)).toEqual([
      "config.json",
      "tokenizer.json",
      "tokenizer_config.json",
      "onnx/model.onnx",
    ]);
    expect(await service.cachedModels(null)).toMatchObject([{ repo: REPO, onnx: "fp32", complete: true }]);

    server.status = 500;
    await service.chooseEmbedder({ choice: null });
    await service.chooseEmbedder({ choice: HUB });
    await expect(service.chooseEmbedder({ choice: { ...HUB, dtype: "q8" } })).rejects.toThrow(
      "hub: someone/tiny has no onnx/model_quantized.onnx; its weights are fp32, fp16: choose one of these",
    );
    await service.removeCachedModel({ repo: REPO, revision: "main", onnx: "fp32" });
    expect(await service.cachedModels(null)).toEqual([]);
    await expect(service.chooseEmbedder({ choice: { ...HUB, dtype: "fp16" } })).rejects.toThrow(
      /the Hub answered 500.*try again later/,
    );
    expect((await service.embedder(null))!.name).toBe(ready!.name);
  });
});
