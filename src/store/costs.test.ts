import "fake-indexeddb/auto";
import { afterAll, expect, it } from "vitest";
import type { StageRates } from "../records/cost.ts";
import { readRates, writeRates } from "./costs.ts";
import { freshDatabase } from "./testing/database.ts";

const database = await freshDatabase();
afterAll(() => database.close());

it("rates come back as they were kept", async () => {
  const rates: StageRates = { encode: { seconds: 1.5, units: 3 }, readBack: { seconds: 2, units: 9 } };
  await writeRates(database, "k", rates);
  expect(await readRates(database, "k")).toEqual(rates);
  expect(await readRates(database, "another")).toBeNull();
});
