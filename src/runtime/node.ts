/** @file The device in Node: onnxruntime-node on the CPU. */
import { availableParallelism, cpus, totalmem } from "node:os";
import * as ort from "onnxruntime-node";
import { assert } from "../lib/assert.ts";
import type { Capabilities, Device, Purpose, TensorData, TensorType } from "./device.ts";
import { hostTensor, type HostTensor } from "./hostTensor.ts";
import { createLedger } from "./ledger.ts";
import { openSession, type SessionHost } from "./ortSession.ts";
import { createQueue } from "./queue.ts";
import { asTensorData, byteCount, checkData, isTensorType, viewAs } from "./tensorTypes.ts";

export interface NodeDeviceOptions {
  readonly backend: "cpu" | "webgpu";
  /** Threads inside one operator; default: all cores this process may use. */
  readonly threads?: number;
  /** See CPU_WEIGHTS_AS; "inputs" keeps one copy of a big model that several sessions share. */
  readonly weightsAs?: Device["weightsAs"];
}

/**
 * Measured with a chain of 100 MatMul (or Gemm transB) with 256×256 f32 weights, 25 MB in all, 2 threads,
 * median ms per run as inputs | as initializers: 1 row 0.88 | 0.45, 8 rows 1.81 | 0.74, 64 rows 3.5 | 2.9,
 * 256 rows 10.6 | 8.8. Feeding costs nothing to speak of (Node passes pointers); the gain is that onnxruntime
 * repacks constant weights once, at creation (30-250 ms here instead of 5).
 */
const CPU_WEIGHTS_AS: Device["weightsAs"] = "initializers";

/** Opens the CPU in Node. */
export function createNodeDevice(options: NodeDeviceOptions): Promise<Device> {
  return Promise.resolve().then(() => {
    assert(options.backend === "cpu", () => "runtime: webgpu in Node is not written yet; use backend cpu");
    return createCpuDevice(options);
  });
}

function createCpuDevice({
  threads = availableParallelism(),
  weightsAs = CPU_WEIGHTS_AS,
}: NodeDeviceOptions): Device {
  const queue = createQueue();
  const ledger = createLedger();
  const live = new Map<unknown, ort.Tensor>();
  const open = new Set<() => Promise<void>>();

  function own(data: TensorData, type: TensorType, dims: readonly number[], purpose: Purpose): HostTensor {
    const free = ledger.hold(purpose, data.byteLength);
    const tensor = hostTensor(data, type, dims, () => {
      free();
      live.delete(tensor);
    });
    // float16 bits: onnxruntime's types know only Float16Array, its code takes Uint16Array as well.
    live.set(tensor, new ort.Tensor(type as "float32", data as Float32Array, dims));
    return tensor;
  }

  const host: SessionHost = {
    queue,
    ledger,
    weightsAs,
    create: (onnx) =>
      ort.InferenceSession.create(onnx, {
        executionProviders: ["cpu"],
        intraOpNumThreads: threads,
        graphOptimizationLevel: "all",
      }),
    toOrt(tensor, what) {
      const found = live.get(tensor);
      assert(found, () => `${what}: the tensor was disposed or belongs to another device`);
      return found;
    },
    fromOrt(tensor, what) {
      const { type } = tensor;
      assert(isTensorType(type), () => `${what} is ${type}, which the runtime does not carry`);
      return own(asTensorData(type, tensor.data as ArrayBufferView), type, tensor.dims, "activation");
    },
  };

  return {
    backend: "cpu",
    capabilities: cpuCapabilities(threads),
    weightsAs,
    ledger,
    upload(data, type, dims, purpose) {
      checkData(data, type, dims, "upload");
      return own(data.slice(), type, dims, purpose);
    },
    allocate(type, dims, purpose) {
      return own(viewAs(type, new ArrayBuffer(byteCount(type, dims, "allocation"))), type, dims, purpose);
    },
    async createSession(onnx, sessionOptions) {
      const session = await openSession(host, onnx, sessionOptions);
      const release = async (): Promise<void> => {
        open.delete(release);
        await session.release();
      };
      open.add(release);
      return { ...session, release };
    },
    lost: new Promise(() => undefined),
    async dispose() {
      await Promise.all([...open].map((release) => release()));
      for (const tensor of live.keys()) (tensor as HostTensor).dispose();
      queue.close(new Error("runtime: the device was disposed"));
    },
  };
}

function cpuCapabilities(threads: number): Capabilities {
  return {
    backend: "cpu",
    description: `${cpus()[0]?.model.trim() ?? "unknown processor"}, ${String(threads)} threads`,
    f16: true,
    threads,
    limits: { hostMemory: totalmem() },
    runtime: `onnxruntime-node ${ort.env.versions.node ?? "?"}`,
  };
}
