/**
 * Both phases of the method in a browser worker: with a tiny random model the numbers must be those of Node's CPU,
 * on wasm and on WebGPU. engineService.spec.ts does it with the bundled model.
 */
import { openEngine } from "../src/engine/localEngine.ts";
import { THOROUGH } from "../src/lib/testing/thorough.ts";
import { SHARP } from "../src/records/params.ts";
import { createNodeDevice } from "../tools/node/nodeDevice.ts";
import { blobModelFiles } from "../src/weights/modelFiles.ts";
import { DENSE } from "./support/app.ts";
import { runMethod, type MethodInput } from "./support/method.ts";
import { expect, test } from "./support/test.ts";
import { tinyModel } from "./support/tinyModel.ts";
import type { DeviceChecks } from "./workers/device.worker.ts";

test("a tiny model gives in the browser what it gives in Node", async ({ backend, worker }) => {
  test.skip(
    backend === "webgpu" && !THOROUGH,
    "in `npm test -- thorough`: parity.spec.ts has the numbers, app.webgpu.spec.ts both phases",
  );
  test.setTimeout(180_000);
  const files = tinyModel();
  const input: MethodInput = {
    text: "Ann ran. Bob sat.",
    questions: ["Where is Bob?"],
    forget: "Ann (1)",
    // A random model says nothing exactly: its values are not cut until they are.
    params: {
      ...SHARP,
      ...DENSE,
      partTokens: null,
      anchors: "rules",
      steps: 3,
      refine: 0,
      answerTokens: 3,
      questionsPerFact: 1,
    },
    // Given, so that no probe runs, and one on software WebGPU, which compiles for seconds for each.
    layers: backend === "webgpu" ? [2] : [1, 2],
  };
  const device = await createNodeDevice({ backend: "cpu" });
  const blobs = Object.entries(files).map(
    ([name, b]) => [name, new Blob([Buffer.from(b, "base64")])] as const,
  );
  const expected = await runMethod(await openEngine(device, blobModelFiles("model", new Map(blobs))), input);
  await device.dispose();
  const check = await worker<DeviceChecks>("device");
  const { summary, bytesLeft } = await check("method", { backend, model: files, input });
  expect(summary).toEqual(expected);
  expect(summary.facts.length).toBe(2);
  expect(bytesLeft).toBe(0);
});

test("how fast the bundled model decodes", async ({ backend, worker }) => {
  test.skip(!process.env["PALIMPSEST_BENCH"], "a measurement: set PALIMPSEST_BENCH=1 to make it");
  test.setTimeout(180_000);
  const check = await worker<DeviceChecks>("device");
  console.log(await check("decode", { backend, model: "/models/palimpsest-7m/" }));
});
