/**
 * @file The devices of a browser, usable in a dedicated module worker: onnxruntime-web's native WebGPU build and its
 * plain wasm build. Each is fetched when it is first asked for. Never the default import, which is the old WebGPU
 * implementation with known wrong results (ORT.md §1.1).
 */
import type { Env } from "onnxruntime-common";
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
  const threads = options.threads ?? defaultThreads();
  configure(ort.env, options.wasmPaths, threads);
  return createHostDevice({
    capabilities: {
      backend: "wasm",
      description: `${String(navigator.hardwareConcurrency)} cores, ${String(threads)} threads`,
      f16: true,
      threads,
      limits: { memory: WASM_HEAP_BYTES, crossOriginIsolated: Number(crossOriginIsolated) },
      runtime: `onnxruntime-web ${ort.env.versions.web ?? "?"} wasm`,
    },
    // Every fed tensor is copied into the wasm heap at every run: 6 MB cost 2 ms (DESIGN.md §3).
    weightsAs: "initializers",
    Tensor: ort.Tensor,
    create: (onnx) =>
      ort.InferenceSession.create(onnx, { executionProviders: ["wasm"], logSeverityLevel: LOG_ERRORS }),
  });
}

/** Threads can share memory only where the page is cross-origin isolated. */
export function defaultThreads(): number {
  return crossOriginIsolated ? Math.min(4, navigator.hardwareConcurrency) : 1;
}

function configure(env: Env, wasmPaths: WebDeviceOptions["wasmPaths"], threads: number): void {
  env.wasm.wasmPaths = wasmPaths;
  env.wasm.numThreads = threads;
}

/** A wasm32 memory ends here (ORT.md §1.6). */
const WASM_HEAP_BYTES = 4 * 1024 ** 3;

const LOG_ERRORS = 3;
