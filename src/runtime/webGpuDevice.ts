/** @file The WebGPU device: weights and caches are GPUBuffers that every session shares. */

import type * as Ort from "onnxruntime-common";
import { gpuCapabilities } from "./capabilities.ts";
import type { Device, SessionOptions } from "./device.ts";
import { openGpu } from "./gpu.ts";
import { watchFaults, WebGpuTensors, openFixedSession } from "./webGpuTensors.ts";
import { ortDevice } from "./ortDevice.ts";
import { allOnGpu } from "./ortSession.ts";
import { createDeviceQueue, runExclusive } from "./queue.ts";

type OrtWeb = Pick<typeof Ort, "InferenceSession" | "Tensor" | "env">;

/** Opens WebGPU, or takes over `given`; throws WebGpuUnavailable when there is none. */
export async function createWebGpuDevice(ort: OrtWeb, given?: GPUDevice): Promise<Device> {
  const gpu = given ?? (await openGpu());
  const runtime = `onnxruntime-web ${ort.env.versions.web ?? "?"} webgpu`;
  // Safari 26.0 has none on a device.
  const info = gpu.adapterInfo as GPUAdapterInfo | undefined;
  const capabilities = gpuCapabilities(info, gpu.features, gpu.limits, runtime);
  await startOrt(ort, gpu);
  const queue = createDeviceQueue();
  const faults = watchFaults(gpu);
  const tensors = new WebGpuTensors({ gpu, Tensor: ort.Tensor, queue, faults });
  const recorded = (onnx: Uint8Array) =>
    ort.InferenceSession.create(onnx, {
      ...allOnGpu(webGpuProvider(gpu)),
      preferredOutputLocation: "gpu-buffer",
      enableGraphCapture: true,
      logSeverityLevel: LOG_ERRORS,
    });
  return ortDevice({
    capabilities,
    weightsAs: "inputs",
    loops: false,
    software: info?.isFallbackAdapter ?? false,
    queue,
    tensors,
    createFixedSession: (onnx, options) =>
      openFixedSession({ gpu, queue, faults, tensors, create: () => recorded(onnx) }, options),
    create: (onnx, options) => createSession(ort, gpu, onnx, options),
    check: () => faults.check(),
    lost: gpu.lost.then(({ reason, message }) => ({ reason, message })),
    end: () => gpu.destroy(),
  });
}

async function createSession(
  ort: OrtWeb,
  gpu: GPUDevice,
  onnx: Uint8Array,
  { keepOnDevice = [] }: SessionOptions,
): Promise<Ort.InferenceSession> {
  const wanted = { ...allOnGpu(webGpuProvider(gpu), keepOnDevice), logSeverityLevel: LOG_ERRORS } as const;
  const session = await ort.InferenceSession.create(onnx, wanted);
  const unknown = keepOnDevice.filter((name) => !session.outputNames.includes(name));
  if (unknown.length === 0) return session;
  await session.release();
  throw new Error(
    `keepOnDevice names ${unknown.join(", ")}; the outputs are ${session.outputNames.join(", ")}`,
  );
}

/** Starts onnxruntime's wasm by creating a session from invalid bytes, which fails only when they are parsed. */
function startOrt(ort: OrtWeb, gpu: GPUDevice): Promise<unknown> {
  const start = (): Promise<unknown> =>
    ort.InferenceSession.create(new Uint8Array(1), {
      executionProviders: [webGpuProvider(gpu)],
      logSeverityLevel: LOG_FATAL,
    }).catch((error: unknown) => {
      if (!/protobuf|ModelProto/i.test(String(error))) throw error;
    });
  started ??= runExclusive("start", start).catch((error: unknown) => {
    started = undefined;
    throw error;
  });
  return started;
}
let started: Promise<unknown> | undefined;

const webGpuProvider = (device: GPUDevice): Ort.InferenceSession.WebGpuExecutionProviderOption => ({
  name: "webgpu",
  device,
});

const LOG_ERRORS = 3;
const LOG_FATAL = 4;
