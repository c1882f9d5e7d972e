/** @file Rates of runs on this machine (records/cost.ts), by model and device. */

import { checked } from "../lib/check.ts";
import { stageRates, type StageRates } from "../records/cost.ts";
import type { Database } from "./database.ts";

export const readRates = (database: Database, key: string): Promise<StageRates | null> =>
  database.read(["costs"], async (transaction) => {
    const found = await transaction.objectStore("costs").get(key);
    return found ? checked(stageRates, found.rates, "store: the rates of runs: ") : null;
  });

export const writeRates = (database: Database, key: string, rates: StageRates): Promise<void> =>
  database.write(["costs"], async (transaction) => {
    await transaction.objectStore("costs").put({ key, rates });
  });
