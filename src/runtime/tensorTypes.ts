/** @file Element sizes and array views of the tensor types; nothing here knows onnxruntime or a device. */
import { assert } from "../lib/assert.ts";
import type { TensorData, TensorType } from "./device.ts";

/** Bytes per element. */
const ELEMENT_BYTES: Readonly<Record<TensorType, number>> = {
  float32: 4,
  float16: 2,
  int32: 4,
  int64: 8,
  uint8: 1,
  bool: 1,
};

const VIEWS = {
  float32: Float32Array,
  float16: Uint16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  bool: Uint8Array,
} as const;

/** True for the types that cross the interface. */
export function isTensorType(type: string): type is TensorType {
  return Object.hasOwn(ELEMENT_BYTES, type);
}

/** Number of elements; a scalar has no dimensions and one element. Throws on a dimension that is no whole number ≥ 0. */
function elementCount(dims: readonly number[], what: string): number {
  let count = 1;
  for (const dim of dims) {
    assert(
      Number.isSafeInteger(dim) && dim >= 0,
      () => `runtime: ${what} has dimensions [${dims.join(",")}]; each must be a whole number, 0 or more`,
    );
    count *= dim;
  }
  return count;
}

/** Bytes a tensor of `type` and `dims` holds, without padding. */
export function byteCount(type: TensorType, dims: readonly number[], what: string): number {
  return elementCount(dims, what) * ELEMENT_BYTES[type];
}

/** Throws unless a tensor can be seen as `dims`: those of as many elements. */
export function checkView(type: TensorType, bytes: number, dims: readonly number[]): void {
  assert(
    byteCount(type, dims, "view") === bytes,
    () =>
      `runtime: a view [${dims.join(",")}] of a tensor ${type} of ${String(bytes)} bytes; as many are expected`,
  );
}

/** The whole of `buffer` as the array type of `type`. */
export function viewAs(type: TensorType, buffer: ArrayBuffer): TensorData {
  return new VIEWS[type](buffer);
}

/** `data` as the array type of `type` over the same memory; Float16Array becomes its bits. */
export function asTensorData(type: TensorType, data: ArrayBufferView): TensorData {
  if (data instanceof VIEWS[type]) return data;
  return new VIEWS[type](data.buffer as ArrayBuffer, data.byteOffset, data.byteLength / ELEMENT_BYTES[type]);
}

/** Throws unless `data` is the array type of `type` with exactly the elements `dims` says. */
export function checkData(data: TensorData, type: TensorType, dims: readonly number[], what: string): void {
  assert(
    data instanceof VIEWS[type],
    () =>
      `runtime: ${what} is ${type}, which travels as ${VIEWS[type].name}, but got ${data.constructor.name}`,
  );
  const expected = elementCount(dims, what);
  assert(
    data.length === expected,
    () =>
      `runtime: ${what} has dimensions [${dims.join(",")}], that is ${String(expected)} elements, but got ${String(data.length)}`,
  );
}

/** Throws unless `bytes` written at `byteOffset` stay inside a tensor of `total` bytes. */
export function checkWrite(byteOffset: number, bytes: number, total: number, what: string): void {
  assert(
    Number.isSafeInteger(byteOffset) && byteOffset >= 0 && byteOffset + bytes <= total,
    () =>
      `runtime: write of ${String(bytes)} bytes at ${String(byteOffset)} passes the end of ${what} (${String(total)} bytes)`,
  );
}
