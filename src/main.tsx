/** @file The page: workers, state and interface put together. */

import { createRoot } from "react-dom/client";
import { WORKING_CELLS } from "./notebook/kinds.ts";
import { connect } from "./rpc/connect.ts";
import type { EngineService } from "./service/engineService.ts";
import type { LibraryService } from "./service/library/libraryService.ts";
import { holdWriterLock } from "./store/locks.ts";
import { createApp } from "./state/app.ts";
import { loadBodies } from "./ui/cells/registry.ts";
import { Shell } from "./ui/shell/Shell.tsx";
import { AppProvider } from "./ui/app.tsx";
import { UNDO_WINDOW } from "./ui/controls/page.ts";
import "./ui/theme.css";
import "./ui/base.css";

/** Milliseconds after which the page is drawn on a slow machine; the engine's code would compete with it. */
const ENGINE_START = 1000;

const engineWorker = (): Worker =>
  new Worker(new URL("../workers/engine.worker.ts", import.meta.url), { type: "module", name: "engine" });
const libraryWorker = (): Worker =>
  new Worker(new URL("../workers/library.worker.ts", import.meta.url), { type: "module", name: "library" });

// Code that nearly every notebook needs is fetched while the library looks for the notebook to open.
void loadBodies(["note", ...WORKING_CELLS]);

const app = createApp({
  connectEngine: () => connect<EngineService>(engineWorker(), "engine"),
  connectLibrary: () => connect<LibraryService>(libraryWorker(), "library"),
  fetchOwn: (path) => fetch(`${import.meta.env.BASE_URL}${path}`),
  now: () => Date.now(),
  newId: () => crypto.randomUUID(),
  app: __APP_VERSION__,
  settings: kept(() => localStorage),
  session: kept(() => sessionStorage),
  holdWriter: (options) => holdWriterLock("palimpsest", options),
  // Insecure contexts have no storage manager.
  persist: async () => (await (navigator.storage as StorageManager | undefined)?.persist()) ?? false,
  whenIdle: (work) => setTimeout(work, ENGINE_START),
  undoWindow: UNDO_WINDOW,
  saveDelay: 400,
});

/** Null if the browser forbids storage: settings then last as long as the tab. */
function kept(storage: () => Storage): Storage | null {
  try {
    return storage();
  } catch {
    return null;
  }
}

void app.actions.start(new URLSearchParams(location.search).get("notebook"));
addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") void app.actions.saveNow();
});

// The browser asks whether to leave: a deletion that waits or runs would be lost.
addEventListener("beforeunload", (event) => {
  if (app.actions.isDeleting()) event.preventDefault();
});
addEventListener("pagehide", () => app.actions.leave());
// A deploy under the open page: files that it has not fetched yet are gone.
addEventListener("vite:preloadError", () => app.actions.sayNewVersion());

createRoot(document.getElementById("root")!).render(
  <AppProvider app={app}>
    <Shell />
  </AppProvider>,
);

// Insecure contexts have none. It is registered when the page is there, so that it does not compete with the first load.
const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer };
if (import.meta.env.PROD && import.meta.env.MODE !== "e2e" && serviceWorker)
  addEventListener("load", () => {
    void serviceWorker.register(`${import.meta.env.BASE_URL}sw.js`).catch(() => undefined);
  });
