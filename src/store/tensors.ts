/** @file Vectors as rows of safetensors matrices, bit for bit: F32, F16, or I8 with scales in a second tensor. */

import { rawBytes } from "../lib/bytes.ts";
import { encodeHeader, parseFile, readBytes, type TensorInfo, type TensorSpec } from "../lib/safetensors.ts";
import { numbersOf, packRows, unpackRow, type Form, type Rows } from "../lib/vectorForms.ts";

export interface Matrix {
  readonly name: string;
  readonly rows: readonly Float32Array[];
  readonly columns: number;
  readonly form?: Form;
}

const scales = (rows: Rows): Float32Array => ("scales" in rows ? rows.scales : new Float32Array());

export type Size = readonly [rows: number | null, columns: number | null];

export type RowReader = (matrix: string, index: number) => Float32Array;

const scalesOf = (matrix: string): string => `${matrix}.scales`;

export function* tensorParts(
  matrices: readonly Matrix[],
  metadata?: Readonly<Record<string, string>>,
): Generator<Uint8Array> {
  yield encodeHeader(matrices.flatMap(specsOf), metadata);
  for (const { rows, form = "float32" } of matrices) {
    const packed = (row: Float32Array): Rows => packRows([row], form);
    if (form === "levels") for (const row of rows) yield rawBytes(scales(packed(row)));
    for (const row of rows) yield rawBytes(form === "float32" ? row : numbersOf(packed(row)));
  }
}

function specsOf({ name, rows, columns, form = "float32" }: Matrix): TensorSpec[] {
  const shape = [rows.length, columns];
  if (form === "float32") return [{ name, dtype: "F32", shape }];
  if (form === "float16") return [{ name, dtype: "F16", shape }];
  const own = { name: scalesOf(name), dtype: "F32", shape: [rows.length] } as const;
  return [own, { name, dtype: "I8", shape }];
}

/** @throws if a matrix of `sizes` is missing or has another size; the reader throws if a row does not exist */
export function rowsOf(bytes: Uint8Array, file: string, sizes: Readonly<Record<string, Size>>): RowReader {
  const found = new Map(parseFile(bytes, file).tensors.map((info) => [info.name, info]));
  const matrices = new Map(
    Object.entries(sizes).map(([name, [rows, columns]]) => {
      const info = found.get(name);
      if (!info) throw new Error(`${file} has no tensor "${name}"`);
      const [height = 0, width = 0, more] = info.shape;
      if ((rows ?? height) !== height || (columns ?? width) !== width || more !== undefined)
        throw new Error(
          `${file}: "${name}" has the shape [${info.shape.join(", ")}], [${rows ?? "any"}, ${columns ?? "any"}] expected`,
        );
      return [name, { values: valuesOf(bytes, file, info, found.get(scalesOf(name))), height, width }];
    }),
  );
  return (name, index) => {
    const matrix = matrices.get(name);
    if (!matrix || index >= matrix.height)
      throw new Error(`${file}: "${name}" has ${matrix?.height ?? 0} rows, but row ${index} is asked for`);
    return unpackRow(matrix.values, matrix.width, index);
  };
}

function valuesOf(bytes: Uint8Array, file: string, info: TensorInfo, scale: TensorInfo | undefined): Rows {
  const { name, dtype } = info;
  const read = (one: TensorInfo): ArrayBuffer => readBytes(bytes, one);
  if (dtype === "F32") return new Float32Array(read(info));
  if (dtype === "F16") return { bits: new Uint16Array(read(info)) };
  if (dtype !== "I8") throw new Error(`${file}: "${name}" is ${dtype}; F32, F16 or I8 is expected`);
  const [height = 0] = info.shape;
  if (scale?.dtype !== "F32" || scale.shape.length !== 1 || scale.shape[0] !== height)
    throw new Error(
      `${file}: "${name}" is I8, and has no tensor "${scalesOf(name)}" of ${height} F32 scales`,
    );
  return { levels: new Int8Array(read(info)), scales: new Float32Array(read(scale)) };
}
