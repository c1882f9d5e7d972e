/** @file What a browser offers, found out before onnxruntime or a model is fetched. */
import { many } from "../lib/format.ts";
import type { Capabilities } from "./device.ts";
import { WebGpuUnavailable, findAdapter, relevantLimits, type GpuScope } from "./gpu.ts";

/** Both backends of a browser; `webgpuMissing` is the reason why there is no `webgpu`, and what to do about it. */
export type Survey = Awaited<ReturnType<typeof surveyBrowser>>;

interface Scope extends GpuScope {
  readonly crossOriginIsolated?: boolean;
  readonly navigator?: GpuScope["navigator"] & { readonly hardwareConcurrency?: number };
}

export async function surveyBrowser(scope: Scope = globalThis) {
  const wasm = wasmCapabilities(NOT_LOADED, wasmThreads(scope), scope);
  try {
    const { info, features, limits } = await findAdapter(scope);
    return { webgpu: gpuCapabilities(info, features, limits, NOT_LOADED), wasm };
  } catch (error) {
    if (!(error instanceof WebGpuUnavailable)) throw error;
    return { webgpuMissing: { reason: error.reason, next: error.next }, wasm };
  }
}

export const surveySummary = ({ webgpu, webgpuMissing, wasm }: Survey) => ({
  webgpu: webgpu?.description ?? null,
  webgpuMissing: webgpuMissing ?? null,
  crossOriginIsolated: wasm.limits["crossOriginIsolated"] === 1,
  threads: wasm.threads,
});

/** An adapter or an open device as capabilities; some browsers give a device no `info`. */
export function gpuCapabilities(
  info: GPUAdapterInfo | undefined,
  features: GPUSupportedFeatures,
  limits: GPUSupportedLimits,
  runtime: string,
): Capabilities {
  const { vendor = "", architecture = "", device = "", description = "" } = info ?? {};
  const parts = [vendor, architecture, device, description].filter((part) => part !== "");
  return {
    backend: "webgpu",
    description: parts.join(" ") || "unnamed adapter",
    f16: features.has("shader-f16"),
    threads: 1,
    limits: relevantLimits(limits),
    runtime,
  };
}

export const wasmCapabilities = (
  runtime: string,
  threads: number,
  scope: Scope = globalThis,
): Capabilities => ({
  backend: "wasm",
  description: `${many(scope.navigator?.hardwareConcurrency ?? 1, "core")}, ${many(threads, "thread")}`,
  f16: true,
  threads,
  limits: { memory: WASM_HEAP_BYTES, crossOriginIsolated: Number(scope.crossOriginIsolated ?? false) },
  runtime,
});

export const wasmThreads = (scope: Scope = globalThis): number =>
  scope.crossOriginIsolated ? Math.min(MOST_THREADS, scope.navigator?.hardwareConcurrency ?? 1) : 1;

/** More gain little in one operator, and leave no core to the page. */
const MOST_THREADS = 4;

/** A wasm32 memory ends here (docs/runtime.md, 3). */
const WASM_HEAP_BYTES = 4 * 1024 ** 3;

const NOT_LOADED = "not loaded";
