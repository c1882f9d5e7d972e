import { THOROUGH } from "../src/lib/testing/thorough.ts";
import type { CallCheck } from "./support/test.ts";
import { expect, test } from "./support/test.ts";
import type { DeviceChecks } from "./workers/device.worker.ts";

let check: CallCheck<DeviceChecks>;
test.beforeEach(async ({ worker }) => {
  check = await worker<DeviceChecks>("device");
});

test("uploads, writes in pieces, runs and reads", async ({ backend }) => {
  const { y, dims } = await check("run", backend);
  expect(y).toEqual([3, 5, 7, 9]);
  expect(dims).toEqual([2, 2]);
});

test("says what it runs on, and the survey beforehand says the same", async ({ backend }) => {
  const found = await check("capabilities", backend);
  expect(found.backend).toBe(backend);
  expect(found.runtime).toContain("onnxruntime-web 1.");
  if (backend === "wasm") expect(found.limits["crossOriginIsolated"]).toBe(1);
  else expect(found.limits["maxBufferSize"]).toBeGreaterThan(2 ** 28 - 1);
  const survey = await check("survey");
  expect({ ...survey[backend], runtime: found.runtime }).toEqual(found);
  if (backend === "wasm") expect(survey.webgpuMissing?.next).toContain("wasm backend");
});

test("carries every tensor type there and back", async ({ backend }) => {
  expect(await check("types", backend)).toEqual({
    float32: [1.5, -2, 3],
    float16: [0x3c00, 0x4000, 0xc000],
    int32: [-1, 2, 3],
    int64: [-1, 2 ** 40, 3],
    uint8: [1, 2, 255],
    bool: [1, 0, 1],
  });
});

test("takes int64 indices and gives int64 positions", async ({ backend }) => {
  expect(await check("indices", backend)).toEqual({ rows: [7, 6, 0, 1], best: [0, 1], type: "int64" });
});

test("shares one weight buffer between a forward and a backward session", async ({ backend }) => {
  const { y, dx, weights } = await check("sharedWeight", backend);
  expect(y).toEqual([3, 7, 11]);
  expect(dx).toEqual([79, 100]);
  if (backend === "webgpu") expect(weights).toBe(32); // 24 bytes, rounded up, once
});

test("feeds an output back twenty times without leaving the device", async ({ backend }) => {
  const { once, twice, after, activation } = await check("feedback", backend);
  expect(once).toEqual([2 ** 20 - 1, 2 ** 21 - 1]);
  expect(twice).toEqual(once);
  expect(after).toEqual([2 ** 21 - 1, 2 ** 22 - 1]);
  expect(activation).toBe(0);
});

test("grows a cache from zero rows", async ({ backend }) => {
  expect(await check("emptyCache", backend)).toEqual({ dims: [1, 3, 2], data: [1, 1, 2, 2, 3, 3] });
});

test("refuses what does not fit, naming session and tensor", async ({ backend }) => {
  const said = await check("refusals", backend);
  expect(said[0]).toBe("runtime: upload has dimensions [2,2], that is 4 elements, but got 3");
  expect(said[1]).toBe('session affine: input "x" is not fed; got none');
  expect(said[2]).toBe('session affine: input "x" must be [T,2], but got [1,3]');
  expect(said[3]).toBe('session affine: "x": the tensor was disposed or belongs to another device');
  expect(said[4]).toBe("runtime: tensor float32[1,2] was disposed and cannot be used");
});

test("holds nothing after dispose", async ({ backend }) => {
  const { during, after, peak } = await check("ledger", backend);
  expect(during).toBeGreaterThan(0);
  expect(peak).toBe(during);
  expect(after).toBe(0);
});

test("runs two devices side by side in one worker", async ({ backend }) => {
  const expected = Array.from({ length: 10 }, (_, i) => [2 * i + 1, 2 * i + 1]);
  expect(await check("twoDevices", backend)).toEqual(expected);
});

test("passes the self-test, fails it with one number wrong, and records only what comes out the same", async ({
  backend,
}) => {
  test.skip(
    backend === "webgpu" && !THOROUGH,
    "in `npm test -- thorough`: app.webgpu.spec.ts passes the self-test as well, and a software GPU compiles for long",
  );
  test.slow(); // a software GPU takes seconds to compile the kernels
  const { real, bytesAfter, broken, misread } = await check("selfTest", backend);
  expect(real.verdict, JSON.stringify(real, null, 1)).toBe("pass");
  expect(bytesAfter).toBe(0);
  expect(broken.verdict).toBe("wrong");
  expect(broken.summary).toMatch(/^wrong: largest relative error 2\.0e\+0 in logits/);
  // Recorded steps are taken only where they are the steps themselves.
  expect(real.shortcuts.recording).toBe(backend === "webgpu");
  if (backend === "wasm") return void expect(misread).toBeNull();
  expect(misread).toMatchObject({ verdict: "pass", shortcuts: { loops: false, recording: false } });
  expect(misread!.summary).toMatch(/; no step is recorded, since recorded steps gave other results$/);
});

test.describe("with onnxruntime's own complaint on the console", () => {
  test.use({ allowedConsole: /\[E:onnxruntime/ });

  test("goes on after a run that failed", async ({ backend }) => {
    const [first, second, third] = await check("failingRun", backend);
    expect(first).toEqual([1, 2]);
    expect(second).toMatch(/session mul: run failed: .*MatMul/s);
    expect(third).toEqual([1, 2]);
  });
});
