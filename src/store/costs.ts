/** @file What runs took on this machine (records/cost.ts), kept from one visit to the next. */

import * as v from "valibot";
import { anyNumber, checked, count, record, type Shape } from "../lib/check.ts";
import type { CostModel, LengthRow, Rate } from "../records/cost.ts";
import type { Database } from "./database.ts";

const rate = record<Rate>({ total: anyNumber, units: anyNumber });
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

const costModel: Shape<CostModel> = record<CostModel>({
  rates: v.record(v.picklist(RATES), rate),
  lengths: v.array(
    record<LengthRow>({
      tokens: count(),
      started: v.optional(v.picklist(["zero", "learned"])),
      parts: anyNumber,
      steps: anyNumber,
      exact: anyNumber,
    }),
  ),
});

/** Null where nothing was kept under `key`. */
export function readCost(database: Database, key: string): Promise<CostModel | null> {
  return database.read(["costs"], async (transaction) => {
    const found = await transaction.objectStore("costs").get(key);
    return found ? checked(costModel, found.cost, "store: the cost of runs: ") : null;
  });
}

export function writeCost(database: Database, key: string, cost: CostModel): Promise<void> {
  return database.write(["costs"], async (transaction) => {
    await transaction.objectStore("costs").put({ key, cost });
  });
}
