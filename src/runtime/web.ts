/**
 * @file The devices of a browser: onnxruntime-web's native WebGPU build and its plain wasm build. The default import is an old
 * build with wrong results (docs/runtime.md, 1).
 */
import type { Env } from "onnxruntime-common";
import { wasmCapabilities, wasmThreads } from "./capabilities.ts";
import type { Device } from "./device.ts";
import { createHostDevice } from "./hostDevice.ts";
import { createDeviceQueue } from "./queue.ts";
import { createWebGpuDevice } from "./webGpuDevice.ts";

export type WasmPaths = NonNullable<Env.WebAssemblyFlags["wasmPaths"]>;

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

function configure(env: Env, wasmPaths: WasmPaths, threads: number): void {
  env.wasm.wasmPaths = wasmPaths;
  env.wasm.numThreads = threads;
}

const LOG_ERRORS = 3;
