/** @file Names, pruning and constants of the builder. */

import { describe, expect, it } from "vitest";
import { GraphBuilder } from "./build.ts";

describe("names", () => {
  it.each([
    ["two inputs", (b: GraphBuilder) => b.input("x", "float32", [1])],
    ["an input and a weight", (b: GraphBuilder) => b.weight("x", [1])],
    ["an input and an output", (b: GraphBuilder) => b.output("x", b.float(1))],
  ])("refuses one name for %s", (_, repeat) => {
    const b = new GraphBuilder("twice");
    b.input("x", "float32", [1]);
    expect(() => repeat(b)).toThrow(/graph twice: the name x is taken/);
  });

  it("refuses one name for two outputs", () => {
    const b = new GraphBuilder("twice");
    b.output("y", b.float(1));
    expect(() => b.output("y", b.float(2))).toThrow(/the name y is taken/);
  });

  it("declares a weight once, and refuses it with another shape", () => {
    const b = new GraphBuilder("weights");
    expect(b.weight("w", [2, 3])).toBe(b.weight("w", [2, 3]));
    expect(() => b.weight("w", [3, 2])).toThrow(/weight w is used as \[3, 2\] and \[2, 3\]/);
  });

  it("makes addresses of scopes, numbers what repeats, and leaves a scope when its body throws", () => {
    const b = new GraphBuilder("scopes");
    const x = b.input("x", "float32", [2]);
    const names = b.scope("layers.0", () => b.scope("mlp", () => [b.Exp(x).name, b.Exp(x).name]));
    expect(names).toEqual(["/layers.0/mlp/Exp/output_0", "/layers.0/mlp/Exp_1/output_0"]);
    expect(() =>
      b.scope("broken", () => {
        throw new Error("inside");
      }),
    ).toThrow("inside");
    expect(b.Neg(x).name).toBe("/Neg/output_0");
  });
});

describe("finish", () => {
  it("keeps what an output needs and nothing else: nodes, inputs, weights, constants", () => {
    const b = new GraphBuilder("pruned");
    const [x, unused] = [b.input("x", "float32", [2]), b.input("unused", "float32", [2])];
    const kept = b.Mul(x, b.Add(b.weight("w", [2]), b.float(3)));
    b.Exp(b.Mul(unused, b.Add(b.weight("idle", [2]), b.float(4))));
    b.output("y", kept);
    const graph = b.finish();
    expect(graph.inputs.map((t) => t.name)).toEqual(["x"]);
    expect(graph.weights.map((t) => t.name)).toEqual(["w"]);
    expect(graph.nodes.map((n) => n.op)).toEqual(["Add", "Mul"]);
    expect(graph.constants.map((c) => [...c.data].map(Number))).toEqual([[3]]);
  });

  it("refuses a graph without an output", () => {
    expect(() => new GraphBuilder("mute").finish()).toThrow("graph mute: declares no output");
  });

  it("gives nodes in an order in which each finds its inputs made", () => {
    const b = new GraphBuilder("order");
    const x = b.input("x", "float32", [3]);
    b.output("y", b.Add(b.Exp(b.Neg(x)), b.Sigmoid(x)));
    const made = new Set(["x"]);
    for (const node of b.finish().nodes) {
      for (const t of node.inputs) expect(made).toContain(t.name);
      made.add(node.output.name);
    }
  });
});

describe("constants", () => {
  it("shares equal ones and keeps types and shapes apart", () => {
    const b = new GraphBuilder("constants");
    expect(b.float(2)).toBe(b.float(new Float32Array([2])));
    expect(b.float(2)).not.toBe(b.float(new Float32Array([2]), [1]));
    expect(b.int64([2])).not.toBe(b.int32(new Int32Array([2]), [1]));
  });

  it("counts its values", () => {
    const b = new GraphBuilder("constants");
    expect(() => b.float(new Float32Array(5), [2, 3])).toThrow(/shape \[2, 3\] needs 6 values, got 5/);
  });
});
