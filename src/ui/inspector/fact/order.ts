/** @file Which fact comes before and after another: as the store cell shows them, else in source order. */

import type { FactId } from "../../../records/ids.ts";
import type { FactRow } from "../../../records/notebook.ts";
import { COMPARE, filterFacts, inSourceOrder, isColumn, type FactView } from "../../cells/storeCell.ts";

/** Ids in the order in which one steps through them; `view` is left aside where it does not show `id`. */
export function factOrder(
  rows: readonly FactRow[],
  leaving: ReadonlySet<FactId>,
  view: FactView | null,
  id: FactId,
): readonly FactId[] {
  const ordered = inSourceOrder(rows.filter((row) => !leaving.has(row.id)));
  const shown = view && arranged(filterFacts(ordered, view), view.sort);
  const list = shown?.some((row) => row.id === id) ? shown : ordered;
  return list.map((row) => row.id);
}

function arranged(rows: readonly FactRow[], sort: FactView["sort"]): readonly FactRow[] {
  if (!sort || !isColumn(sort.column)) return rows;
  const compare = COMPARE[sort.column];
  return rows.toSorted(sort.descending ? (a, b) => compare(b, a) : compare);
}

/** The fact `by` places further on; null beyond the ends and where `id` is not listed. */
export function stepped(ids: readonly FactId[], id: FactId, by: number): FactId | null {
  const at = ids.indexOf(id);
  return at < 0 ? null : (ids[at + by] ?? null);
}

/** The facts around one in its document, `count` on either side, by offset; without the fact itself. */
export function around(
  rows: readonly FactRow[],
  { id, documentId, offset }: Pick<FactRow, "id" | "documentId" | "offset">,
  count: number,
): { readonly before: readonly FactRow[]; readonly after: readonly FactRow[] } {
  const others = rows
    .filter((row) => row.documentId === documentId && row.id !== id)
    .toSorted((a, b) => a.offset - b.offset);
  return {
    before: others.filter((row) => row.offset <= offset).slice(-count),
    after: others.filter((row) => row.offset > offset).slice(0, count),
  };
}
