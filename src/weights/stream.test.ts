import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSha256 } from "../lib/hash.ts";
import { bfloat16ToFloat16, bfloat16ToFloat32, float16ToFloat32, float32ToFloat16 } from "../lib/float16.ts";
import type { Dtype } from "../lib/safetensors.ts";
import { openCheckpoint } from "./checkpoint.ts";
import type { CheckpointTensor } from "./checkpoint.ts";
import { createStaging, streamTensor } from "./stream.ts";
import type { StreamOptions, TargetType } from "./stream.ts";
import { collector, makeFolder, makeSafetensors } from "./testing/files.ts";
import type { MadeTensor } from "./testing/files.ts";

async function open(tensor: MadeTensor): Promise<CheckpointTensor> {
  // A neighbour before it, so that its data starts at an odd multiple of 2 in the file.
  const before: MadeTensor = { name: "before", dtype: "U8", shape: [6], data: new Uint8Array(6) };
  const checkpoint = await openCheckpoint(
    makeFolder({ "model.safetensors": makeSafetensors([before, tensor]) }),
  );
  return checkpoint.tensors.get(tensor.name)!;
}

const made = (dtype: Dtype, data: MadeTensor["data"], shape?: number[]): MadeTensor => {
  const name = "model.layers.0.w";
  return { name, dtype, shape: shape ?? [data.length], data };
};

interface Streamed {
  readonly bytes: Uint8Array;
  readonly writes: readonly number[];
}

async function stream(tensor: MadeTensor, type: TargetType, options?: StreamOptions): Promise<Streamed> {
  const target = collector();
  await streamTensor(await open(tensor), target, type, createStaging(64), options);
  return { bytes: target.bytes(), writes: target.writes };
}

const bytesOf = (data: Float32Array | Uint16Array): Uint8Array =>
  new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

describe("conversion in pieces equals conversion at once", () => {
  const halves = fc
    .uint16Array({ maxLength: 200 })
    .map((bits) => bits.map((b) => ((b & 0x7fff) >= 0x4780 ? b & 0x83ff : b)));
  const floats = fc.float32Array({
    maxLength: 200,
    noNaN: true,
    noDefaultInfinity: true,
    min: -65000,
    max: 65000,
  });

  test.each([
    ["BF16", "float32", bfloat16ToFloat32],
    ["BF16", "float16", bfloat16ToFloat16],
    ["F16", "float32", float16ToFloat32],
    ["F16", "float16", (source: Uint16Array) => source],
  ] as const)("%s to %s", async (dtype, type, convert) => {
    await fc.assert(
      fc.asyncProperty(halves, async (bits) => {
        const { bytes } = await stream(made(dtype, bits), type);
        expect(bytes).toEqual(bytesOf(convert(bits)));
      }),
      { seed: 6 },
    );
  });

  test.each([
    ["float32", (source: Float32Array) => source],
    ["float16", (source: Float32Array) => float32ToFloat16(source)],
  ] as const)("F32 to %s", async (type, convert) => {
    await fc.assert(
      fc.asyncProperty(floats, async (values) => {
        expect((await stream(made("F32", values), type)).bytes).toEqual(bytesOf(convert(values)));
      }),
      { seed: 7 },
    );
  });
});

test("writes pieces of multiples of 16 bytes, but for the last", async () => {
  const { writes } = await stream(made("BF16", new Uint16Array(101)), "float32");
  expect(writes.slice(0, -1).every((size) => size % 16 === 0)).toBe(true);
  expect(writes.reduce((a, b) => a + b)).toBe(404);
  expect(Math.max(...writes)).toBeLessThanOrEqual(32);
});

test("a tensor without elements is no error", async () => {
  expect((await stream(made("F32", new Float32Array(0), [0, 4]), "float16")).bytes).toHaveLength(0);
});

test("reports progress up to the whole and passes the source bytes to the hash", async () => {
  const data = Uint16Array.from({ length: 100 }, (_, i) => i);
  const seen: [number, number][] = [];
  const hash = createSha256();
  await stream(made("F16", data), "float32", { hash, onProgress: (done, total) => seen.push([done, total]) });
  expect(seen).toEqual([
    [64, 200],
    [128, 200],
    [192, 200],
    [200, 200],
  ]);
  expect(hash.hex()).toBe(createHash("sha256").update(bytesOf(data)).digest("hex"));
});

test("stops between pieces when cancelled, with an error that says so", async () => {
  const controller = new AbortController();
  const seen: number[] = [];
  const onProgress = (done: number): void => {
    seen.push(done);
    if (done === 128) controller.abort();
  };
  const run = stream(made("F16", new Uint16Array(1000)), "float32", {
    onProgress,
    signal: controller.signal,
  });
  await expect(run).rejects.toMatchObject({
    name: "Cancelled",
    message: 'weights: loading "model.layers.0.w": cancelled',
  });
  expect(seen).toEqual([64, 128]);
});

describe("values that must not be there", () => {
  test.each([
    ["BF16", Uint16Array.of(0x7fc0), "NaN"],
    ["BF16", Uint16Array.of(0xff81), "NaN"],
    ["F16", Uint16Array.of(0x7e00), "NaN"],
    ["F32", Float32Array.of(NaN), "NaN"],
    ["BF16", Uint16Array.of(0xff80), "infinity"],
    ["F16", Uint16Array.of(0x7c00), "infinity"],
    ["F32", Float32Array.of(-Infinity), "infinity"],
  ] as const)("%s %o is refused for both targets", async (dtype, data, what) => {
    for (const type of ["float32", "float16"] as const)
      await expect(stream(made(dtype, data), type)).rejects.toThrow(`${what} in the weights`);
  });

  test("the error names file, tensor, counts and the first position", async () => {
    const data = new Float32Array(60);
    data[57] = NaN;
    data[33] = NaN;
    data[50] = Infinity;
    await expect(stream(made("F32", data, [3, 4, 5]), "float32")).rejects.toThrow(
      'weights: model.safetensors: tensor "model.layers.0.w": NaN in the weights: 2 NaN and 1 infinite values, first at [1, 2, 3] of [3, 4, 5].',
    );
  });

  test.each([
    ["F32", Float32Array.of(1, -65520, 70000)],
    ["BF16", Uint16Array.of(0x3f80, 0xc780, 0x7f7f)],
  ] as const)(
    "%s beyond the range of f16 is refused as float16 and welcome as float32",
    async (dtype, data) => {
      await expect(stream(made(dtype, data), "float16")).rejects.toThrow(
        '"model.layers.0.w": 2 values are beyond ±65504 and would become infinite as float16, first at [1] of [3]. Load this model as float32.',
      );
      expect((await stream(made(dtype, data), "float32")).bytes).toHaveLength(12);
    },
  );

  test("the largest values f16 can hold pass", async () => {
    const { bytes } = await stream(made("F32", Float32Array.of(65504, 65519.99)), "float16");
    expect(bytes).toEqual(Uint8Array.of(0xff, 0x7b, 0xff, 0x7b));
  });
});

test("a dtype that cannot be weights is refused only when asked for", async () => {
  const data = new Uint8Array(8);
  await expect(stream(made("I64", data, [1]), "float32")).rejects.toThrow(
    'model.safetensors: tensor "model.layers.0.w" is I64; weights of BF16, F16, F32 can be read.',
  );
  await expect(stream(made("F8_E4M3", data, [8]), "float16")).rejects.toThrow(
    /is F8_E4M3.*Use an unquantised version/,
  );
});

test("a file that shrank after its header was read is an error", async () => {
  const tensor = await open(made("F16", new Uint16Array(100)));
  const source = { ...tensor.source, readInto: () => Promise.reject(new Error("weights: short")) };
  await expect(
    streamTensor({ ...tensor, source }, collector(), "float32", createStaging(64)),
  ).rejects.toThrow("short");
});

test("staging is refused where pieces would not be aligned", () => {
  expect(() => createStaging(100)).toThrow(/100 bytes; a positive multiple of 64/);
});
