/**
 * @file The app without its page: connections, notebooks, runs and memory in one store, and every action on them.
 * The page reads the store (ui/app.tsx) and calls actions; nothing else changes the state.
 */

import { createStore, type StoreApi } from "zustand/vanilla";
import { newCell } from "../notebook/create.ts";
import type { Edit } from "../notebook/edits.ts";
import { readNotebookFile, writeNotebookFile } from "../notebook/file.ts";
import type { DocumentId, FactId } from "../records/ids.ts";
import type { Cell, CellKind } from "../records/notebook.ts";
import type { EngineService, LibraryService, ReencodeArgument } from "../rpc/protocol.ts";
import { createWorkers } from "./workers.ts";
import {
  cellOf,
  get,
  notebookOfCell,
  openNotebook,
  problemOf,
  putOutput,
  set,
  type Core,
  type Deps,
} from "./core.ts";
import { elect, takeOver } from "./lock.ts";
import { loadFacts, NO_MEMORY, refreshMemory, setLeaving } from "./memory.ts";
import * as notebooks from "./notebooks.ts";
import { runAsk } from "./run/ask.ts";
import { runExperiment } from "./run/experiment.ts";
import { runMemorize, runResume } from "./run/memorize.ts";
import { createSecrets, isOpenFor, openArgument, reopen, runModel } from "./run/model.ts";
import { runProbe } from "./run/probe.ts";
import { addFiles, dropItem, forgetTexts, retryItem, runSource, type IncomingFile } from "./run/source.ts";
import { runEnsureModel, runForget, runReencode, runStore } from "./run/store.ts";
import { clearRun, createQueue, type Job } from "./runs.ts";
import { readTheme, setTheme } from "./theme.ts";
import type { AppState, InspectorTarget, Theme, WorkerName } from "./types.ts";

export type { Deps } from "./core.ts";

export interface App {
  readonly store: StoreApi<AppState>;
  readonly actions: Actions;
  /** The workers' services, for reads that need no state: marks of a text, entries, curves, estimates. */
  readonly engine: () => EngineService;
  readonly library: () => LibraryService;
}

export type Actions = ReturnType<typeof createActions>;

/** Makes the app; nothing runs before `actions.start`. */
export function createApp(deps: Deps): App {
  const store = createStore<AppState>(() => initialState(deps));
  const workers = createWorkers(store, deps);
  const core: Core = { store, deps, engine: workers.engine, library: workers.library };
  return { store, actions: createActions(core, workers), engine: core.engine, library: core.library };
}

function initialState(deps: Deps): AppState {
  return {
    theme: readTheme(deps.settings),
    workers: { engine: { status: "starting" }, library: { status: "starting" } },
    device: { survey: null, model: null, ledger: null, event: null, cached: null },
    list: [],
    open: {},
    currentId: null,
    runs: {},
    incoming: {},
    inspections: {},
    memory: NO_MEMORY,
    storage: null,
    lock: { role: "unknown", who: null },
    selected: null,
    inspector: null,
    notice: null,
  };
}

function createActions(core: Core, workers: ReturnType<typeof createWorkers>) {
  const secrets = createSecrets();
  const queue = createQueue(core);
  const flush = notebooks.autosave(core);
  const edit = (change: Edit): void => notebooks.edit(core, change);

  const jobs: Readonly<Partial<Record<CellKind, Job>>> = {
    model: (context) => runModel(context, secrets),
    source: runSource,
    memorize: (context) => runMemorize(context, secrets),
    store: runStore,
    ask: (context) => runAsk(context, secrets),
    probe: (context) => runProbe(context, secrets),
    experiment: (context) => runExperiment(context, secrets),
  };
  const current = () => openNotebook(core, get(core).currentId ?? "").notebook;
  const writable = (): boolean => get(core).lock.role !== "reader";

  const actions = {
    /** Starts the workers and opens the notebook `wanted`, or the last one. Ends with a page to show, whatever fails. */
    async start(wanted: string | null = null): Promise<void> {
      workers.start();
      await elect(core);
      try {
        await notebooks.refreshList(core);
        await notebooks.openFirst(core, wanted);
      } catch (error) {
        set(core, { notice: problemOf(error).message });
        await notebooks.openExample(core).catch(() => notebooks.create(core));
      }
      void actions.refreshStorage();
    },
    /** Starts a crashed worker again, opens the model that was open, and takes up what was interrupted. */
    async restartWorker(name: WorkerName): Promise<void> {
      const interrupted = Object.entries(get(core).runs).filter(
        ([, run]) => run.problem?.name === "WorkerCrashed",
      );
      const before = secrets.opened;
      if (name === "engine") secrets.opened = null;
      await workers.restart(name);
      if (name === "library") {
        await flush();
        await refreshMemory(core);
        return;
      }
      // A run opens its model first; without one, what was open is opened again.
      for (const [cellId] of interrupted) void actions.runCell(cellId);
      if (interrupted.length === 0 && before)
        await reopen(core, secrets, before).catch((error: unknown) =>
          set(core, { notice: problemOf(error).message }),
        );
    },

    setTheme: (theme: Theme): void => setTheme(core, theme),
    takeOver: () => takeOver(core),
    select: (cellId: string | null): void => set(core, { selected: cellId }),
    inspect: (target: InspectorTarget | null): void => set(core, { inspector: target }),
    dismissNotice: (): void => set(core, { notice: null }),

    // Notebooks
    openNotebook: (id: string) => notebooks.open(core, id),
    openExample: () => notebooks.openExample(core),
    createNotebook: () => notebooks.create(core),
    createEmptyNotebook: () => notebooks.create(core, ["note"]),
    duplicateNotebook: (id: string) => notebooks.copy(core, id),
    /** Keeps the memory of the open notebook as it is now, as a notebook of its own; resolves to that one's title. */
    keepMemory: () => notebooks.keepMemory(core, current().id),
    /** Takes a notebook out of view, and removes it with its memory when the undo window is over. */
    removeNotebook: (id: string): (() => Promise<void>) => notebooks.remove(core, id),
    reloadNotebook: (id: string) => notebooks.reload(core, id),
    saveNow: flush,
    /** The open notebook as the text of a file. */
    exportNotebook: (): string => writeNotebookFile(current()),
    /** Opens a notebook file. Throws, and changes nothing, when it is broken or too new. */
    importNotebook: (text: string) => notebooks.adopt(core, readNotebookFile(text)),
    undo: (): void => notebooks.undoEdit(core),
    redo: (): void => notebooks.redoEdit(core),

    // Cells
    setTitle: (title: string): void => edit({ kind: "title", title }),
    /** Adds a cell of `kind` at `index` (the end without one); the new cell's id, or null for a reader. */
    addCell(kind: CellKind, index = current().cells.length): string | null {
      if (!writable()) return null;
      const cell = newCell(kind, core.deps.newId());
      edit({ kind: "add", cell, index });
      set(core, { selected: cell.id });
      return cell.id;
    },
    removeCell(id: string): void {
      queue.cancel(id);
      edit({ kind: "remove", id });
    },
    moveCell: (id: string, index: number): void => edit({ kind: "move", id, index }),
    duplicateCell(id: string): void {
      const index = current().cells.findIndex((cell) => cell.id === id);
      const cell = current().cells[index];
      if (cell) edit({ kind: "add", cell: { ...cell, id: core.deps.newId() }, index: index + 1 });
    },
    renameCell: (id: string, title: string): void => edit({ kind: "rename", id, title }),
    /** Changes what the user set in a cell; its output stays and is marked stale. */
    setInput<K extends CellKind>(
      id: string,
      kind: K,
      change: (input: Extract<Cell, { kind: K }>["input"]) => Extract<Cell, { kind: K }>["input"],
    ): void {
      const { input } = cellOf(core, id, kind);
      edit({ kind: "input", id, input: change(input as never) });
    },
    /** Changes what the runs of a cell left, e.g. takes one answer out; not a step of the history. */
    setOutput<K extends CellKind>(
      id: string,
      kind: K,
      change: (cell: Extract<Cell, { kind: K }>) => Extract<Cell, { kind: K }>["output"],
    ): void {
      cellOf(core, id, kind);
      if (writable()) putOutput<K>(core, id, (cell) => change(cell as never) as never);
    },

    // Runs
    /** Runs a cell after those that wait; resolves to whether it succeeded. */
    runCell(id: string): Promise<boolean> {
      const cell = notebookOfCell(get(core), id)?.cells.find((candidate) => candidate.id === id);
      const job = cell && jobs[cell.kind];
      return job && writable() ? queue.add(id, job) : Promise.resolve(false);
    },
    /** Runs every cell from the top; stops where one fails. A cell that was given nothing yet is passed over. */
    async runAll(): Promise<void> {
      for (const { id, kind } of current().cells)
        if (jobs[kind] && !isEmpty(core, id) && !(await actions.runCell(id))) return;
    },
    cancelCell: (id: string): void => queue.cancel(id),
    cancelAll: (): void => queue.cancelAll(),
    pause: () => queue.pause(true),
    resume: () => queue.pause(false),
    /** Takes a failed or cancelled run off the cell. */
    dismissRun: (id: string): void => clearRun(core, id),
    /** Encodes what an interrupted run left, in memorize cell `id`. */
    resumeMemorize: (id: string) => queue.add(id, (context) => runResume(context, secrets)),

    // Model cells
    /** Files that were dropped on a model cell; they are read in place. */
    setModelFiles(id: string, name: string, files: ReadonlyMap<string, Blob>): void {
      secrets.files.set(id, files);
      actions.setInput(id, "model", (input) => ({ ...input, source: { kind: "files", name } }));
    },
    /** For gated repositories; kept in this tab's memory only. */
    setToken: (id: string, token: string): void => {
      if (token) secrets.tokens.set(id, token);
      else secrets.tokens.delete(id);
    },
    /** Lists a model's files, sizes and fit before anything is fetched. */
    async inspectModel(id: string): Promise<void> {
      const put = (inspection: AppState["inspections"][string]): void =>
        set(core, ({ inspections }) => ({ inspections: { ...inspections, [id]: inspection } }));
      put({ status: "loading" });
      try {
        const cell = cellOf(core, id, "model");
        const listing = await core.engine().inspect(openArgument(cell, secrets));
        // An answer about a source that was changed meanwhile is stale.
        if (cellOf(core, id, "model").input.source === cell.input.source) put({ status: "ready", listing });
      } catch (error) {
        put({ status: "failed", problem: problemOf(error) });
      }
    },
    async loadCachedModels(): Promise<void> {
      const cached = await core.engine().cachedModels(null);
      set(core, ({ device }) => ({ device: { ...device, cached } }));
    },
    async removeCachedModel(repo: string, revision: string): Promise<void> {
      await core.engine().removeCachedModel({ repo, revision });
      await actions.loadCachedModels();
      await actions.refreshStorage();
    },
    async refreshLedger(): Promise<void> {
      const ledger = await core.engine().ledger(null);
      set(core, ({ device }) => ({ device: { ...device, ledger } }));
    },

    // Source cells
    addFiles: (cellId: string, files: readonly IncomingFile[]) => addFiles(core, cellId, files),
    addPaste: (cellId: string, name: string, text: string) =>
      addFiles(core, cellId, [{ name, file: new Blob([text], { type: "text/plain" }) }]),
    dropIncoming: (cellId: string, itemId: string): void => dropItem(core, cellId, itemId),
    retryIncoming: (cellId: string, itemId: string) => retryItem(core, cellId, itemId),
    /** Throws texts away now; what is memorised of them stays. */
    forgetTexts: (cellId: string, ids: readonly DocumentId[]) => forgetTexts(core, cellId, ids),

    // Memory
    loadFacts: () => loadFacts(core),
    refreshMemory: () => refreshMemory(core),
    /**
     * Takes facts out of view at once and deletes them for good when the undo window is over; the certificate then
     * stands in store cell `cellId`. The returned function takes it back until then.
     */
    deleteFacts(cellId: string, ids: readonly FactId[]): () => void {
      if (!writable()) return () => undefined;
      setLeaving(core, (leaving) => new Set([...leaving, ...ids]));
      const timer = setTimeout(
        () => void queue.addAfter(cellId, (context) => runForget(context, secrets, ids)),
        core.deps.undoWindow,
      );
      return () => {
        clearTimeout(timer);
        setLeaving(core, (leaving) => new Set([...leaving].filter((id) => !ids.includes(id))));
      };
    },
    reencode: (cellId: string, change: Omit<ReencodeArgument, "memory">) =>
      queue.add(cellId, (context) => runReencode(context, secrets, change)),
    /** Opens the model that cell `cellId` uses, unless it is open; resolves to whether it is. */
    ensureModel: (cellId: string): Promise<boolean> =>
      isOpenFor(core, cellId, secrets)
        ? Promise.resolve(true)
        : queue.addAfter(cellId, (context) => runEnsureModel(context, secrets)),

    // Storage
    async refreshStorage(): Promise<void> {
      try {
        set(core, { storage: await core.library().storage(null) });
      } catch {
        set(core, { storage: null });
      }
    },
    /** Asks the browser not to throw out what it keeps. */
    async persist(): Promise<void> {
      await core.deps.persist();
      await actions.refreshStorage();
    },
    /** Removes everything that this browser keeps, and starts over with the worked example. */
    async wipe(): Promise<void> {
      queue.cancelAll();
      await core.library().wipe(null);
      set(core, { open: {}, list: [], currentId: null, memory: NO_MEMORY, runs: {}, incoming: {} });
      await notebooks.openFirst(core, null);
      await actions.refreshStorage();
    },
  };

  return actions;
}

/** A source without a text, a question that was not written: to run them all would fail where nothing went wrong. */
function isEmpty(core: Core, id: string): boolean {
  const cell = notebookOfCell(get(core), id)?.cells.find((candidate) => candidate.id === id);
  if (cell?.kind === "source") return cell.input.documents.length === 0;
  return cell?.kind === "ask" && cell.input.question.trim() === "";
}
