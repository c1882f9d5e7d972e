import fc from "fast-check";
import { expect, test } from "vitest";
import {
  bfloat16ToFloat16,
  bfloat16ToFloat32,
  f16BitsToF32Bits,
  f32BitsToF16Bits,
  float16ToFloat32,
  float32ToFloat16,
} from "./float16.ts";
import { rounds } from "./testing/thorough.ts";

// The judge: the definition of the formats, in plain arithmetic, with nothing in common with the bit tricks.
function f16Value(bits: number): number {
  const sign = bits >= 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const mantissa = bits & 1023;
  if (exponent === 31) return mantissa ? NaN : sign * Infinity;
  return exponent === 0 ? sign * mantissa * 2 ** -24 : sign * (1 + mantissa / 1024) * 2 ** (exponent - 15);
}

/** Nearest of all finite f16 by search, ties to the even bits; beyond half a step past the largest: infinity. */
function nearestF16(value: number): number {
  if (Number.isNaN(value)) return NaN;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const abs = Math.abs(value);
  if (abs >= 65520) return sign | 0x7c00;
  let low = 0;
  let high = 0x7bff;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (f16Value(middle) <= abs) low = middle;
    else high = middle - 1;
  }
  if (low === 0x7bff) return sign | low;
  const below = abs - f16Value(low);
  const above = f16Value(low + 1) - abs;
  const up = above < below || (above === below && low % 2 === 1);
  return sign | (up ? low + 1 : low);
}

function f32Value(bits: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, bits >>> 0);
  return view.getFloat32(0);
}

function f32Bits(value: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  return view.getUint32(0);
}

const ALL = Uint16Array.from({ length: 0x10000 }, (_, i) => i);

/** First index where the two differ, NaN equal to NaN and -0 different from 0; -1 when none. */
function firstDifference(actual: ArrayLike<number>, expected: (i: number) => number): number {
  for (let i = 0; i < actual.length; i++) if (!Object.is(actual[i], expected(i))) return i;
  return -1;
}

test("all 65,536 f16 values become the numbers they stand for", () => {
  expect(firstDifference(float16ToFloat32(ALL), (i) => f16Value(i))).toBe(-1);
});

test("all 65,536 f16 values survive the way to f32 and back; a signalling NaN turns quiet", () => {
  const back = Array.from(ALL, (bits) => f32BitsToF16Bits(f16BitsToF32Bits(bits)));
  const quiet = (i: number): number => (Number.isNaN(f16Value(i)) ? i | 0x200 : i);
  expect(firstDifference(back, quiet)).toBe(-1);
  const inBulk = float32ToFloat16(new Float32Array(Uint32Array.from(ALL, f16BitsToF32Bits).buffer));
  expect(firstDifference(inBulk, quiet)).toBe(-1);
});

test("all 65,536 bf16 values become the f32 with the same upper half", () => {
  expect(firstDifference(bfloat16ToFloat32(ALL), (i) => f32Value(i * 65536))).toBe(-1);
});

test("all 65,536 bf16 values become the nearest f16", () => {
  const halves = bfloat16ToFloat16(ALL);
  const wrong = ALL.find((i) => {
    const value = f32Value(i * 65536);
    return Number.isNaN(value) ? !Number.isNaN(f16Value(halves[i]!)) : halves[i] !== nearestF16(value);
  });
  expect(wrong).toBeUndefined();
});

test("any f32 becomes the nearest f16", () => {
  const bits = fc.integer({ min: 0, max: 0xffffffff });
  // Most random bit patterns overflow or vanish: also draw near and below the f16 range.
  const inRange = fc.tuple(fc.integer({ min: 0x32800000, max: 0x47900000 }), fc.boolean());
  fc.assert(
    fc.property(
      fc.oneof(
        bits,
        inRange.map(([b, s]) => (s ? b + 0x80000000 : b)),
      ),
      (b) => {
        const value = f32Value(b);
        if (Number.isNaN(value)) expect(f16Value(f32BitsToF16Bits(b))).toBeNaN();
        else expect(f32BitsToF16Bits(b)).toBe(nearestF16(value));
      },
    ),
    { seed: 3, numRuns: rounds(2000, 20_000) },
  );
});

test("the midpoint of every two neighbours goes to the even one, a hair beside it to the near one", () => {
  const wrong = ALL.slice(0, 0x7bff).find((i) => {
    const bits = f32Bits((f16Value(i) + f16Value(i + 1)) / 2);
    const even = i % 2 === 0 ? i : i + 1;
    return (
      f32BitsToF16Bits(bits) !== even ||
      f32BitsToF16Bits(bits - 1) !== i ||
      f32BitsToF16Bits(bits + 1) !== i + 1
    );
  });
  expect(wrong).toBeUndefined();
});

test("keeps signed zeros, infinities, and the edges of overflow and underflow", () => {
  expect(f32BitsToF16Bits(f32Bits(0))).toBe(0);
  expect(f32BitsToF16Bits(f32Bits(-0))).toBe(0x8000);
  expect(f32BitsToF16Bits(f32Bits(-Infinity))).toBe(0xfc00);
  expect(f32BitsToF16Bits(f32Bits(65519.99))).toBe(0x7bff);
  expect(f32BitsToF16Bits(f32Bits(65520))).toBe(0x7c00);
  expect(f32BitsToF16Bits(f32Bits(2 ** -24))).toBe(1);
  expect(f32BitsToF16Bits(f32Bits(2 ** -25))).toBe(0);
});

test("refuses an output of another length", () => {
  expect(() => float32ToFloat16(new Float32Array(3), new Uint16Array(2))).toThrow(/same length/);
});
