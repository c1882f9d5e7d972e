/** @file Serialises a graph as ONNX: opset 21, IR 10. */

import { rawBytes } from "../../lib/bytes.ts";
import { assert, present } from "../../lib/assert.ts";
import {
  ELEMENT_BYTES,
  outputsOf,
  showShape,
  type Constant,
  type Graph,
  type Node,
  type Op,
  type Rounds,
  type Tensor,
} from "../ir.ts";
import { ATTRIBUTE_TYPES, DATA_TYPES, encodeModel, type Message } from "./protobuf.ts";

const OPSET = 21;
const IR_VERSION = 10;
const CONTRIB = "com.microsoft";

type Attribute = Message<"Attribute">;
type ProtoNode = Message<"Node">;
type ProtoTensor = Message<"Tensor">;
type ValueInfo = Message<"ValueInfo">;

/**
 * Serialises `graph`. @param weights little-endian bytes of a weight, which becomes an initializer; without it weights stay
 * inputs. @throws if they do not match its shape
 */
export function toOnnx(
  graph: Graph,
  { weights }: { readonly weights?: (name: string) => Uint8Array } = {},
): Uint8Array<ArrayBuffer> {
  const shapes = new ShapeConstants();
  const { node, input, output } = graph.rounds
    ? protoLoop(graph, graph.rounds, shapes)
    : protoGraph(graph, shapes);
  const initializer = graph.constants.map(protoConstant);
  if (weights) initializer.push(...graph.weights.map((t) => protoWeight(t, weights(t.name))));
  initializer.push(...shapes.tensors());
  return encodeModel({
    irVersion: IR_VERSION,
    producerName: "palimpsest",
    opsetImport: [
      { domain: "", version: OPSET },
      ...(node.some(isContrib) ? [{ domain: CONTRIB, version: 1 }] : []),
    ],
    graph: {
      name: graph.name,
      node,
      initializer,
      input: [...input, ...(weights ? [] : graph.weights.map(valueInfo))],
      output,
    },
  });
}

const isContrib = ({ domain, attribute = [] }: ProtoNode): boolean =>
  domain === CONTRIB || attribute.some(({ g }) => g?.node?.some(isContrib));

interface ProtoGraph {
  readonly node: ProtoNode[];
  readonly input: ValueInfo[];
  readonly output: ValueInfo[];
}

/** One Loop around the nodes; its body reads the tensors that it does not carry from the outer graph (docs/runtime.md, 2). */
function protoLoop(graph: Graph, rounds: Rounds, shapes: ShapeConstants): ProtoGraph {
  const { carried, collected } = rounds;
  const inputs = new Map(graph.inputs.map((tensor) => [tensor.name, tensor]));
  const outputs = new Map(graph.outputs.map(({ name, tensor }) => [name, tensor]));
  const { node, input, output } = protoGraph(oneRound(graph, rounds), shapes);
  const [round, ...begun] = input;
  const more = valueInfo({ name: inside("going"), dtype: "bool", shape: [1] });
  const body = { name: `${graph.name}/round`, node, input: [round!, more, ...begun], output };
  const count: Tensor = { name: "rounds", dtype: "int64", shape: [1] };
  const loop: ProtoNode = {
    opType: "Loop",
    name: "/rounds",
    input: [count.name, "", ...carried.map(({ input }) => input)],
    output: [...carried.map(({ output }) => output), ...collected],
    attribute: [{ name: "body", type: ATTRIBUTE_TYPES.graph, g: body }],
  };
  const last = carried.map(({ input, output }) => {
    const [before, after] = [inputs.get(input)!, outputs.get(output)!];
    // An extent that grows has another name than that of one round.
    const shape = after.shape.map((dim, i) => (dim === before.shape[i] ? dim : `last ${dim}`));
    return valueInfo({ ...after, name: output, shape });
  });
  const all = collected.map((name) => {
    const { dtype, shape } = outputs.get(name)!;
    return valueInfo({ name, dtype, shape: ["ran", ...shape] });
  });
  const fed = graph.inputs.filter(({ name }) => name !== "round");
  return { node: [loop], input: [count, ...fed].map(valueInfo), output: [...last, ...all] };
}

const inside = (name: string): string => `/round/${name}`;

/** The body of a loop: inputs and outputs in the order that the operator wants, after and before the condition. */
function oneRound(graph: Graph, { carried, collected }: Rounds): Graph {
  const named = <T extends { readonly name: string }>(of: readonly T[], name: string): T =>
    present(
      of.find((one) => one.name === name),
      () => `graph ${graph.name}: its rounds need "${name}", which it does not declare`,
    );
  const inputs = ["round", ...carried.map(({ input }) => input)].map((name) => named(graph.inputs, name));
  const outputs = ["more", ...carried.map(({ output }) => output), ...collected].map((name) => ({
    name: inside(name),
    tensor: named(graph.outputs, name).tensor,
  }));
  const names = new Map(inputs.map((tensor) => [tensor, inside(tensor.name)]));
  return renamed({ ...graph, inputs, outputs }, names);
}

function protoGraph(graph: Graph, shapes: ShapeConstants): ProtoGraph {
  const made = new Set(graph.nodes.flatMap(outputsOf));
  // The output of a node gets the public name directly: a copy would cost as much as moving a cache.
  const names = new Map<Tensor, string>();
  for (const { name, tensor } of graph.outputs)
    if (made.has(tensor) && !names.has(tensor)) names.set(tensor, name);
  const { nodes, inputs, outputs } = renamed(graph, names);
  const copied = outputs.filter(({ name, tensor }) => tensor.name !== name);
  const copies = copied.map(({ name, tensor }): ProtoNode => ({
    opType: "Identity",
    name: `/outputs/${name}`,
    input: [tensor.name],
    output: [name],
  }));
  return {
    node: [...nodes.flatMap((node) => protoNodes(node, shapes)), ...copies],
    input: inputs.map(valueInfo),
    output: outputs.map(({ name, tensor }) => valueInfo({ ...tensor, name })),
  };
}

function renamed(graph: Graph, names: ReadonlyMap<Tensor, string>): Graph {
  const known = new Map<Tensor, Tensor>();
  const as = (tensor: Tensor): Tensor => {
    const name = names.get(tensor);
    if (name === undefined) return tensor;
    if (!known.has(tensor)) known.set(tensor, { ...tensor, name });
    return known.get(tensor)!;
  };
  return {
    ...graph,
    inputs: graph.inputs.map(as),
    nodes: graph.nodes.map((node) => ({
      ...node,
      inputs: node.inputs.map(as),
      output: as(node.output),
      more: node.more.map(as),
    })),
    outputs: graph.outputs.map(({ name, tensor }) => ({ name, tensor: as(tensor) })),
  };
}

const int = (name: string, i: number): Attribute => ({ name, type: ATTRIBUTE_TYPES.int, i });

const NAMES: Readonly<Record<string, string>> = {
  blockSize: "block_size",
  heads: "num_heads",
  kvHeads: "kv_num_heads",
};
const FLOATS: ReadonlySet<string> = new Set(["epsilon", "scale"]);

const attributesOf = ({ attributes }: Node): Attribute[] =>
  Object.entries(attributes ?? {}).map(([key, value]: [string, string | number | readonly number[]]) => {
    const name = NAMES[key] ?? key;
    if (typeof value === "string") return { name, type: ATTRIBUTE_TYPES.string, s: value };
    if (typeof value === "object") return { name, type: ATTRIBUTE_TYPES.ints, ints: value };
    return FLOATS.has(key) ? { name, type: ATTRIBUTE_TYPES.float, f: value } : int(name, value);
  });

class ShapeConstants {
  readonly #byKey = new Map<string, ProtoTensor>();

  name(values: readonly number[]): string {
    const name = `/shapes/[${values.join(",")}]`;
    if (!this.#byKey.has(name)) {
      const rawData = new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
      this.#byKey.set(name, { name, dataType: DATA_TYPES.int64, dims: [values.length], rawData });
    }
    return name;
  }

  tensors(): ProtoTensor[] {
    return [...this.#byKey.values()];
  }
}

interface Written {
  readonly op?: string;
  readonly domain?: string;
  readonly inputs?: readonly string[];
  readonly outputs?: readonly string[];
  readonly attributes?: readonly Attribute[];
  readonly before?: readonly ProtoNode[];
}

type Writer<O extends Op> = (node: Node<O>, shapes: ShapeConstants) => Written;

const reduction: Writer<"ReduceSum" | "ReduceMean" | "ReduceMax"> = ({ inputs, attributes }, shapes) => ({
  inputs: [inputs[0]!.name, shapes.name(attributes.axes)],
  attributes: [int("keepdims", 1)],
});
const contrib = (): Written => ({ domain: CONTRIB });

const writers: { readonly [O in Op]?: Writer<O> } = {
  Cast: ({ attributes }) => ({ attributes: [int("to", DATA_TYPES[attributes.to])] }),
  Expand: ({ name, inputs: [x, like] }) => ({
    before: [{ opType: "Shape", name: `${name}/Shape`, input: [like!.name], output: [`${name}/shape`] }],
    inputs: [x!.name, `${name}/shape`],
  }),
  GatherBlockQuantized: (node) => ({
    domain: CONTRIB,
    attributes: [...attributesOf(node), int("gather_axis", 0), int("quantize_axis", 1)],
  }),
  GroupQueryAttention: contrib,
  // accuracy_level stays 0: any other may round the activations to 8 bits.
  MatMulNBits: contrib,
  Pad: ({ inputs, attributes }, shapes) => ({
    inputs: [inputs[0]!.name, shapes.name(attributes.pads)],
    attributes: [],
  }),
  ReduceMax: reduction,
  ReduceMean: reduction,
  ReduceSum: reduction,
  Reshape: (node, shapes) => ({
    inputs: [node.inputs[0]!.name, shapes.name(reshapeTarget(node))],
    attributes: [],
  }),
  RotaryEmbedding: contrib,
  SimplifiedLayerNormalization: (node) => ({
    attributes: [...attributesOf(node), int("stash_type", DATA_TYPES.float32)],
  }),
  // The two outputs between these, mean and inverse deviation, are wrong on WebGPU.
  SkipSimplifiedLayerNormalization: ({ output, more }) => ({
    domain: CONTRIB,
    outputs: [output.name, "", "", more[0]!.name],
  }),
  Slice: ({ inputs, attributes: { axis, start, end } }, shapes) => ({
    inputs: [inputs[0]!.name, shapes.name([start]), shapes.name([end]), shapes.name([axis])],
    attributes: [],
  }),
  SliceBetween: ({ inputs: [x, start, end], attributes }, shapes) => ({
    op: "Slice",
    inputs: [x!.name, start!.name, end!.name, shapes.name([attributes.axis])],
    attributes: [],
  }),
  StopGradient: () => ({ op: "Identity" }),
};

/** ONNX's form of a shape: known extents, 0 for one that keeps its axis, at most one -1. @throws if two are unknown */
function reshapeTarget({ name, inputs: [x], attributes: { to } }: Node<"Reshape">): number[] {
  let guessed: string | undefined;
  return to.map((dim, i) => {
    if (typeof dim === "number") return dim;
    if (x!.shape[i] === dim) return 0;
    assert(
      guessed === undefined,
      () => `graph: ${name}: both "${guessed}" and "${dim}" of ${showShape(to)} are unknown; fix one extent`,
    );
    guessed = dim;
    return -1;
  });
}

function protoNodes(node: Node, shapes: ShapeConstants): ProtoNode[] {
  const writer = writers[node.op] as Writer<Op> | undefined;
  const written = writer?.(node, shapes) ?? {};
  const own: ProtoNode = {
    opType: written.op ?? node.op,
    ...(written.domain === undefined ? {} : { domain: written.domain }),
    name: node.name,
    input: written.inputs ?? node.inputs.map((t) => t.name),
    output: written.outputs ?? outputsOf(node).map((t) => t.name),
    attribute: written.attributes ?? attributesOf(node),
  };
  return [...(written.before ?? []), own];
}

const protoConstant = ({ tensor, data }: Constant): ProtoTensor => ({
  name: tensor.name,
  dataType: DATA_TYPES[tensor.dtype],
  dims: tensor.shape.map(Number),
  rawData: rawBytes(data),
});

function protoWeight(tensor: Tensor, bytes: Uint8Array): ProtoTensor {
  const count = tensor.shape.reduce<number>((n, dim) => n * Number(dim), 1);
  const expected = count * ELEMENT_BYTES[tensor.dtype];
  if (bytes.byteLength !== expected)
    throw new Error(
      `graph: weight ${tensor.name} ${showShape(tensor.shape)} needs ${expected} bytes, got ${bytes.byteLength}`,
    );
  return protoConstant({ tensor, data: bytes as unknown as Float32Array });
}

const valueInfo = ({ name, dtype, shape }: Tensor): ValueInfo => {
  const dim = shape.map((size) => (typeof size === "number" ? { dimValue: size } : { dimParam: size }));
  return { name, type: { tensorType: { elemType: DATA_TYPES[dtype], shape: { dim } } } };
};
