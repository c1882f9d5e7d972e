/** @file What waits for the one device: runs of cells, and changes of the memory. */

import { isEmpty } from "../../notebook/kinds.ts";
import type { FactId } from "../../records/ids.ts";
import type { ReencodeArgument } from "../../service/runs/runs.ts";
import { canWrite, currentNotebook, findCell, get, set, type Core } from "../core.ts";
import { loadFacts, refreshMemory, say, setLeaving } from "../memory.ts";
import { closingLine, type Ended } from "../run/closing.ts";
import { JOBS, JOBS_OF_ALL } from "../run/jobs.ts";
import { runResume } from "../run/memorize.ts";
import { isOpenFor } from "../run/model.ts";
import { runEnsureModel, runForget, runReencode } from "../run/store.ts";
import { clearRun, type Queue } from "../runs.ts";

export function runActions(core: Core, queue: Queue) {
  /** Runs a cell after those that wait; resolves to whether it succeeded. */
  function runCell(id: string, jobs = JOBS): Promise<boolean> {
    const cell = findCell(core, id);
    const job = cell && jobs[cell.kind];
    return job && canWrite(core) ? queue.add(id, job) : Promise.resolve(false);
  }
  return {
    runCell: (id: string): Promise<boolean> => runCell(id),
    /**
     * Runs every cell from the top, and the page follows; stops where one fails. A cell that was given nothing yet is
     * passed over. A notice says where it stopped, and what nothing came of.
     */
    async runAll(): Promise<void> {
      set(core, { following: true });
      const ended: Ended[] = [];
      for (const { id, kind } of currentNotebook(core).cells) {
        const given = findCell(core, id);
        if (!JOBS[kind]) continue;
        const how =
          given && isEmpty(given) ? "passed over" : (await runCell(id, JOBS_OF_ALL)) ? "ran" : "stopped";
        const cell = findCell(core, id);
        if (cell) ended.push({ cell, how });
        if (how === "stopped") break;
      }
      const line = closingLine(ended, get(core).runs);
      set(core, ({ notice }) => ({
        following: false,
        ...(line ? { notice: notice ? `${notice} ${line}` : line } : {}),
      }));
    },
    /** The person went elsewhere on the page: it stays there. */
    stopFollowing: (): void => set(core, { following: false }),
    cancelCell: (id: string): void => queue.cancel(id),
    cancelAll: (): void => queue.cancelAll(),
    pause: () => queue.pause(true),
    resume: () => queue.pause(false),
    /** Takes a failed or cancelled run off the cell. */
    dismissRun: (id: string): void => clearRun(core, id),
    /** Encodes what an interrupted run left, in memorize cell `id`. */
    resumeMemorize: (id: string) => queue.add(id, runResume),
    /** Opens the model that cell `cellId` uses, unless it is open; resolves to whether it is. */
    ensureModel: (cellId: string): Promise<boolean> =>
      isOpenFor(core, cellId) ? Promise.resolve(true) : queue.addAfter(cellId, runEnsureModel),
  };
}

/** A deletion that waits for the end of its undo window. Whichever of the two comes first decides. */
export interface PendingDeletion {
  /** Takes it back. */
  readonly undo: () => void;
  /** Deletes for good without waiting. */
  readonly now: () => void;
}

export const memoryActions = (core: Core, queue: Queue) => ({
  loadFacts: () => loadFacts(core),
  refreshMemory: () => refreshMemory(core),
  sayFact: (id: FactId): void => say(core, id),
  /**
   * Takes facts out of view at once and deletes them for good when the undo window is over; the certificate then
   * stands in store cell `cellId`.
   */
  deleteFacts(cellId: string, ids: readonly FactId[]): PendingDeletion {
    if (!canWrite(core)) return { undo: () => undefined, now: () => undefined };
    const gone = new Set(ids);
    setLeaving(core, (leaving) => new Set([...leaving, ...gone]));
    const show = (): void =>
      setLeaving(core, (leaving) => new Set([...leaving].filter((id) => !gone.has(id))));
    // Also where it was stopped before it began: what is stored is in view again.
    const forget = (): void => {
      // Another tab may write by now: what is stored is its to delete.
      if (!canWrite(core)) return show();
      void queue.addAfter(cellId, (context) => runForget(context, ids)).finally(show);
    };
    let decided = false;
    const once = (act: () => void) => (): void => {
      if (decided) return;
      decided = true;
      clearTimeout(timer);
      act();
    };
    const now = once(forget);
    const timer = setTimeout(now, core.deps.undoWindow);
    return { undo: once(show), now };
  },
  reencode: (cellId: string, change: Omit<ReencodeArgument, "memory">) =>
    queue.add(cellId, (context) => runReencode(context, change)),
});
