/** @file Vectors as rows of F32 matrices in a safetensors file, and back, bit for bit. */

import { encodeHeader, parseFile, readFloat32 } from "../lib/safetensors.ts";

export interface Matrix {
  readonly name: string;
  readonly rows: readonly Float32Array[];
  readonly columns: number;
}

/** Rows and columns that a matrix must have; null: any number. */
export type Size = readonly [rows: number | null, columns: number | null];

/** Row `index` of a matrix, in memory of its own. */
export type RowReader = (matrix: string, index: number) => Float32Array;

/** The parts of a safetensors file, row by row. */
export function* tensorParts(
  matrices: readonly Matrix[],
  metadata?: Readonly<Record<string, string>>,
): Generator<Uint8Array> {
  yield encodeHeader(
    matrices.map(({ name, rows, columns }) => ({ name, dtype: "F32", shape: [rows.length, columns] })),
    metadata,
  );
  for (const { rows } of matrices)
    for (const row of rows) yield new Uint8Array(row.buffer, row.byteOffset, row.byteLength);
}

/**
 * The rows of a file.
 * @throws when a matrix of `sizes` is missing or of another size; what it returns throws on a row that is not there
 */
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
      return [name, { values: readFloat32(bytes, info, file), height, width }];
    }),
  );
  return (name, index) => {
    const matrix = matrices.get(name);
    if (!matrix || index >= matrix.height)
      throw new Error(`${file}: "${name}" has ${matrix?.height ?? 0} rows, but row ${index} is asked for`);
    return matrix.values.slice(index * matrix.width, (index + 1) * matrix.width);
  };
}
