/** @file The most that a device held, by purpose, as its ledger saw it at every change. */

import type { Ledger, Purpose } from "../../runtime/device.ts";

export type BytesByPurpose = Readonly<Record<Purpose, number>>;

/** What was held at most while somebody watched. */
export interface Peaks {
  /** Of each purpose, whenever that was. */
  readonly byPurpose: BytesByPurpose;
  /** Of all purposes at one moment: at most the sum of the others. */
  readonly together: number;
  /** Of all but stored vectors at one moment. */
  readonly besideVectors: number;
}

/** Watches a ledger until the returned function is called, which says what was held at most; what is held now counts. */
export function watchPeaks(ledger: Ledger): () => Peaks {
  const byPurpose = { ...ledger.bytes };
  let [together, besideVectors] = [0, 0];
  const look = (bytes: BytesByPurpose): void => {
    let total = 0;
    for (const [purpose, held] of Object.entries(bytes) as [Purpose, number][]) {
      byPurpose[purpose] = Math.max(byPurpose[purpose], held);
      total += held;
    }
    together = Math.max(together, total);
    besideVectors = Math.max(besideVectors, total - bytes.vectors);
  };
  look(ledger.bytes);
  const stop = ledger.watch(look);
  return () => {
    stop();
    return { byPurpose, together, besideVectors };
  };
}
