/** @file What a device can do at best, by two graphs that do nothing else: bytes it moves a second, and operations. */

import { toOnnx } from "../../graph/emit/onnx.ts";
import { GraphBuilder } from "../../graph/build.ts";
import type { Graph, Tensor } from "../../graph/ir.ts";
import type { Device } from "../../runtime/device.ts";

/** Rates that no case can pass. */
export interface Limits {
  readonly bytesPerSecond: number;
  /** Of float32. */
  readonly flopsPerSecond: number;
}

/** Measures both with this runtime's own kernels; where a card's data sheet is at hand, its numbers are better. */
export async function measureLimits(device: Device): Promise<Limits> {
  const side = device.backend === "webgpu" ? 2048 : 1024;
  const sum = chain("limits.bytes", side, (b, x) => b.Add(x, x));
  const product = chain("limits.flops", side, (b, x) => b.MatMul(x, x));
  const [adding, multiplying] = [await secondsOf(device, sum, side), await secondsOf(device, product, side)];
  return {
    bytesPerSecond: (LINKS * 2 * 4 * side * side) / adding, // read and written
    flopsPerSecond: (LINKS * 2 * side ** 3) / multiplying,
  };
}

/** Operations one after another, so that the call around them counts little. */
const LINKS = 8;

function chain(name: string, side: number, link: (b: GraphBuilder, x: Tensor) => Tensor): Graph {
  const b = new GraphBuilder(name);
  let x = b.input("x", "float32", [side, side]);
  for (let i = 0; i < LINKS; i++) x = link(b, x);
  b.output("y", b.Slice(b.Slice(x, 0, 0, 1), 1, 0, 1));
  return b.finish();
}

/** The fastest of a few runs. */
async function secondsOf(device: Device, graph: Graph, side: number): Promise<number> {
  const session = await device.createSession(toOnnx(graph), { name: graph.name, weights: {} });
  const x = device.upload(new Float32Array(side * side).fill(1e-3), "float32", [side, side], "activation");
  let best = Infinity;
  for (let i = 0; i < 5; i++) {
    const started = performance.now();
    const { y } = await session.run({ x });
    y!.dispose();
    best = Math.min(best, (performance.now() - started) / 1000);
  }
  x.dispose();
  await session.release();
  return best;
}
