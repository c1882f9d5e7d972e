/**
 * @file The devices of a browser: onnxruntime-web's native WebGPU build and its plain wasm build. The default import is an old
 * build with wrong results (docs/runtime.md, 1).
 */
import type * as Ort from "onnxruntime-common";
import { gpuCapabilities, wasmCapabilities, wasmThreads } from "./capabilities.ts";
import type { Device, SessionOptions } from "./device.ts";
import { openGpu } from "./gpu.ts";
import { createHostDevice } from "./hostDevice.ts";
import { ortDevice } from "./ortDevice.ts";
import { allOnGpu } from "./ortSession.ts";
import { createDeviceQueue, runExclusive } from "./queue.ts";
import { watchFaults, WebGpuTensors, openFixedSession } from "./webGpuTensors.ts";

export type WasmPaths = NonNullable<Ort.Env.WebAssemblyFlags["wasmPaths"]>;

interface WebDeviceOptions {
  readonly backend: "webgpu" | "wasm";
  /** Where our own origin serves onnxruntime's wasm files: a folder ending in "/", or the .wasm file itself. */
  readonly wasmPaths: WasmPaths;
  /** Wasm only; by default all cores up to 4 if the page is cross-origin isolated, otherwise 1. */
  readonly threads?: number;
  /** WebGPU only: a device to use instead of one opened here. It is destroyed by `dispose`. */
  readonly gpu?: GPUDevice;
}

export async function createWebDevice(options: WebDeviceOptions): Promise<Device> {
  const { wasmPaths, threads } = options;
  if (options.backend === "webgpu") return createWebGpuDevice(await webGpuBuild(wasmPaths), options.gpu);
  const ort = await wasmBuild(wasmPaths, threads);
  return createHostDevice({
    capabilities: wasmCapabilities(
      `onnxruntime-web ${ort.env.versions.web ?? "?"} wasm`,
      ort.env.wasm.numThreads ?? 1,
    ),
    queue: createDeviceQueue(),
    // Every fed tensor is copied into the wasm heap at every run: 6 MB cost 2 ms (docs/runtime.md, 3).
    weightsAs: "initializers",
    Tensor: ort.Tensor,
    create: (onnx, { lean = false }) =>
      ort.InferenceSession.create(onnx, {
        executionProviders: ["wasm"],
        enableCpuMemArena: !lean,
        logSeverityLevel: LOG_ERRORS,
      }),
  });
}

export async function webGpuBuild(wasmPaths: WasmPaths) {
  const ort = await import("onnxruntime-web/webgpu");
  configure(ort.env, wasmPaths, 1);
  return ort;
}

export async function wasmBuild(wasmPaths: WasmPaths, threads?: number) {
  const ort = await import("onnxruntime-web/wasm");
  // onnxruntime reads this once, when it starts: a later device gets the threads of the first.
  started ??= threads ?? wasmThreads();
  configure(ort.env, wasmPaths, started);
  return ort;
}

let started: number | undefined;

function configure(env: Ort.Env, wasmPaths: WasmPaths, threads: number): void {
  env.wasm.wasmPaths = wasmPaths;
  env.wasm.numThreads = threads;
}

type OrtWeb = Pick<typeof Ort, "InferenceSession" | "Tensor" | "env">;

/** Opens WebGPU, or takes over `given`; throws WebGpuUnavailable if the browser has no adapter. */
async function createWebGpuDevice(ort: OrtWeb, given?: GPUDevice): Promise<Device> {
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
  begun ??= runExclusive("start", start).catch((error: unknown) => {
    begun = undefined;
    throw error;
  });
  return begun;
}
let begun: Promise<unknown> | undefined;

const webGpuProvider = (device: GPUDevice): Ort.InferenceSession.WebGpuExecutionProviderOption => ({
  name: "webgpu",
  device,
});

const LOG_ERRORS = 3;
const LOG_FATAL = 4;
