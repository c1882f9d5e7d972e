/** @file J and K go to the next and the previous fact of a text, as they go from row to row in the tables. */

import type { FactRow } from "../../../../records/notebook.ts";

/** The fact that a key leads to, from the one that is picked; null for other keys and where there is none. */
export function neighbour(
  event: {
    readonly key: string;
    readonly ctrlKey: boolean;
    readonly metaKey: boolean;
    readonly altKey: boolean;
  },
  facts: readonly FactRow[],
  picked: FactRow | null,
): FactRow | null {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const at = picked ? facts.findIndex(({ id }) => id === picked.id) : -1;
  if (event.key === "j") return facts[at + 1] ?? null;
  if (event.key === "k") return facts[at < 0 ? facts.length - 1 : at - 1] ?? null;
  return null;
}

/** The facts of one document, by offset. */
export const factsOf = (rows: readonly FactRow[], documentId: string): readonly FactRow[] =>
  rows.filter((row) => row.documentId === documentId).toSorted((a, b) => a.offset - b.offset);
