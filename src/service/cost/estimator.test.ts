/** @file Callers that ask for the same estimate share it; missing rates never fail a run. */

import { expect, it } from "vitest";
import { fakeEngine, fakeValues } from "../../engine/testing/fakeEngine.ts";
import { Cancelled } from "../../lib/assert.ts";
import { SHARP } from "../../records/params.ts";
import { createEngineService } from "../engineService.ts";
import { testHost } from "../testing/host.ts";
import { createEstimator } from "../parts.ts";

it("an estimate that is cancelled takes none with it that asks for the same", async () => {
  const host = testHost();
  const service = createEngineService(host);
  await service.open({ source: { kind: "bundled" }, backend: "auto" });
  const documents = [host.addText("story", "Mary moved to the garden. John went to the hallway.")];
  const argument = { memory: "m", documents, params: { ...SHARP, anchors: "rules" as const, steps: 8 } };
  const control = new AbortController();
  const first = service.estimate(argument, { signal: control.signal });
  const second = service.estimate(argument);
  control.abort();
  await expect(first).rejects.toThrow(Cancelled);
  expect((await second).facts).toBe(2);
  await service.close(null);
});

it("unreadable rates count as unknown, and unwritable ones do not fail a run", async () => {
  const estimator = createEstimator({
    ...testHost(),
    readRates: () => Promise.reject(new Error("store: the rates of runs: encode is missing")),
    writeRates: () => Promise.reject(new Error("the disk is full")),
  });
  const { engine } = fakeEngine(fakeValues());
  expect(await estimator.rates(engine)).toEqual({});
  await expect(estimator.learn(engine, { encode: { seconds: 1, units: 2 } })).resolves.toBeUndefined();
});
