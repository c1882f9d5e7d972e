import "fake-indexeddb/auto";
import { afterAll, expect, it } from "vitest";
import type { CostModel } from "../records/cost.ts";
import { readCost, writeCost } from "./costs.ts";
import { freshDatabase } from "./testing/database.ts";

const database = await freshDatabase();
afterAll(() => database.close());

const rate = { total: 1.5, units: 3 };

it("what runs took comes back as it was kept, with what parts began at", async () => {
  const cost: CostModel = {
    rates: { step: rate, part: rate, tries: rate, slots: rate, readBack: rate },
    lengths: [
      { tokens: 12, started: "zero", parts: 4, steps: 40, exact: 4 },
      { tokens: 12, started: "learned", parts: 9.5, steps: 47, exact: 9 },
    ],
  };
  await writeCost(database, "k", cost);
  expect(await readCost(database, "k")).toEqual(cost);
  expect(await readCost(database, "another")).toBeNull();
});

it("what older builds kept, which told neither starts nor slots, is read", async () => {
  const older = {
    rates: { read: rate, step: rate, part: rate, tries: rate },
    lengths: [{ tokens: 7, parts: 2, steps: 9, exact: 2 }],
  };
  await writeCost(database, "old", older);
  expect(await readCost(database, "old")).toEqual(older);
});
