/**
 * @file What must stay true of recall (docs/design.md): without a store the outputs are the plain model's, bit
 * for bit; a fact decodes to the same tokens alone, in company, in any order and again.
 */

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { rounds } from "../lib/testing/thorough.ts";
import { norm } from "../lib/vector.ts";
import { recallPrompt } from "../memory/parts.ts";
import type { RecallRow } from "./engine.ts";
import { generate } from "./greedy.ts";
import { inject, keys, prefix, prefixBehind, PART_ROWS } from "./roles.ts";
import { disposeAll, padLeft, pasts, type Feeds, type Runner } from "./runner.ts";
import { BUNDLED, FAMILIES, open, openRandom, vector, type Opened } from "./testing/models.ts";
import { nodeModelFiles } from "../../tools/node/nodeFile.ts";
import { keyText } from "../records/fact.ts";

/** Kernels divide rows among threads: with one thread some ways in which rows could differ would not be seen. */
const THREADS = 2;
const openBundled = async (): Promise<Opened> => open(await nodeModelFiles(BUNDLED), THREADS);
const MODELS: readonly (readonly [string, () => Promise<Opened>])[] = [
  ["the bundled model", openBundled],
  ...rounds<readonly (typeof FAMILIES)[number][]>(["Phi3ForCausalLM"], FAMILIES).map(
    (family) => [`a random ${family}`, () => openRandom(family, THREADS)] as const,
  ),
];

/** Keys whose prompts differ in length. */
const KEYS = [
  { anchor: "Mary", index: 1 },
  { anchor: "Sandra", index: 12 },
  { anchor: "the old Duchy of Normandy", index: 3 },
  { anchor: "Project X-17", index: 2 },
];

const bits = (data: Float32Array): Int32Array => new Int32Array(data.buffer, data.byteOffset, data.length);

describe.each(MODELS)("%s", (_, opening) => {
  let opened: Opened;
  let runner: Runner;
  beforeAll(async () => {
    opened = await opening();
    runner = opened.engine.runner;
  });
  afterAll(async () => {
    await opened.engine.dispose();
    expect(opened.device.ledger.bytes).toEqual({
      weights: 0,
      cache: 0,
      encode: 0,
      vectors: 0,
      activation: 0,
    });
    await opened.device.dispose();
  });

  const prompts = () => KEYS.map((key) => recallPrompt(opened.engine, key));

  /** Facts with made residuals at mixed layers: `count` of them, of different lengths. */
  const rows = (count: number): RecallRow[] =>
    Array.from({ length: count }, (_, i) => {
      const { dModel, layers } = runner.config;
      const prompt = recallPrompt(opened.engine, { ...KEYS[i % KEYS.length]!, index: i + 1 });
      const residual = vector(dModel, i + 1, 12);
      // What is added at the key token of the last layer reaches no later token.
      return { prompt, injection: { layer: i % (layers - 1), residual }, tokens: 3 + ((i * 5) % 9) };
    });

  it("reads prompts once for their keys and their recall, to the same bits", async () => {
    const asked = rows(11);
    const { engine } = opened;
    const apart = {
      keys: await engine.readKeys(
        asked.map(({ prompt }) => prompt),
        [0, 1],
      ),
      tokens: await engine.recall(asked),
    };
    const runs = vi.spyOn(runner, "forward");
    const told = asked.map(({ prompt, tokens }) => ({ ...prompt, tokens }));
    const together = { keys: await engine.readKeys(told, [0, 1]), tokens: await engine.recall(asked) };
    const named = (name: string) => runs.mock.calls.filter(([role]) => role.name === name).length;
    const keyRuns = runs.mock.calls.filter(([role]) => role.name.startsWith("keys.")).length;
    expect(together.tokens).toEqual(apart.tokens);
    for (const [i, readings] of together.keys.entries())
      for (const [k, { activation }] of readings.entries())
        expect(bits(activation)).toEqual(bits(apart.keys[i]![k]!.activation));
    expect(named(prefixBehind(PART_ROWS.few).name)).toBe(keyRuns);
    // Nothing waits that is not recalled: other prompts are read anew, and what was kept goes.
    await engine.readKeys(told.slice(0, 1), [0]);
    expect(await engine.recall(asked.slice(1, 2))).toEqual([apart.tokens[1]]);
    expect(named(prefixBehind(PART_ROWS.few).name)).toBe(keyRuns + 2);
    expect(opened.device.ledger.bytes.cache + opened.device.ledger.bytes.activation).toBe(0);
    runs.mockRestore();
  });

  it("adds nothing to the last bit where nothing is injected", async () => {
    const ids = prompts()[2]!.ids;
    const shape = { pads: [0], past: 0, length: ids.length };
    const { dModel, layers, dFf } = runner.config;
    const plain = { batch: 1, head: "last", cache: true } as const;
    const logits = async (name: string, options: object, more: Feeds) => {
      const feeds = { ...runner.tokens([ids], shape), ...more };
      const out = await runner.forward({ ...plain, name, ...options }, feeds);
      const values = bits((await out["logits"]!.read()) as Float32Array);
      const cache = bits((await out[`present.${layers - 1}.value`]!.read()) as Float32Array);
      disposeAll(feeds, out);
      return [values, cache];
    };
    const expected = await logits("bits.plain", {}, {});
    const injected = await logits(
      "bits.inject",
      { inject: true },
      {
        delta: runner.floats(vector(dModel, 5, 9), [1, dModel]),
        at: runner.floats(new Float32Array(ids.length * layers), [1, ids.length, layers]),
      },
    );
    expect(injected).toEqual(expected);
    // The soft read with a gate that nothing opens.
    const closed = await logits(
      "bits.read",
      { readAt: 1 },
      {
        keys: runner.floats(vector(3 * dFf, 6), [3, dFf]),
        centre: runner.floats(vector(dFf, 8), [1, dFf]),
        residuals: runner.floats(vector(3 * dModel, 7, 9), [3, dModel]),
        beta: runner.floats(Float32Array.of(50), [1]),
        theta: runner.floats(Float32Array.of(2), [1]),
      },
    );
    expect(closed).toEqual(expected);
  });

  it("says what plain generation says where nothing is injected", async () => {
    const asked = prompts();
    const recalled = await opened.engine.recall(
      asked.map((prompt) => ({ prompt, injection: null, tokens: 12 })),
    );
    for (const [i, { ids }] of asked.entries()) {
      const [plain] = await generate(runner, [ids], { maxTokens: 12, endTokens: new Set() });
      expect(recalled[i], keyText(KEYS[i]!)).toEqual(plain);
    }
  });

  it("says the same of a prompt that is read in pieces", async () => {
    const asked = [prompts()[1]!.ids, [...prompts()[2]!.ids, ...prompts()[0]!.ids]];
    const options = { maxTokens: 8, endTokens: new Set<number>() };
    const whole = await generate(runner, asked, options);
    const runs = vi.spyOn(runner, "forward");
    // Of 8 rows with that many heads and tokens: pieces of three.
    const mostScores = 3 * 8 * runner.config.heads * asked[1]!.length;
    expect(await generate(runner, asked, { ...options, mostScores })).toEqual(whole);
    expect(runs.mock.calls.filter(([{ name }]) => name === "decode.8").length).toBeGreaterThan(3);
    expect(opened.device.ledger.bytes.cache + opened.device.ledger.bytes.activation).toBe(0);
    runs.mockRestore();
  });

  it("decodes a fact to the same tokens alone, among 15 others, in another order, and twice", async () => {
    const all = rows(16);
    const { recall } = opened.engine;
    const together = await recall(all);
    expect(together.map((tokens) => tokens.length)).toEqual(all.map((row) => row.tokens));
    // Injection does something: otherwise the comparisons below would prove nothing.
    const plain = await recall(all.map((row) => ({ ...row, injection: null })));
    expect(together.filter((tokens, i) => tokens.join() !== plain[i]!.join()).length).toBeGreaterThan(8);
    for (const i of [0, 5, 15]) expect(await recall([all[i]!])).toEqual([together[i]]);
    expect((await recall(all.toReversed())).toReversed()).toEqual(together);
    expect(await recall(all)).toEqual(together);
    expect(await recall([])).toEqual([]);
    // Of 65 most run in 32 rows.
    const runs = vi.spyOn(runner, "forward");
    expect((await recall(rows(65))).slice(0, 16)).toEqual(together);
    expect(runs.mock.calls.map(([{ name }]) => name)).toContain(inject(PART_ROWS.many).name);
    runs.mockRestore();
    // Beside a value so long that longrope takes its other factors for it.
    const short = [2, 5, 9, 14];
    const long = { ...all[1]!, tokens: 44 };
    const beside = await recall([long, ...short.map((i) => all[i]!)]);
    expect(beside.slice(1)).toEqual(short.map((i) => together[i]));
  });

  it("checks a part as decoding and the keys say, alone and among many", async () => {
    const all = rows(40);
    const { recall, readKeys, check } = opened.engine;
    const said = await recall(all);
    const parts = all.map(({ prompt, injection }, i) => ({
      prompt,
      injection: injection!,
      targets: said[i]!,
    }));
    const together = await check(parts);
    const alone = await check(parts.slice(0, 1));
    expect(alone[0]!.margin).toBeCloseTo(together[0]!.margin, 3);
    for (const [i, { reading, margin }] of together.entries()) {
      expect(margin, String(i)).toBeGreaterThan(0);
      const { prompt, injection } = parts[i]!;
      const [[own]] = (await readKeys([prompt], [injection.layer])) as [[typeof reading]];
      const error = norm(reading.activation.map((x, d) => x - own.activation[d]!));
      expect(error / norm(own.activation)).toBeLessThan(5e-4);
    }
    // One wrong token anywhere.
    const wrong = parts.map((part, i) => ({
      ...part,
      targets: part.targets.map((id, t) => (t === i % part.targets.length ? (id + 1) % 4000 : id)),
    }));
    expect((await check(wrong)).map(({ margin }) => margin)).toEqual(wrong.map(() => 0));
  });

  it("computes a row's logits to the same bits at every row of the batch, whoever else is there", async () => {
    const all = rows(2 * PART_ROWS.few);
    const { dModel, layers, vocabulary } = runner.config;
    const run = async (members: readonly RecallRow[]) => {
      const columns = 32;
      const length = columns + 2;
      const { rows: before, pads } = padLeft(
        members.map(({ prompt: p }) => p.ids.slice(0, p.keyPosition)),
        columns,
      );
      const first = runner.tokens(before, { pads, past: 0, length });
      const read = await runner.forward(prefix(PART_ROWS.few), first);
      const time = members[0]!.prompt.ids.length - members[0]!.prompt.keyPosition;
      const at = new Float32Array(PART_ROWS.few * time * layers);
      const delta = new Float32Array(PART_ROWS.few * dModel);
      for (const [i, { injection }] of members.entries()) {
        at[i * time * layers + injection!.layer] = 1;
        delta.set(injection!.residual, i * dModel);
      }
      const feeds = {
        ...runner.tokens(
          members.map(({ prompt: p }) => p.ids.slice(p.keyPosition)),
          { pads, past: columns, length },
        ),
        ...pasts(read),
        at: runner.floats(at, [PART_ROWS.few, time, layers]),
        delta: runner.floats(delta, [PART_ROWS.few, dModel]),
      };
      const out = await runner.forward(
        { ...inject(PART_ROWS.few), name: "bits.row", head: "last", cache: false },
        feeds,
      );
      const logits = bits((await out["logits"]!.read()) as Float32Array);
      disposeAll(first, read, feeds, out);
      return members.map((_, i) => logits.slice(i * vocabulary, (i + 1) * vocabulary));
    };
    const expected = await run(all.slice(0, PART_ROWS.few));
    const turned = await run([3, 2, 1, 0, 7, 6, 5, 4].map((i) => all[i]!));
    for (const i of all.slice(0, PART_ROWS.few).keys()) expect(turned[i ^ 3]).toEqual(expected[i]);
    for (const row of [0, 3, 7]) {
      const company = all.slice(PART_ROWS.few, 2 * PART_ROWS.few);
      company[row] = all[0]!;
      expect((await run(company))[row]).toEqual(expected[0]);
    }
  });

  it("reads a prompt's key to the same bits alone and in company, in the order of the layers asked for", async () => {
    // Of 65 prompts most run in 32 rows, one alone in 8.
    const asked = Array.from({ length: 65 }, (_, i) =>
      recallPrompt(opened.engine, { ...KEYS[i % KEYS.length]!, index: i + 1 }),
    );
    const runs = vi.spyOn(runner, "forward");
    const together = await opened.engine.readKeys(asked, [2, 0]);
    expect(runs.mock.calls.map(([{ name }]) => name)).toContain(keys(PART_ROWS.many, [2, 0]).name);
    runs.mockRestore();
    for (const i of [0, 7, 64]) {
      const [[two, zero]] = (await opened.engine.readKeys([asked[i]!], [2, 0])) as [(typeof together)[0]];
      expect([two, zero]).toEqual(together[i]);
      const [[only]] = (await opened.engine.readKeys([asked[i]!], [0])) as [(typeof together)[0]];
      expect(only).toEqual(zero);
      expect(two!.activation).not.toEqual(zero!.activation);
    }
  });
});
