/** @file What is known of a device before a model is downloaded for it. */

import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { BUNDLED, randomConfig, randomWeights } from "../../engine/testing/models.ts";
import { createHub } from "../../hub/hub.ts";
import { hubServer, type HubServer } from "../../hub/testing/hubServer.ts";
import { memoryCache } from "../../hub/testing/memoryCache.ts";
import type { LoadProgress } from "../../records/model.ts";
import { createEngineService, type EngineService } from "../engineService.ts";
import type { OpenModel } from "../types.ts";
import type { Device } from "../../runtime/device.ts";
import { corrupted } from "../../runtime/testing/corrupt.ts";
import { makeSafetensors } from "../../weights/testing/files.ts";
import { testHost, type TestHost } from "../testing/host.ts";
import { lossyDevice, type LossyDevice } from "../testing/lossyDevice.ts";

const SOURCE = { kind: "hub", repo: "someone/tiny", revision: "main" } as const;
const WEIGHTS = "model.safetensors";

let server: HubServer;
let service: EngineService | undefined;
beforeEach(async () => {
  const config = randomConfig("Qwen3ForCausalLM");
  server = await hubServer(
    SOURCE.repo,
    new Map([
      ["config.json", new TextEncoder().encode(JSON.stringify(config))],
      ["tokenizer.json", new Uint8Array(readFileSync(`${BUNDLED}/tokenizer.json`))],
      [WEIGHTS, makeSafetensors(randomWeights(config))],
    ]),
  );
});
afterEach(async () => {
  await service?.close(null);
  await server.close();
});

/** A machine whose GPU is `asGpu` of the processor. */
function start(asGpu: (device: Device) => Device): { host: TestHost; service: EngineService } {
  const host = testHost({
    gpu: true,
    hub: createHub({ cache: memoryCache(), fetch: server.fetch, retryMs: 1 }),
    wrap: (device, backend) =>
      // As a GPU holds them: what is small is expanded on the processor alone.
      backend === "webgpu" ? asGpu({ ...device, weightsAs: "inputs" }) : device,
  });
  return { host, service: (service = createEngineService(host)) };
}

async function opening(own: EngineService, argument: Omit<OpenModel, "source">) {
  const stages: LoadProgress["stage"][] = [];
  const onProgress = ({ stage }: LoadProgress) => void (stages.at(-1) === stage || stages.push(stage));
  return { ready: await own.open({ ...argument, source: SOURCE }, { onProgress }), stages };
}

const fetched = (): string[] => server.requests.map(({ name }) => name);

/** Right in float32, wrong with levels. */
const wrongInLevels = (device: Device): Device => {
  const spoilt = corrupted(device, "lens", "logits", (x) => -x);
  return {
    ...device,
    createSession: (onnx, options) =>
      (Object.keys(options.weights).some((name) => name.endsWith("/scales")) ? spoilt : device).createSession(
        onnx,
        options,
      ),
  };
};
const withoutHalves = (device: Device): Device => ({
  ...device,
  backend: "webgpu",
  capabilities: { ...device.capabilities, backend: "webgpu", f16: false, description: "a GPU of a test" },
});

for (const [what, asGpu, precision, message] of [
  [
    "is wrong in the model's precision alone",
    wrongInLevels,
    "q8",
    /wrong results in q8 on webgpu \(wrong: .*so the model is not used there\. Choose another precision/,
  ],
  [
    "has no float16",
    withoutHalves,
    "f16",
    /^engine: f16 is asked for, and webgpu has no float16 here \(a GPU of a test\); choose q8 or f32$/,
  ],
] as const)
  it(`a GPU that ${what} is refused before the download; auto goes on with wasm and says why`, async () => {
    const { host, service } = start(asGpu);
    await expect(opening(service, { backend: "webgpu", precision })).rejects.toThrow(message);
    expect(fetched()).toEqual(["config.json"]);
    expect(host.devices.map(({ device }) => device.ledger.total)).toEqual([0]);

    const { ready, stages } = await opening(service, { backend: "auto", precision });
    expect(stages).toEqual(["self-test", "download", "weights"]);
    expect(ready.device.webgpuMissing?.reason).toMatch(message);
    expect(ready.device.selfTest.verdict).toBe("pass");
    expect(ready.identity.precision).toBe(precision);
    expect(host.devices.map(({ backend }) => backend)).toEqual(["webgpu", "webgpu", "wasm"]);

    // In a precision that it has and computes rightly the same GPU is taken.
    const { device } = (await opening(service, { backend: "auto", precision: "f32" })).ready;
    expect([device.webgpuMissing, device.selfTest.verdict]).toEqual([null, "pass"]);
  });

it("the card says what the test found in both precisions", async () => {
  const { service } = start((device) => device);
  const { ready } = await opening(service, { backend: "webgpu", precision: "q8" });
  expect(ready.device.selfTest.summary).toMatch(/^pass: .* of 13 checks; in q8 pass: .* of 13 checks$/);
});

it("a GPU that is lost during the download is opened and tested again behind it", async () => {
  const gpus: LossyDevice[] = [];
  const { host, service } = start((device) => {
    const gpu = lossyDevice(device);
    gpus.push(gpu);
    return gpu;
  });
  const send = server.fetch;
  host.hub.download = createHub({
    cache: memoryCache(),
    fetch: async (...request) => {
      if (String(request[0]).endsWith(WEIGHTS)) gpus[0]!.lose();
      return send(...request);
    },
  }).download;
  const { ready, stages } = await opening(service, { backend: "webgpu" });
  expect(ready.device.selfTest.verdict).toBe("pass");
  expect(stages).toEqual(["self-test", "download", "self-test", "weights"]);
  expect(gpus).toHaveLength(2);
});

it("a download that is cancelled gives the device back", async () => {
  const { host, service } = start((device) => device);
  const stop = new AbortController();
  const onProgress = ({ stage }: LoadProgress) => void (stage === "download" && stop.abort());
  await expect(
    service.open({ source: SOURCE, backend: "webgpu" }, { onProgress, signal: stop.signal }),
  ).rejects.toThrow("cancelled");
  const [{ device }] = host.devices as [TestHost["devices"][number]];
  expect(() => device.upload(new Float32Array(1), "float32", [1], "activation")).toThrow("was disposed");
  expect(await service.ledger(null)).toBeNull();
});

it("a lost GPU is tried again where its process needs time to come back, before wasm is taken", async () => {
  const devices: LossyDevice[] = [];
  const { host, service: own } = start((device) => {
    devices.push(lossyDevice(device));
    return devices.at(-1)!;
  });
  const events: string[] = [];
  void own.events(null, { onProgress: ({ kind }) => void events.push(kind) });
  await opening(own, { backend: "auto" });
  const openDevice = host.openDevice.bind(host);
  const asked: string[] = [];
  host.openDevice = (backend) => {
    asked.push(backend);
    return asked.length < 3 ? Promise.reject(new Error("no adapter")) : openDevice(backend);
  };
  devices[0]!.lose();
  await expect.poll(() => events).toEqual(["lost", "reloading", "ready"]);
  expect(asked).toEqual(["webgpu", "webgpu", "webgpu"]);
});
