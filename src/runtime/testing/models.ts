/** @file Small ONNX models written by hand, so that the tests of runtime do not depend on src/graph's builder. */
import { ATTRIBUTE_TYPES, DATA_TYPES, encodeModel, type Message } from "../../graph/emit/protobuf.ts";
import type { DType } from "../../graph/ir.ts";

type Dim = number | string;
export type Port = readonly [type: DType, dims: readonly Dim[]];
export type Attribute = number | { readonly float: number } | string | readonly number[];

export interface NodeSpec {
  readonly op: string;
  readonly in: readonly string[];
  readonly out: readonly string[];
  readonly attributes?: Readonly<Record<string, Attribute>>;
}

export interface ModelSpec {
  readonly inputs: Readonly<Record<string, Port>>;
  readonly outputs: Readonly<Record<string, Port>>;
  readonly nodes: readonly NodeSpec[];
  readonly initializers?: Readonly<Record<string, { port: Port; data: ArrayBufferView }>>;
}

/** The bytes of an ONNX file (opset 21, IR 10) for `spec`. */
export function onnxModel(spec: ModelSpec): Uint8Array {
  return encodeModel({
    irVersion: 10,
    opsetImport: [{ domain: "", version: 21 }],
    graph: {
      name: "test",
      input: Object.entries(spec.inputs).map(([name, port]) => valueInfo(name, port)),
      output: Object.entries(spec.outputs).map(([name, port]) => valueInfo(name, port)),
      node: spec.nodes.map((node, index) => ({
        name: `/${node.op}_${String(index)}`,
        opType: node.op,
        input: [...node.in],
        output: [...node.out],
        attribute: Object.entries(node.attributes ?? {}).map(([name, value]) => attribute(name, value)),
      })),
      initializer: Object.entries(spec.initializers ?? {}).map(([name, { port, data }]) => ({
        name,
        dataType: DATA_TYPES[port[0]],
        dims: port[1].map(Number),
        rawData: new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength),
      })),
    },
  });
}

function valueInfo(name: string, [type, dims]: Port): Message<"ValueInfo"> {
  const dim = dims.map((d) => (typeof d === "number" ? { dimValue: d } : { dimParam: d }));
  return { name, type: { tensorType: { elemType: DATA_TYPES[type], shape: { dim } } } };
}

function attribute(name: string, value: Attribute): Message<"Attribute"> {
  if (typeof value === "number") return { name, type: ATTRIBUTE_TYPES.int, i: value };
  if (typeof value === "string") return { name, type: ATTRIBUTE_TYPES.string, s: value };
  if ("float" in value) return { name, type: ATTRIBUTE_TYPES.float, f: value.float };
  return { name, type: ATTRIBUTE_TYPES.ints, ints: value };
}
