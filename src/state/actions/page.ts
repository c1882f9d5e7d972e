/** @file What is on the page: its theme, what is selected, which notebook is open, and texts on their way in. */

import { readNotebookFile, writeNotebookFile } from "../../notebook/file.ts";
import type { DocumentId } from "../../records/ids.ts";
import { withoutWords } from "../../notebook/clearWords.ts";
import { EMPTY_HISTORY } from "../../notebook/edits.ts";
import {
  canWrite,
  cellOf,
  currentNotebook,
  findCell,
  get,
  patchNotebook,
  putOutput,
  set,
  type Core,
} from "../core.ts";
import { markGpuLoad } from "../run/model.ts";
import * as notebooks from "../notebooks.ts";
import { edit } from "../notebooks.ts";
import { addFiles, dropItem, forgetTexts, readAgain, retryItem, type IncomingFile } from "../run/source.ts";
import type { InspectorTarget, Theme } from "../types.ts";
import { newCell } from "../../notebook/create.ts";
import { firstOf, isBlank } from "../../notebook/places.ts";
import type { Cell, CellKind, CellOfKind } from "../../records/notebook.ts";
import type { Queue } from "../runs.ts";

export const pageActions = (core: Core) => ({
  setTheme: (theme: Theme): void => setTheme(core, theme),
  takeOver: async (): Promise<void> => core.tab.lock?.takeOver(),
  select: (cellId: string | null): void => set(core, { selected: cellId }),
  inspect: (target: InspectorTarget | null): void => set(core, { inspector: target }),
  /** The person leaves the page: a load under way was not ended by the browser. */
  leave: (): void => markGpuLoad(core, false),
  sayNewVersion: (): void => set(core, { notice: NEW_VERSION }),
  dismissNotice: (): void => set(core, { notice: null }),
});

const NEW_VERSION =
  "A part of this page could not be fetched: a newer version of Palimpsest was probably installed since you opened it, or the network is gone. Your work is saved. Reload the page to continue.";

export const notebookActions = (core: Core) => ({
  openNotebook: (id: string) => notebooks.open(core, id),
  openExample: () => notebooks.openExample(core),
  createNotebook: () => notebooks.create(core),
  createEmptyNotebook: () => notebooks.create(core, ["note"]),
  duplicateNotebook: (id: string) => notebooks.copy(core, id),
  keepMemory: () => notebooks.keepMemory(core, currentNotebook(core).id),
  removeNotebook: (id: string): (() => Promise<void>) => notebooks.remove(core, id),
  reloadNotebook: (id: string) => notebooks.reload(core, id),
  exportNotebook: (): string => writeNotebookFile(currentNotebook(core)),
  exportSaved: (id: string): Promise<string> => notebooks.savedText(core, id),
  /** Opens a notebook file. Throws, and changes nothing, when it is broken or too new. */
  importNotebook: (text: string) => notebooks.adopt(core, readNotebookFile(text)),
  undo: (): void => notebooks.undoEdit(core),
  redo: (): void => notebooks.redoEdit(core),
});

export const sourceActions = (core: Core) => ({
  addFiles: (cellId: string, files: readonly IncomingFile[]) => addFiles(core, cellId, files),
  addPaste: (cellId: string, name: string, text: string) =>
    addFiles(core, cellId, [{ name, file: new Blob([text], { type: "text/plain" }) }]),
  dropIncoming: (cellId: string, itemId: string): void => dropItem(core, cellId, itemId),
  retryIncoming: (cellId: string, itemId: string) => retryItem(core, cellId, itemId),
  canReadAgain: (id: DocumentId): boolean => core.tab.readFiles.has(id),
  readAgain: (cellId: string, id: DocumentId, options: Parameters<typeof readAgain>[3]) =>
    readAgain(core, cellId, id, options),
  forgetTexts: (cellId: string, ids: readonly DocumentId[]) => forgetTexts(core, cellId, ids),
});

export const beginActions = (core: Core, run: (cellId: string) => Promise<boolean>) => ({
  /**
   * Begins a notebook with texts and memorises them; a notebook that has no text yet is used itself. Ends early if none could be
   * read: the source cell shows the reason. Returns whether it memorised.
   */
  async beginWith(files: readonly IncomingFile[]): Promise<boolean> {
    if (!canWrite(core) || files.length === 0) return false;
    if (!isBlank(currentNotebook(core))) notebooks.create(core);
    const notebook = currentNotebook(core);
    const [source, memorize] = [firstOf(notebook, "source")!, firstOf(notebook, "memorize")!];
    set(core, { begun: notebook.id });
    await addFiles(core, source.id, files);
    const added = findCell(core, source.id);
    return added?.kind === "source" && added.input.documents.length > 0 && run(memorize.id);
  },
});

const inputOf = <C extends Cell>(cell: C): C["input"] => cell.input;

export const cellActions = (core: Core, queue: Queue) => ({
  setTitle: (title: string): void => edit(core, { kind: "title", title }),
  /** Adds a cell of `kind` at `index` (default: the end). Returns its id, or null for a reader or a full notebook. */
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
  /** Clears the words of the memory from all outputs of the notebook, and from the steps that can be undone. */
  clearWords(): void {
    const { currentId } = get(core);
    if (!currentId || !canWrite(core)) return;
    patchNotebook(core, currentId, withoutWords);
    set(core, ({ open }) => ({
      open: { ...open, [currentId]: { ...open[currentId]!, history: EMPTY_HISTORY } },
    }));
  },
});

const KEY = "palimpsest.theme";

export function readTheme(settings: Pick<Storage, "getItem"> | null): Theme {
  const saved = settings?.getItem(KEY);
  return saved === "light" || saved === "dark" ? saved : "system";
}

function setTheme(core: Core, theme: Theme): void {
  core.deps.settings?.setItem(KEY, theme);
  set(core, { theme });
}
