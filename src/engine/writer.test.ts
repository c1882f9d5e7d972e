/** @file The writer's program against golden numbers of tools/demo-model/export_writer.py, and its file. */

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { decode, type GoldenArray } from "../../tools/checks/golden.ts";
import { useBundled } from "./testing/useBundled.ts";

const shared = useBundled();

it("gives the δ of PyTorch for parts of all lengths", async () => {
  const { engine } = shared;
  const { parts, delta } = JSON.parse(readFileSync("golden/writer/golden.json", "utf8")) as {
    parts: { layer: number; targets: number[] }[];
    delta: GoldenArray;
  };
  const expected = decode(delta);
  const { dModel } = engine.model;
  const found = await engine.write(parts);
  for (const [i, one] of found.entries()) {
    const wanted = expected.subarray(i * dModel, (i + 1) * dModel);
    const error = Math.hypot(...one!.map((x, d) => x - wanted[d]!)) / Math.hypot(...wanted);
    expect(error).toBeLessThan(1e-3);
  }
});
