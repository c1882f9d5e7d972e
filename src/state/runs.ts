/** @file The queue of runs: one at a time, because there is one device; each can be followed, held and cancelled. */

import { Cancelled } from "../lib/assert.ts";
import { omit } from "../lib/omit.ts";
import type { Progress } from "../records/progress.ts";
import { problemOf, type Core, type CellRun, type RunProgress, type AppState } from "./core.ts";

export interface RunContext {
  readonly core: Core;
  readonly cellId: string;
  readonly signal: AbortSignal;
  readonly since: number;
  readonly report: (progress: RunProgress) => void;
}

export type Job = (context: RunContext) => Promise<void>;

interface Waiting {
  readonly cellId: string;
  readonly job: Job;
  readonly controller: AbortController;
  readonly done: (ok: boolean) => void;
  readonly ended: Promise<boolean>;
  ready: boolean;
}

export type Queue = ReturnType<typeof createQueue>;

export function createQueue(core: Core) {
  const waiting: Waiting[] = [];
  let current: Waiting | null = null;

  async function work(): Promise<void> {
    for (;;) {
      const next = waiting.findIndex(({ ready }) => ready);
      if (current || next < 0) return;
      current = waiting.splice(next, 1)[0]!;
      const ok = await perform(core, current);
      const { done } = current;
      current = null;
      done(ok);
    }
  }

  const entryOf = (cellId: string) => [current, ...waiting].find((entry) => entry?.cellId === cellId);

  return {
    /**
     * Resolves to whether it succeeded; a cell that waits or runs already is not queued twice.
     * @param before work that must end before the job begins; later jobs do not wait for it
     */
    add(cellId: string, job: Job, before: readonly Promise<unknown>[] = []): Promise<boolean> {
      if (entryOf(cellId)) return Promise.resolve(false);
      let done: (ok: boolean) => void = () => undefined;
      const ended = new Promise<boolean>((resolve) => (done = resolve));
      const ready = before.length === 0;
      const entry: Waiting = { cellId, job, controller: new AbortController(), done, ended, ready };
      waiting.push(entry);
      setRun(core, cellId, { status: "queued", progress: null, problem: null, startedAt: null });
      if (ready) void work();
      else
        void Promise.allSettled(before).then(() => {
          entry.ready = true;
          void work();
        });
      return ended;
    },
    /** Like `add`, but queues the job behind a waiting or running one of the same cell. */
    async addAfter(cellId: string, job: Job): Promise<boolean> {
      for (let entry = entryOf(cellId); entry; entry = entryOf(cellId)) await entry.ended;
      return this.add(cellId, job);
    },
    cancel(cellId: string): void {
      const at = waiting.findIndex((entry) => entry.cellId === cellId);
      if (at >= 0) {
        const [entry] = waiting.splice(at, 1);
        setRun(core, cellId, { status: "cancelled", progress: null, problem: null, startedAt: null });
        entry!.done(false);
      } else if (current?.cellId === cellId) {
        // A paused run would never reach the point at which it notices.
        if (core.state.runs[cellId]?.status === "paused") void this.pause(false);
        current.controller.abort();
      }
    },
    cancelAll(): void {
      for (const { cellId } of [...waiting, ...(current ? [current] : [])]) this.cancel(cellId);
    },
    async pause(paused: boolean): Promise<void> {
      const cellId = current?.cellId;
      if (!cellId) return;
      await core.engine.pause({ paused });
      patchRun(core, cellId, { status: paused ? "paused" : "running" });
    },
  };
}

async function perform(core: Core, { cellId, job, controller }: Waiting): Promise<boolean> {
  const { signal } = controller;
  const since = core.deps.now();
  setRun(core, cellId, { status: "running", progress: null, problem: null, startedAt: since });
  try {
    await job({
      core,
      cellId,
      signal,
      since,
      report: (progress) => {
        if (!signal.aborted) patchRun(core, cellId, { progress });
      },
    });
    if (signal.aborted) throw new Cancelled(`state: the run of ${cellId} was cancelled`);
    clearRun(core, cellId);
    return true;
  } catch (error) {
    const cancelled = error instanceof Cancelled || (error as Error).name === "AbortError";
    if (!core.notebookOfCell(cellId)) clearRun(core, cellId);
    else if (cancelled) patchRun(core, cellId, { status: "cancelled" });
    else patchRun(core, cellId, { status: "failed", problem: problemOf(error) });
    return false;
  }
}

function setRun(core: Core, cellId: string, run: CellRun): void {
  core.set(({ runs }) => ({ runs: { ...runs, [cellId]: run } }));
}

function patchRun(core: Core, cellId: string, change: Partial<CellRun>): void {
  core.set(({ runs }) => {
    const run = runs[cellId];
    return run ? { runs: { ...runs, [cellId]: { ...run, ...change } } } : {};
  });
}

export function clearRun(core: Core, cellId: string): void {
  core.set(({ runs }) => ({ runs: omit(runs, cellId) }));
}

export function flowReporter({ report }: RunContext): (line: Progress) => void {
  let stages: readonly Progress[] = [];
  return (line) => {
    const at = stages.findIndex(({ stage }) => stage === line.stage);
    stages = at < 0 ? [...stages, line] : stages.with(at, line);
    report({ kind: "flow", stages });
  };
}

/** A run that waits, runs or is paused: its inputs must not change. */
type Going = CellRun & { readonly status: "queued" | "running" | "paused" };

export type Begun = CellRun & { readonly status: "running" | "paused" };

export const isGoing = (run: CellRun | null | undefined): run is Going =>
  run?.status === "queued" || isBegun(run);

export const isBegun = (run: CellRun | null | undefined): run is Begun =>
  run?.status === "running" || run?.status === "paused";

export const somethingGoes = ({ runs }: AppState): boolean => Object.values(runs).some(isGoing);

export const deviceIsTaken = ({ runs }: AppState): boolean => Object.values(runs).some(isBegun);
