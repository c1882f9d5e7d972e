/** @file IEEE half (f16) and bfloat16 (bf16) bits, to and from float32. Rounding is to nearest, ties to even; NaN stays NaN. */

/** Smallest |x| of an f32, as bits, that rounds to f16 infinity: 65520. */
export const F16_OVERFLOW_F32_BITS = 0x477ff000;
/** Smallest |x| of a bf16, as bits, that rounds to f16 infinity: 65536. */
export const F16_OVERFLOW_BF16_BITS = 0x4780;
export const F32_INFINITY_BITS = 0x7f800000;
export const BF16_INFINITY_BITS = 0x7f80;
export const F16_INFINITY_BITS = 0x7c00;

const scratch = new Float32Array(1);
const scratchBits = new Uint32Array(scratch.buffer);

/** Bits of an f32 (as u32 or i32) to the bits of the nearest f16; |x| >= 65520 gives infinity. */
export function f32BitsToF16Bits(bits: number): number {
  const sign = (bits >>> 16) & 0x8000;
  const abs = bits & 0x7fffffff;
  if (abs > F32_INFINITY_BITS) return sign | 0x7e00 | ((abs >>> 13) & 0x3ff);
  if (abs >= F16_OVERFLOW_F32_BITS) return sign | F16_INFINITY_BITS;
  if (abs < 0x38800000) return sign | subnormalF16Bits(abs);
  // Rebias the exponent (127 to 15), then add half an ulp, less one where the kept mantissa is even.
  return sign | ((abs - 0x38000000 + 0xfff + ((abs >>> 13) & 1)) >>> 13);
}

/** |x| < 2^-14: adding 0.5 leaves an f32 whose ulp is 2^-24, the f16 subnormal step, so the store rounds right. */
function subnormalF16Bits(abs: number): number {
  scratchBits[0] = abs;
  scratch[0] = scratch[0]! + 0.5;
  return scratchBits[0] - 0x3f000000;
}

export function f16BitsToF32Bits(bits: number): number {
  const sign = (bits & 0x8000) << 16;
  const abs = bits & 0x7fff;
  if (abs >= F16_INFINITY_BITS) return (sign | F32_INFINITY_BITS | ((abs & 0x3ff) << 13)) >>> 0;
  if (abs >= 0x400) return (sign | ((abs << 13) + 0x38000000)) >>> 0;
  scratch[0] = abs * 2 ** -24;
  return (sign | scratchBits[0]!) >>> 0;
}

/** `out` (same length) is filled and returned, here and below. */
export function float32ToFloat16(
  source: Float32Array,
  out: Uint16Array = new Uint16Array(source.length),
): Uint16Array {
  checkLength(source.length, out.length);
  const bits = new Uint32Array(source.buffer, source.byteOffset, source.length);
  for (let i = 0; i < bits.length; i++) out[i] = f32BitsToF16Bits(bits[i]!);
  return out;
}

export function float16ToFloat32(
  source: Uint16Array,
  out: Float32Array = new Float32Array(source.length),
): Float32Array {
  checkLength(source.length, out.length);
  const table = f16Table();
  const bits = new Uint32Array(out.buffer, out.byteOffset, out.length);
  for (let i = 0; i < bits.length; i++) bits[i] = table[source[i]!]!;
  return out;
}

export function bfloat16ToFloat32(
  source: Uint16Array,
  out: Float32Array = new Float32Array(source.length),
): Float32Array {
  checkLength(source.length, out.length);
  const bits = new Uint32Array(out.buffer, out.byteOffset, out.length);
  for (let i = 0; i < bits.length; i++) bits[i] = source[i]! << 16;
  return out;
}

export function bfloat16ToFloat16(
  source: Uint16Array,
  out: Uint16Array = new Uint16Array(source.length),
): Uint16Array {
  checkLength(source.length, out.length);
  const table = bf16Table();
  for (let i = 0; i < out.length; i++) out[i] = table[source[i]!]!;
  return out;
}

function checkLength(source: number, out: number): void {
  if (source !== out)
    throw new Error(`float16: ${source} values do not fit an output of ${out}; same length expected`);
}

/** Every f16 as f32 bits (256 KB): a table is faster than branches. */
function f16Table(): Uint32Array {
  f16ToF32 ??= Uint32Array.from({ length: 0x10000 }, (_, bits) => f16BitsToF32Bits(bits));
  return f16ToF32;
}
let f16ToF32: Uint32Array | undefined;

function bf16Table(): Uint16Array {
  bf16ToF16 ??= Uint16Array.from({ length: 0x10000 }, (_, bits) => f32BitsToF16Bits(bits << 16));
  return bf16ToF16;
}
let bf16ToF16: Uint16Array | undefined;
