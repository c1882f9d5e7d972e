/** @file Counts the bytes a device holds, by purpose. */
import { assert } from "../lib/assert.ts";
import type { Ledger, Purpose } from "./device.ts";

export interface OpenLedger extends Ledger {
  /** Counts `bytes` until the returned function is called; calling it again does nothing. */
  hold(purpose: Purpose, bytes: number): () => void;
}

export function createLedger(): OpenLedger {
  const bytes: Record<Purpose, number> = { weights: 0, cache: 0, encode: 0, vectors: 0, activation: 0 };
  let total = 0;
  let peak = 0;

  function add(purpose: Purpose, amount: number): void {
    bytes[purpose] += amount;
    total += amount;
    peak = Math.max(peak, total);
  }

  return {
    get bytes() {
      return { ...bytes };
    },
    get total() {
      return total;
    },
    get peak() {
      return peak;
    },
    hold(purpose, amount) {
      assert(
        Number.isSafeInteger(amount) && amount >= 0,
        () => `ledger: cannot hold ${amount} bytes for ${purpose}; expected a whole number, 0 or more`,
      );
      add(purpose, amount);
      let held = true;
      return () => {
        if (held) add(purpose, -amount);
        held = false;
      };
    },
  };
}
