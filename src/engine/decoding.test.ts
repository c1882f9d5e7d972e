/**
 * @file Many tokens a run, and fused steps with caches of fixed length, are those of one token a run; the cache behind many
 * is the same to the last bit.
 */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rounds } from "../lib/testing/thorough.ts";
import { createNodeDevice } from "../../tools/node/nodeDevice.ts";
import type { Device, TensorData } from "../runtime/device.ts";
import { withFixedSessions } from "../runtime/testing/fixedOnHost.ts";
import { nodeModelFiles } from "../../tools/node/nodeFile.ts";
import { greedyTokens, manyTokens, oneToken, type Decoding } from "./decoding.ts";
import { loadWeights } from "./loadWeights.ts";
import { MANY_TOKENS, Programs } from "./programs.ts";
import { prefill } from "./roles.ts";
import { disposeAll, numbers, padLeft, pasts, Runner } from "./runner.ts";
import { BUNDLED, FAMILIES, folder, randomConfig, randomWeights } from "./testing/models.ts";

const random = (architecture: string) => () => {
  const config = randomConfig(architecture);
  return Promise.resolve(folder(config, randomWeights(config)));
};
const MODELS = [
  ["the bundled model", () => nodeModelFiles(BUNDLED)] as const,
  ...rounds(["qwen3"], ["qwen3", "llama", "phi3"]).map(
    (family) => [`the golden ${family}`, () => nodeModelFiles(`golden/${family}`)] as const,
  ),
  // Heads that are recorded; Phi-3's tables change with the length of a row.
  ...rounds(["Phi3ForCausalLM"], FAMILIES.slice(1)).map(
    (family) => [`a random ${family}`, random(family)] as const,
  ),
];

describe.each(MODELS)("%s", (_, files) => {
  let device: Device;
  let one: Runner;
  let many: Runner;
  let fixed: Runner;
  beforeAll(async () => {
    device = await createNodeDevice({ backend: "cpu", threads: 2, spin: false });
    const { decoder, weights } = await loadWeights(device, await files());
    many = new Runner(new Programs(device, decoder, weights));
    const plain = { ...device, loops: false };
    one = new Runner(new Programs(plain, decoder, weights));
    fixed = new Runner(new Programs(withFixedSessions(plain), decoder, weights));
  });
  afterAll(async () => {
    await one.programs.dispose();
    await fixed.programs.dispose();
    await many.programs.dispose();
    expect(device.ledger.total).toBe(0);
    await device.dispose();
  });

  const prompts = [
    [5, 9, 17, 3, 8, 21, 2],
    [11, 4, 30],
    [7, 7, 7, 12, 19],
  ];

  async function begun(runner: Runner, tokens: number) {
    const { rows, pads } = padLeft(prompts, 7);
    const length = prompts.map((prompt) => prompt.length + tokens);
    const shape = { pads, length };
    const feeds = runner.tokens(rows, { ...shape, past: 0 });
    const read = await runner.forward(prefill(rows.length), feeds);
    disposeAll(feeds);
    return { read, shape: { ...shape, rows: rows.length, past: 7, tokens } };
  }

  async function say(runner: Runner, tokens: number, more: Partial<Decoding> = {}): Promise<number[][]> {
    const { read, shape } = await begun(runner, tokens);
    return all(greedyTokens(runner, read, { ...shape, ...more }));
  }

  it("says the same, up to every length", async () => {
    expect([one.programs.tokensPerRun, many.programs.tokensPerRun]).toEqual([1, MANY_TOKENS]);
    for (const tokens of [1, 2, MANY_TOKENS + 1, 2 * MANY_TOKENS + 5]) {
      const said = await say(many, tokens);
      expect(said).toHaveLength(tokens);
      expect(said).toEqual(await say(one, tokens));
      expect(await say(fixed, tokens)).toEqual(said);
    }
    const { headDim } = fixed.config;
    expect(fixed.programs.fixed.refused).toBe(
      headDim % 8 === 0 ? undefined : `heads of ${headDim} numbers are not recorded, only multiples of 8`,
    );
  });

  it("stops at the same end, which only rows that are wanted wait for", async () => {
    const tokens = MANY_TOKENS + 6;
    const free = await say(one, tokens);
    for (const at of [0, 3, tokens - 2])
      for (const rows of [1, 3]) {
        const ends = new Set(free[at]!);
        const said = await say(many, tokens, { ends, rows });
        expect(said).toEqual(await say(one, tokens, { ends, rows }));
        expect(await say(fixed, tokens, { ends, rows })).toEqual(said);
        expect(said.length).toBeLessThanOrEqual(at + 1);
      }
  });

  it("leaves the same cache to the last bit", async () => {
    const count = MANY_TOKENS + 1;
    const ended = { open: new Set([0, 1, 2]), ends: new Set<number>() };
    const { read, shape } = await begun(many, count);
    let next = await numbers(read["next"]!);
    const together = await manyTokens(many, read, { ...shape, ...ended, next }, count);
    let alone = (await begun(one, count)).read;
    for (let past = shape.past; past < shape.past + count; past++) {
      alone = await oneToken(one, alone, { ...shape, ...ended, next, past });
      next = await numbers(alone["next"]!);
    }
    expect((await numbers(together["next"]!)).slice(-3)).toEqual(next);
    const halves = Object.keys(pasts(alone));
    expect(halves).toHaveLength(2 * one.config.layers);
    for (const half of halves) {
      const [a, b] = [pasts(alone)[half]!, pasts(together)[half]!];
      expect([a.dims, bits(await a.read())], half).toEqual([b.dims, bits(await b.read())]);
    }
    disposeAll(alone, together);
  });

  it("frees what it was given when it is left, fails or is cancelled", async () => {
    const before = { ...device.ledger.bytes };
    const { read, shape } = await begun(many, 4);
    for await (const next of greedyTokens(many, read, shape)) {
      expect(next).toHaveLength(shape.rows);
      break;
    }
    const { read: cancelled } = await begun(many, 4);
    const signal = AbortSignal.abort();
    await expect(all(greedyTokens(many, cancelled, { ...shape, signal }))).rejects.toThrow(/cancelled/);
    const { read: short } = await begun(many, 4);
    const { next, ...cache } = short;
    cache["present.0.key"]!.dispose();
    await expect(all(greedyTokens(many, { ...cache, next: next! }, shape))).rejects.toThrow(
      /rounds\.3.*past\.0\.key/,
    );
    expect(device.ledger.bytes).toEqual(before);
  });
});

const bits = (data: TensorData): Buffer => Buffer.from(data.buffer, data.byteOffset, data.byteLength);

async function all<T>(of: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of of) found.push(one);
  return found;
}
