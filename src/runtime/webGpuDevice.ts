/** @file The WebGPU device: weights and caches are GPUBuffers that every session shares. */
import type * as Ort from "onnxruntime-common";
import { assert } from "../lib/assert.ts";
import { gpuCapabilities } from "./capabilities.ts";
import type { Device, DeviceLost, DeviceTensor, Purpose, SessionOptions, TensorType } from "./device.ts";
import { DeviceLostError } from "./errors.ts";
import { openGpu } from "./gpu.ts";
import { bufferBytes, gpuTensor, type GpuTensor } from "./gpuTensor.ts";
import { hostTensor } from "./hostTensor.ts";
import { createLedger } from "./ledger.ts";
import { openSession, sessionRegister, type SessionHost } from "./ortSession.ts";
import { nodesOnCpu, tapLog, type OrtLog } from "./placement.ts";
import { asTensorData, byteCount, checkData, checkView, isTensorType } from "./tensorTypes.ts";
import { createTurnQueue, inTurn } from "./turns.ts";

/** The part of onnxruntime-web/webgpu that is used. */
export type OrtWeb = Pick<typeof Ort, "InferenceSession" | "Tensor" | "env">;

/** Opens WebGPU, or takes over `given`; throws WebGpuUnavailable when there is none. */
export async function createWebGpuDevice(ort: OrtWeb, given?: GPUDevice): Promise<Device> {
  const gpu = given ?? (await openGpu());
  const runtime = `onnxruntime-web ${ort.env.versions.web ?? "?"} webgpu`;
  const capabilities = gpuCapabilities(gpu.adapterInfo, gpu.features, gpu.limits, runtime);
  const log = await startOrt(ort, gpu);
  const queue = createTurnQueue();
  const ledger = createLedger();
  const live = new Map<DeviceTensor, Ort.Tensor>();
  const faults = watchFaults(gpu);
  let disposed = false;

  const lost = new Promise<DeviceLost>((resolve) => {
    void gpu.lost.then(({ reason, message }) => {
      if (disposed) return;
      const loss: DeviceLost = { reason, message };
      queue.close(new DeviceLostError(loss));
      resolve(loss);
    });
  });

  function allocate(type: TensorType, dims: readonly number[], purpose: Purpose): GpuTensor {
    assert(!disposed, () => "runtime: the device was disposed");
    const label = `palimpsest/${purpose}/${type}[${dims.join(",")}]`;
    const size = bufferBytes(byteCount(type, dims, label));
    const limit = gpu.limits.maxBufferSize;
    assert(
      size <= limit,
      () => `webgpu: ${label} needs ${String(size)} bytes; one buffer holds ${String(limit)}`,
    );
    // COPY_SRC, so that every tensor can be read.
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
    const buffer = faults.allocation(label, () => gpu.createBuffer({ label, size, usage }));
    const free = ledger.hold(purpose, size);
    const tensor = gpuTensor(gpu, buffer, type, dims, () => {
      live.delete(tensor);
      buffer.destroy();
      free();
    });
    live.set(tensor, ort.Tensor.fromGpuBuffer(buffer, { dataType: type, dims }));
    return tensor;
  }

  /** An output that stays on the GPU: onnxruntime owns the buffer and gets it back on the queue, between runs. */
  function adopt(output: Ort.Tensor, type: TensorType): GpuTensor {
    const free = ledger.hold("activation", bufferBytes(byteCount(type, output.dims, "output")));
    const tensor = gpuTensor(gpu, output.gpuBuffer as GPUBuffer, type, output.dims, () => {
      live.delete(tensor);
      free();
      queue.run("dispose", () => output.dispose()).catch(() => undefined);
    });
    live.set(tensor, output);
    return tensor;
  }

  function readBack(output: Ort.Tensor, type: TensorType): DeviceTensor {
    const data = asTensorData(type, output.data as ArrayBufferView);
    const free = ledger.hold("activation", data.byteLength);
    const tensor = hostTensor(data, type, output.dims, () => {
      live.delete(tensor);
      free();
    });
    live.set(tensor, output);
    return tensor;
  }

  function sessionOptions({ keepOnDevice = [] }: SessionOptions): Ort.InferenceSession.SessionOptions {
    return {
      executionProviders: [webGpuProvider(gpu)],
      preferredOutputLocation: Object.fromEntries(keepOnDevice.map((name) => [name, "gpu-buffer" as const])),
      // A node on the CPU would download its inputs at every run, weights included (docs/runtime.md, 2).
      extra: { session: { disable_cpu_ep_fallback: "1" } },
      logSeverityLevel: LOG_ERRORS,
    };
  }

  async function create(onnx: Uint8Array, options: SessionOptions): Promise<Ort.InferenceSession> {
    const wanted = sessionOptions(options);
    let session: Ort.InferenceSession;
    try {
      session = await ort.InferenceSession.create(onnx, wanted);
    } catch (error) {
      if (!String(error).includes("assigned to the default CPU EP")) throw error;
      throw new Error(await nodesOnCpu(ort, log, onnx, wanted), { cause: error });
    }
    const unknown = (options.keepOnDevice ?? []).filter((name) => !session.outputNames.includes(name));
    if (unknown.length === 0) return session;
    await session.release();
    throw new Error(
      `keepOnDevice names ${unknown.join(", ")}; the outputs are ${session.outputNames.join(", ")}`,
    );
  }

  const host: SessionHost = {
    queue,
    ledger,
    weightsAs: "inputs",
    create,
    toOrt(tensor, what) {
      const found = live.get(tensor);
      assert(found, () => `${what}: the tensor was disposed or belongs to another device`);
      return found;
    },
    fromOrt(output, what) {
      const { type } = output;
      assert(isTensorType(type), () => `${what} is ${type}, which the runtime does not carry`);
      return output.location === "gpu-buffer" ? adopt(output, type) : readBack(output, type);
    },
    check: faults.check,
  };
  const sessions = sessionRegister();

  return {
    backend: "webgpu",
    capabilities,
    weightsAs: "inputs",
    ledger,
    upload(data, type, dims, purpose) {
      checkData(data, type, dims, "upload");
      const tensor = allocate(type, dims, purpose);
      tensor.write(0, new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength));
      return tensor;
    },
    allocate,
    view(tensor, dims) {
      const { type, bytes } = tensor;
      checkView(type, bytes, dims);
      const buffer = host.toOrt(tensor, "view").gpuBuffer as GPUBuffer;
      const seen = gpuTensor(gpu, buffer, type, dims, () => live.delete(seen));
      live.set(seen, ort.Tensor.fromGpuBuffer(buffer, { dataType: type, dims }));
      return seen;
    },
    createSession: async (onnx, options) => sessions.add(await openSession(host, onnx, options)),
    lost,
    async dispose() {
      if (disposed) return;
      await sessions.releaseAll().catch(() => undefined);
      for (const tensor of [...live.keys()]) tensor.dispose();
      await queue.run("dispose", () => undefined).catch(() => undefined);
      disposed = true;
      queue.close(new Error("runtime: the device was disposed"));
      gpu.destroy();
    },
  };
}

/**
 * Starts onnxruntime's wasm, once for all devices of this worker, by creating a session whose bytes are no model:
 * that fails, and all that comes before the reading of the bytes is done.
 */
function startOrt(ort: OrtWeb, gpu: GPUDevice): Promise<OrtLog> {
  const start = (): Promise<unknown> =>
    ort.InferenceSession.create(new Uint8Array(1), {
      executionProviders: [webGpuProvider(gpu)],
      logSeverityLevel: LOG_FATAL,
    }).catch((error: unknown) => {
      if (!/protobuf|ModelProto/i.test(String(error))) throw error;
    });
  started ??= tapLog(() => inTurn("start", start)).catch((error: unknown) => {
    started = undefined;
    throw error;
  });
  return started;
}
let started: Promise<OrtLog> | undefined;

function webGpuProvider(device: GPUDevice): Ort.InferenceSession.WebGpuExecutionProviderOption {
  return { name: "webgpu", device };
}

/**
 * WebGPU reports a failed allocation or an invalid command later, and outside any promise. What came in is thrown
 * by the next check, so that a run on broken buffers is not taken for a result.
 */
function watchFaults(gpu: GPUDevice) {
  let found: string[] = [];
  let pending: Promise<void>[] = [];
  gpu.addEventListener("uncapturederror", (event) => {
    found.push(event.error.message);
    event.preventDefault();
  });
  return {
    allocation(label: string, make: () => GPUBuffer): GPUBuffer {
      gpu.pushErrorScope("out-of-memory");
      const buffer = make();
      pending.push(
        gpu.popErrorScope().then(
          (error) => {
            if (error) found.push(`out of memory: ${label} (${error.message})`);
          },
          () => undefined, // the device is lost, which is told elsewhere
        ),
      );
      return buffer;
    },
    async check(): Promise<void> {
      await Promise.all(pending);
      pending = [];
      if (found.length === 0) return;
      const message = `webgpu reported: ${found.join("; ")}`;
      found = [];
      throw new Error(message);
    },
  };
}

const LOG_ERRORS = 3;
const LOG_FATAL = 4;
