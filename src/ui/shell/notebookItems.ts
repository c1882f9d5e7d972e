/** @file What one can do to notebooks, as entries of a menu, and the run that goes on now. An entry that makes no sense is false. */

import { currentOf, useActions, useApp, useAppState, useCanWrite, useServices } from "../app.tsx";
import type { MenuItem } from "../controls/Menu.tsx";
import { attempt, toast, saveFile } from "../controls/page.ts";
import { age, counted } from "../format.ts";
import { describe } from "../../notebook/history.ts";
import type { NotebookInfo } from "../../service/library/notebooks.ts";
import { EXAMPLE_ID } from "../../notebook/example.ts";
import { fileName } from "../cells/memory/exportFacts.ts";
import { useMemo } from "react";
import type { Cell, Notebook } from "../../records/notebook.ts";
import { isBegun, type Begun } from "../../state/going.ts";

type Items = readonly (MenuItem | false)[];

const SHOWN = 12;

export function useNotebooks(): Items {
  const id = useApp(currentOf)?.notebook.id ?? null;
  const list = useApp((state) => state.list);
  const { openNotebook, exportSaved } = useActions();
  const save = async ({ id: of, title }: NotebookInfo): Promise<void> =>
    saveFile(fileName(title, "palimpsest.json"), await exportSaved(of), "application/json");
  const open = (info: NotebookInfo): Promise<void> =>
    openNotebook(info.id).catch((error: unknown) => {
      const onClick = (): void => void attempt(() => save(info));
      toast.failed((error as Error).message, { label: "Export it as it is", onClick });
    });
  return list.slice(0, SHOWN).map((info) => ({
    label: info.title || "Untitled notebook",
    note: `${counted(info.cells, "cell")}, ${age(info.updated, Date.now())}`,
    icon: "book",
    checked: info.id === id,
    onSelect: () => void open(info),
  }));
}

export function useSteps(): Items {
  const history = useApp(currentOf)?.history;
  const { undo, redo } = useActions();
  const disabled = !useCanWrite();
  const [back, forth] = [history?.undo.at(-1), history?.redo.at(-1)];
  return [
    back !== undefined && {
      label: `Undo: ${describe(back)}`,
      icon: "undo",
      keys: "Z",
      disabled,
      onSelect: undo,
    },
    forth !== undefined && {
      label: `Redo: ${describe(forth)}`,
      icon: "redo",
      keys: "Shift Z",
      disabled,
      onSelect: redo,
    },
  ];
}

/** Notebooks that are not there yet. */
export function useMaking(): Items {
  const id = useApp(currentOf)?.notebook.id ?? null;
  const hasExample = useApp(({ list }) => list.some((info) => info.id === EXAMPLE_ID));
  const { createNotebook, createEmptyNotebook, openExample, duplicateNotebook } = useActions();
  const canWrite = useCanWrite();
  return [
    canWrite && { label: "New notebook", icon: "plus", onSelect: () => void attempt(createNotebook) },
    canWrite && { label: "Empty notebook", icon: "edit", onSelect: () => void attempt(createEmptyNotebook) },
    !hasExample && {
      label: "The worked example",
      icon: "book",
      onSelect: () => void attempt(openExample),
    },
    canWrite &&
      id !== null && {
        label: "Duplicate this one",
        icon: "copy",
        note: "Without its memory",
        onSelect: () => void attempt(() => duplicateNotebook(id)),
      },
  ];
}

export function useExports(): Items {
  const current = useApp(currentOf);
  const { exportNotebook } = useActions();
  const { exportPage, exportFigures } = useReport();
  return [
    {
      label: "Export as a file",
      icon: "download",
      note: "Without the memory: the Memory cell exports that",
      onSelect: () =>
        void attempt(() =>
          saveFile(
            fileName(current?.notebook.title ?? "", "palimpsest.json"),
            exportNotebook(),
            "application/json",
          ),
        ),
    },
    current !== null && {
      label: "Export as a page",
      icon: "file",
      note: "One HTML file that needs no network",
      onSelect: () => void attempt(exportPage),
    },
    current !== null && {
      label: "Figures as files",
      icon: "download",
      note: "SVG, PNG and CSV in one archive",
      onSelect: () => void attempt(exportFigures),
    },
  ];
}

function useReport() {
  const sources = { state: useAppState(), actions: useActions(), ...useServices() };
  const load = (): Promise<typeof import("../report/exportReport.ts")> => {
    toast.said("Drawing the figures …");
    return import("../report/exportReport.ts");
  };
  return {
    exportPage: async (): Promise<void> => (await load()).exportPage(sources),
    exportFigures: async (): Promise<void> => {
      const count = await (await load()).exportFigures(sources);
      if (count === 0) toast.said("This notebook has no figures yet: run its cells first.");
    },
  };
}

/** Removes the notebook on the page, until that is taken back. */
export function useRemoving(): MenuItem | false {
  const notebook = useApp(currentOf)?.notebook;
  const { removeNotebook } = useActions();
  const canWrite = useCanWrite();
  const remove = ({ id, title }: { readonly id: string; readonly title: string }): void => {
    const undo = removeNotebook(id);
    toast.undoable(`“${title || "Untitled notebook"}” was removed.`, () => void attempt(undo));
  };
  return (
    canWrite &&
    notebook !== undefined && {
      label: "Remove this notebook",
      icon: "trash",
      danger: true,
      onSelect: () => remove(notebook),
    }
  );
}

export interface GoingRun {
  readonly cell: Cell;
  readonly notebook: Notebook;
  readonly run: Begun;
  readonly here: boolean;
  readonly waiting: number;
}

export function useGoing(): GoingRun | null {
  const runs = useApp((state) => state.runs);
  const open = useApp((state) => state.open);
  const currentId = useApp((state) => state.currentId);
  return useMemo(() => {
    const waiting = Object.values(runs).filter(({ status }) => status === "queued").length;
    for (const { notebook } of Object.values(open))
      for (const cell of notebook.cells) {
        const run = runs[cell.id];
        if (isBegun(run)) return { cell, notebook, run, here: notebook.id === currentId, waiting };
      }
    return null;
  }, [runs, open, currentId]);
}
