/** @file The plain recipe against the engine's own encoder: the same steps of the same facts, by both ways. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sameTokens } from "../../../src/memory/fidelity.ts";
import { recallPrompt, valueTokens } from "../../../src/memory/parts.ts";
import { type Opened } from "../../../src/engine/testing/models.ts";
import { bundled, leavesNothing } from "../../../src/engine/testing/useBundled.ts";
import { metered } from "./meter.ts";
import { encodeNaively } from "./naive.ts";

const FACT = { anchor: "Mary", index: 1 };
const STEP = { layer: 2, beta1: 0.9, beta2: 0.999 };

describe("the plain recipe", () => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await bundled();
  });
  afterAll(() => leavesNothing(opened));

  const job = (steps: number) => {
    const prompt = recallPrompt(opened.engine, FACT);
    const targets = valueTokens(opened.engine, FACT, prompt, "Mary went to the kitchen.");
    return { prompt, targets, step: STEP, rate: 0.2, steps };
  };

  it("takes the same steps as the engine's encoder", async () => {
    const { prompt, targets } = job(3);
    const naive = await encodeNaively(opened.engine.runner, job(3));
    const encoder = await opened.engine.openEncoder([{ prompt, targets }], STEP);
    for (let step = 1; step <= 3; step++) await encoder.step([{ rate: 0.2, step, stop: false }]);
    const [ours] = await encoder.state();
    encoder.dispose();
    // Adam divides by the root of tiny second moments: components whose gradient is noise differ first.
    const worst = Math.max(...naive.residual.map((value, i) => Math.abs(value - ours!.delta[i]!)));
    expect(worst).toBeLessThan(0.01);
  });

  it("reads the key that recall reads", async () => {
    const naive = await encodeNaively(opened.engine.runner, job(1));
    const [readings] = await opened.engine.readKeys([recallPrompt(opened.engine, FACT)], [STEP.layer]);
    const cosine = (a: Float32Array, b: Float32Array) =>
      a.reduce((sum, value, i) => sum + value * b[i]!, 0) / (Math.hypot(...a) * Math.hypot(...b));
    expect(cosine(naive.activation, readings![0]!.activation)).toBeGreaterThan(0.99999);
  });

  it("decodes what batched recall decodes, and frees everything", async () => {
    const before = opened.device.ledger.total;
    const { prompt, targets } = job(12);
    const naive = await encodeNaively(opened.engine.runner, job(12));
    const [recalled] = await opened.engine.recall([
      { prompt, injection: { layer: STEP.layer, residual: naive.residual }, tokens: targets.length },
    ]);
    expect(sameTokens(naive.decoded, recalled!)).toBe(true);
    // What stays is the weights of new sessions.
    const { weights, ...others } = opened.device.ledger.bytes;
    expect(weights).toBeGreaterThan(0);
    expect(Object.values(others).every((bytes) => bytes === 0)).toBe(true);
    expect(opened.device.ledger.total).toBeGreaterThanOrEqual(before);
  });

  it("counts the sessions that are made", async () => {
    const meter = metered({ ...opened.device, createSession: () => Promise.resolve({} as never) });
    await meter.device.createSession(new Uint8Array(), { name: "a", weights: {} });
    await meter.device.createSession(new Uint8Array(), { name: "b", weights: {} });
    expect(meter.count().sessions).toBe(2);
  });
});
