/** @file The device of Node: onnxruntime-node on the CPU. Its WebGPU, which only commands use, is in tools/node. */
import { many } from "../../src/lib/format.ts";
import { availableParallelism, cpus, totalmem } from "node:os";
import * as ort from "onnxruntime-node";
import type { Capabilities, Device } from "../../src/runtime/device.ts";
import { createHostDevice } from "../../src/runtime/hostDevice.ts";

export interface NodeDeviceOptions {
  readonly backend: "cpu";
  /** Threads inside one operator; default: all cores this process may use. */
  readonly threads?: number;
  /** See CPU_WEIGHTS_AS; "inputs" keeps one copy of a big model that several sessions share. */
  readonly weightsAs?: Device["weightsAs"];
  /** Whether threads spin while they wait within a run: faster if nothing else runs, wasteful otherwise. Default: true. */
  readonly spin?: boolean;
}

/**
 * Measured with a chain of 100 MatMul (or Gemm transB) with 256×256 f32 weights, 25 MB in all, 2 threads,
 * median ms per run as inputs | as initializers: 1 row 0.88 | 0.45, 8 rows 1.81 | 0.74, 64 rows 3.5 | 2.9,
 * 256 rows 10.6 | 8.8. Feeding costs nothing to speak of (Node passes pointers); the gain is that onnxruntime
 * repacks constant weights once, at creation (30-250 ms here instead of 5).
 */
const CPU_WEIGHTS_AS: Device["weightsAs"] = "initializers";

export async function createNodeDevice({
  threads = availableParallelism(),
  weightsAs = CPU_WEIGHTS_AS,
  spin = true,
}: NodeDeviceOptions): Promise<Device> {
  return createHostDevice({
    capabilities: cpuCapabilities(threads),
    weightsAs,
    Tensor: ort.Tensor,
    create: (onnx, { lean = false }) =>
      ort.InferenceSession.create(onnx, {
        executionProviders: ["cpu"],
        intraOpNumThreads: threads,
        graphOptimizationLevel: "all",
        enableCpuMemArena: !lean,
        // Between runs none does: every session has its own threads, and a program that alternates between sessions
        // waited for the core that the last one's threads span on (1,024 parts checked on two cores: 5.0 s, now 2.7 s).
        extra: {
          session: { force_spinning_stop: "1", ...(spin ? {} : { intra_op: { allow_spinning: "0" } }) },
        },
      }),
  });
}

function cpuCapabilities(threads: number): Capabilities {
  return {
    backend: "cpu",
    description: `${cpus()[0]?.model.trim() ?? "unknown processor"}, ${many(threads, "thread")}`,
    f16: true,
    threads,
    limits: { memory: totalmem() },
    runtime: `onnxruntime-node ${ort.env.versions.node ?? "?"}`,
  };
}
