/** @file Checkpoints made in memory, for tests. */

import { encodeHeader, type Dtype } from "../../lib/safetensors.ts";
import { blobModelFiles, type ModelFiles } from "../modelFiles.ts";

export interface MadeTensor {
  readonly name: string;
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly data: Uint8Array | Uint16Array | Uint32Array | Float32Array;
}

/** A whole safetensors file. */
export function makeSafetensors(
  tensors: readonly MadeTensor[],
  metadata?: Readonly<Record<string, string>>,
): Uint8Array<ArrayBuffer> {
  const parts = tensors.map(({ data }) => new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  return new Uint8Array(Buffer.concat([encodeHeader(tensors, metadata), ...parts]));
}

/** The tensors in `count` shards with their index, as large models are published: files by name. */
export function makeShards(
  tensors: readonly MadeTensor[],
  count: number,
): Record<string, Uint8Array<ArrayBuffer>> {
  const each = Math.ceil(tensors.length / count);
  const number = (n: number): string => String(n).padStart(5, "0");
  const files: Record<string, Uint8Array<ArrayBuffer>> = {};
  const map: Record<string, string> = {};
  for (let i = 0; i < count; i++) {
    const part = tensors.slice(i * each, (i + 1) * each);
    const name = `model-${number(i + 1)}-of-${number(count)}.safetensors`;
    files[name] = makeSafetensors(part);
    for (const tensor of part) map[tensor.name] = name;
  }
  const index = JSON.stringify({ metadata: {}, weight_map: map });
  return { ...files, "model.safetensors.index.json": new Uint8Array(Buffer.from(index)) };
}

/** A model folder of the given files; text stands for its UTF-8 bytes. */
export function makeFolder(files: Readonly<Record<string, Uint8Array<ArrayBuffer> | string>>): ModelFiles {
  return blobModelFiles(
    "folder",
    new Map(Object.entries(files).map(([name, data]) => [name, new Blob([data])])),
  );
}

/** Collects what is written, and checks that every piece follows the one before. */
export function collector(): {
  write(byteOffset: number, bytes: Uint8Array): void;
  bytes(): Uint8Array;
  writes: number[];
} {
  const parts: Uint8Array[] = [];
  const writes: number[] = [];
  let at = 0;
  return {
    writes,
    write(byteOffset, bytes) {
      if (byteOffset !== at) throw new Error(`written at ${byteOffset}, ${at} expected`);
      at += bytes.length;
      writes.push(bytes.length);
      parts.push(bytes.slice());
    },
    bytes: () => new Uint8Array(Buffer.concat(parts)),
  };
}
