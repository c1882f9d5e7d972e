/** @file The devices of the checks. */
import type { Device } from "../../src/runtime/device.ts";
import { openGpu } from "../../src/runtime/gpu.ts";
import { WASM_PATHS } from "../../src/runtime/wasmFiles.ts";
import { createWebDevice } from "../../src/runtime/web.ts";
import type { Backend } from "./test.ts";

/**
 * A new device. All of them lie on one GPU, unless one is given: what takes long in software is compiling kernels, which
 * is done once for each GPU.
 */
export async function openDevice(backend: Backend, gpu?: GPUDevice): Promise<Device> {
  const wasmPaths = WASM_PATHS[backend];
  if (backend === "wasm") return createWebDevice({ backend, wasmPaths });
  return createWebDevice({ backend, wasmPaths, gpu: gpu ?? (await (shared ??= openGpu().then(lasting))) });
}
let shared: Promise<GPUDevice> | undefined;

/** Runs `use` on a new device and disposes it. */
export async function on<T>(
  backend: Backend,
  use: (device: Device) => Promise<T>,
  gpu?: GPUDevice,
): Promise<T> {
  const device = await openDevice(backend, gpu);
  try {
    return await use(device);
  } finally {
    await device.dispose();
  }
}

/** Disposing a device destroys its GPU; this one goes with the worker. */
const lasting = (gpu: GPUDevice): GPUDevice =>
  Object.defineProperty(gpu, "destroy", { value: () => undefined });
