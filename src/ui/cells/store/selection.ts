/**
 * @file Which facts are selected, and where the keyboard is. Positions are those of the facts shown; what is selected
 * is kept by id, so that sorting and filtering lose nothing.
 */

import type { FactId } from "../../../records/ids.ts";

export interface Selection {
  readonly ids: ReadonlySet<FactId>;
  /** The row that has the keyboard; null before the first click or key. */
  readonly cursor: FactId | null;
  /** Where a range starts. */
  readonly anchor: FactId | null;
}

export const NOTHING: Selection = { ids: new Set(), cursor: null, anchor: null };

/** A plain click on a row's box, or Space: puts it in or takes it out, and starts a range there. */
export function toggle(selection: Selection, id: FactId): Selection {
  const ids = new Set(selection.ids);
  if (!ids.delete(id)) ids.add(id);
  return { ids, cursor: id, anchor: id };
}

/** The keyboard goes to `id`; what is selected stays. */
export const moveTo = (selection: Selection, id: FactId): Selection => ({
  ...selection,
  cursor: id,
  anchor: id,
});

/** A click with Shift, or an arrow with Shift: all of `shown` from the range's start to `id` are added. */
export function extendTo(selection: Selection, id: FactId, shown: readonly FactId[]): Selection {
  const to = shown.indexOf(id);
  const start = selection.anchor ?? selection.cursor;
  const from = start === null ? -1 : shown.indexOf(start);
  if (to < 0) return selection;
  const [first, last] = from < 0 ? [to, to] : [Math.min(from, to), Math.max(from, to)];
  const ids = new Set(selection.ids);
  for (let i = first; i <= last; i++) ids.add(shown[i]!);
  return { ids, cursor: id, anchor: from < 0 ? id : start };
}

/** Every fact shown is added. */
export const selectAll = (selection: Selection, shown: readonly FactId[]): Selection => ({
  ...selection,
  ids: new Set([...selection.ids, ...shown]),
});

export const selectNone = (selection: Selection): Selection => ({ ...selection, ids: new Set() });

/** Without facts that are no longer there; the same object where nothing went. */
export function prune(selection: Selection, present: ReadonlySet<FactId>): Selection {
  const here = (id: FactId | null): FactId | null => (id !== null && present.has(id) ? id : null);
  const ids = new Set([...selection.ids].filter((id) => present.has(id)));
  const next = { ids, cursor: here(selection.cursor), anchor: here(selection.anchor) };
  const same =
    ids.size === selection.ids.size && next.cursor === selection.cursor && next.anchor === selection.anchor;
  return same ? selection : next;
}

/** How much of what is shown is selected, for the box above the rows. */
export function shownState(ids: ReadonlySet<FactId>, shown: readonly FactId[]): "none" | "some" | "all" {
  if (ids.size === 0 || shown.length === 0) return "none";
  const count = shown.reduce((sum, id) => sum + Number(ids.has(id)), 0);
  return count === 0 ? "none" : count === shown.length ? "all" : "some";
}

/** Where a key takes the cursor among `count` rows, from `at` (-1: nowhere yet); null for other keys. */
export function cursorAfter(key: string, at: number, count: number, page: number): number | null {
  const to: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    j: at + 1,
    ArrowUp: at - 1,
    k: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: count - 1,
  };
  const next = to[key];
  if (next === undefined || count === 0) return null;
  return Math.min(count - 1, Math.max(0, next));
}
