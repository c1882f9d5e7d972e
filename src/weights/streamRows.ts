/** @file Moves a matrix to the device in another precision, some rows at a time: as blocks, or as float32. */

import { rawBytes } from "../lib/bytes.ts";
import { assert } from "../lib/assert.ts";
import { blocksOf, dequantise, levelBytes, quantise, type BlockedRows } from "../lib/blocks.ts";
import { float16ToFloat32, float32ToFloat16 } from "../lib/float16.ts";
import type { LevelBits } from "../lib/precision.ts";
import type { CheckpointTensor } from "./checkpoint.ts";
import {
  formatOf,
  readPieces,
  type Format,
  type Staging,
  type StreamOptions,
  type StreamTarget,
  type Words,
} from "./stream.ts";

interface BlockTargets {
  readonly levels: StreamTarget;
  readonly scales: StreamTarget;
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

export function writingBlocks({ levels, scales }: BlockTargets): TakeBlocks {
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
