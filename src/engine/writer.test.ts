/** @file The writer: δ against golden numbers of tools/demo-model/export_writer.py, and files that are refused. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { decode, type GoldenArray } from "../../tools/checks/golden.ts";
import { writeDelta, WRITER } from "../graph/programs/writer.ts";
import { makeSafetensors } from "../weights/testing/files.ts";
import {
  folder,
  HAS_WRITER,
  open,
  randomConfig,
  randomWeights,
  tokenizerFiles,
  vector,
} from "./testing/models.ts";
import { useBundled } from "./testing/useBundled.ts";
import type { WriterAbout } from "./engine.ts";
import { WRITER_FILE } from "../records/model.ts";

const shared = useBundled();

// Skipped until the bundled model ships its writer, whose golden numbers these are.
it.runIf(HAS_WRITER)("gives the δ of PyTorch for parts of all lengths, in any company", async () => {
  const { engine } = shared;
  const { parts, delta } = JSON.parse(readFileSync("golden/writer/golden.json", "utf8")) as {
    parts: { layer: number; targets: number[] }[];
    delta: GoldenArray;
  };
  const { dModel } = engine.model;
  const expected = decode(delta);
  const found = [...(await engine.write(parts)), ...(await engine.write(parts.slice(0, 1)))];
  for (const [i, one] of found.entries()) {
    const row = i % parts.length;
    const wanted = expected.subarray(row * dModel, (row + 1) * dModel);
    const error = Math.hypot(...one!.map((x, d) => x - wanted[d]!)) / Math.hypot(...wanted);
    expect(error).toBeLessThan(1e-3);
  }
});

// Skipped until the bundled model ships its writer.
it.runIf(HAS_WRITER)(
  "gives none for a part that is too long, or at a layer that it was not trained for",
  async () => {
    const { writer, write } = shared.engine;
    const targets = Array.from({ length: writer!.places + 1 }, (_, i) => i);
    const [layer] = writer!.layers;
    expect(await write([{ layer: layer!, targets }])).toEqual([null]);
    expect(await write([{ layer: 0, targets: [1] }])).toEqual([null]);
  },
);

describe("the file of a writer", () => {
  const config = randomConfig("LlamaForCausalLM");
  const weights = randomWeights(config);
  const sizes = { places: 4, part: 4, reads: 1, layers: [1], size: 1.25 };
  const about: WriterAbout = { ...sizes, model: "other", sha256: "0".repeat(64) };

  async function opening(said: object, change: (name: string, shape: number[]) => number[] = (_, s) => s) {
    const { engine, device } = await open(folder(config, weights));
    const { decoder } = engine.runner.programs;
    const { sha256 } = engine.model;
    const graph = writeDelta(decoder, sizes, { name: "writer", batch: 1, tokens: 4 });
    const tensors = graph.weights.flatMap(({ name, shape }) => {
      if (!name.startsWith(WRITER)) return [];
      const dims = change(name.slice(WRITER.length), shape.map(Number));
      const count = dims.reduce((n, d) => n * d, 1);
      return { name: name.slice(WRITER.length), dtype: "F32" as const, shape: dims, data: vector(count, 1) };
    });
    await engine.dispose();
    await device.dispose();
    const text = JSON.stringify({ ...about, sha256, ...said });
    const file = makeSafetensors(tensors, { writer: text });
    return open(folder(config, weights, { ...tokenizerFiles(), [WRITER_FILE]: file }));
  }

  it("is used if it belongs to the model", async () => {
    const { engine, device } = await opening({});
    expect(engine.writer).toMatchObject({ places: 4, layers: [1] });
    const [delta] = await engine.write([{ layer: 1, targets: [5, 6, 7] }]);
    expect(delta).toHaveLength(engine.model.dModel);
    await engine.dispose();
    expect(device.ledger.total).toBe(0);
    await device.dispose();
  });

  it("may be of a lower rank than the model, and is written by a training", async () => {
    const { engine, device } = await open(folder(config, weights));
    const { sha256, dModel } = engine.model;
    const teaching = engine.openTeaching(
      { ...about, sha256, layers: [1, 2], width: 8, normed: true, size: 0.5 },
      5,
    );
    const lessons = [1, 2, 3, 4].map((n) => ({
      layer: 2,
      prompt: { ids: [5, 6, 7, 8, n], keyPosition: 3 },
      targets: [n + 10, n + 20, n + 30].slice(0, n),
    }));
    for (const step of [1, 2, 3]) {
      const led = await teaching.step(lessons, { step, rate: 0.01, margin: 1 });
      expect(led.map(({ length }) => length)).toEqual([1, 2, 3, 3]);
    }
    const file = new Uint8Array(await teaching.file());
    teaching.dispose();
    await engine.dispose();
    expect(device.ledger.total).toBe(0);
    await device.dispose();
    const again = await open(folder(config, weights, { ...tokenizerFiles(), [WRITER_FILE]: file }));
    const parts = [1, 2].map((layer) => ({ layer, targets: [5, 6, 7] }));
    const [first, second] = await again.engine.write(parts);
    for (const delta of [first!, second!])
      expect(Math.hypot(...delta) / Math.sqrt(dModel)).toBeCloseTo(0.5, 4);
    // All layers begin at one map, and layer 2 alone was learned.
    expect(first).not.toEqual(second);
    await again.engine.dispose();
    await again.device.dispose();
  });

  it("is refused by name if it was made for another model", async () => {
    // This model has no layer 9, which would be the less helpful reason.
    await expect(opening({ ...about, layers: [9] })).rejects.toThrow(
      /writer\.safetensors was made for other@00000000, the model is folder@[0-9a-f]{8}/,
    );
  });

  it.each([
    ["no writer of this app", { places: "four" }],
    ["layers that store nothing", { layers: [9] }],
    ["more early layers than the model has", { reads: 99 }],
  ])("is refused: %s", async (_, said) => {
    await expect(opening(said)).rejects.toThrow(/writer\.safetensors is not a writer of this app/);
  });

  it("is refused if a tensor has another shape", async () => {
    const wrong = opening({}, (name, shape) => (name === "mix.bias" ? [31] : shape));
    await expect(wrong).rejects.toThrow(/"mix.bias" has shape \[31\], \[32\] expected/);
  });
});
