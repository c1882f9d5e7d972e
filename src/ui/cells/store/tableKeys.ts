/** @file What a key does in the fact table. */

import type { FactId } from "../../../records/ids.ts";
import { cursorAfter, extendTo, moveTo, selectAll, selectNone, toggle, type Selection } from "./selection.ts";

export type TableAction =
  | { readonly kind: "select"; readonly selection: Selection; readonly scrollTo: number | null }
  | { readonly kind: "inspect"; readonly id: FactId }
  | { readonly kind: "sentence"; readonly id: FactId }
  | { readonly kind: "delete"; readonly ids: readonly FactId[] };

/** The part of a keyboard event that decides. */
export interface Keystroke {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

/** `shown`: the facts in the order of the table; `page`: rows in sight. Null: the key is not the table's. */
export function tableAction(
  keystroke: Keystroke,
  selection: Selection,
  shown: readonly FactId[],
  page: number,
): TableAction | null {
  const { key, shiftKey } = keystroke;
  const [cursor, command] = [selection.cursor, keystroke.ctrlKey || keystroke.metaKey];
  const select = (next: Selection, scrollTo: number | null = null): TableAction => ({
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
  if (cursor !== null && key === "Enter") return { kind: "inspect", id: cursor };
  if (cursor !== null && key === "o") return { kind: "sentence", id: cursor };
  const at = cursor === null ? -1 : shown.indexOf(cursor);
  const to = cursorAfter(key, at, shown.length, page);
  if (to === null) return null;
  const id = shown[to]!;
  return select(shiftKey ? extendTo(selection, id, shown) : moveTo(selection, id), to);
}
