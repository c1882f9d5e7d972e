/** @file A GPU that goes away in the middle of encoding, in a real browser; and a second time, which leads to wasm. */
import { SHARP } from "../src/records/params.ts";
import { expect, test } from "./support/test.ts";
import { tinyModel } from "./support/tinyModel.ts";
import type { LossChecks } from "./workers/engineLoss.worker.ts";

// It compiles everything three times; runtime.webgpu.spec.ts loses a device, and engineService.test.ts runs over a loss.
test("a run over a lost GPU ends as if nothing had happened; twice lost, wasm carries on @thorough", async ({
  worker,
}) => {
  test.setTimeout(600_000);
  const call = await worker<LossChecks>("engineLoss");
  const result = await call("loss", {
    model: tinyModel(),
    text: "Ann ran. Bob sat.",
    params: {
      ...SHARP,
      partTokens: null,
      anchors: "rules",
      steps: 4,
      refine: 0,
      answerTokens: 3,
      questionsPerFact: 1,
    },
    // One layer, the last: software WebGPU compiles for seconds, and everything twice here.
    layers: [2],
  });
  expect([result.backend, result.verdict]).toEqual(["webgpu", "pass"]);
  expect(result.first).toEqual(["lost", "reloading", "ready"]);
  expect(result.encoded).toBe(2);
  expect(result.residuals[1]).toEqual(result.residuals[0]);
  expect(result.second.map(({ kind }) => kind)).toEqual(["lost", "reloading", "ready"]);
  expect(result.second[2]!.message).toContain("on wasm");
  expect(result.recalled[1]).toEqual(result.recalled[0]);
  expect(result.held).toBe(true);
});
