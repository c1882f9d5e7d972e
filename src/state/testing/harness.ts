/**
 * @file The app's state with the real library service on a database in memory, and an engine that does what the test
 * says; both behind message channels, as in the browser.
 */

import "fake-indexeddb/auto";
import { readFileSync } from "node:fs";
import { createWriterLine } from "./writer.ts";
import type { Cell } from "../../records/notebook.ts";
import type { ExampleFile } from "../../notebook/file.ts";
import { connect, type Connection, type WorkerPort } from "../../rpc/connect.ts";
import type { EngineService } from "../../service/engineService.ts";
import { type LibraryService, createLibraryService } from "../../service/library/libraryService.ts";
import { serve } from "../../rpc/serve.ts";
import type { Port, Service } from "../../rpc/wire.ts";
import { openDatabase } from "../../store/database.ts";
import { createApp, type App, type Deps } from "../app.ts";
import type { AppState } from "../core.ts";
import { NO_DEADLINE } from "../../rpc/testing/noDeadline.ts";

export const RECORDED = JSON.parse(readFileSync("public/samples/example.json", "utf8")) as ExampleFile;

/** A recorded output of the worked example. */
export function recorded<K extends "model" | "memorize" | "ask">(kind: K) {
  const cell: Cell = RECORDED.notebook.cells.find((candidate) => candidate.kind === kind)!;
  return cell.output as unknown as NonNullable<Extract<Cell, { kind: K }>["output"]>;
}

let databases = 0;

export interface Harness {
  readonly app: App;
  readonly state: () => AppState;
  /** Calls of the engine in order: "open", "memorize", … */
  readonly calls: string[];
  /** What the engine does; tests replace methods. */
  readonly engine: Partial<EngineService>;
  /** Changes of the library; what is not here is the real one. */
  readonly libraryChanges: { -readonly [name in keyof LibraryService]?: LibraryService[name] };
  /** Kills the worker. */
  crash(name: "engine" | "library"): void;
  readonly writer: ReturnType<typeof createWriterLine>;
  /** Resolves when `condition` holds; rejects after two seconds. */
  until(condition: (state: AppState) => boolean): Promise<void>;
  close(): void;
}

/** `deps` replaces parts of the world. */
export function createHarness(deps: Partial<Deps> = {}): Harness {
  const database = openDatabase({ name: `test-${++databases}` });
  const library = createLibraryService({
    deadline: NO_DEADLINE,
    database: () => database,
    date: () => "2026-01-01T00:00:00Z",
    app: "1",
  });
  const libraryChanges: Partial<LibraryService> = {};
  const calls: string[] = [];
  const engine: Partial<EngineService> = {
    survey: async () => ({ webgpu: null, webgpuMissing: null, crossOriginIsolated: true, threads: 1 }),
    events: () => new Promise<never>(() => undefined),
    open: async () => recorded("model"),
    memorize: async () => recorded("memorize"),
    ask: async ({ question }) => ({ ...recorded("ask").history[0]!.answer, question }),
  };
  const closers: (() => void)[] = [];
  const crashers: Partial<Record<string, () => void>> = {};

  function inChannel<S extends Service<S>>(service: S, name: string): Connection<S> {
    const { port1, port2 } = new MessageChannel();
    const stop = serve(port2 as unknown as Port, service);
    const failures: ((event: Event) => void)[] = [];
    const port: WorkerPort = {
      postMessage: (message, transfer = []) => port1.postMessage(message, transfer),
      addEventListener: (type: string, listener: (event: never) => void) => {
        if (type === "error") failures.push(listener as (event: Event) => void);
        else if (type === "message") port1.addEventListener(type, listener as (event: Event) => void);
      },
      removeEventListener: (type, listener) =>
        port1.removeEventListener(type, listener as (event: Event) => void),
      terminate: () => {
        stop();
        port1.close();
        port2.close();
      },
    };
    port1.start();
    port2.start();
    crashers[name] = () => {
      for (const fail of failures) fail(Object.assign(new Event("error"), { message: "killed by the test" }));
    };
    closers.push(() => port.terminate?.());
    return connect<S>(port, name);
  }

  const named = <S extends object>(service: S): S =>
    Object.fromEntries(
      Object.keys(service).map((method) => [
        method,
        (...args: unknown[]) => {
          calls.push(method);
          return (service as Record<string, (...args: unknown[]) => unknown>)[method]!(...args);
        },
      ]),
    ) as S;

  let last = 0;
  const writer = createWriterLine();
  const app = createApp({
    connectEngine: () => inChannel(named(engine as EngineService), "engine"),
    connectLibrary: () => inChannel({ ...library, ...libraryChanges }, "library"),
    fetchOwn: async (path) => new Response(readFileSync(`public/${path}`)),
    now: () => Date.now(),
    newId: () => `id-${++last}`,
    app: "1",
    settings: null,
    session: null,
    holdWriter: writer.hold,
    persist: async () => true,
    whenIdle: (work) => work(),
    undoWindow: 20,
    saveDelay: 5,
    ...deps,
  });
  const state = (): AppState => app.store.getState();
  return {
    app,
    state,
    calls,
    engine,
    libraryChanges,
    writer,
    crash: (name) => crashers[name]?.(),
    until: (condition) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(
          () =>
            reject(
              new Error(
                `harness: waited ${String(PATIENCE_MS / 1000)} seconds in vain; the runs are ${JSON.stringify(state().runs)}`,
              ),
            ),
          PATIENCE_MS,
        );
        const check = (): void => {
          if (!condition(state())) return;
          clearTimeout(timer);
          stop();
          resolve();
        };
        const stop = app.store.subscribe(check);
        check();
      }),
    close: () => {
      for (const close of closers) close();
    },
  };
}

/** What takes milliseconds may take seconds on a machine that does other things beside. */
const PATIENCE_MS = 30_000;
