/** @file Rounded vectors come back from their form bit for bit, and what fits no smaller form stays float32. */

import fc from "fast-check";
import { bytesOfRows } from "./testing/rows.ts";
import { describe, expect, it, test } from "vitest";
import { dot, norm } from "./vector.ts";
import {
  commonForm,
  countOf,
  formOf,
  packRows,
  toFloat16,
  toLevels,
  unpackRow,
  type Form,
} from "./vectorForms.ts";

const COLUMNS = 24;
const number = fc.float({ noNaN: true, noDefaultInfinity: true, min: -1e4, max: 1e4 });
const vector = fc.float32Array({
  noNaN: true,
  noDefaultInfinity: true,
  minLength: COLUMNS,
  maxLength: COLUMNS,
});
const small = fc
  .array(number, { minLength: COLUMNS, maxLength: COLUMNS })
  .map((all) => Float32Array.from(all));
const bitsOf = (all: Float32Array): number[] => [...new Uint32Array(all.slice().buffer)];

const ROUNDED: readonly (readonly [Form, fc.Arbitrary<Float32Array>])[] = [
  ["float32", vector],
  ["float16", small.map(toFloat16)],
  ["levels", small.filter((one) => norm(one) > 1e-3).map(toLevels)],
];

describe.each(ROUNDED)("rows of %s", (form, rows) => {
  it("come back bit for bit", () => {
    fc.assert(
      fc.property(fc.array(rows, { minLength: 1, maxLength: 5 }), (all) => {
        const packed = packRows(all, form);
        expect(countOf(packed)).toBe(all.length * COLUMNS);
        for (const [i, row] of all.entries())
          expect(bitsOf(unpackRow(packed, COLUMNS, i))).toEqual(bitsOf(row));
      }),
    );
  });
  it("are known for what they are", () => {
    fc.assert(
      fc.property(fc.array(rows, { minLength: 1, maxLength: 5 }), (all) => {
        const found = commonForm(all);
        const back = packRows(all, found);
        for (const [i, row] of all.entries())
          expect(bitsOf(unpackRow(back, COLUMNS, i))).toEqual(bitsOf(row));
      }),
    );
  });
});

const WAVE = Float32Array.from({ length: 9728 }, (_, i) => Math.sin(i * 12.9898) ** 5);

test("a key of 9,728 numbers takes 9,732 bytes as levels, is a unit vector, and keeps its direction", () => {
  const key = toLevels(WAVE);
  expect(formOf(key)).toBe("levels");
  expect(bytesOfRows(packRows([key], formOf(key)))).toBe(9732);
  expect(norm(key)).toBeCloseTo(1, 6);
  expect(dot(key, WAVE) / norm(WAVE)).toBeGreaterThan(0.9999);
});

test("a residual of float16 takes two bytes a number, and what is beyond its range becomes its largest", () => {
  const residual = toFloat16(WAVE);
  expect(formOf(residual)).toBe("float16");
  expect(bytesOfRows(packRows([residual], "float16"))).toBe(2 * 9728);
  expect([...toFloat16(Float32Array.of(1e6, -1e6, 1 / 3))]).toEqual([65504, -65504, 0.333251953125]);
});

test("numbers that were not rounded stay float32, and so do rows of different forms", () => {
  expect(formOf(WAVE)).toBe("float32");
  expect(commonForm([toLevels(WAVE), WAVE])).toBe("float32");
  expect(commonForm([toLevels(WAVE), toFloat16(WAVE)])).toBe("float32");
  expect(packRows([], commonForm([]))).toEqual(new Float32Array());
});

test("the zero vector is no direction, and stays what it is", () => {
  const zero = new Float32Array(COLUMNS);
  expect(toLevels(zero)).toEqual(zero);
  expect(unpackRow(packRows([zero], formOf(zero)), COLUMNS, 0)).toEqual(zero);
});
