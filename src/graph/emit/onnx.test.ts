/** @file The bytes, read back, and every program of every family in onnxruntime. */

import { describe, expect, it } from "vitest";
import { GraphBuilder } from "../build.ts";
import type { Graph } from "../ir.ts";
import { parseConfig } from "../models/config.ts";
import type { Decoder } from "../models/decoder.ts";
import { familyOf } from "../models/families.ts";
import { forward } from "../programs/forward.ts";
import { similarityProgram } from "../programs/gatedRead.ts";
import { encodeStep } from "../programs/train.ts";
import { naiveStep } from "../../../tools/checks/naiveStep.ts";
import { readOnnx } from "../testing/readOnnx.ts";
import { compile, f32, i64 } from "../testing/run.ts";
import { toOnnx } from "./onnx.ts";
import { DATA_TYPES } from "./protobuf.ts";

const decoder = (architecture: string): Decoder => {
  const config = parseConfig({
    architectures: [architecture],
    vocab_size: 11,
    hidden_size: 8,
    intermediate_size: 12,
    num_hidden_layers: 3,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    head_dim: 4,
    rms_norm_eps: 1e-6,
    max_position_embeddings: 64,
    tie_word_embeddings: architecture === "Qwen3ForCausalLM",
  });
  return { config, family: familyOf(architecture) };
};

const adam = { beta1: 0.9, beta2: 0.999 };
const programs = (model: Decoder): Graph[] => [
  forward(model, { name: "plain", batch: 2, head: "all", taps: { layers: [0, 2], positions: "all" } }),
  forward(model, { name: "prefill", batch: 2, head: "next", cache: true }),
  forward(model, { name: "decode", batch: 2, head: "last", cache: true, past: true }),
  forward(model, { name: "inject", batch: 2, head: "next", cache: true, past: true, inject: true }),
  forward(model, { name: "lower", batch: 2, past: true, until: 1 }),
  forward(model, {
    name: "keys",
    batch: 2,
    past: true,
    taps: { layers: [1], positions: "first" },
  }),
  forward(model, { name: "soft", batch: 1, head: "next", cache: true, readAt: 1 }),
  forward(model, { name: "pooled", batch: 2, pooled: true }),
  encodeStep(model, { name: "encode", batch: 2, layer: 0, suffix: 2, ...adam }),
  naiveStep(model, { name: "naive", batch: 2, layer: 1, ...adam }),
  similarityProgram(model.config, 2),
];

const repeated = (names: readonly string[]): string[] => names.filter((name, i) => names.indexOf(name) !== i);

describe.each(["Qwen3ForCausalLM", "LlamaForCausalLM", "Phi3ForCausalLM"])("%s", (architecture) => {
  const graphs = programs(decoder(architecture));

  it.each(graphs.map((graph) => [graph.name, graph] as const))("%s", async (_, graph) => {
    const model = readOnnx(toOnnx(graph));
    expect([model.irVersion, model.opsetImport.map((o) => [o.domain, o.version])]).toEqual([10, [["", 21]]]);
    const { node: nodes, initializer, input, output } = model.graph;
    // Names: every node its own, every value made once.
    expect(repeated(nodes.map((n) => n.name))).toEqual([]);
    const made = nodes.flatMap((n) => n.output);
    const given = [...input.map((v) => v.name), ...initializer.map((t) => t.name)];
    expect(repeated([...made, ...given])).toEqual([]);
    // Every value that is used has been made or given before.
    const known = new Set(given);
    for (const n of nodes) {
      for (const name of n.input) expect(known, `${n.name} reads ${name}`).toContain(name);
      for (const name of n.output) known.add(name);
    }
    for (const { name } of output) expect(known).toContain(name);
    // Weightless: weights are inputs, and what is baked in is small.
    expect(input.map((v) => v.name)).toEqual([...graph.inputs, ...graph.weights].map((t) => t.name));
    for (const t of initializer) expect(t.rawData.byteLength).toBeLessThanOrEqual(64);
    // Nothing is declared that no node reads (a GPU would download it at every run).
    const used = new Set(nodes.flatMap((n) => n.input));
    for (const name of given) expect(used, `${name} is unused`).toContain(name);
    // onnxruntime accepts it.
    await expect(compile(graph)).resolves.toBeTypeOf("function");
  });
});

it("the bytes are those that protoc's own runtime writes", () => {
  const b = new GraphBuilder("baked");
  const x = b.input("x", "float32", ["n", 2]);
  b.output("y", b.Softmax(b.Gemm(x, b.weight("w", [3, 2]), { transB: 1 }), -1));
  const weights = () => new Uint8Array(Float32Array.of(1, 2, 3, 4, 5, 6).buffer);
  expect(Buffer.from(toOnnx(b.finish(), { weights })).toString("base64")).toBe(PROTOC.join(""));
});

/** Written with onnx.proto and @bufbuild/protobuf 2.17. */
const PROTOC = [
  "CAoSCnBhbGltcHNlc3Q62QEKQQoBeAoBdxIOL0dlbW0vb3V0cHV0XzAaBS9HZW1tIgRHZW1tKg0KBnRyYW5zQRgAoAECKg0K",
  "BnRyYW5zQhgBoAECCjwKDi9HZW1tL291dHB1dF8wEgF5GggvU29mdG1heCIHU29mdG1heCoUCgRheGlzGP///////////wGg",
  "AQISBWJha2VkKiMIAwgCEAFCAXdKGAAAgD8AAABAAABAQAAAgEAAAKBAAADAQFoUCgF4Eg8KDQgBEgkKAxIBbgoCCAJiFAoB",
  "eRIPCg0IARIJCgMSAW4KAggDQgQKABAV",
];

describe("weights as initializers", () => {
  const graph = ((): Graph => {
    const b = new GraphBuilder("baked");
    b.output("y", b.Gemm(b.input("x", "float32", [1, 2]), b.weight("w", [3, 2]), { transB: 1 }));
    return b.finish();
  })();
  const bytes = (data: Float32Array) => new Uint8Array(data.buffer);

  it("are in the bytes and no inputs", () => {
    const values = Float32Array.of(1, 2, 3, 4, 5, 6);
    const model = readOnnx(toOnnx(graph, { weights: () => bytes(values) })).graph;
    expect(model.input.map((v) => v.name)).toEqual(["x"]);
    const w = model.initializer.find((t) => t.name === "w")!;
    expect([w.dataType, w.dims, [...w.rawData]]).toEqual([DATA_TYPES.float32, [3, 2], [...bytes(values)]]);
  });

  it("must have as many bytes as their shape says", () => {
    expect(() => toOnnx(graph, { weights: () => new Uint8Array(20) })).toThrow(
      "graph: weight w [3, 2] needs 24 bytes, got 20",
    );
  });

  it("may be float16, cast where they are used", async () => {
    const b = new GraphBuilder("half");
    b.output("y", b.Mul(b.input("x", "float32", [2]), b.Cast(b.weight("w", [2], "float16"), "float32")));
    const half = b.finish();
    expect(half.nodes.map((n) => n.op)).toEqual(["Cast", "Mul"]);
    const run = await compile(half);
    const w = { dims: [2], data: Uint16Array.of(0x3c00, 0xc000) }; // 1 and -2
    expect([...(await run({ x: f32([2], [5, 7]), w }))["y"]!.data]).toEqual([5, -14]);
  });
});

describe("outputs", () => {
  it("may be an input, and one tensor may be published twice", async () => {
    const b = new GraphBuilder("same");
    const x = b.input("x", "float32", [2]);
    b.output("a", x);
    b.output("b", x);
    const out = await (await compile(b.finish()))({ x: f32([2], [1, 2]) });
    expect([[...out["a"]!.data], [...out["b"]!.data]]).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });
});

it("an output that a node makes is not copied, once read further on and once published twice", async () => {
  const b = new GraphBuilder("named");
  const y = b.Exp(b.input("x", "float32", [1]));
  b.output("y", y);
  b.output("z", b.Neg(y));
  b.output("again", y);
  const { node } = readOnnx(toOnnx(b.finish())).graph;
  expect(node.map((n) => [n.opType, n.output])).toEqual([
    ["Exp", ["y"]],
    ["Neg", ["z"]],
    ["Identity", ["again"]],
  ]);
});

describe("rounds", () => {
  /** Sums what is above a floor, and goes on while there is something; `grown` has all sums, newest last. */
  const counting = (carried = "sum.next"): Graph => {
    const b = new GraphBuilder("counting");
    const sum = b.input("sum", "float32", [1]);
    const grown = b.input("grown", "float32", ["sums"]);
    const next = b.Add(sum, b.Mul(b.Cast(b.input("round", "int64", []), "float32"), b.weight("w", [1])));
    b.output("sum.next", next);
    b.output("grown.next", b.Concat([grown, next], 0));
    b.output("twice", b.Mul(next, b.float(2)));
    b.output("more", b.Less(next, b.input("limit", "float32", [1])));
    const growing = { input: "grown", output: "grown.next" };
    return b.finish({ carried: [{ input: "sum", output: carried }, growing], collected: ["twice"] });
  };
  const fed = (rounds: number, limit: number) => ({
    rounds: i64([1], [rounds]),
    sum: f32([1], [10]),
    grown: f32([1], [10]),
    w: f32([1], [1]),
    limit: f32([1], [limit]),
  });

  it("run as often as is asked for, or until one says that none may follow", async () => {
    const run = await compile(counting());
    const all = await run(fed(4, 100));
    expect([...all["sum.next"]!.data]).toEqual([16]);
    expect([...all["grown.next"]!.data]).toEqual([10, 10, 11, 13, 16]);
    expect(all["twice"]).toEqual(f32([4, 1], [20, 22, 26, 32]));
    const some = await run(fed(4, 13));
    expect([...some["twice"]!.data]).toEqual([20, 22, 26]);
    expect(Object.keys(some).sort()).toEqual(["grown.next", "sum.next", "twice"]);
  });

  it("name what they need and the graph does not have", () => {
    expect(() => toOnnx(counting("total"))).toThrow(
      'graph counting: its rounds need "total", which it does not declare',
    );
  });
});

it("a reshape with two extents to guess says so, and names them", () => {
  const b = new GraphBuilder("guess");
  b.scope("net", () => b.output("y", b.Reshape(b.input("x", "float32", ["a", "b"]), ["b", "a"])));
  expect(() => toOnnx(b.finish())).toThrow('graph: /net/Reshape: both "b" and "a" of [b, a] are unknown');
});
