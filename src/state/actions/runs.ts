/** @file Work that waits for the one device: runs of cells, changes of the memory, and benchmarks. */

import { cellTitle, firstOf, isEmpty, newCell } from "../../notebook/kinds.ts";
import type { FactId } from "../../records/ids.ts";
import type { OpenModel } from "../../service/types.ts";
import type { ReencodeArgument } from "../../service/runs/runs.ts";
import { type Core, roleKey, type CellRun } from "../core.ts";
import { loadFacts, presentId, refreshMemory, say, setLeaving, suggestQuestions } from "../memory.ts";
import { runMemorize, runMemorizeKept, runResume, runSource } from "../run/source.ts";
import { ensureModel, isOpenFor, runModel } from "../run/model.ts";
import { runTeach, runWithoutWriter } from "../run/writer.ts";
import {
  runCarryOver,
  runForget,
  runReencode,
  runStore,
  runTakeIn,
  runAsk,
  runAskAll,
  runProbe,
  runQuestions,
} from "../run/ask.ts";
import { clearRun, type Job, type Queue } from "../runs.ts";
import type { Cell, CellKind, BenchmarkCell } from "../../records/notebook.ts";
import { HELPERS, type Evaluation, type Helper } from "../../records/evaluation.ts";
import type { EmbedderChoice } from "../../records/embedder.ts";
import type { BroughtFile } from "../../service/evaluation/evaluation.ts";
import { edit } from "../notebooks.ts";

export function runActions(core: Core, queue: Queue) {
  function runCell(id: string, jobs = JOBS): Promise<boolean> {
    const cell = core.findCell(id);
    const job = cell && jobs[cell.kind];
    if (!job || !core.canWrite) return Promise.resolve(false);
    // A question must not find a fact that the page hides.
    const asks = cell.kind === "ask" || cell.kind === "questions";
    return queue.add(id, job, asks ? [...core.tab.deletions].map((carryOut) => carryOut()) : []);
  }
  return {
    runCell: (id: string): Promise<boolean> => runCell(id),
    /** Runs all cells from the top; stops at the first failure and skips cells without input. A notice names what had no result. */
    async runAll(): Promise<void> {
      core.set({ following: true });
      const ended: Ended[] = [];
      for (const { id, kind } of core.notebook.cells) {
        const given = core.findCell(id);
        if (!JOBS[kind]) continue;
        const how =
          given && isEmpty(given) ? "passed over" : (await runCell(id, JOBS_OF_ALL)) ? "ran" : "stopped";
        const cell = core.findCell(id);
        if (cell) ended.push({ cell, how });
        if (how === "stopped") break;
      }
      const line = closingLine(ended, core.state.runs);
      core.set(({ notice }) => ({
        following: false,
        ...(line ? { notice: notice ? `${notice} ${line}` : line } : {}),
      }));
    },
    stopFollowing: (): void => core.set({ following: false }),
    cancelCell: (id: string): void => queue.cancel(id),
    cancelAll: (): void => queue.cancelAll(),
    pause: () => queue.pause(true),
    resume: () => queue.pause(false),
    dismissRun: (id: string): void => clearRun(core, id),
    /** The first screen shows the progress of the first memorise cell, and takes questions afterwards. */
    resumeMemorize(id: string) {
      const notebook = core.notebookOfCell(id);
      if (notebook && firstOf(notebook, "memorize")?.id === id) core.set({ begun: notebook.id });
      return queue.add(id, runResume);
    },
    teachWriter: (id: string, minutes: number) => queue.add(id, (context) => runTeach(context, minutes)),
    removeWriter: (id: string) => queue.add(id, runWithoutWriter),
    ensureModel: (cellId: string): Promise<boolean> =>
      isOpenFor(core, cellId) ? Promise.resolve(true) : queue.addAfter(cellId, ensureModel),
  };
}

/** A deletion within its undo window: either the undo or the end of the window comes first. */
export interface PendingDeletion {
  readonly undo: () => void;
  readonly now: () => void;
  /** Resolves when the deletion can no longer be undone, or was undone. */
  readonly decided: Promise<void>;
}

export const memoryActions = (core: Core, queue: Queue) => ({
  loadFacts: () => loadFacts(core),
  refreshMemory: () => refreshMemory(core),
  sayFact: (id: FactId): void => say(core, id),
  /** A failure leaves no suggestion: it is only an offer. */
  suggestQuestions: () => suggestQuestions(core).catch(() => undefined),
  /** Hides facts at once and deletes them when the undo window ends; store cell `cellId` then shows the certificate. */
  deleteFacts(cellId: string, ids: readonly FactId[]): PendingDeletion {
    if (!core.canWrite) return { undo: () => undefined, now: () => undefined, decided: Promise.resolve() };
    const gone = new Set(ids);
    setLeaving(core, (leaving) => new Set([...leaving, ...gone]));
    const show = () => {
      core.tab.deletions.delete(carryOut);
      const own = new Set([...gone].map((id) => presentId(core, id)));
      setLeaving(core, (leaving) => new Set([...leaving].filter((id) => !own.has(id))));
    };
    // If the run was stopped before it began, the stored facts become visible again.
    const forget = async (): Promise<void> => {
      // Another tab may write by now; then this one deletes nothing.
      if (core.canWrite) await queue.addAfter(cellId, (context) => runForget(context, ids));
      show();
    };
    let decide = (): void => undefined;
    const decided = new Promise<void>((resolve) => (decide = resolve));
    let waits = true;
    const once = (act: () => void) => (): void => {
      if (!waits) return;
      waits = false;
      clearTimeout(timer);
      decide();
      act();
    };
    let ended = Promise.resolve();
    const now = once(() => {
      ended = forget();
    });
    const timer = setTimeout(now, core.deps.undoWindow);
    const carryOut = (): Promise<void> => {
      now();
      return ended;
    };
    core.tab.deletions.add(carryOut);
    return { undo: once(show), now, decided };
  },
  isDeleting: (): boolean => core.tab.deletions.size > 0,
  carryOver: (cellId: string, from: OpenModel) => queue.add(cellId, (context) => runCarryOver(context, from)),
  takeIn: (cellId: string, archive: Blob, ids: readonly FactId[]) =>
    queue.add(cellId, (context) => runTakeIn(context, archive, ids)),
  reencode: (cellId: string, change: Omit<ReencodeArgument, "memory">) =>
    queue.add(cellId, (context) => runReencode(context, change)),
});

export const JOBS: { readonly [K in CellKind]: Job | null } = {
  note: null,
  model: runModel,
  source: runSource,
  memorize: runMemorize,
  store: runStore,
  ask: runAsk,
  questions: runQuestions,
  probe: runProbe,
  experiment: async (context) => (await import("../run/benchmark.ts")).runExperiment(context),
  benchmark: async (context) => (await import("../run/benchmark.ts")).runBenchmark(context),
};

const JOBS_OF_ALL: typeof JOBS = { ...JOBS, ask: runAskAll, memorize: runMemorizeKept };

interface Ended {
  readonly cell: Cell;
  readonly how: "ran" | "passed over" | "stopped";
}

/** One line; null where every cell ran and has a result. */
export function closingLine(ended: readonly Ended[], runs: Readonly<Record<string, CellRun>>): string | null {
  const lines = ended.flatMap(({ cell, how }) => {
    const title = `“${cellTitle(cell)}”`;
    // A box without a question is how every notebook begins.
    if (how === "passed over" && cell.kind === "ask") return [];
    if (how === "passed over") return [`${title} was passed over: it was given nothing to work on.`];
    if (how === "stopped") return [stoppedText(title, runs[cell.id])];
    const nothing = cell.kind === "memorize" && cell.output?.encoded === 0;
    return nothing ? [`${title} had no result: no fact was added.`] : [];
  });
  const sentences = lines.map((line, i) => (i === 0 ? line : line.replace(/^it /, "It ")));
  return lines.length > 0 ? `Run all: ${sentences.join(" ")}` : null;
}

const stoppedText = (title: string, run: CellRun | undefined): string =>
  run?.status === "failed"
    ? `it stopped at ${title}, which failed: ${run.problem?.message ?? "see the cell for the reason."}`
    : `it was stopped at ${title}.`;

const benchmarkCode = () => import("../run/benchmark.ts");

export const benchmarkActions = (core: Core, queue: Queue) => ({
  setBenchmarkFiles(id: string, files: readonly BroughtFile[]): void {
    core.tab.benchmarkFiles.set(id, files);
    const { input } = core.cellOf(id, "benchmark");
    edit(core, { kind: "input", id, input: { ...input, files: files.map(({ name }) => name) } });
  },
  setHelper(id: string, helper: Helper, choice: EmbedderChoice | null, files?: ReadonlyMap<string, Blob>) {
    if (files) core.tab.roleFiles.set(roleKey(id, helper), files);
    const { input } = core.cellOf(id, "benchmark");
    const chosen = (name: Helper) => (name === helper ? choice : input.helpers?.[name]);
    const helpers = HELPERS.flatMap((name) => {
      const one = chosen(name);
      return one ? [[name, one] as const] : [];
    });
    edit(core, { kind: "input", id, input: { ...input, helpers: Object.fromEntries(helpers) } });
  },
  addBenchmark(input: BenchmarkCell["input"]): string {
    const cell = newCell("benchmark", core.deps.newId(), input);
    edit(core, { kind: "add", cell, index: core.notebook.cells.length });
    core.set({ selected: cell.id });
    return cell.id;
  },
  showEvaluation: async (cellId: string, run: Evaluation): Promise<void> =>
    (await benchmarkCode()).showEvaluation(core, cellId, run),
  /** Goes on with the unfinished run of cell `id`, as it was begun; resolves to whether it came to its end. */
  goOnBenchmark: async (id: string): Promise<boolean> =>
    core.canWrite && queue.add(id, async (context) => (await benchmarkCode()).goOnBenchmark(context)),
  removeRun: async (runId: string): Promise<void> => (await benchmarkCode()).removeRun(core, runId),
  addPredictions: async (cellId: string, predictions: Evaluation): Promise<void> =>
    (await benchmarkCode()).addPredictions(core, cellId, predictions),
});
