/**
 * @file The writer: the tokens of a part -> δ in one pass, from the model's early states by a linear map per place and one per
 * storage layer; and the step that trains it through the frozen layers. Names of its weights begin with {@link WRITER}.
 */

import type { GraphBuilder } from "../build.ts";
import { gradients } from "../grad/backward.ts";
import type { Graph, Shape, Tensor } from "../ir.ts";
import type { DecoderConfig } from "../models/config.ts";
import { builderFor, declareFrame, embed, head, layers, type Decoder } from "../models/decoder.ts";
import { isTarget, moments, targetLikelihood } from "./train.ts";

export interface WriterSizes {
  readonly places: number;
  readonly reads: number;
  readonly layers: readonly number[];
  /** Root mean square of every δ: vectors of the size that the model was trained with are those that Adam can correct. */
  readonly size: number;
  /** Numbers of the sum over places, fewer than dModel in a wide model; dModel if it is not given. */
  readonly width?: number | undefined;
  /** Each state goes through an RMS norm first: in many models some states are a hundred times the size of others. */
  readonly normed?: boolean | undefined;
}

interface WriteOptions {
  readonly name: string;
  readonly batch: number;
  /** Tokens that every part is padded to, on the right. */
  readonly tokens: number;
}

export const WRITER = "writer.";

const EPSILON = 1e-6;

/** The weights of a writer, by name without {@link WRITER}. */
export function writerShapes({ dModel }: DecoderConfig, { places, layers: stored, width }: WriterSizes) {
  const sum = width ?? dModel;
  return {
    maps: [places, dModel, sum],
    "mix.weight": [sum, 2 * dModel],
    "mix.bias": [sum],
    layer: [stored.length, sum, dModel],
  } as const satisfies Record<string, Shape>;
}
export type WriterWeight = keyof ReturnType<typeof writerShapes>;

/**
 * Inputs "ids" [batch, tokens] int64, those of {@link written}, and the frame. Output "delta" [batch, dModel].
 */
export function writeDelta(model: Decoder, sizes: WriterSizes, { name, batch, tokens }: WriteOptions): Graph {
  const b = builderFor(name, model);
  const shapes = writerShapes(model.config, sizes);
  return b.scope("writer", () => {
    const frame = declareFrame(b, model, { batch, time: tokens });
    const embedded = embed(b, model, b.input("ids", "int64", [batch, tokens]), frame);
    const rows = layers(b, model, embedded, frame, { to: sizes.reads }).hidden;
    const states = b.Reshape(rows, [batch, tokens, model.config.dModel]);
    const weight = (called: WriterWeight): Tensor => b.weight(WRITER + called, shapes[called]);
    b.output("delta", written(b, sizes, states, weight));
    return b.finish();
  });
}

/**
 * δ [batch, dModel] from the states [batch, tokens, dModel] of parts. Inputs "real" [batch, tokens] (1 for a token of the
 * part), "mixed" [batch, 2, tokens] (last token; mean), "layer" [layers, batch, 1] (1 at the storage layer).
 */
function written(
  b: GraphBuilder,
  { places, layers: stored, size, width, normed = false }: WriterSizes,
  raw: Tensor,
  weight: (called: WriterWeight) => Tensor,
): Tensor {
  const [batch, tokens, dModel] = raw.shape.map(Number) as [number, number, number];
  const sum = width ?? dModel;
  const sized = (x: Tensor, to: number): Tensor =>
    b.SimplifiedLayerNormalization(x, b.float(new Float32Array(dModel).fill(to), [dModel]), EPSILON);
  const states = normed ? sized(raw, 1) : raw;
  const real = b.input("real", "float32", [batch, tokens]);
  const mixed = b.input("mixed", "float32", [batch, 2, tokens]);
  const kept = b.Mul(states, b.Reshape(real, [batch, tokens, 1]));
  const maps = tokens < places ? b.Slice(weight("maps"), 0, 0, tokens) : weight("maps");
  // One product with all maps below each other is the sum of the products with each.
  const placed = b.Gemm(b.Reshape(kept, [batch, tokens * dModel]), b.Reshape(maps, [tokens * dModel, sum]));
  const ends = b.Reshape(b.MatMul(mixed, states), [batch, 2 * dModel]); // last state, mean
  const mix = b.Gemm(ends, weight("mix.weight"), { transB: 1 });
  const summed = b.Add(b.Add(placed, mix), weight("mix.bias"));
  // By all maps, the own one kept: a run holds parts of several layers.
  const each = b.MatMul(b.Reshape(summed, [1, batch, sum]), weight("layer"));
  const own = b.Mul(each, b.input("layer", "float32", [stored.length, batch, 1]));
  return sized(b.Reshape(b.ReduceSum(own, [0]), [batch, dModel]), size);
}

interface WriterStepOptions {
  readonly name: string;
  readonly batch: number;
  /** Tokens of a prompt with its part, without the last one. */
  readonly time: number;
  /** The storage layer, where δ is added. */
  readonly at: number;
}

/** Adam's decay rates. */
export const WRITER_MOMENTS = { beta1: 0.9, beta2: 0.98 } as const;

/** Rate of the layers' maps, as a share of the others': a step of the others' size would drown the identity that they begin at. */
const LAYER_RATE = 0.1;

/** The norm that the gradient of all weights together is cut to. */
const CLIP = 1;

/**
 * One Adam step of a writer by Eq. 3 on its δ, each target's logit lowered by a margin. Inputs: "ids" [batch, time] int64,
 * prompts with their parts, padded on the left, the frame, and "key" [batch, time, 1] (1 at the key token); "states", "real",
 * "mixed", "layer" as {@link written} wants them; "targets" int32 and "mask" [batch, places], on the right, the mask as shares
 * of the loss; "lowered" []; "rate", "correction1|2" []; each weight as w.NAME, its moments as m.NAME and v.NAME. Outputs:
 * "hits" [batch, places], and all of these stepped, as w.NAME.next and so on.
 */
export function writerStep(model: Decoder, sizes: WriterSizes, options: WriterStepOptions): Graph {
  const { name, batch, time, at } = options;
  const { places } = sizes;
  const { dModel } = model.config;
  const b = builderFor(name, model);
  const shapes = writerShapes(model.config, sizes);
  const names = Object.keys(shapes) as WriterWeight[];
  return b.scope("teach", () => {
    const state = (called: string, weight: WriterWeight) => b.input(called, "float32", shapes[weight]);
    const weights = new Map(names.map((called) => [called, state(`w.${called}`, called)]));
    const states = b.input("states", "float32", [batch, places, dModel]);
    const delta = written(b, sizes, states, (called) => weights.get(called)!);
    const spread = b.Reshape(delta, [batch, 1, dModel]);
    const key = b.input("key", "float32", [batch, time, 1]);
    const frame = {
      ...declareFrame(b, model, { batch, time }),
      onDown: (layer: number, _: Tensor, y: Tensor) =>
        layer === at ? b.Add(y, b.Reshape(b.Mul(key, spread), y.shape)) : y,
    };
    const embedded = embed(b, model, b.input("ids", "int64", [batch, time]), frame);
    const top = b.Reshape(layers(b, model, embedded, frame).hidden, [batch, time, dModel]);
    const predicting = b.Reshape(b.Slice(top, 1, time - places), [batch * places, dModel]);
    const targets = b.input("targets", "int32", [batch, places]);
    const mask = b.input("mask", "float32", [batch, places]);
    const logits = head(b, model, predicting);
    const own = b.Cast(isTarget(b, logits, b.Reshape(targets, [batch * places, 1])), "float32");
    const lowered = b.Sub(logits, b.Mul(own, b.input("lowered", "float32", [])));
    const { logProbabilities, hits } = targetLikelihood(b, lowered, targets, {});
    const loss = b.Neg(b.ReduceSum(b.Mul(logProbabilities, mask), [0, 1]));
    b.output("hits", hits);
    const found = gradients(b, loss, [...weights.values()]);
    const squares = found
      .map((g) =>
        b.ReduceSum(b.Reshape(b.Mul(g, g), [1, g.shape.reduce<number>((n, d) => n * Number(d), 1)]), [1]),
      )
      .reduce((sum, square) => b.Add(sum, square));
    const norm = b.Reshape(b.Sqrt(squares), [1]);
    const cut = b.Min(b.float(1, [1]), b.Div(b.float(CLIP, [1]), b.Add(norm, b.float(EPSILON, [1]))));
    const scalar = (called: string) => b.input(called, "float32", []);
    const rates = { correction1: scalar("correction1"), correction2: scalar("correction2") };
    const rate = scalar("rate");
    for (const [i, called] of names.entries()) {
      const [m, v] = [state(`m.${called}`, called), state(`v.${called}`, called)];
      const moved = moments(b, { gradient: b.Mul(found[i]!, cut), m, v, ...rates, ...WRITER_MOMENTS });
      const ownRate = called === "layer" ? b.Mul(rate, b.float(LAYER_RATE)) : rate;
      b.output(`w.${called}.next`, b.Sub(weights.get(called)!, b.Mul(ownRate, moved.direction)));
      b.output(`m.${called}.next`, moved.m);
      b.output(`v.${called}.next`, moved.v);
    }
    return b.finish();
  });
}
