/** @file Reads the ONNX messages of emit/protobuf.ts back. */

import { FIELDS, type Message } from "../emit/protobuf.ts";

type Filled<T> = T extends Uint8Array
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Filled<Item>[]
    : T extends object
      ? { readonly [F in keyof T]-?: Filled<T[F]> }
      : T;

/** A model in which fields that lack in the bytes are empty lists, or undefined in spite of their type. */
export type ModelRead = Filled<Message<"Model">>;

/** @throws on a field that is not in the table, and on one that is cut off */
export const readOnnx = (bytes: Uint8Array): ModelRead => read("Model", bytes) as ModelRead;

function read(name: keyof typeof FIELDS, bytes: Uint8Array): object {
  const fields = Object.entries(FIELDS[name]).map(([field, [number, type, list]]) => ({
    ...{ field, number, type: type as string, list: list === "list" },
  }));
  const message: Record<string, unknown> = Object.fromEntries(
    fields.filter(({ list }) => list).map(({ field }) => [field, []]),
  );
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = view.getUint8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const known = fields.find(({ number }) => number === tag >> 3);
    if (!known) throw new Error(`${name} has no field ${tag >> 3}`);
    let value: unknown;
    if ((tag & 7) === 0) value = Number(BigInt.asIntN(64, varint()));
    else if ((tag & 7) === 5) [value, at] = [view.getFloat32(at, true), at + 4];
    else {
      const end = Number(varint()) + at;
      const own = bytes.subarray(at, end);
      if (own.length < end - at) throw new Error(`${name}.${known.field} is cut off`);
      at = end;
      value =
        known.type === "bytes"
          ? own
          : known.type === "string"
            ? new TextDecoder().decode(own)
            : read(known.type as keyof typeof FIELDS, own);
    }
    if (known.list) (message[known.field] as unknown[]).push(value);
    else message[known.field] = value;
  }
  return message;
}
