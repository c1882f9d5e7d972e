/** @file Where the data of a tensor goes when another takes it: whole, or its ends along an axis to the beginning there. */
import { assert } from "../lib/assert.ts";
import type { DeviceTensor, Ends } from "./device.ts";

/** Bytes from `start` of one tensor to `target` of the other. */
export interface Piece {
  readonly start: number;
  readonly target: number;
  readonly bytes: number;
}

type Extent = Pick<DeviceTensor, "type" | "dims" | "bytes">;

/** The pieces of `from` in `to`, in order. Throws, beginning with `what`, where it does not fit there. */
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
