/**
 * @file WebGPU in Node: onnxruntime-node's WebGPU provider (Dawn). Its binding gives no GPUDevice, so a tensor reaches
 * the GPU as the output of an Identity session and comes back through another. Between the two it stays there and
 * every session can share it; bytes travel as int32 and are relabelled. Version 1.30.0 cannot do the following:
 * getData on a GPU tensor (it ends the process), Identity on types other than MOVABLE (those tensors are fed from the
 * host at each run), names and limits of the adapter.
 */
import * as ort from "onnxruntime-node";
import { toOnnx } from "../../src/graph/emit/onnx.ts";
import { GraphBuilder } from "../../src/graph/build.ts";
import type { DType } from "../../src/graph/ir.ts";
import { assert } from "../../src/lib/assert.ts";
import type { Device, DeviceTensor, Purpose, TensorData, WritableTensor } from "../../src/runtime/device.ts";
import { WebGpuUnavailable } from "../../src/runtime/gpu.ts";
import { ortTensor } from "../../src/runtime/hostDevice.ts";
import { createNodeDevice, type NodeDeviceOptions } from "./nodeDevice.ts";
import { createLedger } from "../../src/runtime/ledger.ts";
import { heldFor, ortDevice } from "../../src/runtime/ortDevice.ts";
import { allOnGpu, type OrtTensors } from "../../src/runtime/ortSession.ts";
import { createQueue, type Queue } from "../../src/lib/queue.ts";
import {
  asTensorData,
  byteCount,
  checkData,
  checkView,
  ownedTensor,
  viewAs,
} from "../../src/runtime/tensors.ts";

/** Opens a device in Node: the CPU, or the GPU; throws WebGpuUnavailable when there is no adapter. */
export const openNodeDevice = (
  backend: "cpu" | "webgpu",
  options: Omit<NodeDeviceOptions, "backend"> = {},
): Promise<Device> =>
  backend === "cpu" ? createNodeDevice({ backend, ...options }) : createNodeWebGpuDevice();

/** Opens the GPU in Node; throws WebGpuUnavailable when there is no adapter. */
async function createNodeWebGpuDevice(): Promise<Device> {
  const queue = createQueue();
  const movers = await openMovers();
  return ortDevice({
    capabilities: {
      backend: "webgpu",
      description: "Vulkan, Metal or Direct3D 12 through Dawn (onnxruntime-node does not say which adapter)",
      f16: await movers.hasFloat16(),
      threads: 1,
      limits: {},
      runtime: `onnxruntime-node ${ort.env.versions.node ?? "?"} webgpu`,
    },
    weightsAs: "inputs",
    loops: false,
    queue,
    tensors: new NodeGpuTensors(queue, movers),
    create: (onnx, { keepOnDevice }) =>
      ort.InferenceSession.create(onnx, allOnGpu({ name: "webgpu" }, keepOnDevice)),
    end: () => movers.release().catch(() => undefined),
  });
}

/** The data on the host, on the GPU, or both. */
interface Held {
  data?: TensorData;
  gpu?: ort.Tensor;
}

/** The value that sessions are fed for a tensor. */
interface Fed {
  /** Moves the data to the GPU where that is possible and has not happened; call it on the queue. */
  toGpu(): Promise<void>;
  /** The input of a session for one run. */
  current(): ort.Tensor;
}

class NodeGpuTensors implements OrtTensors {
  readonly ledger = createLedger();
  readonly live = new Map<DeviceTensor, Fed>();
  readonly #queue: Queue;
  readonly #movers: Movers;

  constructor(queue: Queue, movers: Movers) {
    this.#queue = queue;
    this.#movers = movers;
  }

  upload(data: TensorData, type: DType, dims: readonly number[], purpose: Purpose): WritableTensor {
    checkData(data, type, dims, "upload");
    return this.#own({ data: data.slice() }, type, dims, purpose);
  }

  allocate(type: DType, dims: readonly number[], purpose: Purpose): WritableTensor {
    const data = viewAs(type, new ArrayBuffer(byteCount(type, dims, "allocation")));
    return this.#own({ data }, type, dims, purpose);
  }

  view(tensor: DeviceTensor, dims: readonly number[]): DeviceTensor {
    checkView(tensor, dims);
    const of = heldFor(this.live, tensor, "view");
    const dataType = tensor.type as "float32";
    const seen = { ...tensor, dims: [...dims], dispose: () => void this.live.delete(seen) };
    this.live.set(seen, {
      toGpu: of.toGpu,
      current() {
        const whole = of.current();
        return whole.location === "gpu-buffer"
          ? ort.Tensor.fromGpuBuffer(whole.gpuBuffer, { dataType, dims })
          : (whole.reshape(dims) as ort.Tensor);
      },
    });
    return seen;
  }

  async prepare(tensors: readonly DeviceTensor[]): Promise<void> {
    for (const tensor of tensors) await this.live.get(tensor)?.toGpu();
  }

  toOrt(tensor: DeviceTensor, what: string): ort.Tensor {
    return heldFor(this.live, tensor, what).current();
  }

  fromOrt(output: ort.Tensor, type: DType, keptFor: Purpose = "activation"): DeviceTensor {
    const held =
      output.location === "gpu-buffer"
        ? { gpu: output }
        : { data: asTensorData(type, output.data as ArrayBufferView) };
    return this.#own(held, type, output.dims, keptFor);
  }

  #own(held: Held, type: DType, dims: readonly number[], purpose: Purpose): WritableTensor {
    const free = this.ledger.hold(purpose, byteCount(type, dims, "tensor"));
    const tensor = ownedTensor(type, dims, held, {
      read: ({ data, gpu }) =>
        data ? data.slice() : this.#queue.run("read", () => this.#movers.download(gpu!, type)),
      write(target, at, bytes, what) {
        assert(
          target.data,
          () => `webgpu in Node: ${what} has been used by a session and cannot be written to any more`,
        );
        new Uint8Array(target.data.buffer).set(bytes, at);
        target.gpu?.dispose();
        delete target.gpu;
      },
      release: ({ gpu }) => {
        this.live.delete(tensor);
        free();
        if (gpu) this.#queue.run("dispose", () => gpu.dispose()).catch(() => undefined);
      },
    });
    const onHost = (data: TensorData): ort.Tensor => ortTensor(ort.Tensor, data, type, dims);
    this.live.set(tensor, {
      toGpu: async () => {
        const { data, gpu } = tensor.native;
        if (gpu || !data) return;
        const { upload } = this.#movers;
        if (MOVABLE.has(type)) held.gpu = await upload(onHost(data));
        else if (type === "uint8" && tensor.bytes % 4 === 0) {
          // Bytes get there as int32, and are bytes again under another label.
          const words = new Int32Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength / 4);
          const moved = await upload(ortTensor(ort.Tensor, words, "int32", [words.length]));
          held.gpu = relabel(moved, dims, type);
        } else return;
        // Only weights are never written again.
        if (purpose === "weights") delete held.data;
      },
      current: () => tensor.native.gpu ?? onHost(tensor.native.data!),
    });
    return tensor;
  }
}

interface Movers {
  readonly upload: (host: ort.Tensor) => Promise<ort.Tensor>;
  download(gpu: ort.Tensor, type: DType): Promise<TensorData>;
  hasFloat16(): Promise<boolean>;
  release(): Promise<void>;
}

/** Identity sessions by type and direction. They take vectors: GPU tensors are relabelled, host tensors reshaped. */
async function openMovers(): Promise<Movers> {
  const sessions = new Map<string, ort.InferenceSession>();
  for (const type of MOVABLE)
    for (const place of ["gpu-buffer", "cpu"] as const)
      sessions.set(type + place, await openIdentity(type, place));
  const move = async (tensor: ort.Tensor, place: "gpu-buffer" | "cpu"): Promise<ort.Tensor> => {
    const out = await sessions.get(tensor.type + place)!.run({ x: tensor });
    return out["y"] as ort.Tensor;
  };
  return {
    async upload(host) {
      const flat = await move(host.reshape([host.size]) as ort.Tensor, "gpu-buffer");
      return relabel(flat, host.dims);
    },
    async download(gpu, type) {
      const words = type === "uint8" ? relabel(gpu, [gpu.size / 4], "int32") : relabel(gpu, [gpu.size]);
      const flat = await move(words, "cpu");
      return asTensorData(type, flat.data as ArrayBufferView);
    },
    async hasFloat16() {
      try {
        const host = ortTensor(ort.Tensor, new Uint16Array([0x3c00]), "float16", [1]);
        const one = await move(host, "gpu-buffer");
        const b = new GraphBuilder("runtime.float16");
        b.output("y", b.Add(b.Cast(b.input("x", "float16", [1]), "float32"), b.float(1)));
        const session = await ort.InferenceSession.create(toOnnx(b.finish()), allOnGpu({ name: "webgpu" }));
        const { y } = await session.run({ x: one });
        one.dispose();
        await session.release();
        return (y as ort.Tensor).data[0] === 2;
      } catch {
        return false;
      }
    },
    async release() {
      for (const session of sessions.values()) await session.release();
    },
  };
}

/** The same GPU data under other dimensions; disposing it frees the data, so only one of the two may be. */
function relabel(tensor: ort.Tensor, dims: readonly number[], type: string = tensor.type): ort.Tensor {
  return ort.Tensor.fromGpuBuffer(tensor.gpuBuffer, {
    dataType: type as "float32",
    dims,
    dispose: () => tensor.dispose(),
  });
}

async function openIdentity(type: DType, place: "gpu-buffer" | "cpu"): Promise<ort.InferenceSession> {
  const b = new GraphBuilder(`runtime.move.${type}`);
  b.output("y", b.input("x", type as "float32", ["count"]));
  try {
    return await ort.InferenceSession.create(
      toOnnx(b.finish()),
      allOnGpu({ name: "webgpu" }, place === "cpu" ? [] : ["y"]),
    );
  } catch (cause) {
    const next = "Install a Vulkan loader (libvulkan1) and a driver for it, or use the cpu backend.";
    throw new WebGpuUnavailable("no adapter", next, { cause });
  }
}

/** Types that Identity has a WebGPU kernel for. */
const MOVABLE: ReadonlySet<DType> = new Set(["float32", "float16", "int32"]);
