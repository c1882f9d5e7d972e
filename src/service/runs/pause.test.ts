/** @file Pausing and cancelling a run: nothing that computes on the device goes on, whatever it is. */

import { expect, it } from "vitest";
import { EVERY_CALL, fakeEngine, fakeValues } from "../../engine/testing/fakeEngine.ts";
import type { CallName } from "../../engine/engine.ts";
import { openRandom } from "../../engine/testing/models.ts";
import { Cancelled } from "../../lib/assert.ts";
import { createPause, pausable, stoppable } from "../parts.ts";

const NAMES = Object.keys(EVERY_CALL) as CallName[];
const soon = () => new Promise((resolve) => setTimeout(resolve, 5));

it.each(NAMES)("%s waits while runs are paused, and goes on after that", async (name) => {
  const { engine, calls } = fakeEngine(fakeValues());
  const pause = createPause(() => 0);
  const run = pausable(engine, pause, new AbortController().signal);
  pause.set(true);
  const running = EVERY_CALL[name](run);
  await soon();
  expect(calls).toEqual([]);
  pause.set(false);
  await running;
  expect(calls.at(-1)!.name).toBe(name);
});

it.each(NAMES)("%s of a cancelled run is not made, paused or not", async (name) => {
  const { engine, calls } = fakeEngine(fakeValues());
  const stop = new AbortController();
  const pause = createPause(() => 0);
  pause.set(true);
  const waiting = EVERY_CALL[name](pausable(engine, pause, stop.signal));
  stop.abort();
  await expect(waiting).rejects.toThrow(Cancelled);
  pause.set(false);
  await expect(EVERY_CALL[name](pausable(engine, pause, stop.signal))).rejects.toThrow(Cancelled);
  await expect(EVERY_CALL[name](stoppable(engine, stop.signal))).rejects.toThrow(Cancelled);
  expect(calls).toEqual([]);
});

it("knows how long runs were held, which is no time that they took", () => {
  let now = 100;
  const pause = createPause(() => now);
  const at = (time: number, paused: boolean): number => {
    now = time;
    pause.set(paused);
    return pause.held();
  };
  expect([at(100, false), at(200, true), at(250, true), at(300, false), at(900, false)]).toEqual([
    0, 0, 50, 100, 100,
  ]);
  expect(at(1000, true)).toBe(100);
  now = 1010;
  expect(pause.held()).toBe(110);
});

it("a question is not held by a pause of runs", async () => {
  const { engine, calls } = fakeEngine(fakeValues());
  await stoppable(engine, new AbortController().signal).recall([]);
  expect(calls.map((call) => call.name)).toEqual(["recall"]);
});

it("a soft recall that is under way ends between two tokens, and frees what it held", async () => {
  const { engine, device } = await openRandom("Qwen3ForCausalLM");
  const { dFf, dModel } = engine.model;
  const stop = new AbortController();
  const run = pausable(
    engine,
    createPause(() => 0),
    stop.signal,
  );
  const prompt = { ids: engine.encode("Recall the fact"), keyPosition: 1 };
  const read = { beta: 50, theta: 0.6 };
  const open = () => run.openLayer(1, new Float32Array(dFf).fill(1), () => new Float32Array(dModel).fill(1));
  const layer = open();
  await layer.softRecall(prompt, 2, read); // compiles what it needs
  const held = device.ledger.bytes;
  const long = layer.softRecall(prompt, 200, read);
  await engine.recall([{ prompt, injection: null, tokens: 1 }]); // lines up between the runs of the other
  stop.abort();
  await expect(long).rejects.toThrow(Cancelled);
  await expect(run.readActivations(prompt.ids, 1)).rejects.toThrow(Cancelled);
  await expect(run.lens({ ids: prompt.ids, injection: null, at: [], top: 1 })).rejects.toThrow(Cancelled);
  expect({ ...device.ledger.bytes, weights: 0 }).toEqual({ ...held, weights: 0 });
  layer.dispose();
  await engine.dispose();
  await device.dispose();
});
