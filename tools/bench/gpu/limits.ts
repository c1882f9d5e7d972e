/** @file The best rates of a device, by graphs that do nothing else: bytes moved, operations, and uploads per second. */

import { toOnnx } from "../../../src/graph/emit/onnx.ts";
import { GraphBuilder } from "../../../src/graph/build.ts";
import type { Graph, Tensor } from "../../../src/graph/ir.ts";
import type { Device, DeviceTensor } from "../../../src/runtime/device.ts";

/**
 * Rates that were measured, or that a data sheet has. A measured one is what the runtime's own kernels reach when they do
 * nothing else: no bound of the card, and too low where something else used the device meanwhile.
 */
export interface Limits {
  readonly bytesPerSecond: number;
  /** Of float32. */
  readonly flopsPerSecond: number;
  /** At which the host's bytes get to where a session reads them. */
  readonly uploadBytesPerSecond: number;
}

/** Measures all of them; where a card's data sheet is at hand, its numbers are better. A test has no time to wait. */
export async function measureLimits(device: Device, longEnough = LONG_ENOUGH): Promise<Limits> {
  return {
    bytesPerSecond: await rateOf(device, COPY, longEnough),
    flopsPerSecond: await rateOf(device, PRODUCT, longEnough),
    uploadBytesPerSecond: await uploadRate(device),
  };
}

/** The better of two measurements at different times. */
export const betterLimits = (a: Limits, b: Limits): Limits => ({
  bytesPerSecond: Math.max(a.bytesPerSecond, b.bytesPerSecond),
  flopsPerSecond: Math.max(a.flopsPerSecond, b.flopsPerSecond),
  uploadBytesPerSecond: Math.max(a.uploadBytesPerSecond, b.uploadBytesPerSecond),
});

/** An operation on x [rows, side] and w [side, side] that gives another x, and what it does, by which a rate is meant. */
interface Link {
  readonly name: string;
  link(b: GraphBuilder, x: Tensor, w: Tensor): Tensor;
  work(rows: number, side: number): number;
}

const COPY: Link = {
  name: "limits.bytes",
  link: (b, x) => b.Add(x, x),
  work: (rows, side) => 2 * 4 * rows * side,
};
const PRODUCT: Link = {
  name: "limits.flops",
  link: (b, x, w) => b.MatMul(x, w),
  work: (rows, side) => 2 * rows * side ** 2,
};

/** The best rate of an operation, on matrices that are made larger until a run takes long enough to be timed. */
async function rateOf(device: Device, link: Link, longEnough: number): Promise<number> {
  let best = 0;
  for (const side of SIDES) {
    let longest = 0;
    // Kernels like one form or the other: few rows of a batch, or many.
    for (const rows of [side / 8, side]) {
      const seconds = await secondsOf(device, link, { rows, side });
      best = Math.max(best, (LINKS * link.work(rows, side)) / seconds);
      longest = Math.max(longest, seconds);
    }
    if (longest > longEnough) break;
  }
  return best;
}

const SIDES = [256, 512, 1024, 2048, 4096, 8192] as const;
const LONG_ENOUGH = 0.1;

/** Operations one after another, so that the call around them counts little. */
const LINKS = 8;
const RUNS = 4;

interface Size {
  readonly rows: number;
  readonly side: number;
}

function chain({ name, link }: Link, { rows, side }: Size): Graph {
  const b = new GraphBuilder(`${name}.${rows}.${side}`);
  let x = b.input("x", "float32", [rows, side]);
  const w = b.input("w", "float32", [side, side]);
  for (let i = 0; i < LINKS; i++) x = link(b, x, w);
  // So that it is read where the operation does not.
  const corner = (tensor: Tensor): Tensor => b.Slice(b.Slice(tensor, 0, 0, 1), 1, 0, 1);
  b.output("y", b.Add(corner(x), corner(w)));
  return b.finish();
}

/** The fastest of a few runs. */
async function secondsOf(device: Device, link: Link, size: Size): Promise<number> {
  const { rows, side } = size;
  const graph = chain(link, size);
  const session = await device.createSession(toOnnx(graph), { name: graph.name, weights: {} });
  // Products of these stay as large as they are: what becomes small beyond all measure takes processors longer.
  const filled = (count: number): DeviceTensor =>
    device.upload(new Float32Array(count * side).fill(1 / side), "float32", [count, side], "activation");
  const feeds = { x: filled(rows), w: filled(side) };
  let best = Infinity;
  for (let i = 0; i < RUNS; i++) {
    const started = performance.now();
    const { y } = await session.run(feeds);
    await y!.read();
    y!.dispose();
    best = Math.min(best, (performance.now() - started) / 1000);
  }
  for (const tensor of Object.values(feeds)) tensor.dispose();
  await session.release();
  return best;
}

/** Bytes per second from the host to a session. */
async function uploadRate(device: Device): Promise<number> {
  const b = new GraphBuilder("limits.upload");
  const rows = UPLOADED / (4 * UPLOADED_COLUMNS);
  const x = b.input("x", "float32", [rows, UPLOADED_COLUMNS]);
  b.output("y", b.Slice(b.Slice(x, 0, 0, 1), 1, 0, 1));
  const graph = b.finish();
  const session = await device.createSession(toOnnx(graph), { name: graph.name, weights: {} });
  const bytes = new Uint8Array(UPLOADED);
  let best = Infinity;
  for (let i = 0; i < RUNS; i++) {
    const started = performance.now();
    const tensor = device.allocate("float32", [rows, UPLOADED_COLUMNS], "activation");
    tensor.write(0, bytes);
    const { y } = await session.run({ x: tensor });
    await y!.read();
    best = Math.min(best, (performance.now() - started) / 1000);
    y!.dispose();
    tensor.dispose();
  }
  await session.release();
  return UPLOADED / best;
}

const UPLOADED = 2 ** 26;
const UPLOADED_COLUMNS = 1024;
