/** @file A device whose tensors all live in host memory: the CPU in Node, wasm in a browser. */
import type { InferenceSession, Tensor, TensorConstructor } from "onnxruntime-common";
import { assert } from "../lib/assert.ts";
import type { Capabilities, Device, Purpose, TensorData, TensorType, SessionOptions } from "./device.ts";
import { hostTensor, type HostTensor } from "./hostTensor.ts";
import { createLedger } from "./ledger.ts";
import { openSession, sessionRegister, type SessionHost } from "./ortSession.ts";
import { withTurns } from "./eventLoop.ts";
import { createQueue, type Queue } from "./queue.ts";
import { asTensorData, byteCount, checkData, checkView, isTensorType, viewAs } from "./tensorTypes.ts";

export interface HostDeviceOptions {
  readonly capabilities: Capabilities;
  readonly weightsAs: Device["weightsAs"];
  /** Each onnxruntime package has a Tensor class of its own. */
  readonly Tensor: TensorConstructor;
  create(onnx: Uint8Array, options: SessionOptions): Promise<InferenceSession>;
  /** Its jobs take turns with those of others on the same package. */
  readonly queue?: Queue;
}

/** Opens a device over one onnxruntime package. */
export function createHostDevice(options: HostDeviceOptions): Device {
  const { capabilities, weightsAs, Tensor, create } = options;
  const queue = withTurns(options.queue ?? createQueue());
  const ledger = createLedger();
  const live = new Map<unknown, Tensor>();

  function own(data: TensorData, type: TensorType, dims: readonly number[], purpose: Purpose): HostTensor {
    const free = ledger.hold(purpose, data.byteLength);
    const tensor = hostTensor(data, type, dims, () => {
      free();
      live.delete(tensor);
    });
    live.set(tensor, ortTensor(Tensor, data, type, dims));
    return tensor;
  }

  const host: SessionHost = {
    queue,
    ledger,
    weightsAs,
    create,
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
  const sessions = sessionRegister();

  return {
    backend: capabilities.backend,
    capabilities,
    weightsAs,
    ledger,
    upload(data, type, dims, purpose) {
      checkData(data, type, dims, "upload");
      return own(data.slice(), type, dims, purpose);
    },
    allocate(type, dims, purpose) {
      return own(viewAs(type, new ArrayBuffer(byteCount(type, dims, "allocation"))), type, dims, purpose);
    },
    view(tensor, dims) {
      const { type, bytes } = tensor;
      checkView(type, bytes, dims);
      const data = asTensorData(type, host.toOrt(tensor, "view").data as ArrayBufferView);
      const seen = hostTensor(data, type, dims, () => live.delete(seen));
      live.set(seen, ortTensor(Tensor, data, type, dims));
      return seen;
    },
    createSession: async (onnx, options) => sessions.add(await openSession(host, onnx, options)),
    lost: new Promise(() => undefined),
    async dispose() {
      await sessions.releaseAll();
      for (const tensor of [...live.keys()]) (tensor as HostTensor).dispose();
      queue.close(new Error("runtime: the device was disposed"));
    },
  };
}

/** An onnxruntime tensor over `data`. Its types know only Float16Array for float16; its code takes the bits as well. */
export function ortTensor(
  Tensor: TensorConstructor,
  data: TensorData,
  type: TensorType,
  dims: readonly number[],
): Tensor {
  return new Tensor(type as "float32", data as Float32Array, dims);
}
