/**
 * @file The forward programs: everything that runs the frozen model without gradients. Greedy decoding has steps with a cache of
 * fixed length, whose commands can be recorded (docs/runtime.md, 4), and rounds, which give the same bits.
 */

import { assert } from "../../lib/assert.ts";
import { GraphBuilder } from "../build.ts";
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
  attendGrown,
  declareCache,
} from "../models/decoder.ts";
import { gatedRead, type ReadTensors } from "./gatedRead.ts";
import type { DecoderConfig } from "../models/config.ts";

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

/** An empty half of a layer's cache for {@link fixedDecode}: "zero" [1, 1, 1, 1] -> "empty". */
export function emptyCache(name: string, { config: c }: Decoder, batch: number, columns: number): Graph {
  const b = new GraphBuilder(name);
  const zero = b.input("zero", "float32", [1, 1, 1, 1]);
  b.output("empty", b.Pad(zero, [0, 0, 0, 0, batch - 1, c.kvHeads - 1, columns - 1, c.headDim - 1]));
  return b.finish();
}

/**
 * One token per row with a fixed cache. Inputs "ids" [batch, 1] int64; "cos", "sin" [batch, headDim / 2]; "seen" [batch]
 * int32, filled columns; "total" [] int32, of the longest row with its own; "past.{layer}.key|value" [batch, kvHeads, columns,
 * headDim]. Outputs "next" [batch] int64, "logits" [batch, vocabulary], "present.…".
 */
export function fixedDecode(name: string, model: Decoder, batch: number, columns: number): Graph {
  const { config: c } = model;
  const b = builderFor(name, model);
  return b.scope("model", () => {
    const ids = b.input("ids", "int64", [batch, 1]);
    const table = (of: string) => b.input(of, "float32", [batch, c.headDim / 2]);
    const [cos, sin] = [table("cos"), table("sin")];
    const seen = b.input("seen", "int32", [batch]);
    const total = b.input("total", "int32", []);
    const past = declareCache(b, c, { batch, past: columns });
    // Each row has separate tables: longrope chooses its factors by a row's length.
    const own = b.int64([...new Array(batch).keys()], [batch, 1]);
    const flat = (heads: Tensor, count: number) => b.Reshape(heads, [batch, 1, count * c.headDim]);
    const rotated = (heads: Tensor, count: number) => b.RotaryEmbedding(flat(heads, count), own, cos, sin);
    const attend: Frame["attend"] = (layer, { query, key, value }) => {
      const { mixed, present } = b.GroupQueryAttention(
        rotated(query, c.heads),
        { key: rotated(key, c.kvHeads), value: flat(value, c.kvHeads) },
        past(layer),
        { seen, total },
        { heads: c.heads, kvHeads: c.kvHeads, scale: 1 / Math.sqrt(c.headDim) },
      );
      return { mixed: b.Reshape(mixed, [batch, c.heads * c.headDim]), cache: present };
    };
    const frame = { batch, time: 1, attend, fused: true };
    const { hidden, present } = layers(b, model, embed(b, model, ids, frame), frame);
    const logits = head(b, model, hidden);
    b.output("next", b.ArgMax(logits, 1));
    b.output("logits", logits);
    publishCache(b, present);
    return b.finish();
  });
}

/**
 * Inputs "ids" [batch, 1] int64, "past.{layer}.key|value" [batch, kvHeads, past, headDim], "cos" and "sin" [batch, 1, rounds,
 * headDim], "bias" [batch, 1, 1, past + rounds] of the last column, "open" [batch, 1] (1 for open rows), "ends" [1, n] int64,
 * which end a row. Outputs "next" [rounds, batch] int64 and "present.…".
 */
export function decodeRounds(name: string, model: Decoder, batch: number): Graph {
  const b = builderFor(name, model);
  return b.scope("model", () => {
    const ids = b.input("ids", "int64", [batch, 1]);
    const frame = frameOfRound(b, model, batch);
    const { hidden, present } = layers(b, model, embed(b, model, ids, frame), frame);
    const next = b.ArgMax(head(b, model, hidden), 1); // [batch]
    b.output("next", next);
    b.scope("end", () => publishEnd(b, next, batch));
    publishCache(b, present);
    const halves = [...present.keys()].flatMap((i) => [`${i}.key`, `${i}.value`]);
    return b.finish({
      carried: [
        { input: "ids", output: "ids.next" },
        { input: "open", output: "open.next" },
        ...halves.map((of) => ({ input: `past.${of}`, output: `present.${of}` })),
      ],
      collected: ["next"],
    });
  });
}

function frameOfRound(b: GraphBuilder, model: Decoder, batch: number): Frame {
  const { config: c } = model;
  const past = declareCache(b, c, { batch, past: "past" });
  const table = (name: string) => b.input(name, "float32", [batch, 1, "rounds", c.headDim]);
  const [cos, sin] = [table("cos"), table("sin")];
  const bias = b.input("bias", "float32", [batch, 1, 1, "past+rounds"]);
  return b.scope("frame", () => {
    const [zero, one] = [b.int64([0]), b.int64([1])];
    const round = b.Reshape(b.input("round", "int64", []), [1]);
    const column = (of: Tensor) => b.SliceBetween(of, 2, round, b.Add(round, one), 1);
    const seen = b.Add(b.Shape(past(0).key, 2, 3), one);
    const at = { cos: column(cos), sin: column(sin), bias: b.SliceBetween(bias, 3, zero, seen, "past+1") };
    return { batch, time: 1, attend: (layer, heads) => attendGrown(b, model, heads, at, past(layer)) };
  });
}

/** "ids.next", "open.next" [batch, 1], and "more". */
function publishEnd(b: GraphBuilder, next: Tensor, batch: number): void {
  const [ends, open] = [b.input("ends", "int64", [1, "ends"]), b.input("open", "float32", [batch, 1])];
  const ids = b.Reshape(next, [batch, 1]);
  const ended = b.ReduceMax(b.Cast(b.Equal(ids, ends), "float32"), [1]); // [batch, 1]
  const left = b.Mul(open, b.Sub(b.float(1), ended));
  b.output("ids.next", ids);
  b.output("open.next", left);
  b.output("more", b.Greater(b.Reshape(b.ReduceMax(left, [0]), [1]), b.float(0)));
}

/**
 * Replaces rows of a running batch. "rows" [batch] int64 names row i < batch of "past.{layer}.key|value" and "hidden" [batch,
 * time, dModel], or batch + i for row i of "fresh.…". Outputs "present.…" and "hidden.next".
 */
export function replaceRows(name: string, c: DecoderConfig, batch: number, fresh: number): Graph {
  const b = new GraphBuilder(name);
  const rows = b.input("rows", "int64", [batch]);
  const chosen = (of: string, shape: readonly (string | number)[]): Tensor => {
    const own = b.input(of, "float32", [batch, ...shape]);
    const others = b.input(`fresh.${of}`, "float32", [fresh, ...shape]);
    return b.Gather(b.Concat([own, others], 0), rows, 0);
  };
  for (let layer = 0; layer < c.layers; layer++)
    for (const side of ["key", "value"])
      b.output(`present.${layer}.${side}`, chosen(`past.${layer}.${side}`, [c.kvHeads, "past", c.headDim]));
  b.output("hidden.next", chosen("hidden", ["time", c.dModel]));
  return b.finish();
}
