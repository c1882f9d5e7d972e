/** @file What is on the page and kept in this browser: theme, selection, notebooks, texts on their way in; how the app begins and recovers. */

import { readNotebookFile, writeNotebookFile } from "../../notebook/file.ts";
import type { DocumentId } from "../../records/ids.ts";
import { cellWithoutWords, withoutWords, EMPTY_HISTORY, redo, undo } from "../../notebook/edits.ts";
import {
  type Core,
  notebookOfCell,
  problemOf,
  type Workers,
  type InspectorTarget,
  type Theme,
  type AppState,
  type WorkerName,
} from "../core.ts";
import { markGpuLoad, reopen, noteEndedLoad } from "../run/model.ts";
import * as notebooks from "../notebooks.ts";
import { edit, reload } from "../notebooks.ts";
import { addFiles, dropItem, forgetTexts, readAgain, retryItem, type IncomingFile } from "../run/source.ts";
import { type Queue, isBegun } from "../runs.ts";
import { newCell, cellTitle, firstOf, isBlank } from "../../notebook/kinds.ts";
import type { Cell, CellKind, CellOfKind } from "../../records/notebook.ts";
import { NO_MEMORY, refreshMemory, refreshStorage } from "../memory.ts";

export const pageActions = (core: Core) => ({
  setTheme: (theme: Theme): void => setTheme(core, theme),
  takeOver: async (): Promise<void> => core.tab.lock?.takeOver(),
  select: (cellId: string | null): void => core.set({ selected: cellId }),
  inspect: (target: InspectorTarget | null): void => core.set({ inspector: target }),
  /** The person leaves the page: a load under way was not ended by the browser. */
  leave: (): void => markGpuLoad(core, false),
  sayNewVersion: (): void => core.set({ notice: NEW_VERSION }),
  dismissNotice: (): void => core.set({ notice: null }),
});

const NEW_VERSION =
  "A part of this page could not be fetched: a newer version of Palimpsest was probably installed since you opened it, or the network is gone. Your work is saved. Reload the page to continue.";

export const notebookActions = (core: Core) => ({
  openNotebook: (id: string) => notebooks.open(core, id),
  openExample: () => notebooks.openExample(core),
  createNotebook: () => notebooks.create(core),
  createEmptyNotebook: () => notebooks.create(core, ["note"]),
  duplicateNotebook: (id: string) => notebooks.copy(core, id),
  keepMemory: () => notebooks.keepMemory(core, core.notebook.id),
  removeNotebook: (id: string): (() => Promise<void>) => notebooks.remove(core, id),
  reloadNotebook: (id: string) => notebooks.reload(core, id),
  exportNotebook: (): string => writeNotebookFile(core.notebook),
  exportWhole: (): Promise<Blob> => {
    const notebook = core.notebook;
    return core.library.exportMemory({ memory: notebook.id, notebook: writeNotebookFile(notebook) });
  },
  exportSaved: (id: string): Promise<string> => notebooks.savedText(core, id),
  /** Opens a notebook file. Throws, and changes nothing, when it is broken or too new. */
  importNotebook: (text: string) => notebooks.adopt(core, readNotebookFile(text)),
  openFile: (file: File) => notebooks.openFile(core, file),
  takeMemory: (file: File) => notebooks.takeMemory(core, file),
  undo: (): void => notebooks.update(core, undo),
  redo: (): void => notebooks.update(core, redo),
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
  /** Begins a notebook with texts and memorises them; false if none could be read: the source cell shows why. */
  async beginWith(files: readonly IncomingFile[]): Promise<boolean> {
    if (!core.canWrite || files.length === 0) return false;
    if (!isBlank(core.notebook)) notebooks.create(core);
    const notebook = core.notebook;
    const [source, memorize] = [firstOf(notebook, "source")!, firstOf(notebook, "memorize")!];
    core.set({ begun: notebook.id });
    await addFiles(core, source.id, files);
    const added = core.findCell(source.id);
    return added?.kind === "source" && added.input.documents.length > 0 && run(memorize.id);
  },
});

type InputOf<K extends CellKind> = CellOfKind<K>["input"];

export const cellActions = (core: Core, queue: Queue) => ({
  setTitle: (title: string): void => edit(core, { kind: "title", title }),
  /** Adds a cell of `kind` at `index` (default: the end). Returns its id, or null for a reader or a full notebook. */
  addCell(kind: CellKind, index = core.notebook.cells.length): string | null {
    if (!core.canWrite) return null;
    const cell = newCell(kind, core.deps.newId());
    edit(core, { kind: "add", cell, index });
    if (!core.findCell(cell.id)) return null;
    core.set({ selected: cell.id });
    return cell.id;
  },
  removeCell(id: string): void {
    queue.cancel(id);
    edit(core, { kind: "remove", id });
  },
  moveCell: (id: string, index: number): void => edit(core, { kind: "move", id, index }),
  duplicateCell(id: string): void {
    const { cells } = core.notebook;
    const index = cells.findIndex((cell) => cell.id === id);
    const cell = cells[index];
    if (cell) edit(core, { kind: "add", cell: { ...cell, id: core.deps.newId() }, index: index + 1 });
  },
  /** Not a step of the history. In a reader's tab it holds until the notebook is read again. */
  setCollapsed: (id: string, collapsed: boolean): void =>
    core.patchCell(id, (cell) => ({ ...cell, collapsed })),
  renameCell: (id: string, title: string): void => edit(core, { kind: "rename", id, title }),
  setInput<K extends CellKind>(
    id: string,
    kind: K,
    change: Partial<InputOf<K>> | ((input: InputOf<K>) => InputOf<K>),
  ): void {
    const input = core.cellOf(id, kind).input as InputOf<K>;
    const next = typeof change === "function" ? change(input) : { ...input, ...change };
    edit(core, { kind: "input", id, input: next });
  },
  /** Changes the output of a cell, e.g. removes one answer; not a step of the history. */
  setOutput<K extends CellKind>(
    id: string,
    kind: K,
    change: (cell: CellOfKind<K>) => CellOfKind<K>["output"],
  ): void {
    core.cellOf(id, kind);
    if (core.canWrite) core.putOutput<K>(id, change);
  },
  /**
   * Copies `cell`. The returned function removes the copy and gives it, as cleared words and deletions have left it;
   * null if it was removed already or the notebook was closed.
   */
  copyCell<C extends Cell>(cell: C): () => C | null {
    const [notebook, id] = [core.memoryId(cell.id), core.deps.newId()];
    core.patchOpen(notebook, ({ copies }) => ({ copies: [...copies, { ...cell, id }] }));
    return () => {
      const copy = core.state.open[notebook]?.copies.find((one) => one.id === id);
      if (copy) core.patchOpen(notebook, ({ copies }) => ({ copies: copies.filter((one) => one.id !== id) }));
      return (copy as C | undefined) ?? null;
    };
  },
  /** Clears the words of the memory from all outputs of the notebook, and from the steps that can be undone. */
  clearWords(): void {
    const { currentId } = core.state;
    if (!currentId || !core.canWrite) return;
    core.patchNotebook(currentId, withoutWords);
    core.patchOpen(currentId, ({ copies }) => ({
      history: EMPTY_HISTORY,
      copies: copies.map(cellWithoutWords),
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
  core.set({ theme });
}

export const storageActions = (core: Core, queue: Queue) => ({
  refreshStorage: () => refreshStorage(core),
  async persist(): Promise<void> {
    await core.deps.persist();
    await refreshStorage(core);
  },
  async clearCache(): Promise<void> {
    await core.library.clearCache(null);
    await refreshStorage(core);
  },
  async wipe(): Promise<void> {
    queue.cancelAll();
    await core.library.wipe(null);
    core.set({
      open: {},
      list: [],
      currentId: null,
      memory: NO_MEMORY,
      runs: {},
      following: false,
      incoming: {},
    });
    await notebooks.openFirst(core, null);
    await refreshStorage(core);
  },
});

export function lifeActions(
  core: Core,
  workers: Workers,
  queue: Queue,
  run: (cellId: string) => Promise<boolean>,
) {
  const flush = notebooks.autosave(core);
  return {
    saveNow: flush,
    async start(wanted: string | null = null): Promise<void> {
      workers.start();
      await elect(core, () => queue.cancelAll());
      // Here nothing is open yet whose texts were not saved, and nothing that an undo could bring back.
      if (core.state.lock.role === "writer")
        void core.library.removeUnnamedTexts(null).catch(() => undefined);
      try {
        await notebooks.refreshList(core);
        await notebooks.openFirst(core, wanted);
      } catch (error) {
        await notebooks.openExample(core).catch(() => notebooks.create(core));
        core.set({ notice: problemOf(error).message });
      }
      noteEndedLoad(core);
      void refreshStorage(core);
    },
    /** Restarts a crashed worker, opens the former model, and resumes interrupted runs. */
    async restartWorker(name: WorkerName): Promise<void> {
      const runs = Object.entries(core.state.runs);
      const interrupted = runs.filter(([, { problem }]) => problem?.name === "WorkerCrashed");
      const before = core.tab.opened;
      if (name === "engine") Object.assign(core.tab, { opened: null, roles: new Map() });
      await workers.restart(name);
      if (name === "library") {
        await flush();
        await refreshMemory(core);
        return;
      }
      // A run opens its model first; without a run the former model is opened.
      for (const [cellId] of interrupted) void run(cellId);
      if (interrupted.length === 0 && before)
        await reopen(core, before).catch((error: unknown) => core.set({ notice: problemOf(error).message }));
    },
  };
}

function runningTitle(state: AppState): string | null {
  const id = Object.keys(state.runs).find((cell) => isBegun(state.runs[cell]));
  const cell = id && notebookOfCell(state, id)?.cells.find((one) => one.id === id);
  return cell ? cellTitle(cell) : null;
}

/** Becomes the writer, or waits as a reader. `stop` is called if another tab takes over: this tab can no longer save. */
async function elect(core: Core, stop: () => void): Promise<void> {
  const lock = await core.deps.holdWriter({
    onLost: stop,
    who: () => core.state.open[core.state.currentId ?? ""]?.notebook.title || "Palimpsest",
    running: () => runningTitle(core.state),
    onChange: ({ state, who, running }) => {
      const before = core.state.lock.role;
      core.set({ lock: { role: state, who, running } });
      // Continue with the last state that the other tab wrote.
      if (before === "reader" && state === "writer")
        for (const id of Object.keys(core.state.open)) void reload(core, id).catch(() => undefined);
    },
    // A reading tab follows the changes of the writing tab.
    onSaved: (id) => {
      if (id in core.state.open) void reload(core, id).catch(() => undefined);
    },
  });
  core.tab.lock = lock;
  core.store.subscribe((now, before) => {
    if (now.runs !== before.runs && runningTitle(now) !== runningTitle(before)) lock.tell();
  });
  core.store.subscribe(({ open }, { open: before }) => {
    if (open === before) return;
    for (const [id, { save }] of Object.entries(open))
      if (save.status === "saved" && before[id]?.save.status === "saving") lock.saved(id);
  });
  const { state: role, who, running } = lock.now();
  core.set({ lock: { role, who, running } });
}
