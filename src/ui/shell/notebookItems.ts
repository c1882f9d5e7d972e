/** @file The menu of notebooks, and the run that goes on now. An entry that makes no sense now is false. */

import { useMemo } from "react";
import { EXAMPLE_ID } from "../../notebook/file.ts";
import { describe } from "../../notebook/edits.ts";
import type { Cell, Notebook } from "../../records/notebook.ts";
import type { NotebookInfo } from "../../service/library/libraryService.ts";
import { isBegun, type Begun } from "../../state/runs.ts";
import { currentOf, useActions, useApp, useAppState, useCanWrite, useServices } from "../app.tsx";
import type { MenuItem } from "../controls/Dialog.tsx";
import { fileName, attempt, toast, saveFile, openPaper, openPresentation } from "../controls/page.ts";
import { age, counted } from "../format.ts";

type Items = readonly (MenuItem | false)[];

const SHOWN = 12;

const saveNotebook = (title: string, text: string): void =>
  saveFile(fileName(title, "palimpsest.json"), text, "application/json");

export function useNotebookItems(onImport: () => void): readonly Items[] {
  const { notebook, history } = useApp(currentOf) ?? {};
  const list = useApp((state) => state.list);
  const actions = useActions();
  const canWrite = useCanWrite();
  const { exportPage, exportFigures } = useReport();
  const id = notebook?.id;
  const attempting = (work: () => unknown) => (): void => void attempt(work);
  const open = (info: NotebookInfo): Promise<void> =>
    actions.openNotebook(info.id).catch((error: unknown) => {
      const save = async (): Promise<void> => saveNotebook(info.title, await actions.exportSaved(info.id));
      toast.failed((error as Error).message, { label: "Export it as it is", onClick: attempting(save) });
    });
  const notebooks = list.slice(0, SHOWN).map((info): MenuItem => ({
    label: info.title || "Untitled notebook",
    note: `${counted(info.cells, "cell")}, ${age(info.updated, Date.now())}`,
    icon: "book",
    checked: info.id === id,
    onSelect: () => void open(info),
  }));
  const step = (name: "undo" | "redo", word: string, keys: string): MenuItem | false => {
    const edit = history?.[name].at(-1);
    const item = { icon: name, keys, onSelect: actions[name], disabled: !canWrite };
    return edit !== undefined && { label: `${word}: ${describe(edit)}`, ...item };
  };
  const steps: Items = [step("undo", "Undo", "Z"), step("redo", "Redo", "Shift Z")];
  const making: Items = [
    canWrite && { label: "New notebook", icon: "plus", onSelect: attempting(actions.createNotebook) },
    canWrite && { label: "Empty notebook", icon: "edit", onSelect: attempting(actions.createEmptyNotebook) },
    !list.some((info) => info.id === EXAMPLE_ID) && {
      label: "The worked example",
      icon: "book",
      onSelect: attempting(actions.openExample),
    },
    canWrite &&
      id !== undefined && {
        label: "Duplicate this one",
        icon: "copy",
        note: "Without its memory",
        onSelect: attempting(() => actions.duplicateNotebook(id)),
      },
  ];
  const files: Items = [
    {
      label: "Export as a file",
      icon: "download",
      note: "Without the memory: the Memory cell exports that",
      onSelect: attempting(() => saveNotebook(notebook?.title ?? "", actions.exportNotebook())),
    },
    notebook !== undefined && {
      label: "Export as a page",
      icon: "file",
      note: "One HTML file that needs no network",
      onSelect: attempting(exportPage),
    },
    notebook !== undefined && {
      label: "Figures as files",
      icon: "download",
      note: "SVG, PNG and CSV in one archive",
      onSelect: attempting(exportFigures),
    },
    canWrite && { label: "Import a file", icon: "upload", onSelect: onImport },
  ];
  const paper: MenuItem = {
    label: "The paper",
    note: "Its tables, and what comes out here",
    icon: "file",
    onSelect: openPaper,
  };
  const removing = canWrite &&
    notebook !== undefined && {
      label: "Remove this notebook",
      icon: "trash" as const,
      danger: true,
      onSelect: () => {
        const undo = actions.removeNotebook(notebook.id);
        toast.undoable(`“${notebook.title || "Untitled notebook"}” was removed.`, attempting(undo));
      },
    };
  const talk: MenuItem = {
    label: "Present",
    note: "The story alone, one step at a time",
    icon: "system",
    keys: "P",
    onSelect: openPresentation,
  };
  return [notebooks, steps, [...making, ...files], [notebook !== undefined && talk, paper], [removing]];
}

function useReport() {
  const sources = { state: useAppState(), actions: useActions(), ...useServices() };
  const load = (): Promise<typeof import("../report/exportReport.tsx")> => {
    toast.said("Drawing the figures …");
    return import("../report/exportReport.tsx");
  };
  return {
    exportPage: async (): Promise<void> => (await load()).exportPage(sources),
    exportFigures: async (): Promise<void> => {
      const count = await (await load()).exportFigures(sources);
      if (count === 0) toast.said("This notebook has no figures yet: run its cells first.");
    },
  };
}

export interface GoingRun {
  readonly cell: Cell;
  readonly notebook: Notebook;
  readonly run: Begun;
  readonly here: boolean;
}

export function useGoing(): GoingRun | null {
  const runs = useApp((state) => state.runs);
  const open = useApp((state) => state.open);
  const currentId = useApp((state) => state.currentId);
  return useMemo(() => {
    for (const { notebook } of Object.values(open))
      for (const cell of notebook.cells) {
        const run = runs[cell.id];
        if (isBegun(run)) return { cell, notebook, run, here: notebook.id === currentId };
      }
    return null;
  }, [runs, open, currentId]);
}
