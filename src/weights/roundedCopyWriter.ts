/** @file Writes a rounded copy (roundedCopy.ts) while a model is loaded. Errors end the copy, not the load. */

import { rawBytes } from "../lib/bytes.ts";
import { messageOf } from "../lib/assert.ts";
import { digestHex } from "../lib/hash.ts";
import { LEVEL_BITS, type LevelBits } from "../lib/precision.ts";
import { copyName, type CopyPrecision } from "./copyName.ts";
import type { Beside, BesideWriter } from "./modelFiles.ts";
import {
  COPY_LAYOUT,
  copyBytes,
  copyRows,
  TAIL_BYTES,
  TAIL_MARK,
  type CopiedTensor,
  type CopyContents,
} from "./roundedCopy.ts";
import type { StreamTarget } from "./stream.ts";
import type { TakeBlocks } from "./streamRows.ts";

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
