/** @file Tensor data: element sizes, array views, the life of a tensor, and copying between shapes. */
import { ELEMENT_BYTES, type DType } from "../graph/ir.ts";
import { assert } from "../lib/assert.ts";
import type { DeviceTensor, Ends, TensorData, WritableTensor } from "./device.ts";

const VIEWS = {
  float32: Float32Array,
  float16: Uint16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  bool: Uint8Array,
} as const;

export function isTensorType(type: string): type is DType {
  return Object.hasOwn(ELEMENT_BYTES, type);
}

/** Number of elements; one for a scalar, which has no dimensions. @throws on a dimension below 0 or not whole */
function elementCount(dims: readonly number[], what: string): number {
  assert(
    dims.every((dim) => Number.isSafeInteger(dim) && dim >= 0),
    () => `runtime: ${what} has dimensions [${dims.join(",")}]; each must be a whole number, 0 or more`,
  );
  return dims.reduce((count, dim) => count * dim, 1);
}

export const byteCount = (type: DType, dims: readonly number[], what: string): number =>
  elementCount(dims, what) * ELEMENT_BYTES[type];

export function checkView({ type, bytes }: DeviceTensor, dims: readonly number[]): void {
  assert(
    byteCount(type, dims, "view") === bytes,
    () => `runtime: a view [${dims.join(",")}] of a tensor ${type} of ${bytes} bytes; as many are expected`,
  );
}

export const viewAs = (type: DType, buffer: ArrayBuffer): TensorData => new VIEWS[type](buffer);

/** `data` as the array type of `type` over the same memory; Float16Array becomes its bits. */
export function asTensorData(type: DType, data: ArrayBufferView): TensorData {
  if (data instanceof VIEWS[type]) return data;
  return new VIEWS[type](data.buffer as ArrayBuffer, data.byteOffset, data.byteLength / ELEMENT_BYTES[type]);
}

export function checkData(data: TensorData, type: DType, dims: readonly number[], what: string): void {
  if (!(data instanceof VIEWS[type]))
    throw new Error(
      `runtime: ${what} is ${type}, which travels as ${VIEWS[type].name}, but got ${data.constructor.name}`,
    );
  const expected = elementCount(dims, what);
  if (data.length !== expected)
    throw new Error(
      `runtime: ${what} has dimensions [${dims.join(",")}], that is ${expected} elements, but got ${data.length}`,
    );
}

export interface OwnedTensor<T> extends WritableTensor {
  readonly native: T;
}

interface Access<T> {
  read(native: T): TensorData | Promise<TensorData>;
  write(native: T, byteOffset: number, data: Uint8Array, what: string): void;
  release(native: T): void;
}

export function ownedTensor<T>(
  type: DType,
  dims: readonly number[],
  native: T,
  { read, write, release }: Access<T>,
): OwnedTensor<T> {
  const what = `tensor ${type}[${dims.join(",")}]`;
  const bytes = byteCount(type, dims, what);
  let live = true;
  const alive = (): T => {
    assert(live, () => `runtime: ${what} was disposed and cannot be used`);
    return native;
  };
  return {
    type,
    dims: [...dims],
    bytes,
    get native() {
      return alive();
    },
    read: async () => read(alive()),
    write(byteOffset, data) {
      const target = alive();
      if (!(Number.isSafeInteger(byteOffset) && byteOffset >= 0 && byteOffset + data.byteLength <= bytes))
        throw new Error(
          `runtime: write of ${data.byteLength} bytes at ${byteOffset} passes the end of ${what} (${bytes} bytes)`,
        );
      write(target, byteOffset, data, what);
    },
    dispose() {
      if (live) release(native);
      live = false;
    },
  };
}

export type HostTensor = OwnedTensor<TensorData>;

export const hostTensor = (
  data: TensorData,
  type: DType,
  dims: readonly number[],
  release: () => void,
): HostTensor =>
  ownedTensor(type, dims, data, {
    read: (held) => held.slice(),
    write: ({ buffer, byteOffset, byteLength }, at, bytes) =>
      new Uint8Array(buffer, byteOffset, byteLength).set(bytes, at),
    release,
  });

type Extent = Pick<DeviceTensor, "type" | "dims" | "bytes">;

/** Copies that put `from` into `to`: bytes from `start` to `target`. Throws, beginning with `what`, if it does not fit. */
export function piecesOf(what: string, from: Extent, to: Extent, ends?: Ends) {
  const [rows, axis] = [from.dims[0] ?? 1, ends?.axis ?? 0];
  const { opening = 0, begins = new Array<number>(rows).fill(0) } = ends ?? {};
  const length = from.dims[axis] ?? 1;
  const fits = to.dims.every((dim, i) => (ends && i === axis ? length <= dim : dim === from.dims[i]));
  if (!(from.type === to.type && from.dims.length === to.dims.length && fits))
    throw new Error(
      `${what} is ${to.type}[${to.dims.join(",")}]; ${from.type}[${from.dims.join(",")}] has no place there`,
    );
  if (!(begins.length === rows && begins.every((begin) => begin >= 0 && opening + begin < length)))
    throw new Error(
      `${what}: ${rows} rows of ${length} cannot begin at ${opening ? `${opening} + ` : ""}${begins.join(", ")}`,
    );
  if (from.bytes === to.bytes && begins.every((begin) => begin === 0))
    return [{ start: 0, target: 0, bytes: from.bytes }];
  const count = from.dims.slice(0, axis).reduce((n, dim) => n * dim, 1);
  const [bytes, stride] = [from.bytes / count, to.bytes / count];
  const kept = (bytes / length) * opening;
  return Array.from({ length: count }, (_, i) => {
    const skipped = (bytes / length) * begins[Math.floor((i * rows) / count)]!;
    const [start, target] = [i * bytes, i * stride];
    const rest = { start: start + kept + skipped, target: target + kept, bytes: bytes - kept - skipped };
    return kept > 0 ? [{ start, target, bytes: kept }, rest] : [rest];
  }).flat();
}
