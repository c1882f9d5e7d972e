/**
 * @file The steps of greedy decoding: with a cache of fixed length, whose commands can be recorded (docs/runtime.md, 4), and
 * in rounds, which give the bits of forward.ts.
 */

import { GraphBuilder } from "../build.ts";
import type { Graph, Tensor } from "../ir.ts";
import type { DecoderConfig } from "../models/config.ts";
import {
  attendGrown,
  builderFor,
  declareCache,
  embed,
  head,
  layers,
  publishCache,
  type Decoder,
  type Frame,
} from "../models/decoder.ts";

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
