import { afterAll, beforeAll, expect, it } from "vitest";
import { rounds } from "../lib/testing/thorough.ts";
import type { Device } from "../runtime/device.ts";
import { createNodeDevice } from "../../tools/node/nodeDevice.ts";
import { corrupted, misreading } from "../runtime/testing/corrupt.ts";
import { withFixedSessions } from "../runtime/testing/fixedOnHost.ts";
import stored from "./selftest.expected.json" with { type: "json" };
import { judge, precisionTest, selfTest, runProbe } from "./selftest.ts";

const open = (weightsAs: Device["weightsAs"]) => createNodeDevice({ backend: "cpu", threads: 1, weightsAs });

let device: Device;
beforeAll(async () => void (device = await open("inputs")));
afterAll(() => device.dispose());

for (const weightsAs of ["inputs", "initializers"] as const)
  it(`passes on the CPU with weights as ${weightsAs}, and leaves nothing behind`, async () => {
    const own = await open(weightsAs);
    const report = await selfTest(own);
    expect(report.verdict, report.summary).toBe("pass");
    expect(own.ledger.total).toBe(0);
    await own.dispose();
  });

it("takes one token per run if many per run give other results, and reports it", async () => {
  const own = await open("initializers");
  const report = await selfTest(corrupted(own, "rounds.8", "next", (id) => id - 1));
  expect([report.verdict, report.shortcuts.loops]).toEqual(["pass", false]);
  expect(report.summary).toMatch(
    /of 13 checks; decoding takes one token per run, since many per run gave other results$/,
  );
  expect((await selfTest(own)).shortcuts).toEqual({ loops: true, recording: false });
  expect(own.ledger.total).toBe(0);
  await own.dispose();
});

for (const precision of ["f16", "q8", "q4"] as const)
  it(`passes in ${precision}, where every number is that of the rounded weights, and leaves nothing behind`, async () => {
    const report = await precisionTest(device, precision);
    expect([report.verdict, report.recording], report.summary).toEqual(["pass", false]);
    expect(report.summary).toMatch(/^pass: largest relative error \S+ in .+, of 13 checks$/);
    expect(device.ledger.total).toBe(0);
  });

it("lets steps be recorded in a precision where they give the bits of those that are fed, and not where a bit differs", async () => {
  const recording = withFixedSessions(device);
  expect((await precisionTest(recording, "q8")).recording).toBe(true);
  const off = await precisionTest(misreading(recording), "q8");
  expect([off.verdict, off.recording]).toEqual(["pass", false]);
  expect(off.summary).toMatch(/of 13 checks; no step is recorded, since recorded steps gave other results$/);
  expect(device.ledger.total).toBe(0);
});

it("says wrong where the kernels for levels are", async () => {
  const spoilt = corrupted(device, "lens", "logits", (x) => -x);
  const own: Device = {
    ...device,
    createSession: (onnx, options) =>
      (Object.keys(options.weights).some((name) => name.endsWith("/scales")) ? spoilt : device).createSession(
        onnx,
        options,
      ),
  };
  expect((await selfTest(own)).verdict).toBe("pass");
  expect((await precisionTest(own, "q4")).verdict).toBe("wrong");
});

it("the stored numbers are the CPU's, to the last digit that is stored", async () => {
  const { results: found } = await runProbe(device);
  expect(Object.keys(found)).toEqual(Object.keys(stored));
  for (const { name, error } of judge(found, stored)) expect(error, name).toBeLessThan(1e-6);
});

const TRAINING = "encode.1.2.3.0.9.0.999";
const OUTPUTS: readonly (readonly [session: string, output: string])[] = [
  ["states.1", "state.2"],
  ["lens", "logits"],
  ["prefix.1.8", "present.1.key"],
  ["keys.1.8", "activation.1"],
  ["similarity.8", "similarity"],
  ["soft.1.prompt.1", "similarity"],
  ["soft.1.prompt.1", "gate"],
  ["lower.1.2", "hidden"],
  [TRAINING, "loss"],
  [TRAINING, "hits"],
  [TRAINING, "delta.next"],
  [TRAINING, "m.next"],
];

for (const [session, output] of rounds(OUTPUTS.slice(0, 3).concat(OUTPUTS.slice(-2)), OUTPUTS))
  it(`says wrong when one number of ${output} of ${session} has the wrong sign`, async () => {
    const report = await selfTest(corrupted(device, session, output, (x) => (x === 0 ? 1 : -x)));
    expect(report.verdict, report.summary).toBe("wrong");
  });

const TOKENS = ["inject.8", "soft.1.decode.1", "decode.8", "soft.1.prompt.1"];
for (const session of rounds(TOKENS.slice(0, 2), TOKENS))
  it(`says wrong when one token of ${session} is another`, async () => {
    const report = await selfTest(corrupted(device, session, "next", (id) => id - 1));
    expect(report.verdict, report.summary).toBe("wrong");
  });

it("says wrong for a number that is none, and degraded for one that is a little off", async () => {
  const nan = await selfTest(corrupted(device, "similarity.8", "similarity", () => NaN));
  expect(nan.verdict).toBe("wrong");
  expect(nan.checks.filter((c) => c.verdict === "wrong").map((c) => c.name)).toEqual(["similarity"]);
  const off = await selfTest(corrupted(device, "lens", "logits", (x) => x * 1.01));
  expect(off.verdict).toBe("degraded");
  expect(off.summary).toMatch(
    /^degraded: largest relative error 1\.\de-2 in logits after layer \d, of 13 checks/,
  );
});
