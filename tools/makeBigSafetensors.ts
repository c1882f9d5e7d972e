/**
 * @file Writes a large safetensors file of random weights, in chunks, for tests of loading.
 * Command line: tsx tools/makeBigSafetensors.ts FILE [BYTES]
 */

import { randomFillSync } from "node:crypto";
import { open } from "node:fs/promises";
import { encodeHeader, type TensorSpec } from "../src/lib/safetensors.ts";

const CHUNK = 8 * 2 ** 20;
const COLUMNS = 4096;

/**
 * Three tensors of 4096 columns in about `bytes` bytes: half BF16, a quarter
 * F16 and a quarter F32. One random chunk per dtype is repeated: it is the amount that is tested, not the values.
 * @returns the exact size of the file
 */
export async function makeBigSafetensors(file: string, bytes: number): Promise<number> {
  const rows = (share: number, size: number): number => Math.ceil((bytes * share) / size / COLUMNS);
  const tensors: TensorSpec[] = [
    { name: "model.embed_tokens.weight", dtype: "BF16", shape: [rows(0.5, 2), COLUMNS] },
    { name: "model.layers.0.mlp.up_proj.weight", dtype: "F16", shape: [rows(0.25, 2), COLUMNS] },
    { name: "lm_head.weight", dtype: "F32", shape: [rows(0.25, 4), COLUMNS] },
  ];
  const handle = await open(file, "w");
  try {
    await handle.writeFile(encodeHeader(tensors));
    for (const { dtype, shape } of tensors) {
      const chunk = randomWeights(dtype === "F32" ? 4 : 2);
      let left = shape[0]! * COLUMNS * (dtype === "F32" ? 4 : 2);
      for (; left > 0; left -= chunk.length) await handle.writeFile(chunk.subarray(0, left));
    }
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

/** Random bits with the exponent's top bit cleared: |x| < 2 in all three formats, so no NaN and no overflow. */
function randomWeights(elementBytes: 2 | 4): Uint8Array {
  const chunk = randomFillSync(new Uint8Array(CHUNK));
  for (let i = elementBytes - 1; i < chunk.length; i += elementBytes) chunk[i]! &= 0xbf;
  return chunk;
}

if (process.argv[1] === import.meta.filename) {
  const [file, bytes = "2e9"] = process.argv.slice(2);
  if (!file) throw new Error("usage: tsx tools/makeBigSafetensors.ts FILE [BYTES]");
  console.error(`${file}: ${await makeBigSafetensors(file, Number(bytes))} bytes`);
}
