/** @file The state of the app as the page sees it; plain data, changed by actions alone. */

import type { AskProgress, Progress } from "../records/progress.ts";
import type { History } from "../notebook/edits.ts";
import type { BufferLedger, CachedModel, LoadProgress, ModelListing, ModelReady } from "../records/model.ts";
import type { EmbedderReady } from "../records/embedder.ts";
import type { FactId } from "../records/ids.ts";
import type { FactRow, Notebook } from "../records/notebook.ts";
import type { RecordsProgress } from "../records/run.ts";
import type { MemoryHead } from "../records/memory.ts";
import type { DeviceEvent } from "../service/types.ts";
import type { EngineService } from "../service/engineService.ts";
import type { NotebookInfo, LibraryService } from "../service/library/libraryService.ts";

export type Theme = "light" | "dark" | "system";

export interface Problem {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

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

/** A run that goes on, or ended without an output; a run that succeeded is the cell's output. */
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

interface DeviceState {
  readonly survey: Awaited<ReturnType<EngineService["survey"]>> | null;
  readonly model: ModelReady | null;
  readonly ledger: BufferLedger | null;
  readonly embedder: EmbedderReady | null;
  readonly event: DeviceEvent | null;
  readonly cached: readonly CachedModel[] | null;
}

export type InspectorTarget = { readonly kind: "fact"; readonly id: FactId } | { readonly kind: "device" };

export interface AppState {
  readonly theme: Theme;
  readonly workers: Readonly<Record<WorkerName, WorkerState>>;
  readonly device: DeviceState;
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
  /** The notebook that was begun with a text of the person's own in this session: its first screen shows what becomes of it. */
  readonly begun: string | null;
  readonly inspector: InspectorTarget | null;
  readonly notice: string | null;
}
