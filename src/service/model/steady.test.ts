/** @file An engine over the loss of its device: values of the next one, calls made again, batches and layers moved. */

import { expect, it } from "vitest";
import type { Engine } from "../../engine/engine.ts";
import { EVERY_CALL, fakeEngine, fakeValues } from "../../engine/testing/fakeEngine.ts";
import { createPause, pausable } from "../runs/pause.ts";
import { steadyEngine } from "./steady.ts";

const LOSS = new Error("lost");

/** A GPU that is lost at its `at`-th call, and the wasm behind it. */
function losing(at: number) {
  let latest: Engine;
  let made = 0;
  const gpu = fakeEngine(fakeValues({ encodeTokens: 4096 }), async () => {
    if (++made < at) return;
    latest = wasm.engine;
    throw LOSS;
  });
  const wasm = fakeEngine(fakeValues({ encodeTokens: 512 }));
  latest = gpu.engine;
  const steady = steadyEngine({
    current: async () => latest,
    get latest() {
      return latest;
    },
    wasLost: async (engine, error) => error === LOSS && engine === gpu.engine,
  });
  return { gpu, wasm, steady };
}

it("a run goes on with the batches that fit the next device, not the one that was lost", async () => {
  const { steady } = losing(1);
  const run = pausable(steady, createPause(), new AbortController().signal);
  expect(run.encodeTokens).toBe(4096);
  await run.embed(["Mary"]);
  expect(run.encodeTokens).toBe(512);
});

it.each(Object.keys(EVERY_CALL) as (keyof typeof EVERY_CALL)[])("%s is made again there", async (name) => {
  const opens = name === "step" || name === "feed" || name === "state";
  const { wasm, gpu, steady } = losing(opens ? 2 : 1);
  await EVERY_CALL[name](steady);
  expect(gpu.calls.at(-1)!.name).toBe(name);
  expect(wasm.calls.map((call) => call.name)).toEqual(opens ? ["openEncoder", name] : [name]);
});

it("a batch is put back where it was: the steps since its last known state are taken again", async () => {
  const { wasm, steady } = losing(6);
  const encoder = await steady.openEncoder([], { layer: 0, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 });
  await encoder.step([]);
  await encoder.state();
  await encoder.feed([]);
  await encoder.step([]);
  await encoder.step([]); // lost here
  await encoder.step([]);
  const again = ["openEncoder", "feed", "step", "step", "step"];
  expect(wasm.calls.map((call) => call.name)).toEqual(again);
});

it("other failures are the caller's", async () => {
  const { engine } = fakeEngine(fakeValues(), () => Promise.reject(new Error("too long")));
  const steady = steadyEngine({ current: async () => engine, latest: engine, wasLost: async () => false });
  await expect(steady.recall([])).rejects.toThrow("too long");
});
