/**
 * @file The devices of a browser, usable in a dedicated module worker: onnxruntime-web's native WebGPU build and its
 * plain wasm build. Each is fetched when it is first asked for. Never the default import, which is the old WebGPU
 * implementation with known wrong results (docs/runtime.md, 1).
 */
import type { Env } from "onnxruntime-common";
import { wasmCapabilities, wasmThreads } from "./capabilities.ts";
import type { Device } from "./device.ts";
import { createHostDevice } from "./hostDevice.ts";
import { createWebGpuDevice } from "./webGpuDevice.ts";

export interface WebDeviceOptions {
  readonly backend: "webgpu" | "wasm";
  /** Where our own origin serves onnxruntime's wasm files: a folder ending in "/", or the .wasm file itself. */
  readonly wasmPaths: NonNullable<Env.WebAssemblyFlags["wasmPaths"]>;
  /** Wasm only; default: all cores up to 4 where the page is cross-origin isolated, else 1. */
  readonly threads?: number;
  /** WebGPU only: a device to use instead of one opened here. It is destroyed by `dispose`. */
  readonly gpu?: GPUDevice;
}

/** Opens a device in a page or worker. */
export async function createWebDevice(options: WebDeviceOptions): Promise<Device> {
  if (options.backend === "webgpu") {
    const ort = await import("onnxruntime-web/webgpu");
    configure(ort.env, options.wasmPaths, 1);
    return createWebGpuDevice(ort, options.gpu);
  }
  const ort = await import("onnxruntime-web/wasm");
  // onnxruntime reads this once, when it starts: a later device gets the threads of the first.
  started ??= options.threads ?? wasmThreads();
  configure(ort.env, options.wasmPaths, started);
  return createHostDevice({
    capabilities: wasmCapabilities(`onnxruntime-web ${ort.env.versions.web ?? "?"} wasm`, started),
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

let started: number | undefined;

function configure(env: Env, wasmPaths: WebDeviceOptions["wasmPaths"], threads: number): void {
  env.wasm.wasmPaths = wasmPaths;
  env.wasm.numThreads = threads;
}

const LOG_ERRORS = 3;
