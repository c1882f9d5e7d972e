/** @file What all parts of the state share: its shape, the store, the ways to the workers, and the open notebooks. */

import { withoutArea } from "../lib/format.ts";
import type { StoreApi } from "zustand/vanilla";
import { find, replaceCell, type History } from "../notebook/edits.ts";
import type { ExampleFile } from "../notebook/file.ts";
import type { FactId } from "../records/ids.ts";
import { fingerprint } from "../notebook/kinds.ts";
import { present } from "../lib/assert.ts";
import type { Cell, CellKind, CellOfKind, Notebook, Stamp, FactRow } from "../records/notebook.ts";
import type { Helper } from "../records/evaluation.ts";
import type { Connection } from "../rpc/connect.ts";
import type { WireError as Problem } from "../rpc/wire.ts";
import type { BroughtFile } from "../service/evaluation/evaluation.ts";
import type { ChooseEmbedder, OpenModel, DeviceEvent } from "../service/types.ts";
import type { EngineService } from "../service/engineService.ts";
import type { LibraryService, NotebookInfo } from "../service/library/libraryService.ts";
import type { WriterLock, WriterOptions } from "../store/locks.ts";
import { modelTag, type MemoryHead } from "../records/memory.ts";
import type { AskProgress, Progress } from "../records/progress.ts";
import type { BufferLedger, CachedModel, LoadProgress, ModelListing, ModelReady } from "../records/model.ts";
import type { EmbedderReady } from "../records/embedder.ts";
import type { RecordsProgress } from "../records/run.ts";

export interface Deps {
  readonly connectEngine: () => Connection<EngineService>;
  readonly connectLibrary: () => Connection<LibraryService>;
  readonly fetchOwn: (path: string) => Promise<Response>;
  readonly now: () => number;
  readonly newId: () => string;
  readonly app: string;
  /** Small settings that outlive the tab; null if the browser forbids them. */
  readonly settings: Pick<Storage, "getItem" | "setItem"> | null;
  /** Small settings of this tab that outlive a reload; null if the browser forbids them. */
  readonly session: Pick<Storage, "getItem" | "setItem"> | null;
  readonly holdWriter: (options: WriterOptions) => Promise<WriterLock>;
  readonly persist: () => Promise<boolean>;
  readonly whenIdle: (work: () => void) => void;
  /** Milliseconds for which a deletion can be taken back. */
  readonly undoWindow: number;
  /** Milliseconds of quiet before a notebook is saved. */
  readonly saveDelay: number;
}

/** A model of transformers.js that a cell chooses: the text embedder, or a helper of compared methods. */
export type Role = "embedder" | Helper;

export const roleKey = (cellId: string, role: Role): string => `${cellId} ${role}`;

type DroppedFiles = Map<string, ReadonlyMap<string, Blob>>;

/** State of this tab that is neither shown nor saved. Dropped files are read in place, at every run. */
export const newTab = () => ({
  modelFiles: new Map() as DroppedFiles,
  tokens: new Map<string, string>(),
  opened: null as OpenModel | null,
  /** The browser ended the page while a model was loaded on the GPU: the best backend is wasm. */
  endedByGpu: false,
  roleFiles: new Map() as DroppedFiles,
  roles: new Map<Role, ChooseEmbedder>(),
  benchmarkFiles: new Map<string, readonly BroughtFile[]>(),
  incoming: new Map<string, Blob>(),
  /** Files of the texts that were read here, to read them again with another encoding. */
  readFiles: new Map<string, { readonly name: string; readonly file: Blob }>(),
  /** Files are read one at a time, across all cells. */
  reading: Promise.resolve(),
  /** The recorded worked example; null before it was fetched. */
  example: null as Promise<ExampleFile> | null,
  lock: null as WriterLock | null,
  /** Facts in view that are to be read back, of one memory. */
  inView: { memory: null as string | null, ids: new Set<FactId>() },
  /** New ids by former ones: a deletion closes gaps in the offsets, which are a part of the ids. */
  renamed: new Map<FactId, FactId>(),
  /** Begin deletions that wait for the end of their undo window; each promise resolves when its deletion has ended. */
  deletions: new Set<() => Promise<void>>(),
  readingBack: null as string | null,
  /** Ends the reading of facts that are not in view. */
  readingRest: null as AbortController | null,
});

/** The state of the app, the ways to its workers, and the changes that all actions share. */
export class Core {
  readonly tab = newTab();

  constructor(
    readonly store: StoreApi<AppState>,
    readonly deps: Deps,
    private readonly workers: Pick<Workers, "engine" | "library">,
  ) {}

  get state(): AppState {
    return this.store.getState();
  }

  get engine(): EngineService {
    return this.workers.engine();
  }

  get library(): LibraryService {
    return this.workers.library();
  }

  get canWrite(): boolean {
    return this.state.lock.role !== "reader";
  }

  get notebook(): Notebook {
    return this.openNotebook(this.state.currentId ?? "").notebook;
  }

  set(change: Partial<AppState> | ((state: AppState) => Partial<AppState>)): void {
    this.store.setState(change);
  }

  iso(): string {
    return new Date(this.deps.now()).toISOString();
  }

  openNotebook(id: string): OpenNotebook {
    return present(this.state.open[id], () => `state: the notebook ${id} is not open`);
  }

  /** The open notebook that has the cell, or null when the cell was removed meanwhile. */
  notebookOfCell(cellId: string): Notebook | null {
    return notebookOfCell(this.state, cellId);
  }

  findCell(cellId: string): Cell | null {
    return this.notebookOfCell(cellId)?.cells.find(({ id }) => id === cellId) ?? null;
  }

  /** @throws if the cell was removed */
  notebookWith(cellId: string): Notebook {
    return present(this.notebookOfCell(cellId), () => `state: the cell ${cellId} was removed`);
  }

  memoryId(cellId: string): string {
    return this.notebookWith(cellId).id;
  }

  cellOf<K extends CellKind>(cellId: string, kind: K): CellOfKind<K> {
    const { cell } = find(this.notebookWith(cellId), cellId);
    if (cell.kind !== kind)
      throw new Error(`state: the cell ${cellId} is a ${cell.kind} cell, not a ${kind} cell`);
    return cell as CellOfKind<K>;
  }

  patchOpen(id: string, change: (now: OpenNotebook) => Partial<OpenNotebook>): void {
    this.set(({ open }) => {
      const now = open[id];
      return now ? { open: { ...open, [id]: { ...now, ...change(now) } } } : {};
    });
  }

  /** Changes an open notebook without a step in its history: outputs are not undone. */
  patchNotebook(id: string, change: (notebook: Notebook) => Notebook): void {
    this.patchOpen(id, ({ notebook }) => ({
      notebook: { ...change(notebook), updated: this.iso() },
      save: { status: "dirty" },
    }));
  }

  /** {@link patchNotebook} for a cell; nothing changes if it was removed meanwhile. */
  patchCell(cellId: string, change: (cell: Cell) => Cell): void {
    const notebook = this.notebookOfCell(cellId);
    if (notebook) this.patchNotebook(notebook.id, (now) => replaceCell(now, change(find(now, cellId).cell)));
  }

  putOutput<K extends CellKind>(
    cellId: string,
    make: (cell: CellOfKind<K>) => CellOfKind<K>["output"],
  ): void {
    this.patchCell(cellId, (cell) => ({ ...cell, output: make(cell as CellOfKind<K>) }) as Cell);
  }

  /** The stamp of an output of `cellId` that was begun at `since` (milliseconds since 1970). */
  stamp(cellId: string, since: number): Stamp {
    const notebook = this.notebookOfCell(cellId);
    const { model } = this.state.device;
    return {
      at: this.iso(),
      milliseconds: Math.round(this.deps.now() - since),
      backend: model?.device.backend ?? "",
      model: model ? modelTag(model.identity) : "",
      app: this.deps.app,
      inputs: notebook ? fingerprint(notebook, cellId) : "",
    };
  }
}

export function notebookOfCell(state: AppState, cellId: string): Notebook | null {
  for (const { notebook } of Object.values(state.open))
    if (notebook.cells.some(({ id }) => id === cellId)) return notebook;
  return null;
}

export function problemOf(error: unknown): Problem {
  if (error instanceof Error)
    return { name: error.name, message: withoutArea(error.message), stack: error.stack ?? error.message };
  return { name: "Error", message: withoutArea(String(error)), stack: "" };
}

export type Workers = ReturnType<typeof createWorkers>;

export function createWorkers(store: StoreApi<AppState>, deps: Deps) {
  let engine: Connection<EngineService> | undefined;
  let library: Connection<LibraryService> | undefined;

  function setWorker(name: WorkerName, state: AppState["workers"][WorkerName]): void {
    store.setState(({ workers }) => ({ workers: { ...workers, [name]: state } }));
  }

  async function follow(name: WorkerName, connection: Connection<unknown>): Promise<void> {
    const isCurrent = (): boolean => connection === (name === "engine" ? engine : library);
    setWorker(name, { status: "starting" });
    void connection.crashed.then((error) => {
      if (!isCurrent()) return;
      setWorker(name, { status: "crashed", problem: problemOf(error) });
      if (name === "engine")
        store.setState(({ device }) => ({ device: { ...device, model: null, ledger: null } }));
    });
    await connection.ready;
    if (isCurrent()) setWorker(name, { status: "ready" });
  }

  function startEngine(): Promise<void> {
    const made = (engine = deps.connectEngine());
    void made.service
      .survey(null)
      .then((survey) => store.setState(({ device }) => ({ device: { ...device, survey } })))
      .catch(() => undefined);
    void made.service
      .events(null, {
        onProgress: (event) => store.setState(({ device }) => ({ device: { ...device, event } })),
      })
      .catch(() => undefined);
    return follow("engine", made);
  }

  function startLibrary(): Promise<void> {
    library = deps.connectLibrary();
    return follow("library", library);
  }

  return {
    /** Starts the library at once, and the larger engine when the page is idle. */
    start(): void {
      if (!library) void startLibrary();
      deps.whenIdle(() => {
        if (!engine) void startEngine();
      });
    },
    async restart(name: WorkerName): Promise<void> {
      (name === "engine" ? engine : library)?.close();
      // A worker that cannot start crashes instead of becoming ready; its state shows it.
      const ready = name === "engine" ? startEngine() : startLibrary();
      const { crashed } = (name === "engine" ? engine : library)!;
      await Promise.race([ready, crashed]);
    },
    engine: (): EngineService => {
      if (!engine) void startEngine();
      return engine!.service;
    },
    library: (): LibraryService => {
      if (!library) throw new Error("state: the library worker was not started");
      return library.service;
    },
  };
}

export type Theme = "light" | "dark" | "system";

export type WorkerName = "engine" | "library";
type WorkerState =
  | { readonly status: "starting" | "ready" }
  /** Nothing stored is lost; `restartWorker` is the way back. */
  | { readonly status: "crashed"; readonly problem: Problem };

export type RunStatus = "queued" | "running" | "paused" | "failed" | "cancelled";

export type RunProgress =
  | { readonly kind: "load"; readonly load: LoadProgress }
  | { readonly kind: "flow"; readonly stages: readonly Progress[] }
  | ({ readonly kind: "text"; readonly question?: string } & AskProgress)
  | { readonly kind: "note"; readonly note: string }
  | { readonly kind: "count"; readonly note: string; readonly done: number; readonly total: number }
  | { readonly kind: "study"; readonly progress: RecordsProgress };

/** A run that continues, or ended without an output; a successful run becomes the cell's output. */
export interface CellRun {
  readonly status: RunStatus;
  readonly progress: RunProgress | null;
  readonly problem: Problem | null;
  readonly startedAt: number | null;
}

export type SaveState =
  | { readonly status: "saved" | "dirty" | "saving" | "never" }
  /** conflict: another tab saved in between; nothing was overwritten. */
  | { readonly status: "failed" | "conflict"; readonly problem: Problem };

export interface OpenNotebook {
  readonly notebook: Notebook;
  readonly history: History;
  /** Cells to restore outputs from. Cleared words and new ids change them as they change the notebook. */
  readonly copies: readonly Cell[];
  readonly revision: number;
  readonly save: SaveState;
}

export interface IncomingItem {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  /** duplicate: its text is in the cell already, as `sameAs`. */
  readonly status: "waiting" | "reading" | "failed" | "duplicate";
  readonly problem: Problem | null;
  readonly sameAs: string | null;
}

export type Inspection =
  | { readonly status: "loading" }
  | { readonly status: "ready"; readonly listing: ModelListing }
  | { readonly status: "failed"; readonly problem: Problem };

export interface MemoryState {
  readonly info: MemoryHead | null;
  /** The notebook memorised something, but its memory is not in this browser. */
  readonly missing: boolean;
  /** Null until somebody asked for them (`loadFacts`). */
  readonly facts: readonly FactRow[] | null;
  readonly loading: boolean;
  readonly problem: Problem | null;
  /** The facts are those of the worked example's saved run, and not in this browser's memory yet. */
  readonly fromExample: boolean;
  readonly leaving: ReadonlySet<FactId>;
  /** Sentences as the model says them; never saved. */
  readonly said: ReadonlyMap<FactId, string>;
  /** Questions that its sentences answer; empty until they were asked for. Never saved. */
  readonly suggested: readonly string[];
}

export type InspectorTarget = FactId | "device";

export interface AppState {
  readonly theme: Theme;
  readonly workers: Readonly<Record<WorkerName, WorkerState>>;
  readonly device: Readonly<{
    survey: Awaited<ReturnType<EngineService["survey"]>> | null;
    model: ModelReady | null;
    ledger: BufferLedger | null;
    embedder: EmbedderReady | null;
    event: DeviceEvent | null;
    cached: readonly CachedModel[] | null;
  }>;
  readonly list: readonly NotebookInfo[];
  readonly open: Readonly<Record<string, OpenNotebook>>;
  readonly currentId: string | null;
  readonly runs: Readonly<Record<string, CellRun>>;
  readonly following: boolean;
  readonly incoming: Readonly<Record<string, readonly IncomingItem[]>>;
  readonly inspections: Readonly<Record<string, Inspection>>;
  readonly memory: MemoryState;
  readonly storage: Awaited<ReturnType<LibraryService["storage"]>> | null;
  /** A reader sees everything and changes nothing: another tab writes. */
  readonly lock: {
    readonly role: "unknown" | "writer" | "reader";
    readonly who: string | null;
    readonly running: string | null;
  };
  readonly selected: string | null;
  /** The notebook that was started with the user's own text in this session: its first screen shows the text's progress. */
  readonly begun: string | null;
  readonly inspector: InspectorTarget | null;
  readonly notice: string | null;
}
