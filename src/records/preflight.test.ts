import { expect, it } from "vitest";
import { describeModel, precisionSizes } from "../engine/describe.ts";
import { parseConfig } from "../graph/models/config.ts";
import type { Capabilities } from "../runtime/device.ts";
import { MODEL_SHAPES } from "../../tools/modelShapes.ts";
import { preflightLine } from "./model.ts";

const wasm: Capabilities = {
  backend: "wasm",
  description: "4 cores, 4 threads",
  f16: true,
  threads: 4,
  limits: { memory: 4 * 2 ** 30 },
  runtime: "made up",
};
const webgpu: Capabilities = { ...wasm, backend: "webgpu", f16: false, limits: { maxBufferSize: 2 ** 31 } };

const line = (shape: keyof typeof MODEL_SHAPES): string =>
  preflightLine(shape, precisionSizes(describeModel(MODEL_SHAPES[shape]), [webgpu, wasm]));

it("says of a real model's config what each precision takes and which fit", () => {
  expect(line("qwen3-4b")).toBe(
    "qwen3-4b: 16.1 GB as f32, 8.0 GB as f16, 4.5 GB as q8, 2.5 GB as q4; " +
      "this device: WebGPU does not say how much it holds, wasm holds it in no precision",
  );
  expect(line("qwen3-0.6b")).toMatch(
    /^qwen3-0.6b: 2.4 GB as f32, 1.2 GB as f16, 0.7 GB as q8, 0.4 GB as q4; .*wasm holds f16 \(tight\), q8, q4$/,
  );
  expect(line("llama3.1-8b")).toContain("32.1 GB as f32, 16.1 GB as f16, 9.0 GB as q8, 5.0 GB as q4");
  expect(line("tiny")).toMatch(/wasm holds f32, f16, q8, q4$/);
});

it("counts the caches of recorded decoding that a GPU may keep: all of a small model's, 1 GiB of a large one's", () => {
  const caches = (shape: keyof typeof MODEL_SHAPES): number => {
    const { need } = describeModel(MODEL_SHAPES[shape]);
    return need("webgpu", "q8").bytes.cache! - need("wasm", "q8").bytes.cache!;
  };
  expect(caches("qwen3-0.6b")).toBe(2 ** 30);
  const { layers, kvHeads, headDim } = parseConfig(MODEL_SHAPES.tiny);
  expect(caches("tiny")).toBe(2 * 4 * layers * kvHeads * headDim * 2048 * 32);
});

it("counts on a GPU, beside a step that is fed, what recorded encoding steps may keep, and the scores of a long prompt", () => {
  const { need } = describeModel(MODEL_SHAPES["qwen3-0.6b"]);
  const [logits, scores] = [4 * 2 ** 24, 4 * 2 ** 24];
  expect(need("webgpu", "f32").bytes.activation).toBe((10 + 15) * logits + 3 * scores);
});
