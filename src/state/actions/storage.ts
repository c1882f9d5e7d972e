/** @file What this browser keeps, and how the app begins and recovers. */

import { cellTitle } from "../../notebook/kinds.ts";
import { notebookOfCell, problemOf, set, get, type Core } from "../core.ts";
import { NO_MEMORY, refreshMemory, refreshStorage } from "../memory.ts";
import * as notebooks from "../notebooks.ts";
import { reopen, noteEndedLoad } from "../run/model.ts";
import { isBegun, type Queue } from "../runs.ts";
import type { AppState, WorkerName } from "../types.ts";
import type { Workers } from "../workers.ts";
import { reload } from "../notebooks.ts";

export const storageActions = (core: Core, queue: Queue) => ({
  refreshStorage: () => refreshStorage(core),
  async persist(): Promise<void> {
    await core.deps.persist();
    await refreshStorage(core);
  },
  async clearCache(): Promise<void> {
    await core.library().clearCache(null);
    await refreshStorage(core);
  },
  async wipe(): Promise<void> {
    queue.cancelAll();
    await core.library().wipe(null);
    set(core, {
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
      if (get(core).lock.role === "writer")
        void core
          .library()
          .removeUnnamedTexts(null)
          .catch(() => undefined);
      try {
        await notebooks.refreshList(core);
        await notebooks.openFirst(core, wanted);
      } catch (error) {
        set(core, { notice: problemOf(error).message });
        await notebooks.openExample(core).catch(() => notebooks.create(core));
      }
      noteEndedLoad(core);
      void refreshStorage(core);
    },
    /** Starts a crashed worker again, opens the model that was open, and takes up what was interrupted. */
    async restartWorker(name: WorkerName): Promise<void> {
      const runs = Object.entries(get(core).runs);
      const interrupted = runs.filter(([, { problem }]) => problem?.name === "WorkerCrashed");
      const before = core.tab.opened;
      if (name === "engine") Object.assign(core.tab, { opened: null, roles: new Map() });
      await workers.restart(name);
      if (name === "library") {
        await flush();
        await refreshMemory(core);
        return;
      }
      // A run opens its model first; without one, what was open is opened again.
      for (const [cellId] of interrupted) void run(cellId);
      if (interrupted.length === 0 && before)
        await reopen(core, before).catch((error: unknown) => set(core, { notice: problemOf(error).message }));
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
    who: () => get(core).open[get(core).currentId ?? ""]?.notebook.title || "Palimpsest",
    running: () => runningTitle(get(core)),
    onChange: ({ state, who, running }) => {
      const before = get(core).lock.role;
      set(core, { lock: { role: state, who, running } });
      // Continue with the last state that the other tab wrote.
      if (before === "reader" && state === "writer")
        for (const id of Object.keys(get(core).open)) void reload(core, id).catch(() => undefined);
    },
    // A reader follows what the writer does.
    onSaved: (id) => {
      if (id in get(core).open) void reload(core, id).catch(() => undefined);
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
  set(core, { lock: { role: lock.state, who: lock.who, running: lock.running } });
}
