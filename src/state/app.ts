/** @file The app without its page: connections, notebooks, runs and memory in one store, and every action on them. */

import { createStore } from "zustand/vanilla";
import { useStore, type StoreApi } from "zustand";
import {
  beginActions,
  cellActions,
  notebookActions,
  pageActions,
  readTheme,
  sourceActions,
  lifeActions,
  storageActions,
} from "./actions/page.ts";
import { benchmarkActions, memoryActions, runActions } from "./actions/runs.ts";
import { modelActions, embedderActions } from "./run/model.ts";
import { Core, type Deps, createWorkers, type Workers, type AppState } from "./core.ts";
import { continueReading, NO_MEMORY } from "./memory.ts";
import { createQueue } from "./runs.ts";

export type { Deps } from "./core.ts";

export interface App extends Pick<Core, "store">, Pick<Workers, "engine" | "library"> {
  readonly actions: Actions;
}

export type Actions = ReturnType<typeof createActions>;

export function createApp(deps: Deps): App {
  const store = createStore<AppState>(() => initialState(deps));
  const workers = createWorkers(store, deps);
  const core = new Core(store, deps, workers);
  store.subscribe(({ runs, device, memory }, before) => {
    const changed = device.model !== before.device.model || memory.facts !== before.memory.facts;
    if (changed || runs !== before.runs) continueReading(core);
  });
  return { store, actions: createActions(core, workers), engine: workers.engine, library: workers.library };
}

const initialState = (deps: Deps): AppState => ({
  theme: readTheme(deps.settings),
  workers: { engine: { status: "starting" }, library: { status: "starting" } },
  device: { survey: null, model: null, ledger: null, embedder: null, event: null, cached: null },
  list: [],
  open: {},
  currentId: null,
  runs: {},
  following: false,
  incoming: {},
  inspections: {},
  memory: NO_MEMORY,
  storage: null,
  lock: { role: "unknown", who: null, running: null },
  selected: null,
  begun: null,
  inspector: null,
  notice: null,
});

function createActions(core: Core, workers: Workers) {
  const queue = createQueue(core);
  const runs = runActions(core, queue);
  return {
    ...lifeActions(core, workers, queue, runs.runCell),
    ...pageActions(core),
    ...notebookActions(core),
    ...cellActions(core, queue),
    ...runs,
    ...modelActions(core),
    ...benchmarkActions(core, queue),
    ...embedderActions(core, queue),
    ...sourceActions(core),
    ...beginActions(core, runs.runCell),
    ...memoryActions(core, queue),
    ...storageActions(core, queue),
  };
}

export const useAppStore = <T>(store: StoreApi<AppState>, select: (state: AppState) => T): T =>
  useStore(store, select);
