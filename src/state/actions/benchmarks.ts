/** @file Benchmarks: the files that cases are taken from, and runs that were made elsewhere. */

import type { Evaluation } from "../../records/evaluation.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { modelTag } from "../../records/memory.ts";
import type { BenchmarkCell } from "../../records/notebook.ts";
import type { BroughtFile } from "../../rpc/evaluation.ts";
import { cellOf, currentNotebook, putOutput, set, type Core } from "../core.ts";
import { newCell } from "../../notebook/create.ts";
import { edit } from "../notebooks.ts";

export const benchmarkActions = (core: Core) => ({
  /** Files that were dropped for a benchmark cell; they are read in place, at every run. */
  setBenchmarkFiles(id: string, files: readonly BroughtFile[]): void {
    core.tab.benchmarkFiles.set(id, files);
    const { input } = cellOf(core, id, "benchmark");
    edit(core, { kind: "input", id, input: { ...input, files: files.map(({ name }) => name) } });
  },
  /** Adds a benchmark cell at the end of the notebook, set as `input` says; its id. */
  addBenchmark(input: BenchmarkCell["input"]): string {
    const cell = newCell("benchmark", core.deps.newId(), input);
    edit(core, { kind: "add", cell, index: currentNotebook(core).cells.length });
    set(core, { selected: cell.id });
    return cell.id;
  },
  /** Keeps a run that was made elsewhere, and shows it in a benchmark cell. */
  async showEvaluation(cellId: string, { header, samples }: Evaluation): Promise<void> {
    const notebook = currentNotebook(core).id;
    const ids = samples.map(({ id }) => id).join();
    const runId = `evaluation-${sha256Hex(JSON.stringify([notebook, "imported", header.key, ids])).slice(0, 24)}`;
    await core.library().keepEvaluation({ notebook, id: runId, header });
    await core.library().keepSamples({ id: runId, samples });
    const { tasks, lengths, methods, variants, created, backend, model, app } = header;
    const from = { at: created, milliseconds: 0, backend, model: modelTag(model), app, inputs: "" };
    putOutput<"benchmark">(core, cellId, () => ({
      ...{ runId, tasks, lengths, methods, variants, kept: samples.length, planned: samples.length },
      stamp: from,
    }));
  },
  /** Puts others' predictions beside the samples of a benchmark cell, as methods of their own. */
  async addPredictions(cellId: string, { header, samples }: Evaluation): Promise<void> {
    const { output } = cellOf(core, cellId, "benchmark");
    if (!output) return;
    await core.library().keepEvaluation({ notebook: currentNotebook(core).id, id: output.runId, header });
    await core.library().keepSamples({ id: output.runId, samples });
    const joined = (a: readonly string[], b: readonly string[]): string[] => [...new Set([...a, ...b])];
    putOutput<"benchmark">(
      core,
      cellId,
      ({ output: now }) =>
        now && {
          ...now,
          tasks: joined(now.tasks, header.tasks),
          lengths: joined(now.lengths, header.lengths),
          methods: joined(now.methods, header.methods),
        },
    );
  },
});
