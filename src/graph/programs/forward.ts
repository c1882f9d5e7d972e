/** @file The forward programs: everything that runs the frozen model without gradients. */

import { assert } from "../../lib/assert.ts";
import type { GraphBuilder } from "../build.ts";
import type { Graph, Tensor } from "../ir.ts";
import {
  builderFor,
  declareFrame,
  embed,
  finalNorm,
  head,
  layers,
  publishCache,
  type Decoder,
  type Frame,
} from "../models/decoder.ts";
import { gatedRead, type ReadTensors } from "./gatedRead.ts";

export interface ForwardOptions {
  readonly name: string;
  /** Rows of one run; fixed, so that a row's numbers never depend on its company. */
  readonly batch: number;
  readonly past?: boolean;
  readonly cache?: boolean;
  /**
   * "next": greedy next token [batch]; "each": the one behind every position [batch * time], with the "margin" of
   * its logit before the next best, [batch * time, 1]; "last": logits [batch, vocabulary]; "all": [batch, time, vocabulary].
   */
  readonly head?: "next" | "each" | "last" | "all";
  /** Add "delta" [batch, dModel] where "at" [batch, time, layers] is 1; "addressed" publishes "activation" [batch, dFf]. */
  readonly inject?: boolean | "addressed";
  /** Soft gated read of Eq. 4 at this layer, at every position. */
  readonly readAt?: number;
  /** Publish the down projection's input a: of the first position [batch, dFf], or all [batch, time, dFf]. */
  readonly taps?: { readonly layers: readonly number[]; readonly positions: "first" | "all" };
  /** Publish the residual stream after every layer that runs as state.{layer} [batch, time, dModel]. */
  readonly states?: boolean;
  /** Stop after this layer and publish its output as "hidden" [batch, time, dModel]. */
  readonly until?: number;
  /** Publish "pooled" [batch, dModel]: final hidden states weighted by "mask" [batch, 1, time]. */
  readonly pooled?: boolean;
}

/** Input "ids" [batch, time] int64 and those of {@link declareFrame}; outputs follow `options`. @throws without an output */
export function forward(model: Decoder, options: ForwardOptions): Graph {
  const { batch } = options;
  const b = builderFor(options.name, model);
  const { dModel, layers: depth } = model.config;
  return b.scope("model", () => {
    const ids = b.input("ids", "int64", [batch, "time"]);
    const declared = declareFrame(b, model, options.past ? { batch, past: "past" } : { batch });
    const frame = { ...declared, onDown: hooks(b, model, declared, options) };
    const to = options.until === undefined ? depth : options.until + 1;
    const { hidden, states, present } = layers(b, model, embed(b, model, ids, frame), frame, { to });
    if (options.cache) publishCache(b, present);
    if (options.states)
      for (const [i, state] of states) b.output(`state.${i}`, b.Reshape(state, [batch, "time", dModel]));
    if (options.until !== undefined) b.output("hidden", b.Reshape(hidden, [batch, "time", dModel]));
    if (options.pooled) publishPooled(b, model, hidden, frame);
    if (options.head) publishHead(b, model, hidden, frame, options.head);
    return b.finish();
  });
}

function hooks(
  b: GraphBuilder,
  model: Decoder,
  frame: Frame,
  options: ForwardOptions,
): NonNullable<Frame["onDown"]> {
  const injected = options.inject ? injection(b, model, frame, options.inject === "addressed") : undefined;
  const read = options.readAt === undefined ? undefined : gatedRead(b, model.config);
  const tapped = new Set(options.taps?.layers);
  return (layer, a, y) => {
    if (tapped.has(layer)) {
      const grid = b.Reshape(a, [frame.batch, frame.time, a.shape[1]!]);
      const first = () => b.Reshape(b.Slice(grid, 1, 0, 1), [frame.batch, a.shape[1]!]);
      b.output(`activation.${layer}`, options.taps?.positions === "first" ? first() : grid);
    }
    if (read && layer === options.readAt) return publishRead(b, read(a), y);
    return injected ? injected(layer, a, y) : y;
  };
}

/** y + at[:, :, layer] * delta. Where at is 0 the sum is exactly y. */
function injection(b: GraphBuilder, { config: c }: Decoder, { batch, time }: Frame, addressed: boolean) {
  const delta = b.input("delta", "float32", [batch, c.dModel]);
  const at = b.input("at", "float32", [batch, "time", c.layers]);
  const spread = b.Reshape(delta, [batch, 1, c.dModel]);
  let address: Tensor | undefined; // [batch, 1, dFf]
  return (layer: number, a: Tensor, y: Tensor): Tensor => {
    const here = b.Slice(at, 2, layer, layer + 1); // [batch, time, 1]
    if (addressed) {
      const first = b.Slice(b.Reshape(a, [batch, time, c.dFf]), 1, 0, 1);
      const own = b.Mul(first, b.Slice(here, 1, 0, 1));
      address = address ? b.Add(address, own) : own;
      if (layer === c.layers - 1) b.output("activation", b.Reshape(address, [batch, c.dFf]));
    }
    return b.Add(y, b.Reshape(b.Mul(here, spread), y.shape));
  };
}

/** Publishes the read over rows = batch * time (two extents are unknown, so no grid) and returns y with it. */
function publishRead(b: GraphBuilder, read: ReadTensors, y: Tensor): Tensor {
  b.output("similarity", read.similarity);
  b.output("weights", read.weights);
  b.output("gate", read.gate);
  b.output("injected", read.injected);
  return b.Add(y, read.injected);
}

function publishPooled(b: GraphBuilder, model: Decoder, hidden: Tensor, { batch, time }: Frame): void {
  const mask = b.input("mask", "float32", [batch, 1, time]);
  const normed = b.Reshape(finalNorm(b, model.config, hidden), [batch, time, model.config.dModel]);
  b.output("pooled", b.Reshape(b.MatMul(mask, normed), [batch, model.config.dModel]));
}

function publishHead(
  b: GraphBuilder,
  model: Decoder,
  hidden: Tensor,
  { batch, time }: Frame,
  kind: NonNullable<ForwardOptions["head"]>,
): void {
  const { dModel, vocabulary } = model.config;
  if (kind === "all") {
    b.output("logits", b.Reshape(head(b, model, hidden), [batch, time, vocabulary]));
    return;
  }
  if (kind === "each") {
    const all = head(b, model, hidden); // [rows, vocabulary]
    const best = b.ReduceMax(all, [1]);
    const others = b.Where(b.GreaterOrEqual(all, best), b.float(-1e9), all);
    // In one row: WebGPU has no Reshape of int64.
    b.output("next", b.ArgMax(all, 1));
    b.output("margin", b.Sub(best, b.ReduceMax(others, [1])));
    return;
  }
  const last = b.Slice(b.Reshape(hidden, [batch, time, dModel]), 1, -1);
  const logits = head(b, model, b.Reshape(last, [batch, dModel])); // [batch, vocabulary]
  assert(logits.shape[0] === batch, () => `graph ${b.name}: expected ${batch} rows of logits`);
  if (kind === "next") b.output("next", b.ArgMax(logits, 1));
  else b.output("logits", logits);
}

/** The logit lens: any rows of the residual stream, "hidden" [rows, dModel], through final norm and head -> "logits". */
export function lens(model: Decoder, name: string): Graph {
  const b = builderFor(name, model);
  return b.scope("model", () => {
    b.output("logits", head(b, model, b.input("hidden", "float32", ["rows", model.config.dModel])));
    return b.finish();
  });
}
