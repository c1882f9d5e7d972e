/** @file What of an activation is compared. */

import { expect, it } from "vitest";
import { layerIndex } from "../records/ids.ts";
import { addressOf, centreOf } from "./layers.ts";

it("is the activation less the centre, as a unit vector", () => {
  expect([...addressOf(Float32Array.of(5, 8), Float32Array.of(2, 4), "x")]).toEqual([
    Math.fround(0.6),
    Math.fround(0.8),
  ]);
  expect([...addressOf(Float32Array.of(3, 4), undefined, "x")]).toEqual([Math.fround(0.6), Math.fround(0.8)]);
});

it("says which fact has none", () => {
  const at = Float32Array.of(1, 2);
  expect(() => addressOf(at, at, '"Mary (1)" at layer 2')).toThrow(
    'memory: the key activation of "Mary (1)" at layer 2 is the centre',
  );
  expect(() => addressOf(new Float32Array(2), undefined, "it")).toThrow(/of it is zero/);
});

it("a layer without a centre has none", () => {
  const vector = Float32Array.of(1);
  expect(centreOf([{ layer: layerIndex(2), vector }], layerIndex(2))).toBe(vector);
  expect(centreOf([{ layer: layerIndex(2), vector }], layerIndex(1))).toBeUndefined();
  expect(centreOf(undefined, layerIndex(1))).toBeUndefined();
});
