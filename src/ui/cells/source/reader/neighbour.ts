/** @file J and K go to the next and the previous fact of a text, as they go from row to row in the tables. */

import type { FactRow } from "../../../../records/notebook.ts";

interface Key {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  preventDefault(): void;
}

/**
 * The fact that a key leads to from the picked one; null for other keys or without facts. J and K stay in the text: at
 * the last fact they do not jump to the next cell.
 */
export function neighbour(event: Key, facts: readonly FactRow[], picked: FactRow | null): FactRow | null {
  const { key, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey || (key !== "j" && key !== "k") || facts.length === 0) return null;
  event.preventDefault();
  const at = picked ? facts.findIndex(({ id }) => id === picked.id) : -1;
  if (key === "j") return facts[at + 1] ?? null;
  return facts[at < 0 ? facts.length - 1 : at - 1] ?? null;
}

/** The facts of one document, by offset. */
export const factsOf = (rows: readonly FactRow[], documentId: string): readonly FactRow[] =>
  rows.filter((row) => row.documentId === documentId).toSorted((a, b) => a.offset - b.offset);
