/** @file Small ONNX models written by hand, so that the tests of runtime do not depend on src/graph's builder. */
import { create, toBinary } from "@bufbuild/protobuf";
import {
  AttributeProto_AttributeType as Kind,
  ModelProtoSchema,
  TensorProto_DataType as DataType,
} from "../../graph/proto/onnx_pb.ts";
import type { TensorType } from "../device.ts";

type Dim = number | string;
export type Port = readonly [type: TensorType, dims: readonly Dim[]];
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
  const model = create(ModelProtoSchema, {
    irVersion: 10n,
    opsetImport: [{ domain: "", version: 21n }],
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
        dims: port[1].map((d) => BigInt(d)),
        rawData: new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength),
      })),
    },
  });
  return toBinary(ModelProtoSchema, model);
}

function valueInfo(name: string, [type, dims]: Port) {
  const dim = dims.map((d) =>
    typeof d === "number"
      ? { value: { case: "dimValue" as const, value: BigInt(d) } }
      : { value: { case: "dimParam" as const, value: d } },
  );
  return {
    name,
    type: {
      value: { case: "tensorType" as const, value: { elemType: DATA_TYPES[type], shape: { dim } } },
    },
  };
}

function attribute(name: string, value: Attribute) {
  if (typeof value === "number") return { name, type: Kind.INT, i: BigInt(value) };
  if (typeof value === "string") return { name, type: Kind.STRING, s: new TextEncoder().encode(value) };
  if ("float" in value) return { name, type: Kind.FLOAT, f: value.float };
  return { name, type: Kind.INTS, ints: value.map(BigInt) };
}

const DATA_TYPES: Readonly<Record<TensorType, DataType>> = {
  float32: DataType.FLOAT,
  float16: DataType.FLOAT16,
  int32: DataType.INT32,
  int64: DataType.INT64,
  uint8: DataType.UINT8,
  bool: DataType.BOOL,
};
