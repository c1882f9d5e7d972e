/**
 * @file Test support: trains a tiny decoder of known behaviour with this project's own gradients. It learns to say
 * "NAME VERB the PLACE ." behind a recall prompt when the sum of three learned vectors (one for each word) is added
 * to a down projection at the key token, at any layer but the last: a model that can be steered, and that we know
 * can be.
 */

import { GraphBuilder } from "../build.ts";
import { gradients } from "../grad/backward.ts";
import type { Graph, Tensor } from "../ir.ts";
import { ropeTables } from "../models/rope.ts";
import { declareFrame, embed, head, layers, type Decoder } from "../models/decoder.ts";
import { compile, f32, i64, random, type Value } from "./run.ts";

/** One sentence to learn: the whole sequence, and which learned vectors sum up to its residual. */
export interface Lesson {
  readonly ids: readonly number[];
  readonly slots: readonly number[];
}

export interface TrainOptions {
  readonly decoder: Decoder;
  /** Draws a lesson; all have the same length. */
  readonly draw: (pick: (count: number) => number) => Lesson;
  readonly slots: number;
  readonly keyPosition: number;
  /** Position of the first token that is learned. */
  readonly firstValue: number;
  readonly steps: number;
  readonly batch: number;
  readonly rate: number;
  readonly seed: number;
}

export interface Trained {
  readonly weights: ReadonlyMap<string, { readonly dims: readonly number[]; readonly data: Float32Array }>;
  readonly losses: readonly number[];
}

const SLOTS = "slots";

/** Mean loss of the value tokens, and its gradient by every weight under `grad.{name}`. */
function lessonGraph({ decoder, batch, slots, firstValue }: TrainOptions, length: number): Graph {
  const { dModel, layers: depth } = decoder.config;
  const time = length - 1;
  const b = new GraphBuilder("lesson");
  const ids = b.input("ids", "int64", [batch, time]);
  const which = b.input("which", "int64", [batch, 3]);
  const noise = b.input("noise", "float32", [batch, dModel]);
  const at = b.input("at", "float32", [batch, time, depth]);
  const targets = b.input("targets", "int64", [batch * (length - firstValue), 1]);
  const table = b.weight(SLOTS, [slots, dModel]);
  const sum = b.Reshape(b.ReduceSum(b.Gather(table, which, 0), [1]), [batch, dModel]);
  const delta = b.Reshape(b.Add(sum, noise), [batch, 1, dModel]);
  const inject = (layer: number, _: Tensor, y: Tensor) =>
    b.Add(y, b.Reshape(b.Mul(b.Slice(at, 2, layer, layer + 1), delta), y.shape));
  const frame = { ...declareFrame(b, decoder, { batch, time }), onDown: inject };
  const hidden = layers(b, decoder, embed(b, decoder, ids, frame), frame).hidden;
  const value = b.Slice(b.Reshape(hidden, [batch, time, dModel]), 1, firstValue - 1);
  const logits = head(b, decoder, b.Reshape(value, [batch * (length - firstValue), dModel]));
  const shifted = b.Sub(logits, b.StopGradient(b.ReduceMax(logits, [1])));
  const hit = b.GatherElements(shifted, targets, 1);
  const losses = b.Sub(b.Log(b.ReduceSum(b.Exp(shifted), [1])), hit);
  const loss = b.ReduceMean(losses, [0, 1]);
  b.output("loss", loss);
  const weights = b.finish().weights;
  gradients(b, loss, weights).forEach((g, i) => b.output(`grad.${weights[i]!.name}`, g));
  return b.finish();
}

/** Trains from random weights with plain Adam on the host. */
export async function trainTiny(options: TrainOptions): Promise<Trained> {
  const { decoder, draw, batch, steps, seed, keyPosition, firstValue } = options;
  const { config } = decoder;
  const next = random(seed);
  const pick = (count: number) => Math.floor(((next() + 1) / 2) * count) % count;
  const length = draw(pick).ids.length;
  const graph = lessonGraph(options, length);
  const run = await compile(graph);
  const weights = new Map(
    graph.weights.map(({ name, shape }) => {
      const dims = shape.map(Number);
      const size = dims.reduce((n, d) => n * d, 1);
      const scale = name === SLOTS ? 0.6 : 1.5 / Math.sqrt(dims.at(-1)!);
      const data = Float32Array.from({ length: size }, () =>
        dims.length === 1 ? Number(!name.endsWith(".bias")) : scale * next(),
      );
      return [name, { dims, data, m: new Float32Array(size), v: new Float32Array(size) }];
    }),
  );
  const time = length - 1;
  const rows = Array.from({ length: batch }, (_, i) => i);
  const tables = ropeTables(
    config,
    rows.map(() => Array.from({ length: time }, (_, t) => t)),
    rows.map(() => time),
  );
  const square = batch * time * time;
  const bias = Float32Array.from({ length: square }, (_, i) =>
    i % time <= Math.floor(i / time) % time ? 0 : -1e9,
  );
  const fixed = {
    cos: f32([batch, 1, time, config.headDim], tables.cos),
    sin: f32([batch, 1, time, config.headDim], tables.sin),
    bias: f32([batch, 1, time, time], bias),
  };
  const losses: number[] = [];
  for (let step = 1; step <= steps; step++) {
    const lessons = rows.map(() => draw(pick));
    const at = new Float32Array(batch * time * config.layers);
    for (const row of rows) at[(row * time + keyPosition) * config.layers + pick(config.layers - 1)] = 1;
    const noise = Float32Array.from({ length: batch * config.dModel }, () => 0.3 * next());
    const out = await run({
      ...fixed,
      ...Object.fromEntries(
        [...weights].map(([name, { dims, data }]): [string, Value] => [name, f32(dims, data)]),
      ),
      ids: i64(
        [batch, time],
        lessons.flatMap(({ ids }) => ids.slice(0, -1)),
      ),
      which: i64(
        [batch, 3],
        lessons.flatMap(({ slots }) => slots),
      ),
      targets: i64(
        [batch * (length - firstValue), 1],
        lessons.flatMap(({ ids }) => ids.slice(firstValue)),
      ),
      noise: f32([batch, config.dModel], noise),
      at: f32([batch, time, config.layers], at),
    });
    losses.push(Number(out["loss"]!.data[0]));
    // Warm up, then fall to a tenth.
    const rate = options.rate * Math.min(1, step / 20) * (1 - (0.9 * step) / steps);
    for (const [name, w] of weights) adam(w, out[`grad.${name}`]!.data as Float32Array, step, rate);
  }
  weights.delete(SLOTS);
  return { weights, losses };
}

interface Moving {
  readonly data: Float32Array;
  readonly m: Float32Array;
  readonly v: Float32Array;
}

function adam({ data, m, v }: Moving, g: Float32Array, step: number, rate: number): void {
  const [c1, c2] = [1 - 0.9 ** step, 1 - 0.99 ** step];
  for (let i = 0; i < data.length; i++) {
    m[i] = 0.9 * m[i]! + 0.1 * g[i]!;
    v[i] = 0.99 * v[i]! + 0.01 * g[i]! * g[i]!;
    data[i]! -= (rate * (m[i]! / c1)) / (Math.sqrt(v[i]! / c2) + 1e-8);
  }
}
