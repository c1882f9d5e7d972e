/** What only WebGPU has: nodes that fall back to the CPU, a device to lose, limits of buffers. */
import type { CallCheck } from "./support/test.ts";
import { expect, test } from "./support/test.ts";
import type { DeviceChecks } from "./workers/device.worker.ts";

let check: CallCheck<DeviceChecks>;
test.beforeEach(async ({ worker }) => {
  check = await worker<DeviceChecks>("device");
});

test.describe("with onnxruntime's own complaint on the console", () => {
  test.use({ allowedConsole: /\[E:onnxruntime/ });

  test("refuses a graph with a node on the CPU", async ({ backend }) => {
    await expect(check("cpuNode", backend)).rejects.toThrow(
      /session with-sign: cannot be created: .*assigned to the default CPU EP/,
    );
  });
});

test("tells a lost device, and a new one works", async () => {
  const { during, lost, after, again } = await check("loss");
  expect(lost.reason).toBe("destroyed");
  expect(during).toBe(true);
  expect(after).toBe(true);
  expect(again).toEqual([3, 5]);
});

test("refuses a tensor that no buffer holds", async ({ backend }) => {
  expect(await check("tooBig", backend)).toMatch(/webgpu: palimpsest\/weights\/uint8.* one buffer holds \d+/);
});

test("writes pieces of any length at the end of a tensor, and refuses them elsewhere", async ({
  backend,
}) => {
  const { read, said } = await check("oddWrites", backend);
  expect(read).toEqual([1, 2, 3, 4, 5]);
  expect(said).toMatch(
    /^runtime: write of 4 bytes at 2 into tensor float16\[5\]; on webgpu both must be multiples of 4/,
  );
});

test("fails the run after an error that WebGPU reported to nobody, and only that run", async () => {
  const { first, second } = await check("fault");
  expect(first).toMatch(/^session affine: run failed: webgpu reported: .*MapRead/s);
  expect(second).toEqual([3, 5]);
});
