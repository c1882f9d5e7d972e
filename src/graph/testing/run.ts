/** @file Test support: runs a graph on onnxruntime's CPU with plain arrays in and out. */

import { createNodeDevice } from "../../../tools/node/nodeDevice.ts";
import type { Device, TensorData } from "../../runtime/device.ts";
import { blockedRows, blocksOf, levelBytes, quantise } from "../../lib/blocks.ts";
import { blockedName } from "../build.ts";
import { toOnnx } from "../emit/onnx.ts";
import type { Graph } from "../ir.ts";

let shared: Promise<Device> | undefined;
export const cpu = (): Promise<Device> => (shared ??= createNodeDevice({ backend: "cpu", spin: false }));

/** Disposes of it; the next call makes another. */
export async function endCpu(): Promise<void> {
  const device = shared;
  shared = undefined;
  await (await device)?.dispose();
}

export interface Value {
  readonly dims: readonly number[];
  readonly data: TensorData;
}

export const f32 = (dims: readonly number[], data: Float32Array | readonly number[]): Value => ({
  dims,
  data: data instanceof Float32Array ? data : Float32Array.from(data),
});
export const i64 = (dims: readonly number[], data: readonly number[]): Value => ({
  dims,
  data: BigInt64Array.from(data, BigInt),
});

/** A callable for one graph; all inputs (weights too) are fed by name. */
export async function compile(
  graph: Graph,
): Promise<(feeds: Record<string, Value>) => Promise<Record<string, Value>>> {
  const device = await cpu();
  const session = await device.createSession(toOnnx(graph), { name: graph.name, weights: {} });
  const types = new Map([...graph.inputs, ...graph.weights].map((t) => [t.name, t.dtype]));
  if (graph.rounds) types.set("rounds", "int64");
  return async (feeds) => {
    const tensors = Object.fromEntries(
      Object.entries(feeds).map(([name, { data, dims }]) => [
        name,
        device.upload(data, types.get(name) ?? "float32", dims, "activation"),
      ]),
    );
    const out = await session.run(tensors);
    return Object.fromEntries(
      await Promise.all(
        Object.entries(out).map(async ([k, t]) => [k, { dims: t.dims, data: await t.read() }] as const),
      ),
    );
  };
}

/** Random levels and scales of a matrix [N, K] in blocks, by the names of its inputs; what fills the last block is 0. */
export function blockedValues(
  name: string,
  [n, k]: readonly [number, number],
  bits: 4 | 8,
): Record<string, Value> {
  const next = random(n + k + bits);
  const out = blockedRows(n, k, bits);
  quantise(Float32Array.from({ length: n * k }, next), k, bits, out);
  const [blocks, row] = [blocksOf(k), levelBytes(k, bits)];
  return {
    [blockedName(name, "blocks")]: { dims: [n, blocks, row / blocks], data: out.levels },
    [blockedName(name, "rows")]: { dims: [n, row], data: out.levels },
    [blockedName(name, "scales")]: f32([n, blocks], out.scales),
  };
}

/** Deterministic values in (-1, 1). */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}
