/** @file Finds the adapter and opens a GPUDevice with everything it offers, or reports why there is none. */

export class WebGpuUnavailable extends Error {
  override name = "WebGpuUnavailable";

  constructor(
    readonly reason: "insecure context" | "no navigator.gpu" | "no adapter" | "no device",
    readonly next: string,
    options?: ErrorOptions,
  ) {
    super(`webgpu: unavailable (${reason}). ${next}`, options);
  }
}

export interface GpuScope {
  readonly isSecureContext?: boolean;
  readonly navigator?: { readonly gpu?: GPU };
}

const ASK_AGAIN_MS = 300;
const ADAPTER_NEXT =
  "Check chrome://gpu (or about:support) for a blocked driver, update the browser and the graphics driver, or use the wasm backend.";

export async function findAdapter(scope: GpuScope = globalThis): Promise<GPUAdapter> {
  if (scope.isSecureContext === false)
    throw new WebGpuUnavailable("insecure context", "Open the page over https or from localhost.");
  const gpu = scope.navigator?.gpu;
  if (!gpu)
    throw new WebGpuUnavailable(
      "no navigator.gpu",
      "Use a browser with WebGPU (Chrome or Edge 113, Safari 26, Firefox 141 or newer), or the wasm backend.",
    );
  // To the first request Chromium may answer with none while its GPU process starts (150 on Linux, NVIDIA H200).
  const ask = (): Promise<GPUAdapter | null> => gpu.requestAdapter({ powerPreference: "high-performance" });
  let adapter = await ask();
  if (!adapter) {
    await new Promise((done) => setTimeout(done, ASK_AGAIN_MS));
    adapter = await ask();
  }
  if (!adapter) throw new WebGpuUnavailable("no adapter", ADAPTER_NEXT);
  return adapter;
}

export async function openGpu(scope: GpuScope = globalThis): Promise<GPUDevice> {
  const adapter = await findAdapter(scope);
  try {
    return await adapter.requestDevice({
      label: "palimpsest",
      requiredFeatures: FEATURES.filter((name) => adapter.features.has(name)),
      requiredLimits: relevantLimits(adapter.limits),
    });
  } catch (cause) {
    throw new WebGpuUnavailable("no device", ADAPTER_NEXT, { cause });
  }
}

export const relevantLimits = (limits: GPUSupportedLimits): Record<string, number> =>
  Object.fromEntries(LIMITS.map((name) => [name, limits[name]]));

const FEATURES = ["shader-f16", "subgroups", "subgroup-size-control", "timestamp-query"] as GPUFeatureName[];

/** The limits that onnxruntime's kernels and our buffers run into (docs/runtime.md, 3); the rest stay at their defaults. */
const LIMITS = [
  "maxBufferSize",
  "maxStorageBufferBindingSize",
  "maxStorageBuffersPerShaderStage",
  "maxComputeWorkgroupStorageSize",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupSizeY",
  "maxComputeWorkgroupSizeZ",
  "maxComputeWorkgroupsPerDimension",
] as const satisfies readonly (keyof GPUSupportedLimits)[];
