/** @file Matrices on their way into another precision: in pieces as at once, whatever the file holds. */

import { describe, expect, it } from "vitest";
import { blockedRows, dequantise, quantise } from "../lib/blocks.ts";
import { bfloat16ToFloat32, float16ToFloat32, float32ToFloat16 } from "../lib/float16.ts";
import { seeded } from "../lib/rng.ts";
import type { Dtype } from "../lib/safetensors.ts";
import { openCheckpoint, type CheckpointTensor } from "./checkpoint.ts";
import { createStaging, streamBlocks, streamHalves, writingBlocks, writingFloats } from "./stream.ts";
import { collector, makeFolder, makeSafetensors, type MadeTensor } from "./testing/files.ts";

const [ROWS, COLUMNS] = [37, 40];

async function tensorOf(
  dtype: Dtype,
  data: MadeTensor["data"],
  shape = [ROWS, COLUMNS],
): Promise<CheckpointTensor> {
  const made = makeSafetensors([{ name: "w", dtype, shape, data }]);
  return (await openCheckpoint(makeFolder({ "model.safetensors": made }))).tensors.get("w")!;
}

const next = seeded(11);
const floats = Float32Array.from({ length: ROWS * COLUMNS }, () => next() - 0.5);
const halves = float32ToFloat16(floats);
const brains = Uint16Array.from(new Uint32Array(floats.buffer), (bits) => bits >>> 16);
const SOURCES = [
  ["F32", floats, floats],
  ["F16", halves, float16ToFloat32(halves)],
  ["BF16", brains, bfloat16ToFloat32(brains)],
] as const;

describe.each(SOURCES)("%s", (dtype, data, values) => {
  // Room for two or three rows, and for all.
  it.each([1024, 2 ** 16])(
    "becomes the same blocks through a staging of %i bytes as at once",
    async (staging) => {
      for (const bits of [4, 8] as const) {
        const expected = blockedRows(ROWS, COLUMNS, bits);
        quantise(values, COLUMNS, bits, expected);
        const [levels, scales] = [collector(), collector()];
        const take = writingBlocks({ levels, scales });
        await streamBlocks(await tensorOf(dtype, data), bits, createStaging(staging), {}, take);
        expect(levels.bytes()).toEqual(expected.levels);
        expect(scales.bytes()).toEqual(new Uint8Array(expected.scales.buffer));
      }
    },
  );

  it("comes out of a precision as what its blocks or halves stand for", async () => {
    const expected = float16ToFloat32(float32ToFloat16(values));
    const halves = collector();
    await streamHalves(await tensorOf(dtype, data), halves, createStaging(1024), {});
    expect(new Float32Array(halves.bytes().buffer)).toEqual(expected);
    for (const bits of [4, 8] as const) {
      const blocks = blockedRows(ROWS, COLUMNS, bits);
      quantise(values, COLUMNS, bits, blocks);
      dequantise(blocks, COLUMNS, bits, expected);
      const target = collector();
      const take = writingFloats(target, COLUMNS, bits);
      await streamBlocks(await tensorOf(dtype, data), bits, createStaging(1024), {}, take);
      expect(new Float32Array(target.bytes().buffer)).toEqual(expected);
    }
  });
});

describe("refused by name", () => {
  it("a vector, a row beyond the staging, a value that is none, and one beyond float16", async () => {
    const blocks = (tensor: CheckpointTensor, bytes = 1024) =>
      streamBlocks(tensor, 8, createStaging(bytes), {}, () => undefined);
    await expect(blocks(await tensorOf("F32", floats, [ROWS * COLUMNS]))).rejects.toThrow(
      /"w" has shape \[1480\]; only a matrix/,
    );
    await expect(blocks(await tensorOf("F32", floats), 128)).rejects.toThrow(
      /a row of "w" has 40 values, more than the staging holds/,
    );
    const spoilt = (value: number) => Float32Array.from(floats, (v, i) => (i === 100 ? value : v));
    await expect(blocks(await tensorOf("F32", spoilt(NaN)))).rejects.toThrow(/NaN.*first at \[2, 20\]/);
    const large = await tensorOf("F32", spoilt(1e6));
    await expect(streamHalves(large, collector(), createStaging(1024), {})).rejects.toThrow(/beyond ±65504/);
  });
});
