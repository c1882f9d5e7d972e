/** @file The connections to the two workers, and the way back when one crashes. */

import type { StoreApi } from "zustand/vanilla";
import type { Connection } from "../rpc/connect.ts";
import type { EngineService } from "../service/engineService.ts";
import type { LibraryService } from "../service/library/libraryService.ts";
import { problemOf, type Deps } from "./core.ts";
import type { AppState, WorkerName } from "./types.ts";

export interface Workers {
  /** Starts the library, and the engine (which is bigger) when the page is there or somebody needs it. */
  start(): void;
  restart(name: WorkerName): Promise<void>;
  readonly engine: () => EngineService;
  readonly library: () => LibraryService;
}

export function createWorkers(store: StoreApi<AppState>, deps: Deps): Workers {
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
    start() {
      if (!library) void startLibrary();
      deps.whenIdle(() => {
        if (!engine) void startEngine();
      });
    },
    async restart(name) {
      (name === "engine" ? engine : library)?.close();
      // A worker that cannot start crashes instead of becoming ready; its state shows it.
      const ready = name === "engine" ? startEngine() : startLibrary();
      const { crashed } = (name === "engine" ? engine : library)!;
      await Promise.race([ready, crashed]);
    },
    engine: () => {
      if (!engine) void startEngine();
      return engine!.service;
    },
    library: () => {
      if (!library) throw new Error("state: the library worker was not started");
      return library.service;
    },
  };
}
