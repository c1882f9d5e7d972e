/** @file A page that the browser ended while a model was loaded on the GPU: the next one of the tab takes wasm. */

import { afterEach, expect, it } from "vitest";
import type { OpenModel } from "../../service/types.ts";
import { createHarness, type Harness } from "../testing/harness.ts";

let harness: Harness;
afterEach(() => harness.close());

/** The settings of a tab, which outlive its pages. */
function createSession() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
}

async function openPage(session: ReturnType<typeof createSession>) {
  harness = createHarness({ session });
  const asked: OpenModel["backend"][] = [];
  const opened = harness.engine.open!;
  harness.engine.survey = async () => ({
    webgpu: "a GPU",
    webgpuMissing: null,
    crossOriginIsolated: true,
    threads: 1,
  });
  harness.engine.open = async (argument, call) => {
    asked.push(argument.backend);
    return opened(argument, call);
  };
  await harness.app.actions.start();
  await expect.poll(() => harness.state().device.survey).not.toBeNull();
  const { cells } = harness.state().open[harness.state().currentId!]!.notebook;
  return { asked, model: cells.find(({ kind }) => kind === "model")!.id };
}

it("gets a notice, and its best backend is wasm from then on", async () => {
  const session = createSession();
  const first = await openPage(session);
  harness.engine.open = () => new Promise<never>(() => undefined); // the page ends in it
  void harness.app.actions.runCell(first.model);
  await expect.poll(() => session.getItem("palimpsest.gpu-load")).toBe("1");
  harness.close();

  const second = await openPage(session);
  expect(harness.state().notice).toMatch(/ended this page while a model was loaded on the GPU/);
  expect(await harness.app.actions.runCell(second.model)).toBe(true);
  expect(second.asked).toEqual(["wasm"]);
});

it("is not taken for one that a person left, or whose model was loaded", async () => {
  const session = createSession();
  const first = await openPage(session);
  expect(await harness.app.actions.runCell(first.model)).toBe(true);
  expect(first.asked).toEqual(["auto"]);
  expect(session.getItem("palimpsest.gpu-load")).toBe("");
  harness.engine.open = () => new Promise<never>(() => undefined);
  void harness.app.actions.runCell(first.model);
  await expect.poll(() => session.getItem("palimpsest.gpu-load")).toBe("1");
  harness.app.actions.leave();
  harness.close();

  await openPage(session);
  expect(harness.state().notice).toBeNull();
});
