/** @file A rounded copy: weights in 8-bit or 4-bit blocks in one file, so that the next start is fast. It has rows of all tensors (levels, then scales), contents as JSON, its SHA-256, its length and a mark. A copy that does not match is made again. Errors of the writer end the copy, not the load. */

import { blocksOf, levelBytes } from "../lib/blocks.ts";
import { throwIfCancelled, messageOf } from "../lib/assert.ts";
import { checked, count, list, number, object, text, type Infer } from "../lib/check.ts";
import { digestHex } from "../lib/hash.ts";
import { LEVEL_BITS, type LevelBits } from "../lib/precision.ts";
import { copyName, type CopyPrecision } from "./copyName.ts";
import type { Beside, BesideWriter } from "./modelFiles.ts";
import type { ByteSource } from "./source.ts";
import { type Staging, type StreamOptions, type StreamTarget, blocksIn, type TakeBlocks } from "./stream.ts";
import { rawBytes } from "../lib/bytes.ts";

/** Raised when the order of the bytes changes, or what rounding makes of a weight (lib/blocks.ts). */
export const COPY_LAYOUT = 1;

const PIECE_BYTES = 4 * 2 ** 20;

/** The end of the file, after the JSON: 64 hex digits, the length of the JSON, and the mark. */
export const TAIL_BYTES = 64 + 4 + 4;
export const TAIL_MARK = 0x706c7071;

type CopiedTensor = CopyContents["tensors"][number];

type CopyContents = Infer<typeof contentsShape>;
const contentsShape = object({
  layout: number(),
  precision: text(),
  content: text(),
  sha256: text(),
  tensors: list(object({ name: text(), shape: list(count()), digests: list(text()) })),
});

type CopyRows = ReturnType<typeof copyRows>;

function copyRows(shape: readonly number[], bits: LevelBits) {
  const isMatrix = shape.length === 2;
  const columns = shape.at(-1) ?? 1;
  const rows = isMatrix ? shape[0]! : 1;
  const levels = isMatrix ? levelBytes(columns, bits) : 0;
  const rowBytes = isMatrix ? levels + 4 * blocksOf(columns) : 4 * columns;
  return { rows, rowBytes, levels, pieceRows: Math.max(1, Math.floor(PIECE_BYTES / rowBytes)) };
}

const copyBytes = (shapes: Iterable<readonly number[]>, bits: LevelBits): number =>
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

export class RoundedCopyWriter {
  readonly #tensors: CopiedTensor[] = [];
  #file: BesideWriter | undefined;
  #problem: string | null = null;

  private constructor(
    private readonly beside: Beside,
    private readonly precision: CopyPrecision,
  ) {}

  static async begin(
    beside: Beside,
    precision: CopyPrecision,
    shapes: ReadonlyMap<string, readonly number[]>,
  ): Promise<RoundedCopyWriter> {
    const writer = new RoundedCopyWriter(beside, precision);
    await writer.#try(async () => {
      // Its storage becomes free. If another tab has it open, opening it below fails.
      await beside.remove(copyName(precision)).catch(() => undefined);
      const room = await beside.room();
      const needed = copyBytes(shapes.values(), LEVEL_BITS[precision]);
      if (room !== null && needed > room) throw new Error(noRoom(needed, room));
      writer.#file = await beside.writer(copyName(precision));
    });
    return writer;
  }

  get problem(): string | null {
    return this.#problem;
  }

  tensor(name: string, shape: readonly number[]): TensorWriter {
    return new TensorWriter(shape, LEVEL_BITS[this.precision], {
      write: (piece) => this.#try(async () => this.#file?.write(piece)),
      end: (digests) => void this.#tensors.push({ name, shape, digests }),
    });
  }

  /** Ends the copy. @param sha256 of the model @returns its bytes; 0 if no copy is stored */
  async finish(sha256: string): Promise<number> {
    await this.#try(async () => {
      const { content } = this.beside;
      const tensors = this.#tensors;
      await this.#file?.write(
        await tailOf({ layout: COPY_LAYOUT, precision: this.precision, content, sha256, tensors }),
      );
      await this.#file?.close();
    });
    const shapes = this.#tensors.map(({ shape }) => shape);
    return this.#problem === null ? copyBytes(shapes, LEVEL_BITS[this.precision]) : 0;
  }

  async abandon(why: string): Promise<void> {
    if (this.#problem !== null) return;
    this.#problem = why;
    await this.#file?.close().catch(() => undefined);
    if (this.#file) await this.beside.remove(copyName(this.precision)).catch(() => undefined);
  }

  async #try(work: () => Promise<unknown>): Promise<void> {
    if (this.#problem !== null) return;
    try {
      await work();
    } catch (error) {
      const full = (error as Partial<Error> | null)?.name === "QuotaExceededError";
      await this.abandon(full ? "this browser gives no more room" : messageOf(error));
    }
  }
}

interface Pieces {
  write(piece: Uint8Array): Promise<void>;
  end(digests: readonly string[]): void;
}

class TensorWriter {
  readonly #layout: ReturnType<typeof copyRows>;
  readonly #piece: Uint8Array;
  readonly #digests: string[] = [];
  #held = 0;

  constructor(
    shape: readonly number[],
    bits: LevelBits,
    private readonly pieces: Pieces,
  ) {
    this.#layout = copyRows(shape, bits);
    const { rows, pieceRows, rowBytes } = this.#layout;
    this.#piece = new Uint8Array(Math.min(rows, pieceRows) * rowBytes);
  }

  along(take: TakeBlocks): TakeBlocks {
    return async (blocks) => {
      await take(blocks);
      const { rowBytes, levels } = this.#layout;
      const scaleBytes = rowBytes - levels;
      const scales = rawBytes(blocks.scales);
      for (let row = 0; row * levels < blocks.levels.length; row++) {
        if (this.#held === this.#piece.length) await this.#flush();
        this.#piece.set(blocks.levels.subarray(row * levels, (row + 1) * levels), this.#held);
        this.#piece.set(scales.subarray(row * scaleBytes, (row + 1) * scaleBytes), this.#held + levels);
        this.#held += rowBytes;
      }
    };
  }

  alongVector(target: StreamTarget): StreamTarget {
    return {
      write: (at, bytes) => {
        target.write(at, bytes);
        this.#piece.set(bytes, at);
        this.#held = at + bytes.length;
      },
    };
  }

  async end(): Promise<void> {
    await this.#flush();
    this.pieces.end(this.#digests);
  }

  async #flush(): Promise<void> {
    const piece = this.#piece.subarray(0, this.#held);
    this.#held = 0;
    this.#digests.push(await digestHex(piece));
    await this.pieces.write(piece);
  }
}

async function tailOf(contents: CopyContents): Promise<Uint8Array> {
  const json = new TextEncoder().encode(JSON.stringify(contents));
  const tail = new Uint8Array(json.length + TAIL_BYTES);
  tail.set(json);
  tail.set(new TextEncoder().encode(await digestHex(json)), json.length);
  const view = new DataView(tail.buffer, json.length + 64);
  view.setUint32(0, json.length, true);
  view.setUint32(4, TAIL_MARK, true);
  return tail;
}

const noRoom = (needed: number, room: number): string =>
  `it takes ${(needed / 1e6).toFixed(1)} MB, and this browser gives ${(room / 1e6).toFixed(1)} MB more`;
