/** @file The precisions of the families against golden numbers, and their kernels against plain products. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rounds } from "../../src/lib/testing/thorough.ts";
import { relativeRms } from "../../src/lib/stats.ts";
import type { Device } from "../../src/runtime/device.ts";
import { createNodeDevice } from "../node/nodeDevice.ts";
import { readJson } from "../../src/weights/modelFiles.ts";
import { nodeModelFiles } from "../node/nodeFile.ts";
import { deviation, goldenOutputs, leastDeviation } from "./deviation.ts";
import { parseGolden } from "./golden.ts";

let device: Device;
beforeAll(async () => void (device = await createNodeDevice({ backend: "cpu", threads: 1 })));
afterAll(() => device.dispose());

const FAMILIES = rounds(["qwen3", "phi3"], ["qwen3", "llama", "phi3", "qwen2", "mistral", "phi4"]);

describe.each(FAMILIES)("%s", (family) => {
  const load = async () => {
    const files = await nodeModelFiles(`golden/${family}`);
    return { files, golden: parseGolden(await readJson(files, "golden.json")) };
  };

  it.each(["f16", "q8", "q4"] as const)("in %s stays as near as its rounding lets it", async (precision) => {
    const { files, golden } = await load();
    const found = await deviation(device, files, golden, precision);
    expect(found.logits).toBeLessThan(found.allowed.logits);
    expect(found.gradient).toBeLessThan(found.allowed.gradient);
    if (precision !== "f16") expect(found.logits).toBeGreaterThan(1e-3);
  });

  it("comes no nearer than 16 % with the least error that any code of 4 bits leaves in its weights", async () => {
    const { files, golden } = await load();
    const least = await leastDeviation(device, files, golden, 4);
    expect(least.logits).toBeGreaterThan(0.16);
    expect(least.gradient).toBeGreaterThan(0.16);
    // With none of it, it is what it was.
    const none = await leastDeviation(device, files, golden, 60);
    expect(none.logits).toBeLessThan(1e-5);
    expect(none.gradient).toBeLessThan(1e-4);
  });

  it.each(["f16", "q8", "q4"] as const)(
    "in %s computes with its own operators what float32 products of the rounded weights give",
    async (precision) => {
      const { files, golden } = await load();
      const own = await goldenOutputs(device, files, golden, { precision, expandUpTo: 0 });
      const plain = await goldenOutputs(device, files, golden, { precision });
      expect(relativeRms(own.logits, plain.logits)).toBeLessThan(1e-6);
      expect(relativeRms(own.gradient, plain.gradient)).toBeLessThan(1e-5);
    },
  );
});

it("leaves no weights on the device", () => expect(device.ledger.bytes.weights).toBe(0));
