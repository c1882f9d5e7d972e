/**
 * @file The store cell over made facts, for `tools/benchTable.ts`: the app's own state and interface, with a library
 * that has `?rows=N` facts in it. Nothing here is a memory, and nothing is stored.
 */

import { createRoot } from "react-dom/client";
import { newCell, newNotebook } from "../../src/notebook/create.ts";
import type { EngineService, LibraryService } from "../../src/rpc/protocol.ts";
import type { Connection } from "../../src/rpc/connect.ts";
import { createApp } from "../../src/state/app.ts";
import { AppProvider, useApp } from "../../src/ui/app.tsx";
import { MemoryCell } from "../../src/ui/cells/memory/MemoryCell.tsx";
import { manyRows } from "../../src/ui/cells/memory/testing/rows.ts";
import { holdWriterLock } from "../../src/store/locks.ts";
import { TooltipProvider } from "../../src/ui/controls/Tooltip.tsx";
import "../../src/ui/theme.css";
import "../../src/ui/base.css";

const rows = manyRows(Number(new URLSearchParams(location.search).get("rows") ?? 50_000));
const notebook = newNotebook("bench", "Fact table", [newCell("store", "store")], new Date(0).toISOString());

const NO_CACHE = { rows: 0, bytes: 0, budget: 0 };

const library: Partial<LibraryService> = {
  notebooks: () => Promise.resolve([{ id: "bench", title: "Fact table", updated: "", cells: 1 }]),
  loadNotebook: () => Promise.resolve({ revision: 1, body: notebook }),
  saveNotebook: ({ revision }) => Promise.resolve(revision + 1),
  memoryInfo: () => Promise.resolve(null),
  facts: () => Promise.resolve(rows),
  storage: () => Promise.resolve({ usage: 0, quota: null, persisted: true, cache: NO_CACHE }),
};
const engine: Partial<EngineService> = {
  survey: () => new Promise(() => undefined),
  events: () => new Promise(() => undefined),
};

function connected<S>(service: Partial<S>): Connection<S> {
  const never = new Promise<never>(() => undefined);
  return { service: service as S, ready: Promise.resolve(), crashed: never, close: () => undefined };
}

const app = createApp({
  connectEngine: () => connected(engine),
  connectLibrary: () => connected(library),
  fetchOwn: (path) => fetch(path),
  now: () => Date.now(),
  newId: () => crypto.randomUUID(),
  app: "bench",
  settings: null,
  holdWriter: (options) => holdWriterLock("bench", options),
  persist: () => Promise.resolve(false),
  whenIdle: (work) => {
    work();
  },
  undoWindow: 8000,
  saveDelay: 400,
});

function Page() {
  const cell = useApp(({ open }) => open["bench"]?.notebook.cells[0]);
  return cell?.kind === "store" ? (
    <div style={{ maxWidth: "var(--column)", margin: "2rem auto", padding: "0 1rem" }}>
      <MemoryCell cell={cell} />
    </div>
  ) : null;
}

performance.mark("facts-made");
await app.actions.start("bench");
performance.mark("drawing");
createRoot(document.getElementById("root")!).render(
  <AppProvider app={app}>
    <TooltipProvider>
      <Page />
    </TooltipProvider>
  </AppProvider>,
);
