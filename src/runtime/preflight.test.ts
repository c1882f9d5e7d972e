import { expect, it } from "vitest";
import type { Capabilities } from "./device.ts";
import { fits } from "./preflight.ts";

const on = (backend: Capabilities["backend"], limits: Record<string, number>): Capabilities => ({
  backend,
  description: "",
  f16: false,
  threads: 1,
  limits,
  runtime: "",
});
const GB = 1e9;

it("weighs the sum of all purposes against the memory of wasm and cpu", () => {
  const wasm = on("wasm", { memory: 4 * GB });
  const need = (weights: number) => ({ bytes: { weights, cache: 0.5 * GB }, largestTensor: 0.1 * GB });
  expect(fits(need(1 * GB), wasm)).toEqual({
    verdict: "fits",
    message: "1.50 GB needed (weights 1.00 GB, cache 500.0 MB) of 4.00 GB.",
  });
  expect(fits(need(3 * GB), wasm).verdict).toBe("tight");
  expect(fits(need(4 * GB), wasm).verdict).toBe("too big");
});

it("refuses a tensor that no GPU buffer holds, however little is needed in all", () => {
  const gpu = on("webgpu", { maxBufferSize: 2 ** 28 });
  const fit = fits({ bytes: { weights: 2 ** 29 }, largestTensor: 2 ** 29 }, gpu);
  expect(fit.verdict).toBe("too big");
  expect(fit.message).toBe("The largest tensor has 536.9 MB; a buffer on this GPU holds 268.4 MB.");
});

it("does not claim to know the memory of a GPU", () => {
  const fit = fits({ bytes: { weights: GB }, largestTensor: 1e6 }, on("webgpu", { maxBufferSize: 2 ** 31 }));
  expect(fit).toMatchObject({
    verdict: "unknown",
    message: expect.stringMatching(/^1\.00 GB needed/) as string,
  });
});
