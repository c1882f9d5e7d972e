/**
 * @file Matrices in blocks of 32 columns as in onnxruntime's MatMulNBits: (level - zero) * scale with 8-bit or 4-bit levels,
 * of which the first of two is in the low half, and a float32 scale per block. The last block is padded with zeros.
 */

export const BLOCK = 32;

export const paddedColumns = (columns: number): number => Math.ceil(columns / BLOCK) * BLOCK;
export const blocksOf = (columns: number): number => Math.ceil(columns / BLOCK);
export const levelBytes = (columns: number, bits: 4 | 8): number => (paddedColumns(columns) * bits) / 8;
export const zeroLevel = (bits: 4 | 8): number => 2 ** (bits - 1);

export interface BlockedRows {
  readonly levels: Uint8Array; // [rows, levelBytes(columns, bits)]
  readonly scales: Float32Array; // [rows, blocksOf(columns)]
}

export const blockedRows = (rows: number, columns: number, bits: 4 | 8): BlockedRows => ({
  levels: new Uint8Array(rows * levelBytes(columns, bits)),
  scales: new Float32Array(rows * blocksOf(columns)),
});

/** Quantises `values` [rows, columns], all finite, into `out`, each block with the scale of the least squared error. */
export function quantise(values: Float32Array, columns: number, bits: 4 | 8, out: BlockedRows): void {
  const padded = new Float32Array(BLOCK);
  const rows = values.length / columns;
  for (let row = 0, block = 0; row < rows; row++)
    for (let column = 0; column < columns; column += BLOCK, block++) {
      const start = row * columns + column;
      const end = Math.min(start + BLOCK, (row + 1) * columns);
      if (end - start === BLOCK) quantiseBlock(values, start, bits, block, out);
      else {
        padded.fill(0).set(values.subarray(start, end));
        quantiseBlock(padded, 0, bits, block, out);
      }
    }
}

export function dequantise(
  { levels, scales }: BlockedRows,
  columns: number,
  bits: 4 | 8,
  out: Float32Array,
): void {
  const zero = zeroLevel(bits);
  const [padded, blocks] = [paddedColumns(columns), blocksOf(columns)];
  for (let row = 0, at = 0; at < out.length; row++)
    for (let column = 0; column < columns; column++, at++) {
      const place = row * padded + column;
      const level = bits === 8 ? levels[place]! : (levels[place >> 1]! >> (4 * (place & 1))) & 15;
      out[at] = (level - zero) * scales[row * blocks + Math.floor(column / BLOCK)]!;
    }
}

function quantiseBlock(
  values: Float32Array,
  start: number,
  bits: 4 | 8,
  block: number,
  { levels, scales }: BlockedRows,
): void {
  const zero = zeroLevel(bits);
  fit(values, start, zero, REACHES[bits]);
  const at = (block * BLOCK * bits) / 8;
  if (bits === 8)
    for (let i = 0; i < BLOCK; i++) levels[at + i] = levelOf(values[start + i]! * fitted.perScale, zero);
  else
    for (let i = 0; i < BLOCK / 2; i++) {
      const low = levelOf(values[start + 2 * i]! * fitted.perScale, zero);
      levels[at + i] = low | (levelOf(values[start + 2 * i + 1]! * fitted.perScale, zero) << 4);
    }
  scales[block] = fitted.scale;
}

/** Finds q and s with the least Σ (v - s q)²; `reaches` are distances of the largest value from zero. s = Σ v q / Σ q². */
function fit(values: Float32Array, start: number, zero: number, reaches: readonly number[]): void {
  let extreme = 0;
  for (let i = start; i < start + BLOCK; i++)
    if (values[i]! * values[i]! > extreme * extreme) extreme = values[i]!;
  fitted.perScale = fitted.scale = 0;
  if (extreme === 0) return;
  let best = -1;
  for (let r = 0; r < reaches.length; r++) {
    const perScale = -reaches[r]! / extreme;
    let vq = 0;
    let qq = 0;
    for (let i = start; i < start + BLOCK; i++) {
      const q = levelOf(values[i]! * perScale, zero) - zero;
      vq += values[i]! * q;
      qq += q * q;
    }
    if (vq * vq <= best * qq) continue;
    best = (vq * vq) / qq;
    fitted.scale = vq / qq;
    fitted.perScale = perScale;
  }
}

/** The result of {@link fit}, reused because it runs for every 32 weights. */
const fitted = { scale: 0, perScale: 0 };

/** The level nearest to `ratio` above `zero`. Truncation rounds down, except below level 0. */
function levelOf(ratio: number, zero: number): number {
  const level = (ratio + zero + 0.5) | 0;
  return level < 0 ? 0 : level >= 2 * zero ? 2 * zero - 1 : level;
}

/** Distances from zero, in levels, at which the largest value of a block is tried. */
const REACHES = {
  8: [118.5, 119.7, 120.9, 122.1, 123.3, 124.5, 125.7, 126.9, 128.1, 129.3],
  4: [7.2, 7.6, 8, 8.4, 8.8, 9.2, 9.6, 10],
} as const;
