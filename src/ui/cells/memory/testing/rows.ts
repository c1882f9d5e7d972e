/** @file Facts for the tests, the bench and the harness of the table: made, not recalled, and different from each other. */

import { charOffset, documentId, factId, layerIndex } from "../../../../records/ids.ts";
import type { FactRow } from "../../../../records/notebook.ts";

/** One fact; what a test does not name has a value of its own. */
export function factRow(change: Partial<FactRow> = {}): FactRow {
  const document = change.documentId ?? documentId("aaaaaaaaaaaaaaaa");
  const offset = change.offset ?? 0;
  return {
    id: factId(document, charOffset(offset)),
    documentId: document,
    anchor: "Sandra",
    index: 1,
    offset,
    layer: layerIndex(2),
    tokens: 7,
    digest: "",
    exact: true,
    fidelity: 1,
    steps: 4,
    deltaNorm: 3.2,
    margin: 0.5,
    memorizedAt: "2026-11-21T12:00:00.000Z",
    ...change,
  };
}

/** A fact of three parts, the second of which is inexact; their numbers address them and are no order. */
export const longRow = (): FactRow =>
  factRow({
    offset: 500,
    index: 2,
    tokens: 38,
    steps: 61,
    exact: false,
    fidelity: 0.95,
    parts: [
      {
        part: 1,
        layer: layerIndex(2),
        tokens: 14,
        exact: true,
        fidelity: 1,
        steps: 9,
        deltaNorm: 2.5,
        margin: 0.5,
      },
      {
        part: 3,
        layer: layerIndex(3),
        tokens: 12,
        exact: false,
        fidelity: 0.84,
        steps: 40,
        deltaNorm: 3.2,
        margin: 0.5,
      },
      {
        part: 2,
        layer: layerIndex(2),
        tokens: 12,
        exact: true,
        fidelity: 1,
        steps: 12,
        deltaNorm: 1.25,
        margin: 0.5,
      },
    ],
  });

const NAMES = [
  "Mary",
  "John",
  "Sandra",
  "Daniel",
  "Peter",
  "Clara",
  "Hugo Lind",
  "Nina",
  "Coastal Museum",
  "Ivy Stone",
];

/** `count` facts over 12 layers and 4 documents, every ninth of them inexact. */
export function manyRows(count: number): FactRow[] {
  return Array.from({ length: count }, (_, i) => {
    const document = documentId(`${"abcd"[i % 4]}`.repeat(16));
    const name = `${NAMES[i % NAMES.length]!} ${String(Math.floor(i / 140) + 1)}`;
    const exact = i % 9 !== 4;
    return factRow({
      documentId: document,
      anchor: name,
      index: (Math.floor(i / NAMES.length) % 14) + 1,
      offset: i * 61,
      layer: layerIndex(i % 12),
      tokens: 8 + (i % 17),
      exact,
      fidelity: exact ? 1 : 0.5 + (i % 40) / 100,
      steps: 2 + (i % 58),
      deltaNorm: 1 + (i % 30) / 10,
      memorizedAt: new Date(Date.UTC(2026, 10, 1) + i * 60_000).toISOString(),
    });
  });
}
