/** An encoding step whose commands are recorded gives the numbers of one that is fed, to the bit, and takes the host less time. */
import { expect, test } from "./support/test.ts";
import { tinyModel } from "./support/tinyModel.ts";
import type { CaptureChecks } from "./workers/capture.worker.ts";

test("a recorded encoding step is the step itself", async ({ worker }) => {
  test.setTimeout(180_000);
  const check = await worker<CaptureChecks>("capture");
  const { fed, recorded, hostMs, nodes, refused, left } = await check("steps", 6);
  expect(recorded).toEqual(fed);
  // It does something: every step has another δ.
  expect(new Set(recorded.map((step) => step["delta.next"])).size).toBe(6);
  expect(refused).toMatch(/^session open: .*must be a number to be recorded/);
  expect(left).toBe(0);
  console.log(`host time of a step of ${nodes} nodes: ${hostMs.fed.toFixed(2)} ms fed, ${hostMs.recorded.toFixed(2)} recorded`); // prettier-ignore
});

test("a batch comes out the same with recorded steps, also when a row changes hands", async ({ worker }) => {
  test.setTimeout(180_000);
  const check = await worker<CaptureChecks>("capture");
  const { fed, recorded, recordings, left } = await check("encoder", tinyModel());
  expect(recorded).toEqual(fed);
  expect(recordings).toBe(1);
  expect(left).toBe(0);
});

test("the self-test takes recorded steps only where they are the steps themselves", async ({ worker }) => {
  test.setTimeout(180_000);
  const check = await worker<CaptureChecks>("capture");
  const [right, wrong] = await check("selfTests");
  expect(right).toMatchObject({ verdict: "pass", shortcuts: { loops: false, recording: true } });
  expect(wrong).toMatchObject({ verdict: "pass", shortcuts: { loops: false, recording: false } });
  expect(wrong!.summary).toMatch(/; no step is recorded, since recorded ones came out otherwise$/);
});
