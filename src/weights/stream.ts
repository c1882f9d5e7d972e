/** @file Moves a tensor from its file into its device buffer through one staging buffer for the whole load: as it is, converted, or some rows of a matrix at a time in another precision. */

import { rawBytes } from "../lib/bytes.ts";
import { throwIfCancelled, assert } from "../lib/assert.ts";
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
import { blocksOf, dequantise, levelBytes, quantise, type BlockedRows } from "../lib/blocks.ts";
import type { LevelBits } from "../lib/precision.ts";

export type TargetType = "float32" | "float16";

/** Where the bytes go; `WritableTensor` of src/runtime is one. It must have taken the bytes when it returns. */
export interface StreamTarget {
  write(byteOffset: number, bytes: Uint8Array): void;
}

export type Staging = ReturnType<typeof createStaging>;

export interface StreamOptions {
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
  readonly hash?: Hasher;
}

const STAGING_BYTES = 16 * 2 ** 20;

/** @param bytes of input, a multiple of 64; half as many are for output */
export function createStaging(bytes: number = STAGING_BYTES) {
  if (bytes <= 0 || bytes % 64 !== 0)
    throw new Error(`weights: staging of ${bytes} bytes; a positive multiple of 64 expected`);
  return { input: new ArrayBuffer(bytes), output: new ArrayBuffer(bytes / 2) };
}

/**
 * Streams `tensor` into `target` as `type`, in pieces of multiples of 16 bytes. @throws on other dtypes than BF16, F16 and
 * F32, values that are not finite or overflow f16, an early end; Cancelled
 */
export async function streamTensor(
  tensor: CheckpointTensor,
  target: StreamTarget,
  type: TargetType,
  staging: Staging,
  options: StreamOptions = {},
): Promise<void> {
  const format = formatOf(tensor, type);
  let written = 0;
  await readPieces(tensor, format, staging, staging.input.byteLength, options, (words) => {
    written += convertPiece(words, format, staging.output, target, written);
  });
}

/** Passes the words of `tensor` to `take` in pieces of `pieceBytes`, with the checks of {@link streamTensor}. */
async function readPieces(
  tensor: CheckpointTensor,
  format: Format,
  staging: Staging,
  pieceBytes: number,
  options: StreamOptions,
  take: (words: Words) => void | Promise<void>,
): Promise<void> {
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
  checkTally(tensor, tally);
}

export type Words = Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;
type Readable = "BF16" | "F16" | "F32";

interface Format {
  readonly bytes: 2 | 4;
  words(buffer: ArrayBuffer, byteLength: number): Words;
  /** |bits| of infinity; above it is NaN. */
  readonly infinity: number;
  /** |bits| from which the target cannot hold the value: infinity itself, or less for an f16 target. */
  readonly limit: number;
  readonly targetBytes: 2 | 4;
  /** Converts `words` (as many as fit) into `output`; undefined if source and target have one type. */
  readonly convert: ((words: Words, output: ArrayBuffer) => void) | undefined;
}

type Convert = (source: never, target: never) => unknown;

/** Every readable dtype: bytes, |bits| of infinity and of the first value past float16, conversions to float32 and float16. */
const FORMATS: Readonly<Record<Readable, readonly [2 | 4, number, number, Convert | undefined, Convert?]>> = {
  BF16: [2, BF16_INFINITY_BITS, F16_OVERFLOW_BF16_BITS, bfloat16ToFloat32, bfloat16ToFloat16],
  F16: [2, F16_INFINITY_BITS, F16_INFINITY_BITS, float16ToFloat32],
  F32: [4, F32_INFINITY_BITS, F16_OVERFLOW_F32_BITS, undefined, float32ToFloat16],
};

/** The format of `tensor` as `type`. @throws if its dtype cannot be read */
export function formatOf(tensor: CheckpointTensor, type: TargetType): Format {
  if (!Object.hasOwn(FORMATS, tensor.dtype))
    throw new Error(
      `weights: ${tensor.file}: tensor "${tensor.name}" is ${tensor.dtype}; weights of ${Object.keys(FORMATS).join(", ")} can be read. Use an unquantised version of the model.`,
    );
  const [bytes, infinity, overflow, ...conversions] = FORMATS[tensor.dtype as Readable];
  const half = type === "float16";
  const convert = conversions[half ? 1 : 0];
  const Source = bytes === 2 ? Uint16Array : Uint32Array;
  const Target = half ? Uint16Array : Float32Array;
  return {
    bytes,
    words: (buffer, byteLength) => new Source(buffer, 0, byteLength / bytes),
    infinity,
    limit: half ? overflow : infinity,
    targetBytes: half ? 2 : 4,
    convert:
      convert &&
      ((words, output) => {
        const source = bytes === 2 ? words : new Float32Array(words.buffer, words.byteOffset, words.length);
        convert(source as never, new Target(output, 0, words.length) as never);
      }),
  };
}

function convertPiece(
  words: Words,
  format: Format,
  output: ArrayBuffer,
  target: StreamTarget,
  byteOffset: number,
): number {
  if (!format.convert) {
    target.write(byteOffset, rawBytes(words));
    return words.byteLength;
  }
  const block = output.byteLength / format.targetBytes;
  for (let at = 0; at < words.length; at += block) {
    const part = words.subarray(at, at + block);
    format.convert(part, output);
    const converted = new Uint8Array(output, 0, part.length * format.targetBytes);
    target.write(byteOffset + at * format.targetBytes, converted);
  }
  return words.length * format.targetBytes;
}

interface Tally {
  nan: number;
  infinite: number;
  overflowed: number;
  first: number | undefined;
}

function inspect(words: Words, { bytes, limit, infinity }: Format, base: number, tally: Tally): void {
  const withoutSign = bytes === 2 ? 0x7fff : 0x7fffffff;
  for (let i = 0; i < words.length; i++) {
    const abs = words[i]! & withoutSign;
    if (abs < limit) continue;
    tally.first ??= base + i;
    if (abs > infinity) tally.nan++;
    else if (abs === infinity) tally.infinite++;
    else tally.overflowed++;
  }
}

function checkTally(tensor: CheckpointTensor, { nan, infinite, overflowed, first }: Tally): void {
  if (first === undefined) return;
  const where = `weights: ${tensor.file}: tensor "${tensor.name}"`;
  const at = `first at [${position(first, tensor.shape).join(", ")}] of [${tensor.shape.join(", ")}]`;
  if (nan > 0 || infinite > 0)
    throw new Error(
      `${where}: ${nan > 0 ? "NaN" : "infinity"} in the weights: ${nan} NaN and ${infinite} infinite values, ${at}. The file is damaged or the training diverged: download it again or use another model.`,
    );
  throw new Error(
    `${where}: ${overflowed} values are beyond ±65504 and would become infinite as float16, ${at}. Load this model as float32.`,
  );
}

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

/** Takes consecutive whole rows of a matrix, block by block; the caller reuses the memory when the call ends. */
export type TakeBlocks = (blocks: BlockedRows) => void | Promise<void>;

/** Streams the matrix `tensor` to `take` in blocks of `bits`. @throws as streamTensor, or if no row fits the staging */
export async function streamBlocks(
  tensor: CheckpointTensor,
  bits: LevelBits,
  staging: Staging,
  options: StreamOptions,
  take: TakeBlocks,
): Promise<void> {
  const columns = columnsOf(tensor);
  const row = levelBytes(columns, bits);
  const room = columns * 4 + row + 4 * blocksOf(columns);
  await streamRows(tensor, "float32", staging, room, options, (values, behind) => {
    const rows = values.length / columns;
    const blocks = blocksIn(behind, rows * row, rows * blocksOf(columns));
    quantise(values, columns, bits, blocks);
    return take(blocks);
  });
}

export function writingBlocks(props: Readonly<{ levels: StreamTarget; scales: StreamTarget }>): TakeBlocks {
  const { levels, scales } = props;
  let [levelsAt, scalesAt] = [0, 0];
  return (blocks) => {
    levels.write(levelsAt, blocks.levels);
    scales.write(scalesAt, rawBytes(blocks.scales));
    levelsAt += blocks.levels.byteLength;
    scalesAt += blocks.scales.byteLength;
  };
}

export function writingFloats(target: StreamTarget, columns: number, bits: LevelBits): TakeBlocks {
  let room = new Float32Array(0);
  let written = 0;
  return (blocks) => {
    const count = (blocks.levels.length / levelBytes(columns, bits)) * columns;
    if (room.length < count) room = new Float32Array(count);
    const values = room.subarray(0, count);
    dequantise(blocks, columns, bits, values);
    target.write(written, rawBytes(values));
    written += values.byteLength;
  };
}

/** Streams the matrix `tensor` into `target` as the float32 numbers of its halves. @throws as {@link streamBlocks} */
export async function streamHalves(
  tensor: CheckpointTensor,
  target: StreamTarget,
  staging: Staging,
  options: StreamOptions,
): Promise<void> {
  let written = 0;
  await streamRows(tensor, "float16", staging, columnsOf(tensor) * 4, options, (values) => {
    float16ToFloat32(float32ToFloat16(values), values);
    target.write(written, rawBytes(values));
    written += values.byteLength;
  });
}

/** Whole rows as float32, as many as the staging holds with `rowBytes` each; `limits` is their type's range. */
async function streamRows(
  tensor: CheckpointTensor,
  limits: "float32" | "float16",
  staging: Staging,
  rowBytes: number,
  options: StreamOptions,
  take: (values: Float32Array<ArrayBuffer>, room: Uint8Array<ArrayBuffer>) => void | Promise<void>,
): Promise<void> {
  const columns = columnsOf(tensor);
  const format = formatOf(tensor, "float32");
  const { limit } = formatOf(tensor, limits);
  const sourceRow = columns * format.bytes;
  const [read, held] = [staging.input, staging.output].map(({ byteLength }, i) =>
    Math.floor(byteLength / (i === 0 ? sourceRow : rowBytes)),
  ) as [number, number];
  if (!(read > 0 && held > 0))
    throw new Error(
      `weights: ${tensor.file}: a row of "${tensor.name}" has ${columns} values, more than the staging holds; make it larger`,
    );
  await readPieces(tensor, { ...format, limit }, staging, read * sourceRow, options, async (words) => {
    for (let at = 0; at < words.length; at += held * columns) {
      const values = asFloats(words.subarray(at, at + held * columns), format, staging.output);
      await take(values, new Uint8Array(staging.output, values.byteLength));
    }
  });
}

function asFloats(words: Words, { convert }: Format, output: ArrayBuffer): Float32Array<ArrayBuffer> {
  const values = new Float32Array(output, 0, words.length);
  if (convert) convert(words, output);
  else values.set(new Float32Array(words.buffer, words.byteOffset, words.length));
  return values;
}

/** Levels and scales at the front of `room`, whose bytes are aligned, as those of levels are whole words. */
export const blocksIn = (room: Uint8Array<ArrayBuffer>, levels: number, scales: number): BlockedRows => ({
  levels: room.subarray(0, levels),
  scales: new Float32Array(room.buffer, room.byteOffset + levels, scales),
});

function columnsOf({ name, file, shape }: CheckpointTensor): number {
  assert(
    shape.length === 2,
    () => `weights: ${file}: tensor "${name}" has shape [${shape.join(", ")}]; only a matrix has blocks`,
  );
  return shape[1]!;
}
