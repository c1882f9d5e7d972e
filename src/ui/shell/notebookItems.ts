/** @file What one can do with notebooks: the items of the menu, and the keys of the page. */

import { useMemo } from "react";
import { EXAMPLE_ID } from "../../notebook/file.ts";
import { DESCRIPTIONS } from "../../notebook/edits.ts";
import type { Cell, Notebook } from "../../records/notebook.ts";
import type { NotebookInfo } from "../../service/library/libraryService.ts";
import { isBegun, type Begun } from "../../state/runs.ts";
import { currentOf, useActions, useApp, useAppState, useCanWrite, useServices } from "../app.tsx";
import type { MenuItem } from "../controls/Dialog.tsx";
import {
  fileName,
  attempt,
  toast,
  saveFile,
  openPaper,
  openPresentation,
  goToCell,
  isEditable,
} from "../controls/page.ts";
import { useWindowEvent } from "../controls/useAsync.tsx";
import { age, counted } from "../format.ts";
import type { Actions } from "../../state/app.ts";
import { moveTo, remove } from "../cells/frame/CellFrame.tsx";

type Items = readonly (MenuItem | false)[];

const SHOWN = 12;

const saveNotebook = (title: string, text: string): void =>
  saveFile(fileName(title, "palimpsest.json"), text, "application/json");

export function useNotebookItems(onImport: () => void): readonly Items[] {
  const { notebook, history } = useApp(currentOf) ?? {};
  const list = useApp((state) => state.list);
  const actions = useActions();
  const canWrite = useCanWrite();
  const stored = useApp(({ memory }) => (memory.info?.facts ?? 0) > 0);
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
    return edit !== undefined && { label: `${word}: ${DESCRIPTIONS[edit.kind]}`, ...item };
  };
  const steps: Items = [step("undo", "Undo", "Z"), step("redo", "Redo", "Shift Z")];
  const making: Items = [
    canWrite && {
      label: "New notebook",
      note: "With a cell for each step, from the text to the answer",
      icon: "plus",
      onSelect: attempting(actions.createNotebook),
    },
    canWrite && {
      label: "Empty notebook",
      note: "One note; you add the cells",
      icon: "edit",
      onSelect: attempting(actions.createEmptyNotebook),
    },
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
      label: "Export with its memory",
      icon: "download",
      note: stored ? "One .palimpsest file; drop it on the page to open it" : "Nothing is memorised here yet",
      disabled: !stored,
      onSelect: attempting(async () =>
        saveFile(
          fileName(notebook?.title ?? "", "palimpsest"),
          await actions.exportWhole(),
          "application/zip",
        ),
      ),
    },
    {
      label: "Export without its memory",
      icon: "download",
      note: "Cells and answers as JSON",
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
    canWrite && {
      label: "Open a file",
      icon: "upload",
      note: "A notebook or memory that Palimpsest exported",
      onSelect: onImport,
    },
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

export const KEYS: readonly (readonly [string, string])[] = [
  ["Shift + Enter", "Run the cell and go to the next one"],
  ["Ctrl + Enter", "Run the cell"],
  ["J or ↓", "Next cell"],
  ["K or ↑", "Previous cell"],
  ["Enter", "Into the cell"],
  ["Esc", "Out of the cell; close what is open"],
  ["A", "Add a cell above"],
  ["B", "Add a cell below"],
  ["Alt + ↑ / ↓", "Move the cell"],
  ["D", "Remove the cell (it can be brought back)"],
  ["Z", "Undo"],
  ["Shift + Z", "Redo"],
  ["X", "Stop the cell"],
  ["Ctrl + K", "Go to a cell, find a word, or do something"],
  ["P", "Present: the story alone, one step at a time"],
  ["?", "This sheet"],
];

export const PALETTE_EVENT = "palimpsest:palette";

export const HELP_EVENT = "palimpsest:keys";

export function useKeys(): void {
  const actions = useActions();
  const state = useAppState();
  useWindowEvent("keydown", (event: KeyboardEvent) => {
    const notebook = currentOf(state())?.notebook;
    if (!notebook || event.defaultPrevented) return;
    const frame = (event.target as Element).closest<HTMLElement>("[data-cell]");
    const inCell = frame?.dataset["cell"] ?? null;
    const id = inCell ?? state().selected;
    const at = notebook.cells.findIndex((cell) => cell.id === id);
    const canWrite = state().lock.role !== "reader";
    const act = actionFor(event, { actions, cells: notebook.cells, at, id, inCell, canWrite });
    if (!act) return;
    // Escape keeps its own meaning in a field.
    if (event.key !== "Escape") event.preventDefault();
    act();
  });
}

interface Place {
  readonly actions: Actions;
  readonly cells: readonly Cell[];
  readonly at: number;
  readonly id: string | null;
  readonly inCell: string | null;
  readonly canWrite: boolean;
}

type Act = (() => void) | null;

/** The action of a key here; null for its default. */
function actionFor(event: KeyboardEvent, place: Place): Act {
  const { actions, id, inCell } = place;
  const command = event.ctrlKey || event.metaKey;
  if (command && event.key.toLowerCase() === "k") return () => dispatchEvent(new Event(PALETTE_EVENT));
  if (event.key === "Enter" && id && (event.shiftKey || command))
    return () => {
      void actions.runCell(id);
      if (event.shiftKey) step(place, 1);
    };
  if (isEditable(event.target)) return event.key === "Escape" && inCell ? () => goToCell(inCell) : null;
  if (inWidget(event.target)) return null;
  if (command) return event.key.toLowerCase() === "z" ? (event.shiftKey ? actions.redo : actions.undo) : null;
  return event.altKey ? moved(event.key, place) : plain(event, place);
}

function moved(key: string, { actions, cells, at }: Place): Act {
  const cell = cells[at];
  const by = key === "ArrowUp" ? -1 : key === "ArrowDown" ? 1 : 0;
  return cell && by !== 0 ? () => moveTo(actions, cell, at + by, cells.length) : null;
}

function plain({ key, shiftKey, target }: KeyboardEvent, place: Place): Act {
  const { actions, cells, at, id, inCell, canWrite } = place;
  const cell = cells[at];
  const frame = target as HTMLElement;
  const keys: Readonly<Record<string, Act>> = {
    j: () => step(place, 1),
    ArrowDown: inCell ? () => step(place, 1) : null,
    k: () => step(place, -1),
    ArrowUp: inCell ? () => step(place, -1) : null,
    Enter: inCell && frame.dataset["cell"] === inCell ? () => enter(frame) : null,
    a: () => openAdd(cell ? at : cells.length),
    b: () => openAdd(cell ? at + 1 : cells.length),
    d: cell && canWrite ? () => remove(actions, cell, cells) : null,
    x: id ? () => actions.cancelCell(id) : null,
    z: actions.undo,
    Z: shiftKey ? actions.redo : null,
    p: openPresentation,
    "?": () => dispatchEvent(new Event(HELP_EVENT)),
  };
  return keys[key] ?? null;
}

function step({ actions, cells, at }: Place, by: number): void {
  const next = cells[Math.max(0, Math.min(cells.length - 1, at + by))];
  if (!next) return;
  actions.select(next.id);
  goToCell(next.id);
}

function enter(frame: HTMLElement): void {
  frame
    .querySelector<HTMLElement>(
      ["textarea", "input:not([type=file])", '[tabindex="0"]', "button"]
        .map((one) => `[data-body] ${one}`)
        .join(", "),
    )
    ?.focus();
}

function openAdd(index: number): void {
  const button = document.querySelector<HTMLElement>(`[data-add-at="${index}"] button`);
  button?.focus();
  // Radix opens its menus with the keyboard, and with the pointer, not with click().
  button?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
}

const inWidget = (target: EventTarget | null): boolean =>
  Boolean(
    (target as Element | null)?.closest?.(
      '[role="menu"], [role="listbox"], [role="dialog"], [role="grid"], [role="slider"], [role="tree"], [data-own-keys]',
    ),
  );
