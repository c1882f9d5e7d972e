/** @file A run that goes on: its progress and its questions are on the first screen. */

import { expect, it } from "vitest";
import { firstOf } from "../../notebook/kinds.ts";
import { createHarness, recorded } from "../testing/harness.ts";

it("the notebook of a run that goes on has the first screen of a text that was begun here", async () => {
  const harness = createHarness();
  harness.engine.resume = async () => null;
  await harness.app.actions.start();
  const { actions, store } = harness.app;
  const id = actions.createNotebook();
  await actions.openNotebook(id);
  store.setState(({ device }) => ({ device: { ...device, model: recorded("model") } }));
  const memorize = firstOf(harness.state().open[id]!.notebook, "memorize")!;
  expect(harness.state().begun).toBeNull();
  await actions.resumeMemorize(memorize.id);
  expect(harness.state().begun).toBe(id);
  harness.close();
});
