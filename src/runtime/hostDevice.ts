/** @file A device whose tensors all live in host memory: the CPU in Node, wasm in a browser. */
import type { InferenceSession, Tensor, TensorConstructor } from "onnxruntime-common";
import type { DType } from "../graph/ir.ts";
import type { Capabilities, Device, DeviceTensor, Purpose, SessionOptions, TensorData } from "./device.ts";
import { createQueue, type Queue } from "../lib/queue.ts";
import { yieldingQueue } from "./queue.ts";
import {
  hostTensor,
  asTensorData,
  byteCount,
  checkData,
  checkView,
  viewAs,
  type HostTensor,
} from "./tensors.ts";
import { createLedger } from "./ledger.ts";
import { heldFor, ortDevice } from "./ortDevice.ts";
import type { OrtTensors } from "./ortSession.ts";

interface HostDeviceOptions {
  readonly capabilities: Capabilities;
  readonly weightsAs: Device["weightsAs"];
  readonly Tensor: TensorConstructor;
  create(onnx: Uint8Array, options: SessionOptions): Promise<InferenceSession>;
  readonly queue?: Queue;
}

export const createHostDevice = ({ Tensor, queue, ...backend }: HostDeviceOptions): Device =>
  ortDevice({
    ...backend,
    loops: backend.weightsAs === "initializers",
    queue: yieldingQueue(queue ?? createQueue()),
    tensors: new HostTensors(Tensor),
  });

class HostTensors implements OrtTensors {
  readonly ledger = createLedger();
  readonly live = new Map<DeviceTensor, Tensor>();

  constructor(private readonly Tensor: TensorConstructor) {}

  upload(data: TensorData, type: DType, dims: readonly number[], purpose: Purpose): HostTensor {
    checkData(data, type, dims, "upload");
    return this.#own(data.slice(), type, dims, purpose);
  }

  allocate(type: DType, dims: readonly number[], purpose: Purpose): HostTensor {
    const data = viewAs(type, new ArrayBuffer(byteCount(type, dims, "allocation")));
    return this.#own(data, type, dims, purpose);
  }

  view(tensor: DeviceTensor, dims: readonly number[]): HostTensor {
    const { type } = tensor;
    checkView(tensor, dims);
    return this.#keep(asTensorData(type, this.toOrt(tensor, "view").data as ArrayBufferView), type, dims);
  }

  toOrt(tensor: DeviceTensor, what: string): Tensor {
    return heldFor(this.live, tensor, what);
  }

  fromOrt({ data, dims }: Tensor, type: DType, keptFor: Purpose = "activation"): HostTensor {
    return this.#own(asTensorData(type, data as ArrayBufferView), type, dims, keptFor);
  }

  #own(data: TensorData, type: DType, dims: readonly number[], purpose: Purpose): HostTensor {
    return this.#keep(data, type, dims, this.ledger.hold(purpose, data.byteLength));
  }

  #keep(data: TensorData, type: DType, dims: readonly number[], end?: () => void): HostTensor {
    const tensor = hostTensor(data, type, dims, () => {
      end?.();
      this.live.delete(tensor);
    });
    this.live.set(tensor, ortTensor(this.Tensor, data, type, dims));
    return tensor;
  }
}

export const ortTensor = (
  Tensor: TensorConstructor,
  data: TensorData,
  type: DType,
  dims: readonly number[],
): Tensor => new Tensor(type as "float32", data as Float32Array, dims);
