/** @file What the fact panel knows of its fact, and what it can do with it. */

import { useCallback, useEffect, useMemo } from "react";
import type { Source } from "../../../figures/figure.ts";
import type { FactId } from "../../../records/ids.ts";
import { modelTag } from "../../../records/memory.ts";
import type { Cell, FactRow, Notebook } from "../../../records/notebook.ts";
import { currentOf, useActions, useApp } from "../../app.tsx";
import { useReadOnly } from "../../facts/useFactActions.ts";
import { keyText } from "../../../records/fact.ts";
import { factOrder } from "./order.ts";

export interface FactTools {
  readonly notebook: Notebook;
  readonly row: FactRow;
  /** Id of the memory, which is the notebook's. */
  readonly memory: string;
  /** The cell in whose name the model is opened and the memory changed. */
  readonly cellId: string;
  /** The memory cell, where certificates and changes are kept; null where the notebook has none. */
  readonly storeId: string | null;
  /** Why the fact cannot be changed or is not in this browser; null if it can. */
  readonly readOnly: string | null;
  /** The rows are those of the saved example: the memory itself is not here. */
  readonly saved: boolean;
  readonly modelOpen: boolean;
  readonly openModel: () => Promise<boolean>;
  /** Where figures of now come from. */
  readonly source: (run: string) => Source;
}

/** The facts of the open notebook; null until they have been read. */
export function useRows(): readonly FactRow[] | null {
  const { loadFacts } = useActions();
  const rows = useApp(({ memory }) => memory.facts);
  const info = useApp(({ memory }) => memory.info);
  const id = useApp(({ currentId }) => currentId);
  useEffect(() => {
    if (id) void loadFacts();
  }, [id, info, loadFacts]);
  return rows;
}

/** Ids in the order in which the panel steps. */
export function useFactOrder(id: FactId): readonly FactId[] {
  const rows = useApp(({ memory }) => memory.facts);
  const leaving = useApp(({ memory }) => memory.leaving);
  const cells = useApp((state) => currentOf(state)?.notebook.cells);
  return useMemo(() => {
    const store = cells?.find((cell) => cell.kind === "store");
    return rows && id ? factOrder(rows, leaving, store?.kind === "store" ? store.input : null, id) : [];
  }, [rows, leaving, cells, id]);
}

export function useFactTools(notebook: Notebook, row: FactRow): FactTools {
  const { ensureModel } = useActions();
  const readOnly = useReadOnly();
  const saved = useApp(({ memory }) => memory.fromExample);
  const model = useApp(({ device }) => device.model);
  const cellId = workingCell(notebook)?.id ?? "";
  const openModel = useCallback(() => ensureModel(cellId), [ensureModel, cellId]);
  const storeId = notebook.cells.find(({ kind }) => kind === "store")?.id ?? null;
  return useMemo(
    () => ({
      notebook,
      row,
      memory: notebook.id,
      cellId,
      storeId,
      readOnly,
      saved,
      modelOpen: model !== null,
      openModel,
      source: (run) => ({
        run: `${run} of ${keyText(row)}`,
        at: new Date().toISOString(),
        backend: model?.device.backend ?? "",
        model: model ? modelTag(model.identity) : "",
        app: "",
      }),
    }),
    [notebook, row, cellId, storeId, readOnly, saved, model, openModel],
  );
}

/** The cell of the memory: its store cell, otherwise any cell that runs. */
function workingCell({ cells }: Notebook): Cell | undefined {
  for (const kind of ["store", "memorize", "ask", "model"] as const) {
    const cell = cells.find((one) => one.kind === kind);
    if (cell) return cell;
  }
  return cells[0];
}
