/** @file The previous and next fact, in the order of the memory cell or of the source. */

import type { FactId } from "../../../records/ids.ts";
import type { FactRow } from "../../../records/notebook.ts";
import { compareBy, filterFacts, inSourceOrder, type FactView } from "../../facts/factColumns.tsx";
import { arranged } from "../../table/column.ts";

/** Ids in stepping order; `view` is ignored if it hides `id`. */
export function factOrder(
  rows: readonly FactRow[],
  leaving: ReadonlySet<FactId>,
  view: FactView | null,
  id: FactId,
): readonly FactId[] {
  if (last?.rows !== rows || last.leaving !== leaving || last.view !== view)
    last = { rows, leaving, view, ...lists(rows, leaving, view) };
  return last.shown.includes(id) ? last.shown : last.ordered;
}

interface Lists {
  readonly ordered: readonly FactId[];
  readonly shown: readonly FactId[];
}

/** Cache of the last call: stepping through a large memory must not sort it again. */
let last:
  | (Lists & {
      readonly rows: readonly FactRow[];
      readonly leaving: ReadonlySet<FactId>;
      readonly view: FactView | null;
    })
  | null = null;

function lists(rows: readonly FactRow[], leaving: ReadonlySet<FactId>, view: FactView | null): Lists {
  const facts = inSourceOrder(rows.filter((row) => !leaving.has(row.id)));
  const ids = (list: readonly FactRow[]): readonly FactId[] => list.map((row) => row.id);
  const ordered = ids(facts);
  const shown = view ? arranged(filterFacts(facts, view), compareBy(view.sort), view.sort) : facts;
  return { ordered, shown: shown === facts ? ordered : ids(shown) };
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
  const [before, after]: [FactRow[], FactRow[]] = [[], []];
  for (const row of rows) {
    if (row.documentId !== documentId || row.id === id) continue;
    if (row.offset <= offset) keepNearest(before, row, count, (a, b) => b.offset - a.offset);
    else keepNearest(after, row, count, (a, b) => a.offset - b.offset);
  }
  return { before: before.reverse(), after };
}

/** Inserts `row` into a short list, nearest first, and drops entries beyond `count`. */
function keepNearest(
  list: FactRow[],
  row: FactRow,
  count: number,
  compare: (a: FactRow, b: FactRow) => number,
): void {
  const at = list.findIndex((one) => compare(row, one) < 0);
  list.splice(at < 0 ? list.length : at, 0, row);
  list.length = Math.min(list.length, count);
}
