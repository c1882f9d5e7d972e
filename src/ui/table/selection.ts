/**
 * @file Which rows are selected, and where the keyboard is. Positions are those of the rows shown; what is selected is
 * kept by id, so that sorting and filtering lose nothing.
 */

export interface Selection<Id extends string> {
  readonly ids: ReadonlySet<Id>;
  /** The row that has the keyboard; null before the first click or key. */
  readonly cursor: Id | null;
  /** Where a range starts. */
  readonly anchor: Id | null;
}

export const NOTHING: Selection<never> = { ids: new Set(), cursor: null, anchor: null };

/** `values` with `value` put in, or taken out where it was in. */
export function toggled<T>(values: ReadonlySet<T>, value: T): ReadonlySet<T> {
  const next = new Set(values);
  if (!next.delete(value)) next.add(value);
  return next;
}

/** A plain click on a row's box, or Space: puts it in or takes it out, and starts a range there. */
export const toggle = <Id extends string>(selection: Selection<Id>, id: Id): Selection<Id> => ({
  ids: toggled(selection.ids, id),
  cursor: id,
  anchor: id,
});

/** The keyboard goes to `id`; what is selected stays. */
export const moveTo = <Id extends string>(selection: Selection<Id>, id: Id): Selection<Id> => ({
  ...selection,
  cursor: id,
  anchor: id,
});

/** A click with Shift, or an arrow with Shift: all of `shown` from the range's start to `id` are added. */
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

/** Every row shown is added. */
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

/** Without facts that are no longer there; the same object where nothing went. */
export function prune<Id extends string>(selection: Selection<Id>, present: ReadonlySet<Id>): Selection<Id> {
  const here = (id: Id | null): Id | null => (id !== null && present.has(id) ? id : null);
  const ids = new Set([...selection.ids].filter((id) => present.has(id)));
  const next = { ids, cursor: here(selection.cursor), anchor: here(selection.anchor) };
  const same =
    ids.size === selection.ids.size && next.cursor === selection.cursor && next.anchor === selection.anchor;
  return same ? selection : next;
}

/** How much of what is shown is selected, for the box above the rows. */
export function shownState<Id extends string>(
  ids: ReadonlySet<Id>,
  shown: readonly Id[],
): "none" | "some" | "all" {
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
