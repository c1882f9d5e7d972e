/** @file The eight ONNX messages that a graph needs (onnx.proto, proto2), and their encoding as protobuf. */

import { concat } from "../../lib/bytes.ts";

/** Fields by message, in the order of their numbers: number, type, and whether the field is a list. */
export const FIELDS = {
  Model: {
    irVersion: [1, "int"],
    producerName: [2, "string"],
    graph: [7, "Graph"],
    opsetImport: [8, "OperatorSet", "list"],
  },
  OperatorSet: { domain: [1, "string"], version: [2, "int"] },
  Graph: {
    node: [1, "Node", "list"],
    name: [2, "string"],
    initializer: [5, "Tensor", "list"],
    input: [11, "ValueInfo", "list"],
    output: [12, "ValueInfo", "list"],
  },
  Node: {
    input: [1, "string", "list"],
    output: [2, "string", "list"],
    name: [3, "string"],
    opType: [4, "string"],
    attribute: [5, "Attribute", "list"],
    domain: [7, "string"],
  },
  Attribute: {
    name: [1, "string"],
    f: [2, "float"],
    i: [3, "int"],
    s: [4, "string"],
    g: [6, "Graph"],
    ints: [8, "int", "list"],
    type: [20, "int"],
  },
  Tensor: { dims: [1, "int", "list"], dataType: [2, "int"], name: [8, "string"], rawData: [9, "bytes"] },
  ValueInfo: { name: [1, "string"], type: [2, "Type"] },
  Type: { tensorType: [1, "TensorType"] },
  TensorType: { elemType: [1, "int"], shape: [2, "Shape"] },
  Shape: { dim: [1, "Dimension", "list"] },
  Dimension: { dimValue: [1, "int"], dimParam: [2, "string"] },
} as const;

export const DATA_TYPES = { float32: 1, uint8: 2, int32: 6, int64: 7, bool: 9, float16: 10 } as const;
export const ATTRIBUTE_TYPES = { float: 1, int: 2, string: 3, graph: 5, ints: 7 } as const;

interface Scalars {
  readonly int: number;
  readonly float: number;
  readonly string: string;
  readonly bytes: Uint8Array;
}
type Value<Type> = Type extends keyof Scalars
  ? Scalars[Type]
  : Type extends keyof typeof FIELDS
    ? Message<Type>
    : never;
type FieldValue<Field> = Field extends readonly [number, infer Type, "list"]
  ? readonly Value<Type>[]
  : Field extends readonly [number, infer Type]
    ? Value<Type>
    : never;

export type Message<Name extends keyof typeof FIELDS> = {
  readonly [Field in keyof (typeof FIELDS)[Name]]?: FieldValue<(typeof FIELDS)[Name][Field]>;
};

export const encodeModel = (model: Message<"Model">): Uint8Array<ArrayBuffer> =>
  concat(encode("Model", model).pieces);

interface Encoded {
  readonly pieces: readonly Uint8Array[];
  readonly length: number;
}

function encode(name: keyof typeof FIELDS, message: object): Encoded {
  const pieces: Uint8Array[] = [];
  for (const [field, [number, type]] of Object.entries(FIELDS[name])) {
    const value = (message as Readonly<Record<string, unknown>>)[field];
    for (const one of value === undefined ? [] : Array.isArray(value) ? (value as unknown[]) : [value])
      pieces.push(...encodeField(number, type, one));
  }
  return { pieces, length: pieces.reduce((sum, piece) => sum + piece.length, 0) };
}

function encodeField(number: number, type: keyof Scalars | keyof typeof FIELDS, value: unknown) {
  const tag = (wire: number): Uint8Array => varint(number * 8 + wire);
  if (type === "int") return [tag(VARINT), varint(value as number)];
  if (type === "float") return [tag(FIXED32), new Uint8Array(Float32Array.of(value as number).buffer)];
  const { pieces, length } =
    type === "string"
      ? whole(new TextEncoder().encode(value as string))
      : type === "bytes"
        ? whole(value as Uint8Array)
        : encode(type, value as object);
  return [tag(LENGTH_DELIMITED), varint(length), ...pieces];
}

const whole = (bytes: Uint8Array): Encoded => ({ pieces: [bytes], length: bytes.length });

/** Seven bits per byte, lowest first; a negative number as 64-bit two's complement. */
function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Uint8Array.from([...bytes, Number(rest)]);
}

const [VARINT, LENGTH_DELIMITED, FIXED32] = [0, 2, 5];
