/**
 * @file A rounded copy: weights in 8-bit or 4-bit blocks in one file, so that the next start is fast. Rows of all tensors
 * (levels, then scales), contents as JSON, its SHA-256, its length and a mark. A copy that does not match is made again.
 */

import { blocksOf, levelBytes } from "../lib/blocks.ts";
import { throwIfCancelled, messageOf } from "../lib/assert.ts";
import { checked, count, list, number, object, text, type Infer } from "../lib/check.ts";
import { digestHex } from "../lib/hash.ts";
import { LEVEL_BITS, type LevelBits } from "../lib/precision.ts";
import { copyName, type CopyPrecision } from "./copyName.ts";
import type { Beside } from "./modelFiles.ts";
import type { ByteSource } from "./source.ts";
import type { Staging, StreamOptions, StreamTarget } from "./stream.ts";
import { blocksIn, type TakeBlocks } from "./streamRows.ts";

/** Raised when the order of the bytes changes, or what rounding makes of a weight (lib/blocks.ts). */
export const COPY_LAYOUT = 1;

const PIECE_BYTES = 4 * 2 ** 20;

/** The end of the file, after the JSON: 64 hex digits, the length of the JSON, and the mark. */
export const TAIL_BYTES = 64 + 4 + 4;
export const TAIL_MARK = 0x706c7071;

export type CopiedTensor = CopyContents["tensors"][number];

export type CopyContents = Infer<typeof contentsShape>;
const contentsShape = object({
  layout: number(),
  precision: text(),
  content: text(),
  sha256: text(),
  tensors: list(object({ name: text(), shape: list(count()), digests: list(text()) })),
});

type CopyRows = ReturnType<typeof copyRows>;

export function copyRows(shape: readonly number[], bits: LevelBits) {
  const isMatrix = shape.length === 2;
  const columns = shape.at(-1) ?? 1;
  const rows = isMatrix ? shape[0]! : 1;
  const levels = isMatrix ? levelBytes(columns, bits) : 0;
  const rowBytes = isMatrix ? levels + 4 * blocksOf(columns) : 4 * columns;
  return { rows, rowBytes, levels, pieceRows: Math.max(1, Math.floor(PIECE_BYTES / rowBytes)) };
}

export const copyBytes = (shapes: Iterable<readonly number[]>, bits: LevelBits): number =>
  [...shapes].reduce((sum, shape) => {
    const { rows, rowBytes } = copyRows(shape, bits);
    return sum + rows * rowBytes;
  }, 0);

export class DamagedCopy extends Error {}

export interface RoundedCopy {
  readonly sha256: string;
  readonly tensors: readonly CopiedTensor[];
  readonly bytes: number;
  /** Reads the matrix to `take`. @throws DamagedCopy; Cancelled */
  matrix(tensor: CopiedTensor, staging: Staging, options: StreamOptions, take: TakeBlocks): Promise<void>;
  /** Reads the vector. @throws DamagedCopy; Cancelled */
  vector(tensor: CopiedTensor, staging: Staging, options: StreamOptions, target: StreamTarget): Promise<void>;
  close(): Promise<void>;
}

export async function openCopy(
  beside: Beside,
  precision: CopyPrecision,
  shapes: ReadonlyMap<string, readonly number[]>,
): Promise<RoundedCopy | undefined> {
  const source = await beside.open(copyName(precision));
  if (!source) return undefined;
  const bits = LEVEL_BITS[precision];
  const bytes = copyBytes(shapes.values(), bits);
  const contents = await readContents(source, bytes).catch(() => undefined);
  const isWanted =
    contents?.layout === COPY_LAYOUT &&
    contents.precision === precision &&
    contents.content === beside.content &&
    contents.tensors.length === shapes.size &&
    contents.tensors.every(({ name, shape }) => String(shapes.get(name)) === String(shape));
  if (contents && isWanted) return reading(source, contents, bits, bytes);
  await source.close();
  return undefined;
}

/** Reads the trailer after the `bytes` of a copy's tensors. @throws if it is truncated or damaged */
async function readContents(source: ByteSource, bytes: number): Promise<CopyContents> {
  const tail = await source.read(source.size - TAIL_BYTES, source.size);
  const view = new DataView(tail.buffer, tail.byteOffset);
  const end = source.size - TAIL_BYTES;
  if (view.getUint32(68, true) !== TAIL_MARK || bytes + view.getUint32(64, true) !== end)
    throw new DamagedCopy(`weights: ${source.name} is cut off`);
  const json = await source.read(bytes, end);
  if ((await digestHex(json)) !== new TextDecoder().decode(tail.subarray(0, 64)))
    throw new DamagedCopy(`weights: ${source.name} is damaged`);
  return checked(contentsShape, JSON.parse(new TextDecoder().decode(json)), `weights: ${source.name}: `);
}

function reading(source: ByteSource, contents: CopyContents, bits: LevelBits, bytes: number): RoundedCopy {
  const { sha256, tensors } = contents;
  const starts = new Map<CopiedTensor, number>();
  tensors.reduce((start, tensor) => {
    starts.set(tensor, start);
    return start + copyBytes([tensor.shape], bits);
  }, 0);

  async function pieces(
    tensor: CopiedTensor,
    { input }: Staging,
    { onProgress, signal }: StreamOptions,
    take: (piece: Uint8Array<ArrayBuffer>, row: number) => void | Promise<void>,
  ): Promise<void> {
    const { rows, rowBytes, pieceRows } = copyRows(tensor.shape, bits);
    for (let row = 0; row < rows; row += pieceRows) {
      throwIfCancelled(signal, `weights: loading "${tensor.name}"`);
      const piece = new Uint8Array(input, 0, Math.min(pieceRows, rows - row) * rowBytes);
      await readChecked(source, tensor, starts.get(tensor)! + row * rowBytes, row / pieceRows, piece);
      await take(piece, row);
      onProgress?.(row * rowBytes + piece.length, rows * rowBytes);
    }
  }

  return {
    sha256,
    tensors,
    bytes,
    matrix: (tensor, staging, options, take) => {
      const layout = copyRows(tensor.shape, bits);
      return pieces(tensor, staging, options, (piece) => take(apart(piece, layout, staging.output)));
    },
    vector: (tensor, staging, options, target) =>
      pieces(tensor, staging, options, (piece) => target.write(0, piece)),
    close: () => source.close(),
  };
}

async function readChecked(
  source: ByteSource,
  { name, digests }: CopiedTensor,
  start: number,
  index: number,
  piece: Uint8Array,
): Promise<void> {
  const damaged = (why: string, cause?: unknown): DamagedCopy =>
    new DamagedCopy(`weights: ${source.name}: "${name}" ${why}`, { cause });
  await source.readInto(start, piece).catch((error: unknown) => {
    throw damaged(`cannot be read (${messageOf(error)})`, error);
  });
  if ((await digestHex(piece)) !== digests[index]) throw damaged("is not what was written");
}

function apart(piece: Uint8Array, { rowBytes, levels }: CopyRows, output: ArrayBuffer) {
  const rows = piece.length / rowBytes;
  const scaleBytes = rowBytes - levels;
  const blocks = blocksIn(new Uint8Array(output), rows * levels, (rows * scaleBytes) / 4);
  const scales = new Uint8Array(output, rows * levels, rows * scaleBytes);
  for (let row = 0; row < rows; row++) {
    const at = row * rowBytes;
    blocks.levels.set(piece.subarray(at, at + levels), row * levels);
    scales.set(piece.subarray(at + levels, at + rowBytes), row * scaleBytes);
  }
  return blocks;
}
