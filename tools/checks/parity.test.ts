/** @file The three decoder families against numbers of an independent float64 implementation, and that this can fail. */

import { describe, expect, it } from "vitest";
import { createNodeDevice } from "../node/nodeDevice.ts";
import type { WritableTensor } from "../../src/runtime/device.ts";
import { readJson } from "../../src/weights/modelFiles.ts";
import { nodeModelFiles } from "../node/nodeFile.ts";
import { loadWeights } from "../../src/engine/loadWeights.ts";
import { parseGolden } from "./golden.ts";
import { parity, type ParityRow } from "./parity.ts";

const GOLDEN = "golden";

/** Compares a golden folder; `spoil` changes a weight first. */
async function compare(
  family: string,
  spoil?: { readonly weight: string; readonly by: number },
): Promise<ParityRow[]> {
  const files = await nodeModelFiles(`${GOLDEN}/${family}`);
  const device = await createNodeDevice({ backend: "cpu", spin: false });
  try {
    const { decoder, weights } = await loadWeights(device, files);
    if (spoil) {
      const tensor = weights.get(spoil.weight) as WritableTensor;
      const first = Float32Array.of(Number((await tensor.read())[0]) + spoil.by);
      tensor.write(0, new Uint8Array(first.buffer));
    }
    return await parity(device, decoder, weights, parseGolden(await readJson(files, "golden.json")));
  } finally {
    await device.dispose();
  }
}

describe("golden numbers", () => {
  it.each(["qwen3", "llama", "phi3", "qwen2", "mistral", "phi4"])("%s", async (family) => {
    const rows = await compare(family);
    expect(rows.filter((row) => !row.ok)).toEqual([]);
    const keys = rows.map((row) => row.key).join();
    for (const part of [
      "logits",
      "down_proj_input 3",
      "gradient (upper layers only)",
      "gradient (whole model)",
      "adam losses",
      "adam delta",
      "greedy plain",
      "greedy with delta",
      "gated similarity",
      "gated weights",
      "wrong gates",
      "gated injected",
      "gated logits",
    ])
      expect(keys).toContain(part);
  });

  it("one changed value of a weight is noticed by everything that it touches, and by nothing before it", async () => {
    const rows = await compare("qwen3", { weight: "model.layers.1.mlp.down_proj.weight", by: 0.5 });
    const wrong = rows.filter((row) => !row.ok).map((row) => row.key);
    expect(wrong).toEqual(expect.arrayContaining(["logits", "down_proj_input 2", "gradient (whole model)"]));
    expect(wrong).not.toContain("down_proj_input 1");
  });
});

it("golden numbers without a key are refused by the key's name", () => {
  expect(() => parseGolden({ input_ids: [] })).toThrow('parity: golden.json has no "logits"');
});
