/** @file An engine over the loss of its device: values of the next one, calls made again, batches and layers moved. */

import { expect, it } from "vitest";
import type { Engine } from "../../engine/engine.ts";
import { EVERY_CALL, fakeEngine, fakeValues } from "../../engine/testing/fakeEngine.ts";
import { createPause, pausable } from "../parts.ts";
import { currentEngine } from "./calls.ts";

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
  const steady = currentEngine({
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
  const run = pausable(
    steady,
    createPause(() => 0),
    new AbortController().signal,
  );
  expect(run.encodeTokens).toBe(4096);
  await run.embed(["Mary"]);
  expect(run.encodeTokens).toBe(512);
});

/** What it takes to be where a call can be made again; to replace rows asks where the others stand. */
const BEFORE: Partial<Record<keyof typeof EVERY_CALL, readonly string[]>> = {
  step: ["openEncoder"],
  feed: ["openEncoder"],
  state: ["openEncoder"],
  replace: ["openEncoder", "state"],
};

it.each(Object.keys(EVERY_CALL) as (keyof typeof EVERY_CALL)[])("%s is made again there", async (name) => {
  const before = BEFORE[name] ?? [];
  const { wasm, gpu, steady } = losing(before.length + 1);
  await EVERY_CALL[name](steady);
  expect(gpu.calls.at(-1)!.name).toBe(name);
  expect(wasm.calls.map((call) => call.name)).toEqual([...before, name]);
});

it("a row that changed hands is put back with the newcomer in it", async () => {
  const { wasm, steady } = losing(4);
  const options = { layer: 0, beta1: 0.9, beta2: 0.999 };
  const [old, fact] = [1, 2].map((id) => ({ prompt: { ids: [id, 3], keyPosition: 1 }, targets: [id] }));
  const encoder = await steady.openEncoder([old!], options);
  await encoder.replace([{ row: 0, fact: fact! }]);
  await encoder.step([]); // lost here
  expect(wasm.calls.map((call) => call.name)).toEqual(["openEncoder", "step"]);
  expect(wasm.opened).toEqual([[fact!]]);
});

it("a batch is put back where it was: the steps since its last known state are taken again", async () => {
  const { wasm, steady } = losing(6);
  const encoder = await steady.openEncoder([], { layer: 0, beta1: 0.9, beta2: 0.999 });
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
  const steady = currentEngine({ current: async () => engine, latest: engine, wasLost: async () => false });
  await expect(steady.recall([])).rejects.toThrow("too long");
});
