/** @file What a memory holds, in one line of numbers. */

import { vectorsOf } from "../../../records/factRow.ts";
import type { FactRow } from "../../../records/notebook.ts";
import { counted } from "../../format.ts";

export interface LayerCount {
  readonly layer: number;
  readonly facts: number;
  readonly exact: number;
}

export interface MemoryOverview {
  readonly facts: number;
  /** Those that hold the facts: more than facts where a value is stored in parts. */
  readonly vectors: number;
  readonly exact: number;
  /** Mean token F1; null without facts. */
  readonly fidelity: number | null;
  /** Ascending by layer. */
  readonly layers: readonly LayerCount[];
}

/** "43 facts"; "43 facts in 170 vectors" where values are stored in parts. */
export function storedText(rows: readonly FactRow[]): string {
  const vectors = rows.reduce((sum, row) => sum + vectorsOf(row), 0);
  const facts = counted(rows.length, "fact");
  return vectors > rows.length ? `${facts} in ${counted(vectors, "vector")}` : facts;
}

export function overview(rows: readonly FactRow[]): MemoryOverview {
  const layers = new Map<number, { facts: number; exact: number }>();
  let [vectors, exact, fidelity] = [0, 0, 0];
  for (const row of rows) {
    const count = layers.get(row.layer) ?? { facts: 0, exact: 0 };
    layers.set(row.layer, { facts: count.facts + 1, exact: count.exact + Number(row.exact) });
    vectors += vectorsOf(row);
    exact += Number(row.exact);
    fidelity += row.fidelity;
  }
  return {
    facts: rows.length,
    vectors,
    exact,
    fidelity: rows.length === 0 ? null : fidelity / rows.length,
    layers: [...layers].sort(([a], [b]) => a - b).map(([layer, count]) => ({ layer, ...count })),
  };
}
