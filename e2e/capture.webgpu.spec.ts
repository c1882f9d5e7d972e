/**
 * An encoding step whose commands are recorded gives the numbers of one that is fed, to the bit, and a decoding step its
 * tokens; both take the host less time.
 */
import { readFileSync } from "node:fs";
import { randomConfig, randomWeights } from "../src/engine/testing/models.ts";
import { rounds } from "../src/lib/testing/thorough.ts";
import { makeSafetensors } from "../src/weights/testing/files.ts";
import { expect, test } from "./support/test.ts";
import { tinyModel } from "./support/tinyModel.ts";
import type { DeviceChecks } from "./workers/device.worker.ts";

test("a recorded encoding step is the step itself @thorough", async ({ worker }) => {
  test.setTimeout(180_000);
  const check = await worker<DeviceChecks>("device");
  const { fed, recorded, hostMs, nodes, refused, left } = await check("steps", 6);
  expect(recorded).toEqual(fed);
  // It does something: every step has another δ.
  expect(new Set(recorded.map((step) => step["delta.next"])).size).toBe(6);
  expect(refused).toMatch(/^session open: .*must be a number to be recorded/);
  expect(left).toBe(0);
  console.log(
    `host time of a step of ${nodes} nodes: ${hostMs.fed.toFixed(2)} ms fed, ${hostMs.recorded.toFixed(2)} recorded`,
  );
});

// The test of a precision makes a recording of its own.
const F32 = ["f32", 1] as const;
const Q8 = ["q8", 2] as const;

for (const [precision, made] of rounds([F32], [F32, Q8]))
  test(`batches in ${precision} of like shape share recorded steps and come out the same, also when a row changes hands @thorough`, async ({
    worker,
  }) => {
    test.setTimeout(180_000);
    const check = await worker<DeviceChecks>("device");
    const { fed, recorded, recordings, left } = await check("encoder", { model: tinyModel(), precision });
    expect(recorded.states).toEqual(fed.states);
    // The first batch is fed to begin with; the second finds the session of the first.
    expect(recorded.recorded).toEqual([false, true, true, true]);
    expect(fed.recorded).toEqual([false, false, false, false]);
    expect(recordings).toBe(made);
    expect(left).toBe(0);
  });

/** One that is read on for a while, and some of unlike lengths that share a batch. */
const PROMPT = { prompts: [[5, 9, 17, 3, 8, 21, 2]], maxTokens: 12 };
const BATCH = {
  prompts: [
    [11, 4, 30],
    [7, 7, 7, 12, 19],
  ],
  maxTokens: 3,
};

const golden = (family: string) => (name: string) => readFileSync(`golden/${family}/${name}`);

/** A random model; the heads of the golden Phi-3 are not recorded. */
function random(architecture: string) {
  const config = randomConfig(architecture);
  return (name: string) =>
    Buffer.from(name === "config.json" ? JSON.stringify(config) : makeSafetensors(randomWeights(config)));
}

for (const [model, precision, read, batches] of [
  ["the golden Qwen3", "f32", golden("qwen3"), [PROMPT, BATCH]],
  ["a random Phi-3", "q4", random("Phi3ForCausalLM"), [{ ...PROMPT, maxTokens: 5 }]],
] as const)
  test(`recorded decoding says what decoding says: ${model}, ${precision} @thorough`, async ({ worker }) => {
    test.setTimeout(180_000);
    const check = await worker<DeviceChecks>("device");
    const files = Object.fromEntries(
      ["config.json", "model.safetensors"].map((name) => [name, read(name).toString("base64")]),
    );
    const { fed, recorded, left } = await check("decoding", { files, precision, batches });
    expect(recorded.tokens).toEqual(fed.tokens);
    expect(recorded.decoding).toBe("recorded steps of one token");
    expect(fed.decoding).toBe("one token per run");
    expect(left).toBe(0);
    console.log(
      `host time of a token: ${fed.hostMs.toFixed(2)} ms fed, ${recorded.hostMs.toFixed(2)} recorded`,
    );
  });
