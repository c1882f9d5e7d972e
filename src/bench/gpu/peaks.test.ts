import { expect, it } from "vitest";
import { createLedger } from "../../runtime/ledger.ts";
import { watchPeaks } from "./peaks.ts";

it("keeps the most of each purpose, of all at one moment, and of all but vectors", () => {
  const ledger = createLedger();
  ledger.hold("weights", 100);
  const peaks = watchPeaks(ledger);
  const vectors = ledger.hold("vectors", 50);
  vectors();
  const cache = ledger.hold("cache", 30);
  ledger.hold("activation", 5)();
  cache();
  const found = peaks();
  ledger.hold("encode", 1000);
  expect(found).toEqual({
    byPurpose: { weights: 100, cache: 30, encode: 0, vectors: 50, activation: 5 },
    together: 150,
    besideVectors: 135,
  });
  expect(peaks()).toEqual(found);
});
