/**
 * @file A model of the Hub through the real engine worker: downloaded into OPFS, cancelled, gone on with, opened and
 * deleted. huggingface.co is played by this test: no request leaves the machine.
 */
import { HUB, playedFile, playHub, REPO, WEIGHTS } from "./support/playedHub.ts";
import { expect, test } from "./support/test.ts";
import { tinyModel } from "./support/tinyModel.ts";
import type { EngineChecks } from "./workers/engineService.worker.ts";

test.use({ allowedRequests: HUB, allowedConsole: /status of 40[14]/ });
test.skip(({ backend }) => backend === "webgpu", "what is downloaded does not depend on the backend");

test("a download is cancelled, kept in OPFS, gone on with, opened, and deleted", async ({
  worker,
  workerPages,
}) => {
  test.setTimeout(120_000);
  const files = new Map(
    Object.entries(tinyModel()).map(([name, base64]) => [name, Buffer.from(base64, "base64")]),
  );
  const size = files.get(WEIGHTS)!.length;
  const ranges: (string | undefined)[] = [];
  const hub = playHub(new Map([...files].map(([name, bytes]) => [name, playedFile(bytes)])), {
    onWeights: (range) => void ranges.push(range),
  });
  await workerPages.context.route(HUB, hub);
  const call = await worker<EngineChecks>("engineService");
  const source = { kind: "hub", repo: REPO, revision: "main" } as const;

  const listing = await call("inspect", { source });
  expect(listing.architecture).toBe("Qwen3ForCausalLM");
  expect(listing.files.map(({ name, cached }) => [name, cached])).toEqual([
    ["config.json", 0],
    ["tokenizer.json", 0],
    [WEIGHTS, 0],
  ]);
  expect(await call("interrupt", { source, backend: "wasm" })).toBe("Cancelled");
  const [partial] = await call("cachedModels");
  expect(partial).toMatchObject({ repo: REPO, complete: false });
  const half = (await call("inspect", { source })).files.at(-1)!.cached;
  expect(half).toBe(size / 2);

  ranges.length = 0;
  const { ready, stages } = await call("open", { source, backend: "wasm" });
  expect(ranges).toEqual([`bytes=${half}-`]);
  expect(stages).toEqual(["self-test", "download", "weights"]);
  expect(ready.identity.name).toBe("tiny");
  expect((await call("cachedModels"))[0]).toMatchObject({ repo: REPO, complete: true });

  // From now on the Hub is not asked for anything.
  await workerPages.context.unroute(HUB, hub);
  await workerPages.context.route(HUB, (route) => route.abort());
  expect((await call("open", { source, backend: "wasm" })).ready.identity.sha256).toBe(ready.identity.sha256);
  await expect(call("inspect", { source: { ...source, repo: "someone/else" } })).rejects.toThrow(
    /no connection to huggingface\.co/,
  );
  await call("removeCachedModel", { repo: REPO, revision: "main" });
  expect(await call("cachedModels")).toEqual([]);
  await call("close");
  await workerPages.context.unrouteAll();
});

test("a gated repository says what to do", async ({ worker, workerPages }) => {
  await workerPages.context.route(HUB, playHub(new Map()));
  const call = await worker<EngineChecks>("engineService");
  const source = { kind: "hub", repo: "someone/gated", revision: "main" } as const;
  await expect(call("inspect", { source })).rejects.toThrow(
    /accept its terms on huggingface\.co\/someone\/gated/,
  );
  await workerPages.context.unrouteAll();
});
