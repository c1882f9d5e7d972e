/** @file What models of cost (cost.ts) must look like, wherever they are read from. */

import * as v from "valibot";
import { anyNumber, count, listUpTo, record, type Shape } from "../lib/check.ts";
import type { CostModel, LengthRow, Rate } from "./cost.ts";

const RATES = [
  "read",
  "anchors",
  "layers",
  "questions",
  "routing",
  "readBack",
  "step",
  "part",
  "tries",
  "slots",
] as const;

/** More lengths than parts come in, with either start. */
const MOST_LENGTHS = 4096;

/** Seconds, steps and parts, of which nothing is less than none. */
const amount = v.pipe(
  v.number(),
  v.finite(),
  v.minValue(0, "a number, 0 or more"),
) as unknown as Shape<number>;

const costOf = (figure: Shape<number>): Shape<CostModel> =>
  record<CostModel>({
    rates: v.record(v.picklist(RATES), record<Rate>({ total: figure, units: figure })),
    lengths: listUpTo(
      record<LengthRow>({
        tokens: count(),
        started: v.optional(v.picklist(["zero", "learned"])),
        parts: figure,
        steps: figure,
        exact: figure,
      }),
      MOST_LENGTHS,
    ),
  });

/** As this machine kept it. */
export const keptCost = costOf(anyNumber);
/** As a model's folder says it. */
export const recordedCost = costOf(amount);
