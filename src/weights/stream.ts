/**
 * @file Moves a tensor from its file into its device buffer, converting on the way, through one staging buffer
 * shared by the whole load: JavaScript never holds more of the weights than this buffer.
 */

import { throwIfCancelled } from "../lib/assert.ts";
import {
  BF16_INFINITY_BITS,
  bfloat16ToFloat16,
  bfloat16ToFloat32,
  F16_INFINITY_BITS,
  F16_OVERFLOW_BF16_BITS,
  F16_OVERFLOW_F32_BITS,
  F32_INFINITY_BITS,
  float16ToFloat32,
  float32ToFloat16,
} from "../lib/float16.ts";
import type { Hasher } from "../lib/hash.ts";
import type { CheckpointTensor } from "./checkpoint.ts";

/** The type of the tensor on the device. */
export type TargetType = "float32" | "float16";

/** Where the bytes go; `WritableTensor` of src/runtime is one. It must have taken the bytes when it returns. */
export interface StreamTarget {
  write(byteOffset: number, bytes: Uint8Array): void;
}

/** The only large memory of a load. One tensor at a time may use it. */
export interface Staging {
  /** Source bytes as read. */
  readonly input: ArrayBuffer;
  /** Converted values. */
  readonly output: ArrayBuffer;
}

export interface StreamOptions {
  /** After each piece: source bytes of this tensor done, and in all. */
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
  /** Takes in the source bytes as they pass, for the model's identity. */
  readonly hash?: Hasher;
  /** Finite values beyond ±65504 in an f16 target: "error" (default), or "report" their number and keep infinity. */
  readonly overflow?: "error" | "report";
}

export interface StreamReport {
  readonly name: string;
  readonly elements: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** Finite values that became f16 infinity; 0 unless `overflow` is "report". */
  readonly overflowed: number;
}

const STAGING_BYTES = 16 * 2 ** 20;

/**
 * Makes the staging buffers of a load: `bytes` (a multiple of 64) for input and half as many for output.
 * 16 + 8 MiB by default, which is also the size of one HTTP range request.
 */
export function createStaging(bytes: number = STAGING_BYTES): Staging {
  if (bytes <= 0 || bytes % 64 !== 0)
    throw new Error(`weights: staging of ${bytes} bytes; a positive multiple of 64 expected`);
  return { input: new ArrayBuffer(bytes), output: new ArrayBuffer(bytes / 2) };
}

/** Bytes the tensor takes as `type`. */
export function targetBytes(tensor: Pick<CheckpointTensor, "shape">, type: TargetType): number {
  return tensor.shape.reduce((product, size) => product * size, 1) * (type === "float32" ? 4 : 2);
}

/**
 * Streams `tensor` into `target` as `type`, in pieces whose offsets and (but for the last) sizes are multiples
 * of 16 bytes.
 * @throws when the dtype is not BF16, F16 or F32, when a value is NaN or infinite, when a finite value overflows
 *   f16 (see `overflow`), when the source ends early, and `Cancelled` when the signal fires. The target then
 *   holds a part of the tensor and must be disposed of.
 */
export async function streamTensor(
  tensor: CheckpointTensor,
  target: StreamTarget,
  type: TargetType,
  staging: Staging,
  options: StreamOptions = {},
): Promise<StreamReport> {
  const format = formatOf(tensor, type);
  let written = 0;
  const read = await readPieces(tensor, format, staging, staging.input.byteLength, options, (words) => {
    written += convertPiece(words, format, staging.output, target, written);
  });
  return { ...read, bytesWritten: written };
}

/**
 * Reads `tensor` in pieces of `pieceBytes` through the staging's input, and passes the words of each to `take`,
 * with the checks of {@link streamTensor}.
 */
export async function readPieces(
  tensor: CheckpointTensor,
  format: Format,
  staging: Staging,
  pieceBytes: number,
  options: StreamOptions,
  take: (words: Words) => void | Promise<void>,
): Promise<Omit<StreamReport, "bytesWritten">> {
  const tally: Tally = { nan: 0, infinite: 0, overflowed: 0, first: undefined };
  const total = tensor.end - tensor.start;
  for (let done = 0; done < total;) {
    throwIfCancelled(options.signal, `weights: loading "${tensor.name}"`);
    const piece = new Uint8Array(staging.input, 0, Math.min(pieceBytes, total - done));
    await tensor.source.readInto(tensor.start + done, piece, options.signal);
    options.hash?.update(piece);
    const words = format.words(staging.input, piece.length);
    inspect(words, format, done / words.BYTES_PER_ELEMENT, tally);
    await take(words);
    done += piece.length;
    options.onProgress?.(done, total);
  }
  checkTally(tensor, tally, options.overflow ?? "error");
  const { name } = tensor;
  return { name, elements: total / format.bytes, bytesRead: total, overflowed: tally.overflowed };
}

// --- formats ---

export type Words = Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;
type Readable = "BF16" | "F16" | "F32";

/** How one dtype is read and inspected, and what turns it into the target. */
export interface Format {
  /** Bytes of a source element. */
  readonly bytes: 2 | 4;
  words(buffer: ArrayBuffer, byteLength: number): Words;
  /** Without the sign bit. */
  readonly absMask: number;
  /** |bits| of infinity; above it is NaN. */
  readonly infinity: number;
  /** |bits| from which the target cannot hold the value: infinity itself, or less for an f16 target. */
  readonly limit: number;
  /** Bytes of a target element. */
  readonly targetBytes: 2 | 4;
  /** Converts `words` (at most what fits) into `output`; undefined where the bytes pass as they are. */
  readonly convert: ((words: Words, output: ArrayBuffer) => void) | undefined;
}

const u16 = (buffer: ArrayBuffer, bytes: number): Words => new Uint16Array(buffer, 0, bytes / 2);
const u32 = (buffer: ArrayBuffer, bytes: number): Words => new Uint32Array(buffer, 0, bytes / 4);
const toF32 = (output: ArrayBuffer, length: number): Float32Array => new Float32Array(output, 0, length);
const toF16 = (output: ArrayBuffer, length: number): Uint16Array => new Uint16Array(output, 0, length);

const BF16 = { bytes: 2, words: u16, absMask: 0x7fff, infinity: BF16_INFINITY_BITS } as const;
const F16 = { bytes: 2, words: u16, absMask: 0x7fff, infinity: F16_INFINITY_BITS } as const;
const F32 = { bytes: 4, words: u32, absMask: 0x7fffffff, infinity: F32_INFINITY_BITS } as const;

/** Every readable dtype to every target. */
const FORMATS: Record<Readable, Record<TargetType, Format>> = {
  BF16: {
    float32: {
      ...BF16,
      limit: BF16_INFINITY_BITS,
      targetBytes: 4,
      convert: (words, out) => bfloat16ToFloat32(words as Uint16Array, toF32(out, words.length)),
    },
    float16: {
      ...BF16,
      limit: F16_OVERFLOW_BF16_BITS,
      targetBytes: 2,
      convert: (words, out) => bfloat16ToFloat16(words as Uint16Array, toF16(out, words.length)),
    },
  },
  F16: {
    float32: {
      ...F16,
      limit: F16_INFINITY_BITS,
      targetBytes: 4,
      convert: (words, out) => float16ToFloat32(words as Uint16Array, toF32(out, words.length)),
    },
    float16: { ...F16, limit: F16_INFINITY_BITS, targetBytes: 2, convert: undefined },
  },
  F32: {
    float32: { ...F32, limit: F32_INFINITY_BITS, targetBytes: 4, convert: undefined },
    float16: {
      ...F32,
      limit: F16_OVERFLOW_F32_BITS,
      targetBytes: 2,
      convert: (words, out) =>
        float32ToFloat16(
          new Float32Array(words.buffer, words.byteOffset, words.length),
          toF16(out, words.length),
        ),
    },
  },
};

/** How `tensor` is read as `type`. @throws if its dtype cannot be read */
export function formatOf(tensor: CheckpointTensor, type: TargetType): Format {
  if (Object.hasOwn(FORMATS, tensor.dtype)) return FORMATS[tensor.dtype as Readable][type];
  throw new Error(
    `weights: ${tensor.file}: tensor "${tensor.name}" is ${tensor.dtype}; weights of ${Object.keys(FORMATS).join(", ")} can be read. Use an unquantised version of the model.`,
  );
}

/** Converts and writes `words` in blocks that fit the output; gives the bytes written from `byteOffset` on. */
function convertPiece(
  words: Words,
  format: Format,
  output: ArrayBuffer,
  target: StreamTarget,
  byteOffset: number,
): number {
  if (!format.convert) {
    target.write(byteOffset, new Uint8Array(words.buffer, words.byteOffset, words.byteLength));
    return words.byteLength;
  }
  const block = output.byteLength / format.targetBytes;
  for (let at = 0; at < words.length; at += block) {
    const part = words.subarray(at, at + block);
    format.convert(part, output);
    target.write(
      byteOffset + at * format.targetBytes,
      new Uint8Array(output, 0, part.length * format.targetBytes),
    );
  }
  return words.length * format.targetBytes;
}

// --- values that must not be there ---

interface Tally {
  nan: number;
  infinite: number;
  overflowed: number;
  /** Index of the first such element of the tensor. */
  first: number | undefined;
}

/** Counts values the target cannot hold; `base` is the index of the first word within the tensor. */
function inspect(words: Words, { absMask, limit, infinity }: Format, base: number, tally: Tally): void {
  for (let i = 0; i < words.length; i++) {
    const abs = words[i]! & absMask;
    if (abs < limit) continue;
    tally.first ??= base + i;
    if (abs > infinity) tally.nan++;
    else if (abs === infinity) tally.infinite++;
    else tally.overflowed++;
  }
}

function checkTally(tensor: CheckpointTensor, tally: Tally, overflow: "error" | "report"): void {
  const { nan, infinite, overflowed, first } = tally;
  if (first === undefined) return;
  const where = `weights: ${tensor.file}: tensor "${tensor.name}"`;
  const at = `first at [${position(first, tensor.shape).join(", ")}] of [${tensor.shape.join(", ")}]`;
  if (nan > 0 || infinite > 0) {
    throw new Error(
      `${where}: ${nan > 0 ? "NaN" : "infinity"} in the weights: ${nan} NaN and ${infinite} infinite values, ${at}. The file is damaged or the training diverged: download it again or use another model.`,
    );
  }
  if (overflow === "error") {
    throw new Error(
      `${where}: ${overflowed} values are beyond ±65504 and would become infinite as float16, ${at}. Load this model as float32.`,
    );
  }
}

/** A flat index as a position per dimension. */
function position(index: number, shape: readonly number[]): number[] {
  let rest = index;
  return shape
    .toReversed()
    .map((size) => {
      const at = rest % size;
      rest = (rest - at) / size;
      return at;
    })
    .reverse();
}
