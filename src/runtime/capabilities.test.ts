import { expect, it } from "vitest";
import { gpuCapabilities, surveyBrowser, wasmThreads } from "./capabilities.ts";

const adapter = {
  info: { vendor: "google", architecture: "swiftshader", device: "", description: "SwiftShader" },
  features: new Set(["shader-f16"]),
  limits: { maxBufferSize: 2 ** 30, maxBindGroups: 4 },
};
const gpu = { requestAdapter: () => Promise.resolve(adapter) } as unknown as GPU;

it("describes the adapter and the processor", async () => {
  const scope = {
    isSecureContext: true,
    crossOriginIsolated: true,
    navigator: { gpu, hardwareConcurrency: 8 },
  };
  const { webgpu, webgpuMissing, wasm } = await surveyBrowser(scope);
  expect(webgpuMissing).toBeUndefined();
  expect(webgpu).toMatchObject({
    backend: "webgpu",
    description: "google swiftshader SwiftShader",
    f16: true,
  });
  expect(webgpu!.limits["maxBufferSize"]).toBe(2 ** 30);
  expect(webgpu!.limits).not.toHaveProperty("maxBindGroups");
  expect(wasm).toMatchObject({
    backend: "wasm",
    threads: 4,
    limits: { memory: 2 ** 32, crossOriginIsolated: 1 },
  });
});

it("says why there is no WebGPU, and still describes wasm", async () => {
  const { webgpu, webgpuMissing, wasm } = await surveyBrowser({ navigator: { hardwareConcurrency: 2 } });
  expect(webgpu).toBeUndefined();
  expect(webgpuMissing?.reason).toBe("no navigator.gpu");
  expect(webgpuMissing?.next).toContain("or the wasm backend");
  expect(wasm.threads).toBe(1);
});

it("describes a device that says nothing about itself", () => {
  const features = new Set() as unknown as GPUSupportedFeatures;
  const found = gpuCapabilities(undefined, features, {} as GPUSupportedLimits, "ort");
  expect(found).toMatchObject({ description: "unnamed adapter", f16: false });
});

it("uses threads only where they can share memory, and at most four", () => {
  const threads = (crossOriginIsolated: boolean, hardwareConcurrency: number) =>
    wasmThreads({ crossOriginIsolated, navigator: { hardwareConcurrency } });
  expect([threads(false, 8), threads(true, 2), threads(true, 16)]).toEqual([1, 2, 4]);
});
