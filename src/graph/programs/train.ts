/**
 * @file The training step: loss of Eq. 3, its gradient to delta, and one Adam step. It runs only the layers above the storage
 * layer, from the key token on; `naiveStep` of tools/checks checks it.
 */

import type { GraphBuilder } from "../build.ts";
import { gradients } from "../grad/backward.ts";
import { addDims, scaleDim, type Dim, type Graph, type Tensor } from "../ir.ts";
import { builderFor, declareFrame, head, layers, rowsOf, type Decoder } from "../models/decoder.ts";

export interface StepOptions {
  readonly name: string;
  readonly batch: number;
  /** λ: delta is added to this layer's down-projection output. */
  readonly layer: number;
  readonly beta1: number;
  readonly beta2: number;
  /** Logits by which a target must lead the next best token to be hit; 0 by default, where a tie is enough. */
  readonly margin?: number;
}

export interface EncodeStepOptions extends StepOptions {
  /** s: prompt tokens from the key token to the end of the prompt; the first value token is predicted at s - 1. */
  readonly suffix: number;
  /** Columns of window and prefix, if the graph is made for these alone. */
  readonly columns?: { readonly time: number; readonly past: number };
}

/**
 * One encoding step. Inputs: "hidden" [batch, time, dModel] after the layer, from the key token on; the frame and past of the
 * layers above; "targets" int32 and "mask" [batch, count], count = time - (suffix - 1); the state of {@link adam}.
 */
export function encodeStep(model: Decoder, options: EncodeStepOptions): Graph {
  const { batch, layer, suffix } = options;
  const { time, past }: Record<"time" | "past", Dim> = options.columns ?? { time: "time", past: "past" };
  const { dModel } = model.config;
  const b = builderFor(options.name, model);
  return b.scope("model", () => {
    const hidden = b.input("hidden", "float32", [batch, time, dModel]);
    const delta = b.input("delta", "float32", [batch, dModel]);
    const first = b.input("first", "float32", [1, time, 1]); // 1 at the key token, 0 elsewhere
    const frame = declareFrame(b, model, { batch, time, past });
    const steered = b.Add(hidden, b.Mul(first, b.Reshape(delta, [batch, 1, dModel])));
    const rows = b.Reshape(steered, [rowsOf(frame), dModel]);
    const top = layers(b, model, rows, frame, { from: layer + 1 }).hidden;
    const predicting = b.Slice(b.Reshape(top, [batch, time, dModel]), 1, suffix - 1);
    const count = addDims(time, 1 - suffix);
    const logits = head(b, model, b.Reshape(predicting, [scaleDim(batch, count), dModel]));
    learn(b, { delta, logits, batch, count, options });
    return b.finish();
  });
}

interface Learning {
  readonly delta: Tensor;
  readonly logits: Tensor; // [batch * count, vocabulary]
  readonly batch: number;
  readonly count: Dim;
  readonly options: StepOptions;
}

/** Publishes "loss" [batch, 1], "hits" [batch, count], "gradient" [batch, dModel], and the stepped state. */
export function learn(b: GraphBuilder, learning: Learning): void {
  const { delta, logits, batch, count, options } = learning;
  // int32: the WebGPU EP has no int64 Reshape.
  const targets = b.input("targets", "int32", [batch, count]);
  const mask = b.input("mask", "float32", [batch, count]);
  const { logProbabilities, hits } = b.scope("loss", () => targetLikelihood(b, logits, targets, options));
  const loss = b.scope("loss", () => b.Neg(b.ReduceSum(b.Mul(logProbabilities, mask), [1]))); // Eq. 3
  const [gradient] = gradients(b, loss, [delta]) as [Tensor];
  // Of a reshaped tensor an output is a copy, and copies are not recorded (docs/runtime.md, 4): a kernel makes it.
  const made = (tensor: Tensor) => ("columns" in options ? b.Max(tensor, tensor) : tensor);
  b.output("loss", loss);
  b.output("hits", made(hits));
  b.output("gradient", made(gradient));
  b.scope("adam", () => adam(b, learning, gradient, b.Mul(mask, b.Sub(b.float(1), hits))));
}

/** log p(target) and whether it leads by the margin, [batch, count]. ReduceLogSumExp overflows on WebGPU. */
export function targetLikelihood(
  b: GraphBuilder,
  logits: Tensor,
  targets: Tensor,
  options: Pick<StepOptions, "margin">,
) {
  const { margin = 0 } = options;
  const shifted = b.Sub(logits, b.StopGradient(b.ReduceMax(logits, [1]))); // [rows, vocabulary], largest is 0
  const normaliser = b.Log(b.ReduceSum(b.Exp(shifted), [1])); // [rows, 1]
  const column = b.Reshape(targets, [logits.shape[0]!, 1]);
  // The same bits: a sum with zeros. The gradient of gathering begins with a copy, which is not recorded.
  const target =
    "columns" in options
      ? b.ReduceSum(b.Mul(shifted, b.Cast(isTarget(b, shifted, column), "float32")), [1])
      : b.GatherElements(shifted, column, 1); // [rows, 1]
  const next = (): Tensor =>
    b.ReduceMax(b.Where(isTarget(b, shifted, column), b.float(-1e9), b.StopGradient(shifted)), [1]);
  const least = margin === 0 ? b.float(0) : b.Add(next(), b.float(margin));
  return {
    logProbabilities: b.Reshape(b.Sub(target, normaliser), targets.shape),
    hits: b.Reshape(b.Cast(b.GreaterOrEqual(target, least), "float32"), targets.shape),
  };
}

/** Where each row of `of` [rows, vocabulary] has its target; `targets` [rows, 1]. */
export function isTarget(b: GraphBuilder, of: Tensor, targets: Tensor): Tensor {
  const count = Number(of.shape[1]);
  const every = Int32Array.from({ length: count }, (_, i) => i);
  return b.Equal(b.int32(every, [1, count]), targets);
}

const EPSILON = 1e-8;

/**
 * One bias-corrected Adam step per row. Inputs: "m", "v" [batch, dModel]; "rate" [batch, 1] (0: nothing moves);
 * "correction1|2" [batch, 1] = 1 / (1 - beta^t); "stop" [batch, 1]: 1 freezes rows whose targets are all hit. Outputs
 * "delta.next", "m.next", "v.next". @param missed [batch, count]
 */
function adam(b: GraphBuilder, { delta, batch, options }: Learning, gradient: Tensor, missed: Tensor): void {
  const dModel = delta.shape[1]!;
  const state = (name: string) => b.input(name, "float32", [batch, dModel]);
  const scalar = (name: string) => b.input(name, "float32", [batch, 1]);
  const [m, v] = [state("m"), state("v")];
  const { direction, ...next } = moments(b, {
    ...{ gradient, m, v, beta1: options.beta1, beta2: options.beta2 },
    ...{ correction1: scalar("correction1"), correction2: scalar("correction2") },
  });
  const rate = scalar("rate");
  const misses = b.ReduceMax(missed, [1]); // [batch, 1], 0 when every target is hit
  const running = b.Max(misses, b.Sub(b.float(1), scalar("stop")));
  // Chosen rather than multiplied by 0, so that a row at rest keeps every bit.
  const moves = b.And(b.Greater(running, b.float(0)), b.Greater(rate, b.float(0))); // [batch, 1]
  const stepped = b.Sub(delta, b.Mul(rate, direction));
  b.output("delta.next", b.Where(moves, stepped, delta));
  b.output("m.next", b.Where(moves, next.m, m));
  b.output("v.next", b.Where(moves, next.v, v));
}

interface Moments {
  readonly gradient: Tensor;
  readonly m: Tensor;
  readonly v: Tensor;
  readonly correction1: Tensor;
  readonly correction2: Tensor;
  readonly beta1: number;
  readonly beta2: number;
}

/** Adam's next moments, and the direction of its step: m / (sqrt(v) + epsilon), both corrected for their start at zero. */
export function moments(
  b: GraphBuilder,
  { gradient, beta1, beta2, correction1, correction2, ...old }: Moments,
) {
  const blend = (before: Tensor, fresh: Tensor, beta: number) =>
    b.Add(b.Mul(before, b.float(beta)), b.Mul(fresh, b.float(1 - beta)));
  const m = blend(old.m, gradient, beta1);
  const v = blend(old.v, b.Mul(gradient, gradient), beta2);
  const direction = b.Div(b.Mul(m, correction1), b.Add(b.Sqrt(b.Mul(v, correction2)), b.float(EPSILON)));
  return { m, v, direction };
}
