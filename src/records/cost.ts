/** @file The work of a memorise run by stage, and the seconds that a unit of it takes. */

import * as v from "valibot";
import { object, type Infer, type Shape } from "../lib/check.ts";
import { MEMORIZE_STAGES, type MemorizeStage } from "./progress.ts";

/**
 * Units of work by stage; absent: no work. read: characters; anchors: candidates; questions: facts; routing: tokens; readBack:
 * vectors; layers and encode: token-steps, each times the share of the model that it runs.
 */
export type StageWork = Readonly<Partial<Record<MemorizeStage, number>>>;

export type StageSeconds = Readonly<Partial<Record<MemorizeStage, number>>>;

export type Rate = Infer<typeof rate>;

export type StageRates = Readonly<Partial<Record<MemorizeStage, Rate>>>;

const MOST = 1e10;
/** Bounds of the seconds per unit: less than a nanosecond, or more than ten days, was not measured. */
const [LEAST_RATE, MOST_RATE] = [1e-9, 1e6];

const amount = v.pipe(
  v.number(),
  v.check((value) => value > 0 && value <= MOST, `a number above 0, at most ${MOST}`),
);

const rate = v.pipe(
  object({ seconds: amount, units: amount }),
  v.check(
    ({ seconds, units }) => seconds >= LEAST_RATE * units && seconds <= MOST_RATE * units,
    `${LEAST_RATE} to ${MOST_RATE} seconds per unit`,
  ),
);

export const stageRates: Shape<StageRates> = v.record(v.picklist(MEMORIZE_STAGES), rate);
