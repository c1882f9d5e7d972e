/** @file The actions of keys in a grid. */

import { cursorAfter, extendTo, moveTo, selectAll, selectNone, toggle, type Selection } from "./selection.ts";

export type GridAction<Id extends string> =
  | { readonly kind: "select"; readonly selection: Selection<Id>; readonly scrollTo: number | null }
  | { readonly kind: "open"; readonly id: Id }
  | { readonly kind: "parts"; readonly id: Id }
  | { readonly kind: "delete"; readonly ids: readonly Id[] };

/** The relevant part of a keyboard event. */
export interface Keystroke {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

/**
 * @param shown ids of the rows in their order
 * @param page number of visible rows
 * @param open whether the parts of the current row are open; null if it has no parts
 * @returns null if the key means nothing in a grid
 */
export function gridAction<Id extends string>(
  keystroke: Keystroke,
  selection: Selection<Id>,
  shown: readonly Id[],
  page: number,
  open: boolean | null = null,
): GridAction<Id> | null {
  const { key, shiftKey } = keystroke;
  const [cursor, command] = [selection.cursor, keystroke.ctrlKey || keystroke.metaKey];
  const select = (next: Selection<Id>, scrollTo: number | null = null): GridAction<Id> => ({
    kind: "select",
    selection: next,
    scrollTo,
  });
  if (command) return key.toLowerCase() === "a" ? select(selectAll(selection, shown)) : null;
  if (key === "Escape") return selection.ids.size > 0 ? select(selectNone(selection)) : null;
  if (key === "Delete" || key === "Backspace") {
    const ids = selection.ids.size > 0 ? [...selection.ids] : cursor === null ? [] : [cursor];
    return ids.length > 0 ? { kind: "delete", ids } : null;
  }
  if (cursor !== null && (key === " " || key === "x")) return select(toggle(selection, cursor));
  if (cursor !== null && key === "Enter") return { kind: "open", id: cursor };
  if (cursor !== null && open !== null && key === (open ? "ArrowLeft" : "ArrowRight"))
    return { kind: "parts", id: cursor };
  const at = cursor === null ? -1 : shown.indexOf(cursor);
  const to = cursorAfter(key, at, shown.length, page);
  if (to === null) return null;
  const id = shown[to]!;
  return select(shiftKey ? extendTo(selection, id, shown) : moveTo(selection, id), to);
}
