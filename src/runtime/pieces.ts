/** @file Where the data of a tensor goes when it becomes a part of another: whole, or from an index of one axis on. */
import { assert } from "../lib/assert.ts";
import type { DeviceTensor, Place } from "./device.ts";

/** Bytes from `start` of one tensor to `target` of the other. */
export interface Piece {
  readonly start: number;
  readonly target: number;
  readonly bytes: number;
}

type Extent = Pick<DeviceTensor, "type" | "dims" | "bytes">;

/** The pieces of `from` in `to`, in order. Throws, beginning with `what`, where it does not fit there. */
export function piecesOf(what: string, from: Extent, to: Extent, at: Place = { axis: 0, from: 0 }): Piece[] {
  const { axis, from: first } = at;
  const length = from.dims[axis] ?? 1;
  const fits = to.dims.every((dim, i) =>
    i === axis ? first >= 0 && first + length <= dim : dim === from.dims[i],
  );
  assert(
    from.type === to.type && from.dims.length === to.dims.length && fits,
    () =>
      `${what} is ${to.type}[${to.dims.join(",")}]; ${from.type}[${from.dims.join(",")}] has no place there at ${first} of axis ${axis}`,
  );
  if (from.bytes === to.bytes) return [{ start: 0, target: 0, bytes: from.bytes }];
  const count = from.dims.slice(0, axis).reduce((n, dim) => n * dim, 1);
  const [bytes, stride] = [from.bytes / count, to.bytes / count];
  const begin = (stride / to.dims[axis]!) * first;
  return Array.from({ length: count }, (_, i) => ({ start: i * bytes, target: i * stride + begin, bytes }));
}
