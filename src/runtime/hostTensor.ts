/** @file A tensor in host memory: every tensor of cpu and wasm, and the outputs that webgpu reads back. */
import { assert } from "../lib/assert.ts";
import type { TensorData, TensorType, WritableTensor } from "./device.ts";
import { checkWrite } from "./tensorTypes.ts";

/** A tensor whose data lies in host memory. `data` throws once it is disposed. */
export interface HostTensor extends WritableTensor {
  readonly data: TensorData;
}

/** Wraps `data` without copying; `release` is called once, when the tensor is disposed. */
export function hostTensor(
  data: TensorData,
  type: TensorType,
  dims: readonly number[],
  release: () => void,
): HostTensor {
  let held: TensorData | undefined = data;
  const alive = (): TensorData => {
    assert(held, () => `runtime: tensor ${type}[${dims.join(",")}] was disposed and cannot be used`);
    return held;
  };
  return {
    type,
    dims: [...dims],
    bytes: data.byteLength,
    get data() {
      return alive();
    },
    read: () => Promise.resolve().then(() => alive().slice()),
    write(byteOffset, bytes) {
      const target = alive();
      checkWrite(byteOffset, bytes.byteLength, target.byteLength, `tensor [${dims.join(",")}]`);
      new Uint8Array(target.buffer, target.byteOffset, target.byteLength).set(bytes, byteOffset);
    },
    dispose() {
      if (held) release();
      held = undefined;
    },
  };
}
