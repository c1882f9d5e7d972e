/** @file Benchmarks: the files that cases are taken from, and runs that were made elsewhere. */

import { HELPERS, type Evaluation, type Helper } from "../../records/evaluation.ts";
import type { EmbedderChoice } from "../../records/embedder.ts";
import type { BenchmarkCell } from "../../records/notebook.ts";
import type { BroughtFile } from "../../service/evaluation/evaluation.ts";
import { canWrite, cellOf, currentNotebook, roleKey, set, type Core } from "../core.ts";
import { newCell } from "../../notebook/create.ts";
import { edit } from "../notebooks.ts";
import type { Queue } from "../runs.ts";

const benchmarkCode = () => import("../run/benchmark.ts");

export const benchmarkActions = (core: Core, queue: Queue) => ({
  setBenchmarkFiles(id: string, files: readonly BroughtFile[]): void {
    core.tab.benchmarkFiles.set(id, files);
    const { input } = cellOf(core, id, "benchmark");
    edit(core, { kind: "input", id, input: { ...input, files: files.map(({ name }) => name) } });
  },
  setHelper(
    id: string,
    helper: Helper,
    choice: EmbedderChoice | null,
    files?: ReadonlyMap<string, Blob>,
  ): void {
    if (files) core.tab.roleFiles.set(roleKey(id, helper), files);
    const { input } = cellOf(core, id, "benchmark");
    const chosen = (name: Helper) => (name === helper ? choice : input.helpers?.[name]);
    const helpers = HELPERS.flatMap((name) => {
      const one = chosen(name);
      return one ? [[name, one] as const] : [];
    });
    edit(core, { kind: "input", id, input: { ...input, helpers: Object.fromEntries(helpers) } });
  },
  addBenchmark(input: BenchmarkCell["input"]): string {
    const cell = newCell("benchmark", core.deps.newId(), input);
    edit(core, { kind: "add", cell, index: currentNotebook(core).cells.length });
    set(core, { selected: cell.id });
    return cell.id;
  },
  showEvaluation: async (cellId: string, run: Evaluation): Promise<void> =>
    (await benchmarkCode()).showEvaluation(core, cellId, run),
  /** Goes on with the unfinished run of cell `id`, as it was begun; resolves to whether it came to its end. */
  goOnBenchmark: async (id: string): Promise<boolean> =>
    canWrite(core) && queue.add(id, async (context) => (await benchmarkCode()).goOnBenchmark(context)),
  removeRun: async (runId: string): Promise<void> => (await benchmarkCode()).removeRun(core, runId),
  addPredictions: async (cellId: string, predictions: Evaluation): Promise<void> =>
    (await benchmarkCode()).addPredictions(core, cellId, predictions),
});
