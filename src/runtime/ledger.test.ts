import fc from "fast-check";
import { expect, it } from "vitest";
import type { Purpose } from "./device.ts";
import { createLedger } from "./ledger.ts";

it("counts by purpose, remembers the peak, and frees once", () => {
  const ledger = createLedger();
  const free = ledger.hold("weights", 100);
  ledger.hold("cache", 20)();
  free();
  free();
  expect(ledger.bytes).toEqual({ weights: 0, cache: 0, encode: 0, vectors: 0, activation: 0 });
  expect(ledger.total).toBe(0);
  expect(ledger.peak).toBe(120);
});

it("refuses amounts that are no byte counts", () => {
  expect(() => createLedger().hold("cache", -1)).toThrow("ledger: cannot hold -1 bytes for cache");
  expect(() => createLedger().hold("cache", 0.5)).toThrow();
});

it("agrees with adding up what is held, in any order of holding and freeing", () => {
  const purposes: Purpose[] = ["weights", "cache", "encode", "vectors", "activation"];
  const step = fc.record({
    purpose: fc.constantFrom(...purposes),
    bytes: fc.nat(1000),
    frees: fc.option(fc.nat(20)),
  });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const ledger = createLedger();
      const held: { purpose: Purpose; bytes: number; free: () => void }[] = [];
      let peak = 0;
      const sum = () => held.reduce((n, h) => n + h.bytes, 0);
      for (const { purpose, bytes, frees } of steps) {
        if (frees !== null && frees < held.length) held.splice(frees, 1)[0]!.free();
        else held.push({ purpose, bytes, free: ledger.hold(purpose, bytes) });
        peak = Math.max(peak, sum());
      }
      expect(ledger.total).toBe(sum());
      expect(ledger.peak).toBe(peak);
      for (const purpose of purposes)
        expect(ledger.bytes[purpose]).toBe(
          held.filter((h) => h.purpose === purpose).reduce((n, h) => n + h.bytes, 0),
        );
    }),
  );
});
