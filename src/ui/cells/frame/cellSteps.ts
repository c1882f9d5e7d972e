/** @file Steps with a cell that a menu and a key both take. */

import { cellTitle } from "../../../notebook/kinds.ts";
import type { Cell } from "../../../records/notebook.ts";
import type { Actions } from "../../../state/app.ts";
import { toast, announce } from "../../controls/toasts.ts";
import { goToCell } from "../../controls/goToCell.ts";

export function moveTo(actions: Actions, cell: Cell, to: number, count: number): void {
  if (to < 0 || to >= count) return;
  actions.moveCell(cell.id, to);
  goToCell(cell.id);
  announce(`${cellTitle(cell)} is now cell ${to + 1} of ${count}.`);
}

/** Removes a cell, offers to bring it back, and goes to its neighbour, so that the keys still act on something. */
export function remove(actions: Actions, cell: Cell, cells: readonly Cell[]): void {
  const at = cells.findIndex(({ id }) => id === cell.id);
  const neighbour = cells[at + 1] ?? cells[at - 1];
  actions.removeCell(cell.id);
  toast.undoable(`${cellTitle(cell)} was removed.`, actions.undo);
  if (!neighbour) return;
  actions.select(neighbour.id);
  goToCell(neighbour.id);
}
