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
  return {
    bytesPerSecond: await rateOf(device, "limits.bytes", (b, x) => b.Add(x, x), (side) => 2 * 4 * side ** 2), // prettier-ignore
    flopsPerSecond: await rateOf(
      device,
      "limits.flops",
      (b, x) => b.MatMul(x, x),
      (side) => 2 * side ** 3,
    ),
  };
}

type Link = (b: GraphBuilder, x: Tensor) => Tensor;

/** The best rate of an operation on square matrices, which are made larger until a run takes long enough to be timed. */
async function rateOf(
  device: Device,
  name: string,
  link: Link,
  work: (side: number) => number,
): Promise<number> {
  let best = 0;
  for (const side of SIDES) {
    const seconds = await secondsOf(device, chain(`${name}.${side}`, side, link), side);
    best = Math.max(best, (LINKS * work(side)) / seconds);
    if (seconds > LONG_ENOUGH) break;
  }
  return best;
}

const SIDES = [256, 512, 1024, 2048, 4096, 8192] as const;
const LONG_ENOUGH = 0.05;

/** Operations one after another, so that the call around them counts little. */
const LINKS = 8;

function chain(name: string, side: number, link: Link): Graph {
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
