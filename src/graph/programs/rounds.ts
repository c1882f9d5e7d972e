/**
 * @file Greedy decoding of several tokens within one run: the cache stays in place between tokens. The rounds
 * are the decoding of forward.ts, operator by operator on tensors of the same shapes, so that they give the same bits.
 */

import type { GraphBuilder } from "../build.ts";
import type { Graph, Tensor } from "../ir.ts";
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

/**
 * Inputs "ids" [batch, 1] int64 (the tokens to go on from), the cache "past.{layer}.key|value" [batch, kvHeads, past,
 * headDim], "cos" and "sin" [batch, 1, rounds, headDim] of the columns to come, "bias" [batch, 1, 1, past + rounds] of
 * the last of them, "open" [batch, 1] (1 for a row that has not ended), "ends" [1, n] int64. It stops after the round in
 * which the last open row gives one of `ends`. Outputs "next" [rounds, batch] int64, and the cache as
 * "present.{layer}.key|value".
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

/** The frame of the one column of a round, cut from those of all rounds. */
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
