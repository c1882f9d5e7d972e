/** @file The plain recipe for an encoding step: the measure of comparison for `encodeStep`, and its check. */

import type { Graph, Tensor } from "../../src/graph/ir.ts";
import {
  builderFor,
  declareFrame,
  embed,
  head,
  layers,
  type Decoder,
} from "../../src/graph/models/decoder.ts";
import { learn, type StepOptions } from "../../src/graph/programs/train.ts";

/**
 * The step over "ids" [batch, time] through every layer and position, logits everywhere.
 * "at" [batch, time, 1] marks the key token; "targets"/"mask" are [batch, time], aligned to the predicting position.
 */
export function naiveStep(model: Decoder, options: StepOptions): Graph {
  const { batch, layer } = options;
  const { dModel } = model.config;
  const b = builderFor(options.name, model);
  return b.scope("model", () => {
    const ids = b.input("ids", "int64", [batch, "time"]);
    const delta = b.input("delta", "float32", [batch, dModel]);
    const at = b.input("at", "float32", [batch, "time", 1]);
    const added = b.Mul(at, b.Reshape(delta, [batch, 1, dModel]));
    const frame = {
      ...declareFrame(b, model, { batch }),
      onDown: (i: number, _a: Tensor, y: Tensor) => (i === layer ? b.Add(y, b.Reshape(added, y.shape)) : y),
    };
    const { hidden } = layers(b, model, embed(b, model, ids, frame), frame);
    learn(b, { delta, logits: head(b, model, hidden), batch, count: "time", options });
    return b.finish();
  });
}
