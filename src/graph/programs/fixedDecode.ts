/**
 * @file One token a row behind a cache of fixed length, every extent known, so that the commands of the step can be
 * recorded (docs/runtime.md, 4). The step writes nothing into the long cache: the newest tokens lie in a short one, which
 * goes round whole, and is put behind what the long one holds when it is full. So neither is copied back as a whole.
 *
 *   past    ▒▒▒▒▒▒▒▒▒▒▒▒▒▒░░░░░░░░░░░   columns, only read; what is not filled is masked by the bias
 *   recent  ▒▒▒▒▒█░░                    places, read and written: the step's own token at "place"
 */

import type { Graph } from "../ir.ts";
import {
  behind,
  builderFor,
  declareCache,
  embed,
  head,
  layers,
  type Cache,
  type Decoder,
  type Joined,
} from "../models/decoder.ts";

export interface FixedDecodeOptions {
  readonly name: string;
  /** Rows of one run. */
  readonly batch: number;
  /** Length of the long cache. */
  readonly columns: number;
  /** Length of the short one. */
  readonly places: number;
}

/**
 * Inputs "ids" [batch, 1] int64; "cos" and "sin" [batch, 1, 1, headDim] of their column; "past.{layer}.key|value"
 * [batch, kvHeads, columns, headDim] and "recent.{layer}.key|value" [batch, kvHeads, places, headDim]; "place" [1] int32,
 * where among the latter the step's own go; "bias" [batch, 1, 1, columns + places], 0 for what is seen. Outputs "next"
 * [batch] int64, the "logits" [batch, vocabulary] that it is the first maximum of, and "recent.next.{layer}.key|value".
 */
export function fixedDecode(model: Decoder, options: FixedDecodeOptions): Graph {
  const { name, batch, columns, places } = options;
  const { config: c } = model;
  const b = builderFor(name, model);
  return b.scope("model", () => {
    const ids = b.input("ids", "int64", [batch, 1]);
    const table = (of: string) => b.input(of, "float32", [batch, 1, 1, c.headDim]);
    const [cos, sin] = [table("cos"), table("sin")];
    const bias = b.input("bias", "float32", [batch, 1, 1, columns + places]);
    const past = declareCache(b, c, { batch, past: columns });
    const recent = declareCache(b, c, { batch, past: places, name: "recent" });
    const every = b.int32(Int32Array.from({ length: places }, (_, i) => i), [1, 1, places, 1]); // prettier-ignore
    const here = b.Equal(every, b.input("place", "int32", [1]));
    const join = (layer: number, own: Cache): Joined => {
      const before = recent(layer);
      const put = (side: keyof Cache) => b.Where(here, own[side], before[side]);
      const kept = { key: put("key"), value: put("value") };
      return { seen: behind(b, past(layer), kept), kept };
    };
    const frame = { batch, time: 1, cos, sin, bias, join };
    const { hidden, present } = layers(b, model, embed(b, model, ids, frame), frame);
    const logits = head(b, model, hidden);
    b.output("next", b.ArgMax(logits, 1));
    b.output("logits", logits);
    for (const [i, { key, value }] of present) {
      b.output(`recent.next.${i}.key`, key);
      b.output(`recent.next.${i}.value`, value);
    }
    return b.finish();
  });
}
