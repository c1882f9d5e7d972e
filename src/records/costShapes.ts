/** @file What models of cost (cost.ts) must look like, wherever they are read from. */

import * as v from "valibot";
import { anyNumber, count, countWithin, listUpTo, record, type Shape } from "../lib/check.ts";
import { RATES, type CostModel, type LengthRow, type Rate } from "./cost.ts";

/** Tokens of a part. */
export const LONGEST_PART = 1024;
/** More lengths than parts come in, with either start. */
const MOST_LENGTHS = 4096;

/** Seconds, steps, parts and tokens of a run; a year has 3e7 seconds. */
const MOST = 1e10;
/** What one unit of anything may take: less than a nanosecond, or more than ten days, was not measured. */
const [LEAST_RATE, MOST_RATE] = [1e-9, 1e6];

/** What can be divided by: a number of something that a run has. */
const amount = v.pipe(
  v.number(),
  v.finite(),
  v.check((value) => value > 0 && value <= MOST, `a number above 0, at most ${MOST}`),
) as unknown as Shape<number>;

/** None, or an {@link amount}. */
const amountOrNone = v.pipe(
  v.number(),
  v.finite(),
  v.minValue(0, "a number, 0 or more"),
  v.maxValue(MOST, `a number, at most ${MOST}`),
) as unknown as Shape<number>;

interface Figures {
  readonly rate: Shape<Rate>;
  readonly row: Shape<LengthRow>;
}

const costOf = ({ rate, row }: Figures): Shape<CostModel> =>
  record<CostModel>({
    rates: v.record(v.picklist(RATES), rate),
    lengths: listUpTo(row, MOST_LENGTHS),
  });

const rateOf = (figure: Shape<number>): Shape<Rate> => record<Rate>({ total: figure, units: figure });

const rowOf = (tokens: Shape<number>, parts: Shape<number>, figure: Shape<number>): Shape<LengthRow> =>
  record<LengthRow>({
    tokens,
    started: v.optional(v.picklist(["zero", "learned"])),
    parts,
    steps: figure,
    exact: figure,
  });

/** As this machine kept it. */
export const keptCost = costOf({ rate: rateOf(anyNumber), row: rowOf(count(), anyNumber, anyNumber) });

/** As a model's folder says it: numbers that a run can give, so that what is left of one is always a number. */
export const recordedCost = costOf({
  rate: v.pipe(
    rateOf(amount),
    v.check(
      ({ total, units }) => total >= LEAST_RATE * units && total <= MOST_RATE * units,
      `a total of ${LEAST_RATE} to ${MOST_RATE} a unit`,
    ),
  ),
  row: v.pipe(
    rowOf(countWithin(1, LONGEST_PART), amount, amountOrNone),
    v.check(({ parts, exact }) => exact <= parts, "no more exact parts than there are"),
    v.check(({ parts, steps }) => steps <= MOST_RATE * parts, `at most ${MOST_RATE} steps a part`),
  ),
});
