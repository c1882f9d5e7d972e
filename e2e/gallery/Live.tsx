/** @file The figures of a memory and of an answer over the app's own state and workers: the worked example, run here. */

import { useEffect } from "react";
import { connect } from "../../src/rpc/connect.ts";
import type { EngineService, LibraryService } from "../../src/rpc/protocol.ts";
import { createApp } from "../../src/state/app.ts";
import { holdWriterLock } from "../../src/store/locks.ts";
import { AppProvider, currentOf, useActions, useApp } from "../../src/ui/app.tsx";
import { MemoryFigures } from "../../src/ui/charts/MemoryFigures.tsx";
import { RecallFigures } from "../../src/ui/charts/RecallFigures.tsx";
import s from "./Gallery.module.css";

const app = createApp({
  connectEngine: () =>
    connect<EngineService>(
      new Worker(new URL("../../workers/engine.worker.ts", import.meta.url), { type: "module" }),
      "engine",
    ),
  connectLibrary: () =>
    connect<LibraryService>(
      new Worker(new URL("../../workers/library.worker.ts", import.meta.url), { type: "module" }),
      "library",
    ),
  fetchOwn: (path) => fetch(`${import.meta.env.BASE_URL}${path}`),
  now: () => Date.now(),
  newId: () => crypto.randomUUID(),
  app: "gallery",
  settings: null,
  holdWriter: (options) => holdWriterLock("gallery", options),
  persist: () => Promise.resolve(false),
  whenIdle: (work) => {
    setTimeout(work, 0);
  },
  undoWindow: 1000,
  saveDelay: 400,
});

export function Live() {
  return (
    <AppProvider app={app}>
      <Page />
    </AppProvider>
  );
}

function Page() {
  const { start, runAll } = useActions();
  const notebook = useApp(currentOf)?.notebook;
  const facts = useApp(({ memory }) => memory.info?.facts ?? 0);
  const runs = useApp((state) => state.runs);
  const failed = Object.values(runs).find(({ problem }) => problem)?.problem;
  useEffect(() => {
    void start();
  }, [start]);
  const memorized = notebook?.cells.find((cell) => cell.kind === "memorize");
  const asked = notebook?.cells.find((cell) => cell.kind === "ask");
  const exchange = asked?.output?.history[0];
  return (
    <div className={s.gallery}>
      <h1>Figures of a memory</h1>
      <button type="button" disabled={!notebook} onClick={() => void runAll()}>
        Run the example
      </button>
      <p role="status">
        {Object.keys(runs).length > 0 ? "running" : "idle"}, {facts} facts in memory {failed?.message}
      </p>
      {notebook && memorized && facts > 0 && <MemoryFigures cellId={memorized.id} />}
      {notebook && asked && exchange && facts > 0 && (
        <RecallFigures
          memory={notebook.id}
          cellId={asked.id}
          answer={exchange.answer}
          stamp={exchange.stamp}
        />
      )}
    </div>
  );
}
