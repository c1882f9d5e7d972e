/** @file Tensor data on the host: element sizes, array views, host tensors, and copying between shapes. */
import { assert } from "../lib/assert.ts";
import type { DeviceTensor, Ends, TensorData, TensorType, WritableTensor } from "./device.ts";

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

/**
 * Number of elements; a scalar has no dimensions and one element. Throws on a dimension that is not a whole number ≥
 * 0.
 */
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

/** Throws unless `data` is the array type of `type` with exactly as many elements as `dims`. */
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

/** A tensor whose data is in host memory. `data` throws once it is disposed. */
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

/** Bytes from `start` of one tensor to `target` of the other. */
export interface Piece {
  readonly start: number;
  readonly target: number;
  readonly bytes: number;
}

type Extent = Pick<DeviceTensor, "type" | "dims" | "bytes">;

/** The pieces of `from` in `to`, in order. Throws, beginning with `what`, if it does not fit. */
export function piecesOf(what: string, from: Extent, to: Extent, ends?: Ends): Piece[] {
  const [rows, axis] = [from.dims[0] ?? 1, ends?.axis ?? 0];
  const begins = ends?.begins ?? new Array<number>(rows).fill(0);
  const length = from.dims[axis] ?? 1;
  const fits = to.dims.every((dim, i) => (ends && i === axis ? length <= dim : dim === from.dims[i]));
  assert(
    from.type === to.type && from.dims.length === to.dims.length && fits,
    () =>
      `${what} is ${to.type}[${to.dims.join(",")}]; ${from.type}[${from.dims.join(",")}] has no place there`,
  );
  assert(
    begins.length === rows && begins.every((begin) => begin >= 0 && begin < length),
    () => `${what}: ${rows} rows of ${length} cannot begin at ${begins.join(", ")}`,
  );
  if (from.bytes === to.bytes && begins.every((begin) => begin === 0))
    return [{ start: 0, target: 0, bytes: from.bytes }];
  const count = from.dims.slice(0, axis).reduce((n, dim) => n * dim, 1);
  const [bytes, stride] = [from.bytes / count, to.bytes / count];
  return Array.from({ length: count }, (_, i) => {
    const skipped = (bytes / length) * begins[Math.floor((i * rows) / count)]!;
    return { start: i * bytes + skipped, target: i * stride, bytes: bytes - skipped };
  });
}
