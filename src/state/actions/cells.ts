/** @file What can be done with the cells of the open notebook; a reader changes nothing. */

import { newCell } from "../../notebook/create.ts";
import type { Cell, CellKind, CellOfKind } from "../../records/notebook.ts";
import { canWrite, cellOf, currentNotebook, findCell, putOutput, set, type Core } from "../core.ts";
import { edit } from "../notebooks.ts";
import type { Queue } from "../runs.ts";

const inputOf = <C extends Cell>(cell: C): C["input"] => cell.input;

export const cellActions = (core: Core, queue: Queue) => ({
  setTitle: (title: string): void => edit(core, { kind: "title", title }),
  /** Adds a cell of `kind` at `index` (the end without one); the new cell's id, or null for a reader or where there is no room. */
  addCell(kind: CellKind, index = currentNotebook(core).cells.length): string | null {
    if (!canWrite(core)) return null;
    const cell = newCell(kind, core.deps.newId());
    edit(core, { kind: "add", cell, index });
    if (!findCell(core, cell.id)) return null;
    set(core, { selected: cell.id });
    return cell.id;
  },
  removeCell(id: string): void {
    queue.cancel(id);
    edit(core, { kind: "remove", id });
  },
  moveCell: (id: string, index: number): void => edit(core, { kind: "move", id, index }),
  duplicateCell(id: string): void {
    const { cells } = currentNotebook(core);
    const index = cells.findIndex((cell) => cell.id === id);
    const cell = cells[index];
    if (cell) edit(core, { kind: "add", cell: { ...cell, id: core.deps.newId() }, index: index + 1 });
  },
  renameCell: (id: string, title: string): void => edit(core, { kind: "rename", id, title }),
  /** Changes what the user set in a cell; its output stays and is marked stale. */
  setInput<K extends CellKind>(
    id: string,
    kind: K,
    change: (input: CellOfKind<K>["input"]) => CellOfKind<K>["input"],
  ): void {
    edit(core, { kind: "input", id, input: change(inputOf(cellOf(core, id, kind))) });
  },
  /** Changes what the runs of a cell left, e.g. takes one answer out; not a step of the history. */
  setOutput<K extends CellKind>(
    id: string,
    kind: K,
    change: (cell: CellOfKind<K>) => CellOfKind<K>["output"],
  ): void {
    cellOf(core, id, kind);
    if (canWrite(core)) putOutput<K>(core, id, change);
  },
});
