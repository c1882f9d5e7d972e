/**
 * @file Decodes one token per row with a cache of fixed length. Every extent is known, so that the commands of the step
 * can be recorded (docs/runtime.md, 4). A row fills its cache from column 0.
 */

import { GraphBuilder } from "../build.ts";
import type { Graph, Tensor } from "../ir.ts";
import {
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
 * Inputs "ids" [batch, 1] int64; "cos" and "sin" [batch, headDim / 2] of their positions; "seen" [batch] int32, columns that
 * are filled before each, and "total" [] int32, of the longest row with its own; "past.{layer}.key|value" [batch, kvHeads,
 * columns, headDim]. Outputs "next" [batch] int64, the "logits" [batch, vocabulary] that it is the first maximum of, and
 * "present.{layer}.key|value", which replace the pasts.
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
