/** @file Model folders made to harm: headers that lie, sizes that no machine has, tokenizers and templates without end. */

import { afterAll, beforeAll, expect } from "vitest";
import { attacks, refused } from "../lib/testing/attacks.ts";
import { createNodeDevice } from "../../tools/node/nodeDevice.ts";
import type { Device } from "../runtime/device.ts";
import { openCheckpoint } from "../weights/checkpoint.ts";
import { readJson, type ModelFiles } from "../weights/modelFiles.ts";
import { byteSource } from "../weights/source.ts";
import { makeFolder, makeSafetensors, type MadeTensor } from "../weights/testing/files.ts";
import { describeModel } from "./describe.ts";
import { openEngine } from "./localEngine.ts";
import { openText } from "./text.ts";
import { folder, randomConfig, randomWeights } from "./testing/models.ts";

let device: Device;
beforeAll(async () => void (device = await createNodeDevice({ backend: "cpu", threads: 1 })));
afterAll(() => device.dispose());

const CONFIG = randomConfig("Qwen3ForCausalLM");
const WEIGHTS = randomWeights(CONFIG);

/** Refused, and nothing of it stays on the device. */
async function notOpened(files: ModelFiles, message: RegExp): Promise<void> {
  await refused(openEngine(device, files), message);
  expect(Object.values(device.ledger.bytes).reduce((sum, bytes) => sum + bytes, 0)).toBe(0);
}

/** A safetensors file with this header, whatever it says, and so many bytes behind it. */
function withHeader(header: unknown, data = 16, length?: bigint): Uint8Array<ArrayBuffer> {
  const json = Buffer.from(typeof header === "string" ? header : JSON.stringify(header));
  const prefix = Buffer.alloc(8);
  prefix.writeBigUInt64LE(length ?? BigInt(json.length));
  return new Uint8Array(Buffer.concat([prefix, json, Buffer.alloc(data)]));
}

const checkpoint = (bytes: Uint8Array<ArrayBuffer>, message: RegExp): Promise<void> =>
  refused(openCheckpoint(makeFolder({ "model.safetensors": bytes })), message);

const f32 = (begin: number, end: number, shape = [(end - begin) / 4]) => ({
  dtype: "F32",
  shape,
  data_offsets: [begin, end],
});
const changed = (name: string, to: (tensor: MadeTensor) => MadeTensor): MadeTensor[] =>
  WEIGHTS.map((tensor) => (tensor.name === name ? to(tensor) : tensor));

/** A folder whose only file says that it is large, and must not be read. */
const HUGE: ModelFiles = {
  name: "huge",
  names: ["config.json"],
  open: (name) =>
    Promise.resolve(
      byteSource({
        name,
        size: 101_000_000,
        readInto: () => Promise.reject(new Error("test: it was read")),
        close: () => Promise.resolve(),
      }),
    ),
};

const sized = (change: Record<string, unknown>) => () =>
  refused(() => describeModel({ ...CONFIG, ...change }), new RegExp(`${Object.keys(change)[0]!} is `));

attacks("model folders", {
  "a file of 5 bytes": () => checkpoint(new Uint8Array(5), /has 5 bytes/),
  "a header that ends behind the file": () => checkpoint(withHeader("{}", 0, 9000n), /is cut off/),
  "a header of an exabyte": () => checkpoint(withHeader("{}", 0, 2n ** 60n), /past the limit/),
  "a header of 90 MB": {
    fault: "what the format allows was read: a header of brackets alone took gigabytes",
    attack: () => checkpoint(withHeader("{}", 0, 90_000_000n), /past the limit/),
  },
  "a header of brackets alone": {
    fault: "15 MB of brackets took 7 s and 900 MB to parse",
    attack: () => checkpoint(withHeader(`{"a":${"[".repeat(15_000_000)}`), /more than 3 deep/),
  },
  "a header that is no JSON": () => checkpoint(withHeader("{]"), /not valid JSON/),
  "tensors that overlap": () => checkpoint(withHeader({ a: f32(0, 12), b: f32(8, 16) }), /overlap "a"/),
  "tensors with a hole between them": () =>
    checkpoint(withHeader({ a: f32(0, 4), b: f32(8, 16) }), /leave a hole/),
  "a tensor that ends behind the file": () => checkpoint(withHeader({ a: f32(0, 400) }), /end past the file/),
  "a tensor of more elements than numbers go": () =>
    checkpoint(withHeader({ a: f32(0, 16, [2 ** 40, 2 ** 40]) }), /does not take a whole/),
  "a tensor of negative size": () => checkpoint(withHeader({ a: f32(0, 16, [-4, -1]) }), /shape is/),
  "offsets that run backwards": () =>
    checkpoint(withHeader({ a: { dtype: "F32", shape: [0], data_offsets: [16, 0] } }), /data_offsets is/),
  "a name given twice": () =>
    checkpoint(
      withHeader(`{"a":${JSON.stringify(f32(0, 16))},"a":${JSON.stringify(f32(0, 16))}}`),
      /occurs twice/,
    ),
  "a tensor called __proto__": () =>
    checkpoint(withHeader('{"__proto__":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}}'), /__proto__/),
  "shards that lie elsewhere": () =>
    refused(
      openCheckpoint(
        makeFolder({ "model.safetensors.index.json": '{"weight_map":{"a":"../../a.safetensors"}}' }),
      ),
      /expected the name of a \.safetensors file of the folder/,
    ),
  "weights cut off in the middle": () =>
    notOpened(
      makeFolder({
        "config.json": JSON.stringify(CONFIG),
        "model.safetensors": makeSafetensors(WEIGHTS).slice(0, -1000),
      }),
      /cut off/,
    ),
  "NaN in a weight": () =>
    notOpened(
      folder(
        CONFIG,
        changed("model.norm.weight", (t) => ({ ...t, data: new Float32Array(32).fill(NaN) })),
      ),
      /NaN/,
    ),
  "integers for weights": () =>
    notOpened(
      folder(
        CONFIG,
        changed("model.norm.weight", (t) => ({ ...t, dtype: "I32" })),
      ),
      /I32/,
    ),
  "ten million layers": {
    fault: "the graph was written layer by layer before anything was said: the worker never came back",
    attack: sized({ num_hidden_layers: 1e7 }),
  },
  "a vocabulary of 2^53": { fault: "was taken", attack: sized({ vocab_size: 2 ** 53 - 1 }) },
  "a width of 2^40": { fault: "was taken", attack: sized({ hidden_size: 2 ** 40 }) },
  "a feed-forward block of 2^50": { fault: "was taken", attack: sized({ intermediate_size: 2 ** 50 }) },
  "a million heads": { fault: "was taken", attack: sized({ num_attention_heads: 1e6 }) },
  "heads of 2^30 dimensions": { fault: "was taken", attack: sized({ head_dim: 2 ** 30 }) },
  "a window of 2^52": { fault: "was taken", attack: sized({ max_position_embeddings: 2 ** 52 }) },
  "half a layer": sized({ num_hidden_layers: 0.5 }),
  "a config that is a list": () => refused(() => describeModel([]), /config\.json/),
  "a config nested 100,000 deep": {
    fault: "was parsed whole, whatever it was",
    attack: () =>
      refused(
        readJson(makeFolder({ "config.json": `{"a":${"[".repeat(1e5)}${"]".repeat(1e5)}}` }), "config.json"),
        /more than 100 deep/,
      ),
  },
  "a config of 101 MB": {
    fault: "was read into memory whole, whatever its size",
    attack: () => refused(readJson(HUGE, "config.json"), /at most 100000000 are expected/),
  },
  "an architecture called constructor": () =>
    refused(() => describeModel({ ...CONFIG, architectures: ["constructor"] }), /is not supported/),
});

const TOKENIZER = {
  version: "1.0",
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: null,
  post_processor: null,
  decoder: null,
  model: { type: "BPE", vocab: { a: 0, b: 1, c: 4096 }, merges: [], unk_token: null },
};
const textOf = (files: Record<string, unknown>) =>
  openText(
    makeFolder(
      Object.fromEntries(
        Object.entries({ "tokenizer.json": TOKENIZER, ...files }).map(([name, json]) => [
          name,
          typeof json === "string" ? json : JSON.stringify(json),
        ]),
      ),
    ),
    { endTokens: [], vocabulary: 4096 },
  );
const chat = async (template: unknown) =>
  (await textOf({ "tokenizer_config.json": { chat_template: template } })).chat("a");

attacks("tokenizers and templates", {
  "no tokenizer": () => notOpened(folder(CONFIG, WEIGHTS, {}), /has no tokenizer\.json/),
  "a tokenizer that is nothing": {
    fault: 'ended in "Cannot read properties of undefined"',
    attack: () => refused(textOf({ "tokenizer.json": {} }), /tokenizer\.json cannot be used/),
  },
  "a tokenizer of a kind there is not": {
    fault: "ended in a message of the library",
    attack: () =>
      refused(
        textOf({ "tokenizer.json": { ...TOKENIZER, model: { type: "Evil" } } }),
        /tokenizer\.json cannot be used/,
      ),
  },
  "an expression that is none": {
    fault: "ended in a message of the library",
    attack: () =>
      refused(
        textOf({
          "tokenizer.json": {
            ...TOKENIZER,
            pre_tokenizer: { type: "Split", pattern: { Regex: "(((" }, behavior: "Isolated", invert: false },
          },
        }),
        /tokenizer\.json cannot be used/,
      ),
  },
  "tokens that the model does not have": {
    fault: "were looked up in the table of embeddings, behind its end",
    attack: async () => {
      const text = await textOf({});
      expect(text.encode("ab")).toEqual([0, 1]);
      await refused(() => text.encode("abc"), /gave the token 4096/);
    },
  },
  "a template that loops for ever": {
    fault: "the engine never came back",
    attack: () =>
      refused(
        chat("{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}"),
        /to an end in/,
      ),
  },
  "a template that asks for a trillion numbers": {
    fault: "they were all made, until the memory was full",
    attack: () => refused(chat("{{ range(1000000000000) }}"), /asked for a range/),
  },
  "a template that calls itself": () =>
    refused(chat("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}"), /cannot be used/),
  "a template that calls itself twice over": {
    fault: "the engine never came back",
    attack: () =>
      refused(
        chat("{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}"),
        /to an end in/,
      ),
  },
  "a template that doubles a text": {
    fault: "it grew until the memory was full",
    attack: () =>
      refused(
        chat(`{% set x = "aaaaaaaa" %}${"{% set x = x ~ x %}".repeat(40)}{{ x }}`),
        /value of|to an end in/,
      ),
  },
  "a template that doubles a list": {
    fault: "it grew until the memory was full",
    attack: () =>
      refused(
        chat(`{% set x = [1, 2] %}${"{% set x = x + x %}".repeat(40)}{{ x }}`),
        /value of|to an end in/,
      ),
  },
  "a template that reaches for the page": async () => {
    for (const source of [
      "{{ constructor }}",
      "{{ messages.constructor }}",
      "{{ ''.constructor('x')() }}",
      "{{ globalThis }}",
    ])
      await chat(source).then(
        (ids) => expect(ids).toEqual([]),
        (error: unknown) =>
          expect((error as Error).message).toMatch(/^engine: .*chat template cannot be used/),
      );
  },
  "a template that is no template": () => refused(chat("{% for %}"), /cannot be used/),
  "a template that is a number": {
    fault: 'ended in "template.find is not a function"',
    attack: () => refused(chat(42), /is not a text/),
  },
  "an empty list of templates": () => refused(chat([]), /empty list/),
  "settings that are none": async () => {
    const text = await textOf({ "tokenizer_config.json": "[1]", "generation_config.json": '"x"' });
    expect(text.chat("a").length).toBeGreaterThan(0);
  },
});
