import { expect, it } from "vitest";
import type { Device } from "./device.ts";
import { createNodeDevice } from "./node.ts";
import { selfTest } from "./selftest.ts";
import { corrupted } from "./testing/corrupt.ts";

const open = (weightsAs: Device["weightsAs"]) => createNodeDevice({ backend: "cpu", threads: 1, weightsAs });

for (const weightsAs of ["inputs", "initializers"] as const)
  it(`passes on the CPU with weights as ${weightsAs}, in float32 and float16, and leaves nothing behind`, async () => {
    const device = await open(weightsAs);
    const report = await selfTest(device);
    expect(report.verdict, report.summary).toBe("pass");
    expect(new Set(report.checks.map((c) => c.weights))).toEqual(new Set(["float32", "float16"]));
    expect(device.ledger.total).toBe(0);
    await device.dispose();
  });

const OUTPUTS = [
  ["selftest.prefill", "logits"],
  ["selftest.prefill", "present.1.key"],
  ["selftest.decode", "logits"],
  ["selftest.decode", "present.2.value"],
  ["selftest.read", "similarity"],
  ["selftest.read", "weights"],
  ["selftest.read", "gate"],
  ["selftest.train", "loss"],
  ["selftest.train", "hits"],
  ["selftest.train", "gradient"],
  ["selftest.train", "delta.next"],
  ["selftest.train", "m.next"],
] as const;

for (const [session, output] of OUTPUTS)
  it(`says wrong when one number of ${output} of ${session} has the wrong sign`, async () => {
    const device = await open("inputs");
    const report = await selfTest(corrupted(device, session, output, (x) => (x === 0 ? 1 : -x)));
    expect(report.verdict, report.summary).toBe("wrong");
    await device.dispose();
  });

it("says wrong for a number that is none, and degraded for one that is a little off", async () => {
  const device = await open("inputs");
  const nan = await selfTest(corrupted(device, "selftest.read", "logits", () => NaN));
  expect(nan.verdict).toBe("wrong");
  expect(nan.checks.filter((c) => c.verdict === "wrong").map((c) => c.name)).toEqual([
    "gated logits",
    "gated logits",
  ]);
  const off = await selfTest(corrupted(device, "selftest.read", "logits", (x) => x * 1.01));
  expect(off.verdict).toBe("degraded");
  expect(off.summary).toMatch(/^degraded: largest relative error 1\.\de-2 in gated logits/);
  await device.dispose();
});
