/** @file When encoding steps go through sessions that are kept, and when they are fed. */

import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { Device } from "../runtime/device.ts";
import { createNodeDevice } from "../../tools/node/nodeDevice.ts";
import { withFixedSessions } from "../runtime/testing/fixedOnHost.ts";
import { nodeModelFiles } from "../../tools/node/nodeFile.ts";
import { openEncoder, type LocalEncoder, type LocalEncoderOptions } from "./encoder.ts";
import type { AdamState, EncodeRow } from "./engine.ts";
import { loadWeights } from "./loadWeights.ts";
import { Programs } from "./programs.ts";
import { Runner } from "./runner.ts";

const OPTIONS: LocalEncoderOptions = { layer: 1, beta1: 0.9, beta2: 0.999, fedSteps: 1 };
const FED = { ...OPTIONS, fedSteps: Infinity };

let device: Device;
/** Names of the sessions that were made. */
let made: string[];
beforeAll(async () => void (device = await createNodeDevice({ backend: "cpu", threads: 1 })));
beforeEach(() => void (made = []));
afterAll(() => device.dispose());

/** The golden Qwen3 on a device with sessions of one shape, which `change` may spoil. */
async function withRunner(
  body: (runner: Runner) => Promise<void>,
  change: (device: Device) => Device = (same) => same,
): Promise<void> {
  const host = change(withFixedSessions({ ...device, loops: false }));
  const own: Device = {
    ...host,
    ...(host.createFixedSession && {
      createFixedSession(onnx, options) {
        made.push(options.name.replace(/\.0\.9\.0\.999/, ""));
        return host.createFixedSession!(onnx, options);
      },
    }),
  };
  const { decoder, weights } = await loadWeights(own, await nodeModelFiles("golden/qwen3"));
  const runner = new Runner(new Programs(own, decoder, weights));
  try {
    await body(runner);
  } finally {
    await runner.programs.dispose();
  }
  expect(device.ledger.total).toBe(0);
}

/** A fact with so many tokens in front of its key, two from there on, and a value. */
const fact = (before: number, targets: readonly number[], seed = 3): EncodeRow => ({
  prompt: { ids: Array.from({ length: before + 2 }, (_, i) => (seed * (i + 5)) % 190), keyPosition: before },
  targets,
});
const SHORT = [fact(3, [5, 6, 7, 8]), fact(1, [9, 3], 7)];
const LONGER = [fact(9, [4, 2, 30], 11), fact(16, [8, 1], 13)];

async function step(encoder: LocalEncoder, rows: readonly EncodeRow[], from: number, to: number) {
  for (let t = from; t <= to; t++) await encoder.step(rows.map(() => ({ rate: 0.05, step: t, stop: false })));
}

async function encoded(
  runner: Runner,
  rows: readonly EncodeRow[],
  options = OPTIONS,
): Promise<{ states: AdamState[]; recorded: boolean; slots: number }> {
  const encoder = await openEncoder(runner, rows, options);
  try {
    await step(encoder, rows, 1, 4);
    return { states: await encoder.state(), recorded: encoder.recorded, slots: encoder.slots };
  } finally {
    encoder.dispose();
  }
}

it("is one session for batches of like shape, whose steps are those that are fed, to the bit", () =>
  withRunner(async (runner) => {
    const fed = [await encoded(runner, SHORT, FED), await encoded(runner, LONGER, FED)];
    expect(made).toEqual([]);
    const played = [await encoded(runner, SHORT), await encoded(runner, LONGER)];
    expect(played.map(({ states }) => states)).toEqual(fed.map(({ states }) => states));
    expect(played.map(({ recorded }) => recorded)).toEqual([true, true]);
    // Layer, rows and tokens from the key on; then columns of the window and of the prefix.
    expect(made).toEqual(["encode.1.2.2.5.16"]);
    // The ledger has the inputs that are kept.
    expect(device.ledger.bytes.encode).toBeGreaterThan(0);
    // What is another shape: prefixes, values, rows, and the layer.
    await encoded(runner, [fact(17, [5])]);
    await encoded(runner, [fact(3, [1, 2, 3, 4, 5])]);
    await encoded(runner, [...SHORT, SHORT[0]!]);
    await encoded(runner, SHORT, { ...OPTIONS, layer: 0 });
    expect(made.slice(1)).toEqual([
      "encode.1.2.2.5.24",
      "encode.1.2.2.7.16",
      "encode.1.8.2.5.16",
      "encode.0.2.2.5.16",
    ]);
  }));

it("is used from the first step on once it is kept, by one batch at a time", () =>
  withRunner(async (runner) => {
    const expected = await encoded(runner, LONGER, FED);
    const first = await openEncoder(runner, SHORT, OPTIONS);
    await step(first, SHORT, 1, 1);
    expect(first.recorded).toBe(false);
    await step(first, SHORT, 2, 2);
    expect(first.recorded).toBe(true);
    const second = await openEncoder(runner, LONGER, OPTIONS);
    await step(second, LONGER, 1, 2);
    expect(second.recorded).toBe(false);
    first.dispose();
    await step(second, LONGER, 3, 4);
    expect(second.recorded).toBe(true);
    expect(await second.state()).toEqual(expected.states);
    second.dispose();
    const third = await openEncoder(runner, LONGER, { ...OPTIONS, fedSteps: 100 });
    await step(third, LONGER, 1, 1);
    expect(third.recorded).toBe(true);
    await step(third, LONGER, 2, 4);
    expect(await third.state()).toEqual(expected.states);
    third.dispose();
    expect(made).toHaveLength(1);
  }));

it("leaves batches as they are where nothing is recorded", async () => {
  const exact = { ...device, loops: false };
  // Of the value 3 tokens and of the prompt 2, of which the last says the first of them; two rows.
  const slots = 2 * (3 + 1);
  await withRunner(
    async (runner) => expect((await encoded(runner, LONGER)).slots).toBe(slots),
    () => exact,
  );
  await withRunner(async (runner) => {
    runner.programs.recordsSteps = false;
    expect(await encoded(runner, LONGER)).toMatchObject({ slots, recorded: false });
    runner.programs.recordsSteps = true;
    expect(await encoded(runner, LONGER)).toMatchObject({ slots: slots + 2, recorded: true });
  });
});

it("is fed where no session can be made, once those of others made room, and asks for that shape no more", () => {
  let room = true;
  return withRunner(
    async (runner) => {
      const expected = await encoded(runner, SHORT, FED);
      await encoded(runner, SHORT, { ...OPTIONS, layer: 0 });
      const held = device.ledger.bytes.encode;
      room = false;
      for (let i = 0; i < 2; i++)
        expect(await encoded(runner, SHORT)).toMatchObject({ states: expected.states, recorded: false });
      expect(made.slice(1)).toEqual(["encode.1.2.2.5.16", "encode.1.2.2.5.16"]);
      expect([held > 0, device.ledger.bytes.encode]).toEqual([true, 0]);
      room = true;
      expect((await encoded(runner, SHORT, { ...OPTIONS, layer: 0 })).recorded).toBe(true);
    },
    (host) => ({
      ...host,
      createFixedSession: (...args) =>
        room ? host.createFixedSession!(...args) : Promise.reject(new Error("no memory")),
    }),
  );
});

it("is not kept when a run of it failed", () => {
  let fails = false;
  return withRunner(
    async (runner) => {
      await encoded(runner, SHORT);
      fails = true;
      await expect(encoded(runner, SHORT)).rejects.toThrow("a driver's fault");
      fails = false;
      expect((await encoded(runner, SHORT)).recorded).toBe(true);
      expect(made).toHaveLength(2);
    },
    (host) => ({
      ...host,
      async createFixedSession(...args) {
        const session = await host.createFixedSession!(...args);
        const run: typeof session.run = (signal) =>
          fails ? Promise.reject(new Error("a driver's fault")) : session.run(signal);
        return { ...session, run };
      },
    }),
  );
});

const REPLAYS = 50;

it("the fiftieth replay is compared with a fed step: one that is right goes on, one that went wrong is fed", async () => {
  const states = async (runner: Runner, options: LocalEncoderOptions) => {
    const encoder = await openEncoder(runner, SHORT, options);
    await step(encoder, SHORT, 1, REPLAYS + 5);
    const state = await encoder.state();
    const { recorded } = encoder;
    encoder.dispose();
    return { recorded, state };
  };
  let fed: Awaited<ReturnType<typeof states>>;
  await withRunner(async (runner) => {
    fed = await states(runner, FED);
    expect(await states(runner, OPTIONS)).toEqual({ recorded: true, state: fed.state });
  });
  let runs = 0;
  const wrongLater = (host: Device): Device => ({
    ...host,
    async createFixedSession(...request) {
      const session = await host.createFixedSession!(...request);
      return {
        ...session,
        async run(signal) {
          const values = await session.run(signal);
          runs += 1;
          if (runs === REPLAYS) session.inputs["m"]!.write(0, new Uint8Array(64).fill(63));
          return values;
        },
      };
    },
  });
  await withRunner(async (runner) => {
    const spoilt = await states(runner, OPTIONS);
    expect(spoilt).toEqual({ recorded: false, state: fed.state });
    expect(runs).toBe(REPLAYS);
    expect(await states(runner, OPTIONS)).toMatchObject({ recorded: false });
    expect(runs).toBe(REPLAYS);
  }, wrongLater);
});
