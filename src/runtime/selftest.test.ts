import { expect, it } from "vitest";
import type { Device, DeviceTensor, Session } from "./device.ts";
import { createNodeDevice } from "./node.ts";
import { selfTest } from "./selftest.ts";

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

/** `device` with one number of one output of one session changed. */
function corrupted(device: Device, session: string, output: string, change: (x: number) => number): Device {
  const spoil = async (tensor: DeviceTensor): Promise<DeviceTensor> => {
    const data = (await tensor.read()) as Float32Array;
    const at = data.reduce((best, x, i) => (Math.abs(x) > Math.abs(data[best]!) ? i : best), 0);
    data[at] = change(data[at]!);
    return device.upload(data, "float32", tensor.dims, "activation");
  };
  return {
    ...device,
    async createSession(onnx, options): Promise<Session> {
      const real = await device.createSession(onnx, options);
      if (options.name !== session) return real;
      return {
        ...real,
        run: async (feeds) => {
          const out = await real.run(feeds);
          return { ...out, [output]: await spoil(out[output]!) };
        },
      };
    },
  };
}

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
