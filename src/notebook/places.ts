/** @file Which cells belong together, by their position in a notebook. */

import type { DocumentId } from "../records/ids.ts";
import type { MemoryHead } from "../records/memory.ts";
import type { Cell, CellKind, CellOfKind, Notebook } from "../records/notebook.ts";

export const cellsOf = <K extends CellKind>({ cells }: Pick<Notebook, "cells">, kind: K): CellOfKind<K>[] =>
  cells.filter((cell): cell is CellOfKind<K> => cell.kind === kind);

export const firstOf = <K extends CellKind>(
  notebook: Pick<Notebook, "cells">,
  kind: K,
): CellOfKind<K> | null => cellsOf(notebook, kind)[0] ?? null;

/** Whether a notebook has the cells to memorise a text and ask, and no text yet. */
export const isBlank = (notebook: Pick<Notebook, "cells">): boolean =>
  firstOf(notebook, "memorize")?.output === null &&
  firstOf(notebook, "ask")?.output === null &&
  firstOf(notebook, "source") !== null &&
  cellsOf(notebook, "source").every(({ input }) => input.documents.length === 0);

/** The model cell whose model `cell` uses: the nearest above it, otherwise the first of the notebook. */
export const modelCellFor = (notebook: Notebook, cellId: string): CellOfKind<"model"> | null =>
  cellsOf(above(notebook, cellId), "model").at(-1) ?? firstOf(notebook, "model");

/** The memorise cell whose text embedder `cell` uses: itself, otherwise the nearest above it, otherwise the first. */
export const embedderCellFor = (notebook: Notebook, cellId: string): CellOfKind<"memorize"> | null => {
  const { cells } = notebook;
  const upTo = { cells: cells.slice(0, indexOf(notebook, cellId) + 1) };
  return cellsOf(upTo, "memorize").at(-1) ?? firstOf(notebook, "memorize");
};

export const sourceCellsFor = (notebook: Notebook, cellId: string): CellOfKind<"source">[] =>
  cellsOf(above(notebook, cellId), "source");

export const memorizeCellBelow = (notebook: Notebook, cellId: string): CellOfKind<"memorize"> | null =>
  firstOf({ cells: notebook.cells.slice(indexOf(notebook, cellId) + 1) }, "memorize");

export const isInterrupted = ({ pending }: Pick<MemoryHead, "pending">): boolean => pending > 0;

/**
 * The memorise cell whose run was interrupted: the first below the source cell with the memory's latest text, otherwise the
 * first of the notebook.
 */
export function interruptedCell(
  notebook: Notebook,
  { sources }: { readonly sources: readonly { readonly id: DocumentId }[] },
): CellOfKind<"memorize"> | null {
  const latest = sources.at(-1)?.id;
  const listing = cellsOf(notebook, "source").find(({ input }) =>
    input.documents.some(({ id }) => id === latest),
  );
  return (listing && memorizeCellBelow(notebook, listing.id)) ?? firstOf(notebook, "memorize");
}

const above = (notebook: Notebook, cellId: string): { readonly cells: readonly Cell[] } => ({
  cells: notebook.cells.slice(0, indexOf(notebook, cellId)),
});

const indexOf = ({ cells }: Notebook, cellId: string): number => cells.findIndex(({ id }) => id === cellId);
