/** @file Runs of benchmark cells: kept sample by sample, gone on with after a stop, shared between cells, imported. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readRun } from "../../evaluate/runs/file.ts";
import { runText } from "../../evaluate/testing/stories.ts";
import { readNotebookFile, writeNotebookFile } from "../../notebook/file.ts";
import { Cancelled } from "../../lib/assert.ts";
import { modelOf, type EmbedderChoice } from "../../records/embedder.ts";
import { isImported, type BenchmarkCell } from "../../records/notebook.ts";
import type { EvaluationArgument, RunArgument } from "../../service/evaluation/evaluation.ts";
import type { ChooseHelper } from "../../service/engineService.ts";
import { sliceOf } from "../../ui/evaluation/evaluationText.ts";
import { createHarness, type Harness } from "../testing/harness.ts";

const whole = readRun(await runText(), "run.jsonl")!;

let harness: Harness;
let cellId: string;
/** What the engine was asked for, and after how many samples it stops. */
let asked: (EvaluationArgument & { readonly have: readonly string[] })[];
let stopAfter: number;
let chosen: ChooseHelper[];

beforeEach(async () => {
  harness = createHarness();
  [asked, stopAfter, chosen] = [[], Infinity, []];
  harness.engine.planRun = async (argument) => {
    const { methods } = evaluation(argument);
    const ids = whole.samples.filter(({ method }) => methods.includes(method)).map(({ id }) => id);
    const { choice = null } = chosen.findLast(({ helper }) => helper === "reranker") ?? {};
    const reranker = choice && modelOf(choice);
    return { run: "evaluation-1", header: { ...whole.header, methods, reranker }, ids };
  };
  harness.engine.chooseHelper = async (argument) => {
    chosen.push(argument);
    return null;
  };
  harness.engine.makeRecords = async (argument, { onProgress } = {}) => {
    const { have } = argument;
    const { methods } = evaluation(argument);
    asked.push({ ...evaluation(argument), have });
    const left = whole.samples.filter(({ id, method }) => methods.includes(method) && !have.includes(id));
    for (const [i, record] of left.entries()) {
      if (i === stopAfter) throw new Cancelled("test: stopped");
      onProgress?.({ kind: "record", record });
    }
    return left.length;
  };
  await harness.app.actions.start();
  cellId = cellWith(["full", "latest"]);
});
afterEach(() => {
  harness.close();
});

const evaluation = (argument: RunArgument): EvaluationArgument => argument as EvaluationArgument;

function cellWith(methods: readonly string[]): string {
  const id = harness.app.actions.addCell("benchmark")!;
  harness.app.actions.setInput(id, "benchmark", (input) => ({ ...input, methods }));
  return id;
}

const benchmarkOf = (id: string): BenchmarkCell => {
  const { open, currentId } = harness.state();
  return open[currentId!]!.notebook.cells.find((one) => one.id === id) as BenchmarkCell;
};
const outputOf = (id: string) => benchmarkOf(id).output;
const cellInput = (id: string) => benchmarkOf(id).input;
const kept = async () => (await harness.app.library().loadEvaluation({ id: "evaluation-1" }))!.samples;

describe("a benchmark cell", () => {
  it("stops computing where a sample cannot be kept, and says why", async () => {
    const { planRun } = harness.engine;
    harness.close();
    harness = createHarness();
    harness.libraryChanges.keepRecords = () => Promise.reject(new Error("store: the disk is full"));
    harness.engine.planRun = planRun!;
    let computed = 0;
    harness.engine.makeRecords = async (_, { onProgress, signal } = {}) => {
      for (const record of whole.samples) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        if (signal!.aborted) throw new Cancelled("test: stopped");
        computed++;
        onProgress?.({ kind: "record", record });
      }
      return computed;
    };
    await harness.app.actions.start();
    cellId = cellWith(["full", "latest"]);
    expect(await harness.app.actions.runCell(cellId)).toBe(false);
    expect(harness.state().runs[cellId]).toMatchObject({
      status: "failed",
      problem: { message: "The disk is full" },
    });
    expect(computed).toBeLessThan(10);
  });

  it("keeps every sample, goes on where it was stopped, and equals an undisturbed run", async () => {
    stopAfter = 5;
    expect(await harness.app.actions.runCell(cellId)).toBe(false);
    expect(outputOf(cellId)).toMatchObject({ runId: "evaluation-1", kept: 5, planned: 48 });
    stopAfter = Infinity;
    expect(await harness.app.actions.runCell(cellId)).toBe(true);
    expect(asked[1]!.have).toHaveLength(5);
    expect(outputOf(cellId)).toMatchObject({ kept: 48, planned: 48 });
    const undisturbed = whole.samples.filter(({ method }) => ["full", "latest"].includes(method));
    const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1);
    expect((await kept()).toSorted(byId)).toEqual(undisturbed.toSorted(byId));
  });

  it("has its helper opened before the run, and another helper's samples in a run of their own", async () => {
    const { actions } = harness.app;
    const hub = (repo: string): EmbedderChoice => ({
      from: { kind: "hub", repo, revision: "main" },
      dtype: "q8",
      device: "wasm",
    });
    await actions.runCell(cellId);
    actions.setHelper(cellId, "reranker", hub("a/one"));
    await actions.runCell(cellId);
    await actions.runCell(cellId);
    expect(chosen).toEqual([{ helper: "reranker", choice: hub("a/one") }]);
    expect(outputOf(cellId)!.runId).toBe("evaluation-1");
    actions.setHelper(cellId, "reranker", hub("b/two"));
    await actions.runCell(cellId);
    expect(outputOf(cellId)!.runId).toMatch(/^evaluation-[0-9a-f]{24}$/);
    expect(outputOf(cellId)!.kept).toBe(outputOf(cellId)!.planned);
    const saved = readNotebookFile(
      writeNotebookFile(harness.state().open[harness.state().currentId!]!.notebook),
    );
    expect(saved.cells.find(({ id }) => id === cellId)!.input).toEqual(cellInput(cellId));
    const files: EmbedderChoice = { ...hub(""), from: { kind: "files", name: "mine" } };
    actions.setHelper(cellId, "reranker", files);
    expect(await actions.runCell(cellId)).toBe(false);
    expect(harness.state().runs[cellId]!.problem!.message).toMatch(
      /cross-encoder "mine" .* Drop them on the benchmark cell again/,
    );
    actions.setHelper(cellId, "reranker", null);
    await actions.runCell(cellId);
    expect(chosen.at(-1)).toEqual({ helper: "reranker", choice: null });
  });

  it("has its helper opened again by an engine that was started again", async () => {
    const { actions } = harness.app;
    const from = { kind: "hub", repo: "a/one", revision: "main" } as const;
    const choice: EmbedderChoice = { from, dtype: "q8", device: "wasm" };
    actions.setHelper(cellId, "reranker", choice);
    await actions.runCell(cellId);
    harness.crash("engine");
    await harness.until(({ workers }) => workers.engine.status === "crashed");
    await actions.restartWorker("engine");
    await actions.runCell(cellId);
    expect(chosen).toEqual([
      { helper: "reranker", choice },
      { helper: "reranker", choice },
    ]);
  });

  it("does not run again what another cell has run", async () => {
    await harness.app.actions.runCell(cellId);
    const other = cellWith(["latest", "closed"]);
    await harness.app.actions.runCell(other);
    expect(asked[1]!.have).toHaveLength(24);
    expect(outputOf(other)).toMatchObject({ kept: 48, methods: ["latest", "closed"] });
    expect(await kept()).toHaveLength(72);
    expect(isImported(outputOf(other)!)).toBe(false);
  });

  it("goes on with what its run was begun with, whatever the form says by then", async () => {
    stopAfter = 5;
    await harness.app.actions.runCell(cellId);
    const begun = cellInput(cellId);
    harness.app.actions.setInput(cellId, "benchmark", (input) => ({
      ...input,
      methods: ["closed"],
      samples: 3,
    }));
    stopAfter = Infinity;
    expect(await harness.app.actions.goOnBenchmark(cellId)).toBe(true);
    expect(asked[1]).toMatchObject({ methods: ["full", "latest"], samples: begun.samples });
    expect(asked[1]!.have).toHaveLength(5);
    expect(cellInput(cellId)).toEqual(begun);
    expect(outputOf(cellId)).toMatchObject({ kept: 48, planned: 48, asked: begun });
  });

  it("does not begin another run where it cannot go on with its own", async () => {
    stopAfter = 5;
    await harness.app.actions.runCell(cellId);
    const { planRun } = harness.engine;
    harness.engine.planRun = async (argument) => ({
      ...(await planRun!(argument)),
      run: "evaluation-2",
    });
    expect(await harness.app.actions.goOnBenchmark(cellId)).toBe(false);
    expect(harness.state().runs[cellId]!.problem!.message).toMatch(
      /^This run was started with another model/,
    );
    expect(outputOf(cellId)).toMatchObject({ runId: "evaluation-1", kept: 5 });
    expect(asked).toHaveLength(1);
  });

  it("shows of a run that it shares the samples that it asked for itself", async () => {
    const few = cellWith(["full", "latest"]);
    harness.app.actions.setInput(few, "benchmark", (input) => ({ ...input, samples: 1 }));
    await harness.app.actions.runCell(cellId);
    await harness.app.actions.runCell(few);
    const run = (await harness.app.library().loadEvaluation({ id: "evaluation-1" }))!;
    const [all, one] = [cellId, few].map((id) => sliceOf(run, outputOf(id)!).samples);
    expect(all).toHaveLength(48);
    expect(one).toEqual(all!.filter(({ index }) => index < 1));
    expect(one!.length).toBeLessThan(48);
  });

  it("is shown no more, like every cell with its samples, once the run is removed", async () => {
    const other = cellWith(["latest"]);
    for (const id of [cellId, other]) await harness.app.actions.runCell(id);
    await harness.app.actions.showEvaluation(cellWith([]), whole);
    const { id: notebook } = harness.state().open[harness.state().currentId!]!.notebook;
    const listed = () => harness.app.library().runs({ notebook });
    expect(await listed()).toHaveLength(2);
    await harness.app.actions.removeRun("evaluation-1");
    expect(await listed()).toHaveLength(1);
    expect(await harness.app.library().loadEvaluation({ id: "evaluation-1" })).toBeNull();
    expect([cellId, other].map(outputOf)).toEqual([null, null]);
    // It can be run again.
    expect(await harness.app.actions.runCell(cellId)).toBe(true);
    expect(await kept()).toHaveLength(48);
  });

  it("asks for its files again after a reload, and for a method where none is chosen", async () => {
    harness.app.actions.setBenchmarkFiles(cellId, [{ name: "q.csv", file: new Blob(["question,gold\n"]) }]);
    expect(await harness.app.actions.runCell(cellId)).toBe(true);
    expect(asked[0]!.files.map(({ name }) => name)).toEqual(["q.csv"]);
    harness.app.actions.setInput(cellId, "benchmark", (input) => ({ ...input, files: ["q.csv", "t.txt"] }));
    await harness.app.actions.runCell(cellId);
    expect(harness.state().runs[cellId]!.problem!.message).toMatch(/^t\.txt was dropped on another tab/);
    const none = cellWith([]);
    await harness.app.actions.runCell(none);
    expect(harness.state().runs[none]!.problem!.message).toMatch(/^No method is chosen/);
  });

  it("shows a run that was made elsewhere, with others' predictions beside it", async () => {
    await harness.app.actions.showEvaluation(cellId, whole);
    const output = outputOf(cellId)!;
    expect(output).toMatchObject({ kept: 120, planned: 120, methods: whole.header.methods });
    expect(isImported(output), "it is not this notebook's own").toBe(true);
    expect(output.stamp).toMatchObject({ app: "test", backend: "cpu", at: whole.header.created });
    const other = { ...whole.samples[0]!, id: "other", method: "others" };
    const header = { ...whole.header, methods: ["others"] };
    await harness.app.actions.addPredictions(cellId, { header, samples: [other] });
    expect(outputOf(cellId)!.methods.at(-1)).toBe("others");
    const run = (await harness.app.library().loadEvaluation({ id: output.runId }))!;
    expect(run.samples).toHaveLength(121);
  });
});
