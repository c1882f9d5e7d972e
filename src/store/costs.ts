/** @file What runs took on this machine (records/cost.ts), kept from one visit to the next. */

import { checked } from "../lib/check.ts";
import type { CostModel } from "../records/cost.ts";
import { keptCost } from "../records/costShapes.ts";
import type { Database } from "./database.ts";

/** Null where nothing was kept under `key`. */
export function readCost(database: Database, key: string): Promise<CostModel | null> {
  return database.read(["costs"], async (transaction) => {
    const found = await transaction.objectStore("costs").get(key);
    return found ? checked(keptCost, found.cost, "store: the cost of runs: ") : null;
  });
}

export function writeCost(database: Database, key: string, cost: CostModel): Promise<void> {
  return database.write(["costs"], async (transaction) => {
    await transaction.objectStore("costs").put({ key, cost });
  });
}
