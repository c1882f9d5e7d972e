/** @file Inspection sees what recall does: the same activations, the same tokens, the same logits. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recallPrompt } from "../memory/parts.ts";
import { readLogits } from "./inspect.ts";
import { disposeAll } from "./runner.ts";
import { vector, type Opened } from "./testing/models.ts";
import { bundled, leavesNothing } from "./testing/useBundled.ts";

describe("inspection", () => {
  let opened: Opened;
  beforeAll(async () => void (opened = await bundled()));
  afterAll(() => leavesNothing(opened));
  const prompt = () => recallPrompt(opened.engine, { anchor: "Sandra", index: 2 });

  it("reads at the key token the activation that the key is made of", async () => {
    const { ids, keyPosition } = prompt();
    for (const layer of [0, 3]) {
      const everywhere = await opened.engine.readActivations(ids, layer);
      expect(everywhere).toHaveLength(ids.length);
      const reading = (await opened.engine.readKeys([prompt()], [layer]))[0]![0]!;
      const worst = Math.max(...reading.activation.map((x, i) => Math.abs(x - everywhere[keyPosition]![i]!)));
      expect(worst).toBeLessThan(1e-4);
    }
  });

  it("chooses with a residual the tokens that recall decodes with it", async () => {
    const { engine } = opened;
    const residual = vector(engine.model.dModel, 3, 14);
    const [tokens] = await engine.recall([
      { prompt: prompt(), injection: { layer: 2, residual }, tokens: 6 },
    ]);
    const { ids, keyPosition } = prompt();
    const at = tokens!.map((right, t) => ({ position: ids.length - 1 + t, tokens: [right] }));
    const request = { ids: [...ids, ...tokens!.slice(0, -1)], at, top: 5 };
    const injection = { layer: 2, position: keyPosition, residual };
    const lens = await engine.lens({ ...request, injection });
    expect(lens).toHaveLength(engine.model.layers);
    expect(lens.at(-1)!.map(({ top }) => top[0]!.id)).toEqual(tokens);
    expect(lens.at(-1)!.every(({ asked }) => asked[0]!.rank === 1)).toBe(true);
    // Below the layer of the residual nothing can differ; at it and above, everything behind the key may.
    const plain = await engine.lens({ ...request, injection: null });
    expect(plain.slice(0, 2)).toEqual(lens.slice(0, 2));
    expect(plain.at(-1)).not.toEqual(lens.at(-1));
  });

  it("ends in the model's own logits", async () => {
    const { engine } = opened;
    const { ids } = prompt();
    const feeds = engine.runner.tokens([ids], { pads: [0], past: 0, length: ids.length });
    const outputs = await engine.runner.forward({ name: "inspect.last", batch: 1, head: "last" }, feeds);
    const logits = (await outputs["logits"]!.read()) as Float32Array;
    disposeAll(feeds, outputs);
    const at = [{ position: ids.length - 1, tokens: [17] }];
    const last = (await engine.lens({ ids, injection: null, at, top: 3 })).at(-1)![0]!;
    const expected = readLogits(logits, [17], 3);
    expect(last.top.map(({ id }) => id)).toEqual(expected.top.map(({ id }) => id));
    expect(last.asked[0]!.logit).toBeCloseTo(expected.asked[0]!.logit, 3);
    expect(last.asked[0]!.rank).toBe(expected.asked[0]!.rank);
  });

  it("ranks and normalises as an exhaustive sort does", () => {
    const logits = vector(500, 9, 3);
    const { top, asked } = readLogits(logits, [42], 5);
    const order = [...logits.keys()].sort((a, b) => logits[b]! - logits[a]! || a - b);
    expect(top.map(({ id }) => id)).toEqual(order.slice(0, 5));
    expect(asked[0]!.rank).toBe(order.indexOf(42) + 1);
    const sum = logits.reduce((s, x) => s + Math.exp(x), 0);
    expect(asked[0]!.logProbability).toBeCloseTo(Math.log(Math.exp(logits[42]!) / sum), 5);
  });

  it("refuses what does not fit", async () => {
    const { engine } = opened;
    await expect(engine.readActivations([], 0)).rejects.toThrow(/empty/);
    await expect(engine.readActivations([1], 99)).rejects.toThrow(/layer 99/);
    const at = [{ position: 4, tokens: [0] }];
    await expect(engine.lens({ ids: [1], injection: null, at, top: 1 })).rejects.toThrow(/position 4/);
  });
});
