/** @file What is on the page: its theme, what is selected, which notebook is open, and texts on their way in. */

import { readNotebookFile, writeNotebookFile } from "../../notebook/file.ts";
import type { DocumentId } from "../../records/ids.ts";
import { currentNotebook, set, type Core } from "../core.ts";
import { takeOver } from "../lock.ts";
import * as notebooks from "../notebooks.ts";
import { addFiles, dropItem, forgetTexts, retryItem, type IncomingFile } from "../run/source.ts";
import { setTheme } from "../theme.ts";
import type { InspectorTarget, Theme } from "../types.ts";

export const pageActions = (core: Core) => ({
  setTheme: (theme: Theme): void => setTheme(core, theme),
  takeOver: () => takeOver(core),
  select: (cellId: string | null): void => set(core, { selected: cellId }),
  inspect: (target: InspectorTarget | null): void => set(core, { inspector: target }),
  dismissNotice: (): void => set(core, { notice: null }),
});

export const notebookActions = (core: Core) => ({
  openNotebook: (id: string) => notebooks.open(core, id),
  openExample: () => notebooks.openExample(core),
  createNotebook: () => notebooks.create(core),
  createEmptyNotebook: () => notebooks.create(core, ["note"]),
  duplicateNotebook: (id: string) => notebooks.copy(core, id),
  /** Keeps the memory of the open notebook as it is now, as a notebook of its own; resolves to that one's title. */
  keepMemory: () => notebooks.keepMemory(core, currentNotebook(core).id),
  /** Takes a notebook out of view, and removes it with its memory when the undo window is over. */
  removeNotebook: (id: string): (() => Promise<void>) => notebooks.remove(core, id),
  reloadNotebook: (id: string) => notebooks.reload(core, id),
  /** The open notebook as the text of a file. */
  exportNotebook: (): string => writeNotebookFile(currentNotebook(core)),
  /** A saved notebook as it lies in this browser, as text: also of one that cannot be opened. */
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
  /** Throws texts away now; what is memorised of them stays. */
  forgetTexts: (cellId: string, ids: readonly DocumentId[]) => forgetTexts(core, cellId, ids),
});
