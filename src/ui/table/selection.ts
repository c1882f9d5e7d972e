/** @file The selected rows and the current row, by id, so that sorting and filtering keep them. */

export interface Selection<Id extends string> {
  readonly ids: ReadonlySet<Id>;
  /** The current row; null before the first click or key. */
  readonly cursor: Id | null;
  readonly anchor: Id | null;
}

export const NOTHING: Selection<never> = { ids: new Set(), cursor: null, anchor: null };

export function toggled<T>(values: ReadonlySet<T>, value: T): ReadonlySet<T> {
  const next = new Set(values);
  if (!next.delete(value)) next.add(value);
  return next;
}

export const toggle = <Id extends string>(selection: Selection<Id>, id: Id): Selection<Id> => ({
  ids: toggled(selection.ids, id),
  cursor: id,
  anchor: id,
});

export const moveTo = <Id extends string>(selection: Selection<Id>, id: Id): Selection<Id> => ({
  ...selection,
  cursor: id,
  anchor: id,
});

export function extendTo<Id extends string>(
  selection: Selection<Id>,
  id: Id,
  shown: readonly Id[],
): Selection<Id> {
  const to = shown.indexOf(id);
  const start = selection.anchor ?? selection.cursor;
  const from = start === null ? -1 : shown.indexOf(start);
  if (to < 0) return selection;
  const [first, last] = from < 0 ? [to, to] : [Math.min(from, to), Math.max(from, to)];
  const ids = new Set(selection.ids);
  for (let i = first; i <= last; i++) ids.add(shown[i]!);
  return { ids, cursor: id, anchor: from < 0 ? id : start };
}

export const selectAll = <Id extends string>(
  selection: Selection<Id>,
  shown: readonly Id[],
): Selection<Id> => ({
  ...selection,
  ids: new Set([...selection.ids, ...shown]),
});

export const selectNone = <Id extends string>(selection: Selection<Id>): Selection<Id> => ({
  ...selection,
  ids: new Set(),
});

/** Removes rows that no longer exist; returns the same object if none was removed. */
export function prune<Id extends string>(selection: Selection<Id>, present: ReadonlySet<Id>): Selection<Id> {
  const here = (id: Id | null): Id | null => (id !== null && present.has(id) ? id : null);
  const ids = new Set([...selection.ids].filter((id) => present.has(id)));
  const next = { ids, cursor: here(selection.cursor), anchor: here(selection.anchor) };
  const same =
    ids.size === selection.ids.size && next.cursor === selection.cursor && next.anchor === selection.anchor;
  return same ? selection : next;
}

export function shownState<Id extends string>(
  ids: ReadonlySet<Id>,
  shown: readonly Id[],
): "none" | "some" | "all" {
  if (ids.size === 0 || shown.length === 0) return "none";
  const count = shown.reduce((sum, id) => sum + Number(ids.has(id)), 0);
  return count === 0 ? "none" : count === shown.length ? "all" : "some";
}

/** The index to which a key moves the cursor among `count` rows, from `at` (-1: none); null for other keys. */
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
