/** An encoding step whose commands are recorded gives the numbers of one that is fed, to the bit, and takes the host less time. */
import { expect, test } from "./support/test.ts";
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
