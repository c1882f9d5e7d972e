/** @file When decoding goes through sessions of fixed length, and when it does not. */

import { afterAll, beforeAll, expect, it } from "vitest";
import type { Device } from "../runtime/device.ts";
import { createNodeDevice } from "../../tools/node/nodeDevice.ts";
import { withFixedSessions } from "../runtime/testing/fixedOnHost.ts";
import { nodeModelFiles } from "../../tools/node/nodeFile.ts";
import { generate, recall } from "./greedy.ts";
import { loadWeights } from "./loadWeights.ts";
import { Programs } from "./programs.ts";
import { Runner } from "./runner.ts";

let device: Device;
beforeAll(async () => void (device = await createNodeDevice({ backend: "cpu", threads: 1 })));
afterAll(() => device.dispose());

/** The golden Qwen3 on a device with sessions of fixed length, of which `onFixed` sees the names and may spoil the numbers. */
async function opened(change: (device: Device) => Device = (same) => same) {
  const made: string[] = [];
  const host = change(withFixedSessions({ ...device, loops: false }));
  const seen: Device = {
    ...host,
    createFixedSession(onnx, options) {
      made.push(options.name);
      return host.createFixedSession!(onnx, options);
    },
  };
  return { made, runner: await runnerOn(seen) };
}

async function runnerOn(own: Device): Promise<Runner> {
  const { decoder, weights } = await loadWeights(own, await nodeModelFiles("golden/qwen3"));
  return new Runner(new Programs(own, decoder, weights));
}

const PROMPTS = [
  [5, 9, 17, 3, 8, 21, 2],
  [11, 4, 30],
];
const say = (runner: Runner, prompts: number[][], maxTokens = 20) =>
  generate(runner, prompts, { maxTokens, endTokens: new Set() });

it("keeps a session for each number of rows and length, the shortest that holds prompt and reply", async () => {
  const { runner, made } = await opened();
  await say(runner, PROMPTS);
  await say(runner, PROMPTS.slice(0, 1));
  await say(runner, PROMPTS.slice(1));
  expect(made).toEqual(["fixed.8.64", "fixed.1.64"]);
  await say(runner, PROMPTS.slice(1), 62);
  expect(made).toHaveLength(2);
  await say(runner, PROMPTS.slice(1), 63);
  expect(made.slice(2)).toEqual(["fixed.1.128"]);
  await say(runner, [PROMPTS[0]!], 1);
  expect(made).toHaveLength(3);
  expect(runner.programs.decoding).toBe("recorded steps of one token");
  await runner.programs.dispose();
  expect(device.ledger.total).toBe(0);
});

it("recalls behind the opening of all prompts what the portable way does", async () => {
  const opening = [5, 9, 17];
  const anchors = [[3], [8, 21, 2, 6], [11, 4]];
  const rows = anchors.map((anchor, i) => ({
    prompt: { ids: [...opening, ...anchor, 7, 1], keyPosition: opening.length + anchor.length, opening: 3 },
    injection: null,
    tokens: 6 + i,
  }));
  const plain = await runnerOn({ ...device, loops: false });
  const { runner, made } = await opened();
  expect(await recall(runner, rows)).toEqual(await recall(plain, rows));
  expect(made).toEqual(["fixed.8.64"]);
  expect(runner.programs.decoding).toBe("recorded steps of one token");
  for (const one of [runner, plain]) {
    await one.dispose();
    await one.programs.dispose();
  }
});

it("gives batches of one shape their turns", async () => {
  const { runner, made } = await opened();
  const alone = [];
  for (const prompt of PROMPTS) alone.push(await say(runner, [prompt]));
  const together = await Promise.all(PROMPTS.map((prompt) => say(runner, [prompt])));
  expect(together).toEqual(alone);
  expect(made).toEqual(["fixed.1.64"]);
  await runner.programs.dispose();
});

it("decodes the portable way where recorded steps come out otherwise, cannot be made or do not pay, and says so", async () => {
  const plain = await runnerOn({ ...device, loops: false });
  const expected = await say(plain, PROMPTS);
  expect(plain.programs.decoding).toBe("one token per run");
  await plain.programs.dispose();

  const software = await opened((host) => ({ ...host, software: true }));
  expect(await say(software.runner, PROMPTS)).toEqual(expected);
  expect([software.made, software.runner.programs.decoding]).toEqual([
    [],
    "one token per run, since recorded steps cost a software GPU more than they save",
  ]);
  await software.runner.programs.dispose();

  const off = await opened((host) => ({
    ...host,
    async createFixedSession(...args) {
      const session = await host.createFixedSession!(...args);
      let runs = 0;
      return {
        ...session,
        run(signal) {
          runs++;
          return session.run(signal);
        },
        // As after a copy that is not recorded: the first run is right.
        async output(name) {
          const logits = (await session.output(name)) as Float32Array;
          return logits.map((x) => (runs > 1 ? x * 1.001 : x));
        },
      };
    },
  }));
  expect(await say(off.runner, PROMPTS)).toEqual(expected);
  expect(off.runner.programs.decoding).toBe(
    "one token per run, since recorded steps gave other results (logits off by 1.0e-3)",
  );
  await say(off.runner, PROMPTS.slice(1));
  expect(off.made).toHaveLength(1);
  expect(device.ledger.bytes.cache).toBe(0);
  await off.runner.programs.dispose();

  const broken = await opened((host) => ({
    ...host,
    async createFixedSession(...args) {
      const session = await host.createFixedSession!(...args);
      return { ...session, run: () => Promise.reject(new Error("a driver's fault")) };
    },
  }));
  expect(await say(broken.runner, PROMPTS)).toEqual(expected);
  expect(broken.runner.programs.decoding).toBe(
    "one token per run, since recorded steps failed (a driver's fault)",
  );
  expect(device.ledger.bytes.cache).toBe(0);
  await broken.runner.programs.dispose();

  const failing = await opened((host) => ({
    ...host,
    createFixedSession: (onnx, options) =>
      options.name === "fixed.1.64"
        ? host.createFixedSession!(onnx, options)
        : Promise.reject(new Error("no memory")),
  }));
  await say(failing.runner, PROMPTS.slice(1));
  expect(device.ledger.bytes.cache).toBeGreaterThan(0);
  expect(await say(failing.runner, PROMPTS)).toEqual(expected);
  expect(failing.runner.programs.decoding).toBe(
    "one token per run, since none could be recorded (no memory)",
  );
  // Nor does the one that could be made hold what the other lacked.
  expect(device.ledger.bytes.cache).toBe(0);
  await failing.runner.programs.dispose();
  expect(device.ledger.total).toBe(0);
});
