import { expect, it } from "vitest";
import { WebGpuUnavailable, openGpu, type GpuScope } from "./gpu.ts";

const gpu = (adapter: unknown) => ({ requestAdapter: () => Promise.resolve(adapter) }) as unknown as GPU;
const broken = { features: new Set(), limits: {}, requestDevice: () => Promise.reject(new Error("driver")) };

const SCOPES: readonly [WebGpuUnavailable["reason"], GpuScope, RegExp][] = [
  ["insecure context", { isSecureContext: false, navigator: { gpu: gpu(null) } }, /https or from localhost/],
  ["no navigator.gpu", { isSecureContext: true, navigator: {} }, /Use a browser with WebGPU/],
  ["no adapter", { isSecureContext: true, navigator: { gpu: gpu(null) } }, /graphics driver.*wasm/],
  ["no device", { isSecureContext: true, navigator: { gpu: gpu(broken) } }, /graphics driver.*wasm/],
];

for (const [reason, scope, next] of SCOPES)
  it(`says ${reason}, and the next step`, async () => {
    const error = await openGpu(scope).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(WebGpuUnavailable);
    expect((error as WebGpuUnavailable).reason).toBe(reason);
    expect((error as WebGpuUnavailable).next).toMatch(next);
  });

it("asks a second time for an adapter", async () => {
  const answers = [null, { ...broken, requestDevice: () => Promise.resolve("device") }];
  const late = { requestAdapter: () => Promise.resolve(answers.shift()) } as unknown as GPU;
  expect(await openGpu({ navigator: { gpu: late } })).toBe("device");
  expect(answers).toEqual([]);
});
