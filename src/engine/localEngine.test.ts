/** @file Opening a model: what is refused, that nothing stays on the device then, and that text goes in and out whole. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNodeDevice } from "../../tools/node/nodeDevice.ts";
import { nodeModelFiles } from "../../tools/node/nodeFile.ts";
import type { Device } from "../runtime/device.ts";
import type { MadeTensor } from "../weights/testing/files.ts";
import { turn } from "../lib/eventLoop.ts";
import { dot, unit } from "../lib/vector.ts";
import { joined, packRows, toLevels } from "../lib/vectorForms.ts";
import { recallPrompt } from "../memory/parts.ts";
import { meanPooledEmbedder } from "./embed.ts";
import { openEngine } from "./localEngine.ts";
import { BUNDLED, folder, open, randomConfig, randomWeights, vector, type Opened } from "./testing/models.ts";

const NOTHING = { weights: 0, cache: 0, encode: 0, vectors: 0, activation: 0 };

describe("a model that is not right is refused by name, and nothing of it stays", () => {
  let device: Device;
  beforeAll(async () => void (device = await createNodeDevice({ backend: "cpu", spin: false })));
  afterAll(() => device.dispose());

  const config = randomConfig("Qwen3ForCausalLM");
  const weights = randomWeights(config);
  const change = (name: string, to: (t: MadeTensor) => MadeTensor[]) =>
    folder(
      config,
      weights.flatMap((t) => (t.name === name ? to(t) : [t])),
    );
  const spoilt = (value: number) =>
    change("model.layers.2.mlp.up_proj.weight", (t) => {
      const data = Float32Array.from(t.data);
      data[data.length - 3] = value;
      return [{ ...t, data }];
    });

  it.each([
    ["NaN in a weight", spoilt(NaN), /model\.layers\.2\.mlp\.up_proj\.weight.*NaN/],
    ["an infinite weight", spoilt(-Infinity), /model\.layers\.2\.mlp\.up_proj\.weight/],
    [
      "a missing tensor",
      change("model.layers.3.self_attn.q_norm.weight", () => []),
      /model\.layers\.3\.self_attn\.q_norm\.weight/,
    ],
    [
      "a misshapen tensor",
      change("model.norm.weight", (t) => [{ ...t, shape: [16], data: new Float32Array(16) }]),
      /model\.norm\.weight.*16.*32/,
    ],
    [
      "a tensor of integers",
      change("model.norm.weight", (t) => [{ ...t, dtype: "I32" }]),
      /model\.norm\.weight.*I32/,
    ],
    [
      "an unknown architecture",
      folder({ ...config, architectures: ["GPT2LMHeadModel"] }, weights),
      /GPT2LMHeadModel.*known: Qwen3ForCausalLM/,
    ],
    [
      "more layers than the file has",
      folder({ ...config, num_hidden_layers: 5 }, weights),
      /model\.layers\.4\./,
    ],
    ["no tokenizer", folder(config, weights, {}), /no tokenizer\.json/],
    [
      "a tokenizer that is no JSON",
      folder(config, weights, { "tokenizer.json": "<html>" }),
      /tokenizer\.json is not valid JSON/,
    ],
  ])("%s", async (_, files, message) => {
    await expect(openEngine(device, files)).rejects.toThrow(message);
    expect(device.ledger.bytes).toEqual(NOTHING);
  });

  it("and the same folder unspoilt opens, and frees everything when disposed of", async () => {
    const engine = await openEngine(device, folder(config, weights));
    expect(engine.model).toMatchObject({ layers: 4, dModel: 32, dFf: 48, vocabulary: 4096, window: 256 });
    await engine.generate(["Where is Mary?"], { maxTokens: 3 });
    expect(device.ledger.bytes.weights).toBeGreaterThan(0);
    expect({ ...device.ledger.bytes, weights: 0 }).toEqual(NOTHING);
    await engine.dispose();
    expect(device.ledger.bytes).toEqual(NOTHING);
  });

  it.each([0, 1, 4])("keeps nothing if it is disposed of during a check, %s turns later", async (wait) => {
    const engine = await openEngine(device, folder(config, weights));
    const prompt = recallPrompt(engine, { anchor: "Mary", index: 1 });
    const injection = { layer: 1, residual: vector(32, 1) };
    const parts = Array.from({ length: 200 }, () => ({ prompt, targets: [5, 6], injection }));
    await engine.check(parts);
    const failed = expect(engine.check(parts)).rejects.toThrow(/disposed/);
    for (let i = 0; i < wait; i++) await turn();
    await engine.dispose();
    await failed;
    expect(device.ledger.bytes).toEqual(NOTHING);
  });

  it("stops loading when cancelled", async () => {
    const controller = new AbortController();
    const onProgress = () => controller.abort();
    await expect(
      openEngine(device, folder(config, weights), { signal: controller.signal, onProgress }),
    ).rejects.toThrow(/cancelled/);
    expect(device.ledger.bytes).toEqual(NOTHING);
  });

  it("knows a model by its numbers", async () => {
    const sha = async (made: readonly MadeTensor[]) => {
      const engine = await openEngine(device, folder(config, made));
      await engine.dispose();
      return engine.model.sha256;
    };
    const [once, again, other] = [
      await sha(weights),
      await sha(weights),
      await sha(randomWeights(config, 2)),
    ];
    expect(again).toBe(once);
    expect(other).not.toBe(once);
  });
});

describe("the bundled model", () => {
  let opened: Opened;
  beforeAll(async () => void (opened = await open(await nodeModelFiles(BUNDLED))));
  afterAll(async () => {
    await opened.engine.dispose();
    expect(opened.device.ledger.bytes).toEqual(NOTHING);
    await opened.device.dispose();
  });

  it.each([
    "Mary moved to the garden.",
    "  two  spaces, a tab\tand a line\nbreak ",
    "Zürich, naïve, 東京 and 🙂 cost €3.50 (QX-417)!",
  ])("gives %j back as it was", (text) => {
    const { encode, decode } = opened.engine;
    expect(decode(encode(text))).toBe(text);
  });

  it("wraps a turn in the chat template and leaves its marks out of what it reads back", () => {
    const { chat, encode, decode } = opened.engine;
    const ids = chat("Where is Mary?");
    const [start, end] = [4094, 4095];
    expect(ids[0]).toBe(start);
    expect(ids.filter((id) => id === start || id === end)).toEqual([start, end, start]);
    expect(decode(ids)).toBe("user\nWhere is Mary?\nassistant\n");
    const newline = encode("\n")[0]!;
    expect(ids.slice(ids.indexOf(newline) + 1, ids.indexOf(end))).toEqual(encode("Where is Mary?"));
  });

  it("answers a turn alone as it answers it among others, up to the length asked for", async () => {
    const turns = ["Where is Mary?", "Copy a short anchor: 1. John went to the kitchen.", "Hello."];
    const texts: string[] = [];
    const together = await opened.engine.generate(turns, { maxTokens: 8 });
    const alone = await opened.engine.generate([turns[1]!], { maxTokens: 8, onText: (t) => texts.push(t) });
    expect(alone).toEqual([together[1]]);
    expect(texts.at(-1)!.trim()).toBe(alone[0]);
    for (const text of together) expect(opened.engine.encode(text).length).toBeLessThanOrEqual(9);
  });

  it("reads no tokens as no text, so a reply may end at once", async () => {
    const { encode, decode } = opened.engine;
    expect([encode(""), decode([])]).toEqual([[], ""]);
    expect(await opened.engine.generate([], { maxTokens: 3 })).toEqual([]);
  });

  it("frees what a cancelled reply held", async () => {
    const controller = new AbortController();
    const onText = () => controller.abort();
    const before = opened.device.ledger.bytes;
    await expect(
      opened.engine.generate(["Tell me a long story."], { maxTokens: 50, onText }, controller.signal),
    ).rejects.toThrow(/cancelled/);
    expect(opened.device.ledger.bytes).toEqual(before);
  });

  it("frees what a cancelled recall held", async () => {
    const prompt = recallPrompt(opened.engine, { anchor: "Mary", index: 1 });
    const row = { prompt, injection: null, tokens: 40 };
    await opened.engine.recall([row]); // Compiles what it needs.
    const before = opened.device.ledger.bytes;
    const controller = new AbortController();
    const asked = opened.engine.recall([row], controller.signal);
    // A second recall lines up between the first one's runs.
    const other = opened.engine.recall([{ ...row, tokens: 2 }]).then(() => controller.abort());
    await expect(asked).rejects.toThrow(/cancelled/);
    await other;
    expect(opened.device.ledger.bytes).toEqual(before);
  });

  it("says that a prompt or a fact does not fit the window", async () => {
    const { generate, recall, openLayer, model } = opened.engine;
    await expect(generate(["word ".repeat(2200)], { maxTokens: 4 })).rejects.toThrow(
      /engine: the prompt has \d+ tokens, the model's window holds 2048; shorten it/,
    );
    const prompt = recallPrompt(opened.engine, { anchor: "Mary", index: 1 });
    const row = { prompt, injection: null, tokens: 2048 };
    await expect(recall([row])).rejects.toThrow("a fact with its recall prompt has 20");
    const memory = openLayer(1, vector(model.dFf, 1), () => vector(model.dModel, 2));
    await expect(memory.softRecall(prompt, 2048, { beta: 50, theta: 0.6 })).rejects.toThrow(
      "a fact with its recall prompt has 20",
    );
    memory.dispose();
  });

  it("compares many queries with a large layer in few runs, each as if it were alone", async () => {
    const { dFf } = opened.engine.model;
    const entries = 4096;
    const keys = vector(entries * dFf, 3);
    for (let row = 0; row < entries; row++) keys.set(unit(keys.slice(row * dFf, (row + 1) * dFf)), row * dFf);
    const memory = opened.engine.openLayer(1, keys, () => expect.fail("no soft read asked for them"));
    const queries = Array.from({ length: 40 }, (_, i) => vector(dFf, 100 + i));
    const together = await memory.similarity(queries);
    expect(together).toHaveLength(40);
    for (const i of [0, 31, 32, 39]) {
      const [alone] = await memory.similarity([queries[i]!]);
      expect(together[i]).toEqual(alone);
      for (const row of [0, 1, 2047, 4095])
        expect(alone![row]).toBeCloseTo(dot(unit(queries[i]!), keys.slice(row * dFf, (row + 1) * dFf)), 5);
    }
    memory.dispose();
  });

  it("compares packed keys as it does the numbers that they unpack to, and frees what it unpacked", async () => {
    const { dFf } = opened.engine.model;
    const before = opened.device.ledger.bytes.vectors;
    const queries = Array.from({ length: 40 }, (_, i) => vector(dFf, 200 + i));
    const none = () => expect.fail("no soft read asked for them");
    // A large block, and one whose few keys are fewer than the queries.
    const found = [300, 20].map(async (entries) => {
      const rows = Array.from({ length: entries }, (_, i) => toLevels(vector(dFf, entries + i)));
      const packed = opened.engine.openLayer(1, packRows(rows, "levels"), none);
      const plain = opened.engine.openLayer(1, joined(rows), none);
      const [own, expected] = await Promise.all([packed, plain].map((memory) => memory.similarity(queries)));
      for (const [i, row] of own!.entries())
        for (const [at, s] of row.entries()) expect(s).toBeCloseTo(expected![i]![at]!, 6);
      expect((await packed.similarity([queries[39]!]))[0]).toEqual(own![39]);
      for (const memory of [packed, plain]) memory.dispose();
    });
    await Promise.all(found);
    expect(opened.device.ledger.bytes.vectors).toBe(before);
  });

  it("refuses residuals and layers of another model", async () => {
    const { recall, openLayer, model } = opened.engine;
    const prompt = recallPrompt(opened.engine, { anchor: "Mary", index: 1 });
    const with_ = (layer: number, width: number) =>
      recall([{ prompt, injection: { layer, residual: new Float32Array(width) }, tokens: 2 }]);
    await expect(with_(model.layers, model.dModel)).rejects.toThrow(
      `at layer ${model.layers} does not fit a model of ${model.layers} layers`,
    );
    await expect(with_(0, model.dModel - 1)).rejects.toThrow("a residual of 255 values");
    const memory = openLayer(0, new Float32Array(model.dFf), () => new Float32Array(3));
    await expect(memory.softRecall(prompt, 1, { beta: 50, theta: 0.6 })).rejects.toThrow(
      /not the same number of rows/,
    );
    memory.dispose();
    expect(() => openLayer(0, new Float32Array(0), () => new Float32Array(0))).toThrow(
      /0 key values, expected one or more rows/,
    );
  });

  it("embeds again after a text that could not be embedded", async () => {
    const { runner, encode } = opened.engine;
    let broken = true;
    // A token beyond the vocabulary makes the device fail, the first time in the middle of the neutral sentences.
    const embedder = meanPooledEmbedder(runner, (text) => (broken ? [9999] : encode(text)));
    const before = opened.device.ledger.bytes;
    await expect(embedder.embed(["Mary"])).rejects.toThrow(/embed/);
    expect({ ...opened.device.ledger.bytes, weights: 0 }).toEqual({ ...before, weights: 0 });
    broken = false;
    expect(await embedder.embed(["Mary"])).toEqual(await opened.engine.embed(["Mary"]));
  });

  it("gives texts unit vectors that do not depend on their company", async () => {
    const texts = [
      "Mary is in the garden.",
      "The price of wheat rose in 1847 because of the long rain.",
      "x",
      "",
    ];
    const together = await opened.engine.embed(texts);
    for (const [i, text] of texts.entries()) {
      expect(Math.hypot(...together[i]!)).toBeCloseTo(1, 5);
      const [alone] = await opened.engine.embed([text]);
      const cosine = alone!.reduce((sum, v, j) => sum + v * together[i]![j]!, 0);
      expect(cosine).toBeGreaterThan(1 - 1e-5);
    }
  });
});
