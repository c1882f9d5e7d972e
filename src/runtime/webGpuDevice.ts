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
  const log = await startOrt(ort, gpu);
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
    create: (onnx, options) => createSession(ort, gpu, log, onnx, options),
    check: () => faults.check(),
    lost: gpu.lost.then(({ reason, message }) => ({ reason, message })),
    end: () => gpu.destroy(),
  });
}

async function createSession(
  ort: OrtWeb,
  gpu: GPUDevice,
  log: OrtLog,
  onnx: Uint8Array,
  { keepOnDevice = [] }: SessionOptions,
): Promise<Ort.InferenceSession> {
  const wanted = { ...allOnGpu(webGpuProvider(gpu), keepOnDevice), logSeverityLevel: LOG_ERRORS } as const;
  let session: Ort.InferenceSession;
  try {
    session = await ort.InferenceSession.create(onnx, wanted);
  } catch (error) {
    if (!String(error).includes("assigned to the default CPU EP")) throw error;
    throw new Error(await nodesOnCpu(ort, log, onnx, wanted), { cause: error });
  }
  const unknown = keepOnDevice.filter((name) => !session.outputNames.includes(name));
  if (unknown.length === 0) return session;
  await session.release();
  throw new Error(
    `keepOnDevice names ${unknown.join(", ")}; the outputs are ${session.outputNames.join(", ")}`,
  );
}

/** Starts onnxruntime's wasm by creating a session from invalid bytes, which fails only when they are parsed. */
function startOrt(ort: OrtWeb, gpu: GPUDevice): Promise<OrtLog> {
  const start = (): Promise<unknown> =>
    ort.InferenceSession.create(new Uint8Array(1), {
      executionProviders: [webGpuProvider(gpu)],
      logSeverityLevel: LOG_FATAL,
    }).catch((error: unknown) => {
      if (!/protobuf|ModelProto/i.test(String(error))) throw error;
    });
  started ??= tapLog(() => runExclusive("start", start)).catch((error: unknown) => {
    started = undefined;
    throw error;
  });
  return started;
}
let started: Promise<OrtLog> | undefined;

const webGpuProvider = (device: GPUDevice): Ort.InferenceSession.WebGpuExecutionProviderOption => ({
  name: "webgpu",
  device,
});

const LOG_ERRORS = 3;
const LOG_FATAL = 4;

type Listener = (line: string) => void;

interface OrtLog {
  listen<T>(to: Listener, during: () => Promise<T>): Promise<T>;
}

/** onnxruntime-web logs through the `console.error` that it found when it started, so `start` runs with a stand-in. */
export async function tapLog(start: () => Promise<unknown>): Promise<OrtLog> {
  let listener: Listener | undefined;
  const original = console.error;
  console.error = (...parts: unknown[]) => {
    if (listener) listener(parts.map(String).join(" "));
    else original.apply(console, parts);
  };
  try {
    await start();
  } finally {
    console.error = original;
  }
  return {
    async listen(to, during) {
      listener = to;
      try {
        return await during();
      } finally {
        listener = undefined;
      }
    },
  };
}

async function nodesOnCpu(
  ort: Pick<typeof Ort, "InferenceSession">,
  log: OrtLog,
  onnx: Uint8Array,
  options: Ort.InferenceSession.SessionOptions,
): Promise<string> {
  const lines: string[] = [];
  const verbose = { ...options, extra: {}, logSeverityLevel: LOG_VERBOSE } as const;
  await log.listen(
    (line) => lines.push(line),
    async () => {
      try {
        const session = await ort.InferenceSession.create(onnx, verbose);
        await session.release();
      } catch (error) {
        lines.push(String(error));
      }
    },
  );
  return describePlacement(lines);
}

export function describePlacement(lines: readonly string[]): string {
  const nodes = new Set<string>();
  let onCpu = false;
  for (const line of lines.flatMap((text) => text.split("\n"))) {
    if (line.includes("placed on [")) onCpu = line.includes("[CPUExecutionProvider]");
    const node = /(?:^|\] )\s*(\w+ \([^()]+\))\s*$/.exec(line);
    if (onCpu && node) nodes.add(node[1] ?? "");
  }
  const list = nodes.size > 0 ? [...nodes].join(", ") : "unknown ones";
  return `some nodes would run on the CPU, which is refused: ${list}`;
}

const LOG_VERBOSE = 0;
