/**
 * @file Moves a matrix from its file to the device in another precision than the file's, some rows at a time and within
 * the staging of the load: as blocks (lib/blocks.ts), or as float32 numbers that have gone through that precision.
 */

import { assert } from "../lib/assert.ts";
import { blockedRows, blocksOf, dequantise, levelBytes, quantise, type BlockedRows } from "../lib/blocks.ts";
import { float16ToFloat32, float32ToFloat16 } from "../lib/float16.ts";
import { levelBits, type LevelBits, type Precision } from "../lib/precision.ts";
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

/** Where the two parts of a matrix in blocks go. */
export interface BlockTargets {
  readonly levels: StreamTarget;
  readonly scales: StreamTarget;
}

/**
 * Streams the matrix `tensor` [rows, columns] into `targets` in blocks of `bits`.
 * @throws as streamTensor does, and when not even one row fits the staging
 */
export async function streamBlocks(
  tensor: CheckpointTensor,
  targets: BlockTargets,
  bits: LevelBits,
  staging: Staging,
  options: StreamOptions = {},
): Promise<void> {
  const columns = columnsOf(tensor);
  const [levelRow, scaleRow] = [levelBytes(columns, bits), 4 * blocksOf(columns)];
  let row = 0;
  await streamRows(tensor, "float32", staging, columns * 4 + levelRow + scaleRow, options, (values, room) => {
    const rows = values.length / columns;
    const blocks = blocksIn(room, rows * levelRow, rows * blocksOf(columns));
    quantise(values, columns, bits, blocks);
    targets.levels.write(row * levelRow, blocks.levels);
    targets.scales.write(
      row * scaleRow,
      new Uint8Array(room.buffer, blocks.scales.byteOffset, rows * scaleRow),
    );
    row += rows;
  });
}

/**
 * Streams the matrix `tensor` into `target` as the float32 numbers that it stands for once it was in `precision`: what
 * every kernel of that precision computes with.
 * @throws as {@link streamBlocks}; under f16 also for values beyond its range
 */
export async function streamRounded(
  tensor: CheckpointTensor,
  target: StreamTarget,
  precision: Exclude<Precision, "f32">,
  staging: Staging,
  options: StreamOptions = {},
): Promise<void> {
  const columns = columnsOf(tensor);
  let written = 0;
  const type = precision === "f16" ? "float16" : "float32";
  await streamRows(tensor, type, staging, columns * 4, options, (values) => {
    through(precision, values, columns);
    target.write(written, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    written += values.byteLength;
  });
}

/** `values` [rows, columns] as they come out of `precision` again. */
function through(precision: Exclude<Precision, "f32">, values: Float32Array, columns: number): void {
  const bits = levelBits(precision);
  if (bits === undefined) {
    float16ToFloat32(float32ToFloat16(values), values);
    return;
  }
  const blocks = blockedRows(values.length / columns, columns, bits);
  quantise(values, columns, bits, blocks);
  dequantise(blocks, columns, bits, values);
}

/**
 * Whole rows of the matrix as float32, as many at a time as the staging holds with `rowBytes` each; `take` gets them
 * with the room that is left behind them. `limits` is the type whose range the values must keep.
 */
async function streamRows(
  tensor: CheckpointTensor,
  limits: "float32" | "float16",
  staging: Staging,
  rowBytes: number,
  options: StreamOptions,
  take: (values: Float32Array<ArrayBuffer>, room: Uint8Array<ArrayBuffer>) => void,
): Promise<void> {
  const columns = columnsOf(tensor);
  const format = formatOf(tensor, "float32");
  const { limit } = formatOf(tensor, limits);
  const sourceRow = columns * format.bytes;
  const [read, held] = [staging.input, staging.output].map(({ byteLength }, i) =>
    Math.floor(byteLength / (i === 0 ? sourceRow : rowBytes)),
  ) as [number, number];
  assert(
    read > 0 && held > 0,
    () => `weights: ${tensor.file}: a row of "${tensor.name}" has ${columns} values, more than the staging holds; make it larger`, // prettier-ignore
  );
  await readPieces(tensor, { ...format, limit }, staging, read * sourceRow, options, (words) => {
    for (let at = 0; at < words.length; at += held * columns) {
      const values = asFloats(words.subarray(at, at + held * columns), format, staging.output);
      take(values, new Uint8Array(staging.output, values.byteLength));
    }
  });
}

/** `words` as float32 numbers at the front of `output`. */
function asFloats(words: Words, { convert }: Format, output: ArrayBuffer): Float32Array<ArrayBuffer> {
  const values = new Float32Array(output, 0, words.length);
  if (convert) convert(words, output);
  else values.set(new Float32Array(words.buffer, words.byteOffset, words.length));
  return values;
}

/** Levels and scales at the front of `room`, whose bytes are aligned, as those of levels are whole words. */
function blocksIn(room: Uint8Array<ArrayBuffer>, levels: number, scales: number): BlockedRows {
  return {
    levels: room.subarray(0, levels),
    scales: new Float32Array(room.buffer, room.byteOffset + levels, scales),
  };
}

function columnsOf({ name, file, shape }: CheckpointTensor): number {
  assert(
    shape.length === 2,
    () => `weights: ${file}: tensor "${name}" has shape [${shape.join(", ")}]; only a matrix has blocks`,
  );
  return shape[1]!;
}
