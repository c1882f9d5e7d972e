/** @file Standing around an engine: no call gets by, values stay live, and what is forgotten does not compile. */

import { expect, it } from "vitest";
import { intercept, composeEngine } from "./intercept.ts";
import type { CallName, Engine } from "./engine.ts";
import { EVERY_CALL, fakeEngine, fakeValues } from "./testing/fakeEngine.ts";

const NAMES = Object.keys(EVERY_CALL) as CallName[];

it.each(NAMES)("%s passes by, under its own name, with the signal of who stands there", async (name) => {
  const { engine, calls } = fakeEngine(fakeValues());
  const seen: CallName[] = [];
  const { signal } = new AbortController();
  const watched = intercept(engine, (called, call) => {
    seen.push(called);
    return call(signal);
  });
  await EVERY_CALL[name](watched);
  expect(seen.at(-1)).toBe(name);
  expect(seen).toEqual(calls.map((call) => call.name));
  // What reads the state of a batch is over at once: it takes no signal.
  for (const call of calls) expect(call.signal).toBe(call.name === "state" ? undefined : signal);
});

it("a call ends with either signal, the caller's own or that of who stands there", async () => {
  const { engine, calls } = fakeEngine(fakeValues());
  const [own, other] = [new AbortController(), new AbortController()];
  const watched = intercept(engine, (_, call) => call(other.signal));
  await watched.recall([], own.signal);
  await watched.recall([], own.signal);
  own.abort();
  expect(calls.map(({ signal }) => signal?.aborted)).toEqual([true, true]);
  await watched.embed([]);
  expect(calls.at(-1)!.signal!.aborted).toBe(false);
  other.abort();
  expect(calls.at(-1)!.signal!.aborted).toBe(true);
});

it("who stands there may do without the call, or make it again", async () => {
  const { engine, calls } = fakeEngine(fakeValues());
  await intercept(engine, async (_, call) => (await call(), call())).readKeys([], []);
  expect(calls.map(({ name }) => name)).toEqual(["readKeys", "readKeys"]);
  const refused = intercept(engine, () => Promise.reject(new Error("not now")));
  await expect(refused.lens({ ids: [], injection: null, at: [], top: 1 })).rejects.toThrow("not now");
  expect(calls.length).toBe(2);
});

it("values are those of the moment, however many stand around", () => {
  let values = fakeValues({ encodeTokens: 100, decode: () => "before" });
  const { engine } = fakeEngine(values);
  const live = composeEngine(() => values, engine);
  const twice = intercept(
    intercept(live, (_, call) => call()),
    (_, call) => call(),
  );
  expect([twice.encodeTokens, twice.decode([1])]).toEqual([100, "before"]);
  values = fakeValues({ encodeTokens: 7, decode: () => "after" });
  expect([twice.encodeTokens, twice.decode([1])]).toEqual([7, "after"]);
});

it("a call that is forgotten does not compile", () => {
  const { engine } = fakeEngine(fakeValues());
  const { lens, ...withoutLens } = engine;
  expect(lens).toBeDefined();
  // @ts-expect-error lens is missing
  expect(composeEngine(() => engine, withoutLens)).toBeDefined();
  const { step, ...withoutStep } = EVERY_CALL;
  expect(step).toBeDefined();
  // @ts-expect-error step is missing
  const every: typeof EVERY_CALL = withoutStep;
  expect(Object.keys(every)).not.toContain("step");
  const { softRecall, ...others } = engine.openLayer(0, new Float32Array(3), () => new Float32Array(2));
  expect(softRecall).toBeDefined();
  // @ts-expect-error softRecall is missing
  const openLayer: Engine["openLayer"] = () => others;
  expect(openLayer).toBeDefined();
});
