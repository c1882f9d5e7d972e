/** @file Forecasts are shared between those who ask for the same, and nothing else is. */

import { expect, it } from "vitest";
import { Cancelled } from "../../lib/assert.ts";
import type { Device } from "../../runtime/device.ts";
import { layerIndex } from "../../records/ids.ts";
import { SHARP } from "../../records/params.ts";
import { createEngineService } from "../engineService.ts";
import { testHost } from "../testing/host.ts";

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

/** `device` that tells of every run, by its session's name, once the device has done it. */
const watched = (device: Device, onRun: (session: string) => Promise<void>): Device => ({
  ...device,
  ledger: device.ledger,
  async createSession(onnx, options) {
    const session = await device.createSession(onnx, options);
    return {
      ...session,
      async run(feeds, signal) {
        const outputs = await session.run(feeds, signal);
        await onRun(options.name);
        return outputs;
      },
    };
  },
});

it("an estimate that is cancelled makes no other call on the device, and the next one does not wait for its last", async () => {
  const control = new AbortController();
  const after: string[] = [];
  let open = false;
  let release: () => void = () => undefined;
  const onRun = async (session: string): Promise<void> => {
    if (control.signal.aborted) after.push(session);
    // In the middle of a reply of the model, which is many calls.
    if (!open || !/^(decode|rounds)/.test(session) || control.signal.aborted) return;
    control.abort();
    await new Promise<void>((resolve) => (release = resolve));
  };
  const host = testHost({ wrap: (device) => watched(device, onRun) });
  const service = createEngineService(host);
  await service.open({ source: { kind: "bundled" }, backend: "auto" });
  open = true;
  const documents = [host.addText("story", "Mary moved to the garden. John went to the hallway.")];
  // Nothing comes back exactly from random weights: its parts are not halved.
  const params = { ...SHARP, partTokens: null, steps: 2, refine: 0, questionsPerFact: 0 };
  const argument = { memory: "m", documents, params, layers: [layerIndex(1)] };
  const first = service.estimate(argument, { signal: control.signal }).catch((error: unknown) => error);
  await expect.poll(() => control.signal.aborted).toBe(true);
  expect((await service.estimate(argument)).facts).toBe(2);
  after.length = 0;
  release();
  expect(await first).toBeInstanceOf(Cancelled);
  expect(after).toEqual([]);
  await service.close(null);
});
