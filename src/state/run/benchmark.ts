/** @file Runs of benchmark and experiment cells; one that was stopped, or whose tab was closed, continues. */

import { assert, present } from "../../lib/assert.ts";
import { sha256Hex } from "../../lib/hash.ts";
import {
  HELPERS,
  type Evaluation,
  type EvaluationHeader,
  type Helper,
  type SampleRecord,
} from "../../records/evaluation.ts";
import { modelTag } from "../../records/memory.ts";
import { IMPORTED, type BenchmarkParams } from "../../records/notebook.ts";
import { PRESETS, type MethodParams, SHARP } from "../../records/params.ts";
import type {
  EvaluationArgument,
  RunPlan,
  BroughtFile,
  RunArgument,
  StudyArgument,
} from "../../service/evaluation/evaluation.ts";
import type { Core } from "../core.ts";
import { edit } from "../notebooks.ts";
import type { RunContext } from "../runs.ts";
import { ensureEngine, ensureRole } from "./model.ts";
import { sourceCellsFor } from "../../notebook/kinds.ts";
import type { DocumentId } from "../../records/ids.ts";
import { settingsWithDefaults, STUDY_INFO } from "../../records/studies.ts";
import { ensureTexts } from "./source.ts";

/** Continues the unfinished run of the cell with the input it was started with, which the form shows again. */
export async function goOnBenchmark(context: RunContext): Promise<void> {
  const { core, cellId } = context;
  const { output } = core.cellOf(cellId, "benchmark");
  if (output?.asked) edit(core, { kind: "input", id: cellId, input: output.asked });
  await runBenchmark(context, output?.runId);
}

/** Makes the missing samples of the cell, which must belong to the run `begun` if it is given. */
export async function runBenchmark(context: RunContext, begun?: string): Promise<void> {
  const { core, cellId, report, since } = context;
  const notebook = core.memoryId(cellId);
  await ensureEngine(context);
  await ensureHelpers(context);
  report({ kind: "note", note: "Reading the benchmark" });
  const { input: asked } = core.cellOf(cellId, "benchmark");
  const argument = argumentOf(core, cellId, notebook);
  const planned = await core.engine.planRun(argument, { signal: context.signal });
  const plan = { ...planned, run: await runOf(core, notebook, planned) };
  assert(
    begun === undefined || begun === plan.run,
    () =>
      "This run was started with another model, backend or app version, other files, or another memory. " +
      "Open what it was started with, or run the cell to start a new run.",
  );
  const { tasks, lengths, methods, variants } = plan.header as EvaluationHeader;
  const output = { runId: plan.run, tasks, lengths, methods, variants, asked, planned: plan.ids.length };
  await makeKept(context, notebook, argument, plan, (kept) =>
    core.putOutput<"benchmark">(cellId, () => ({ ...output, kept, stamp: core.stamp(cellId, since) })),
  );
}

function argumentOf(core: Core, cellId: string, notebook: string): EvaluationArgument {
  const { input } = core.cellOf(cellId, "benchmark");
  assert(
    input.methods.length > 0,
    () => "No method is chosen. Choose the methods to compare, and run again.",
  );
  return {
    ...{ ...input, notebook },
    params: paramsOf(core, input.params),
    files: filesOf(core, cellId, input.files),
    app: core.deps.app,
  };
}

function paramsOf(core: Core, params: BenchmarkParams): MethodParams {
  if (params !== "memory") return PRESETS[params];
  return present(
    core.state.memory.info?.params,
    () =>
      "This notebook has no memory whose parameters could be used. Memorise a source, or choose a preset.",
  );
}

function filesOf(core: Core, cellId: string, files: readonly string[]): readonly BroughtFile[] {
  const dropped = core.tab.benchmarkFiles.get(cellId) ?? [];
  const missing = files.filter((name) => !dropped.some((file) => file.name === name));
  assert(
    missing.length === 0,
    () =>
      `${missing.join(", ")} was dropped on another tab or before a reload. Drop it again: with the same files the run continues.`,
  );
  return dropped;
}

export async function showEvaluation(
  core: Core,
  cellId: string,
  { header, samples }: Evaluation,
): Promise<void> {
  const notebook = core.notebook.id;
  const ids = samples.map(({ id }) => id).join();
  const runId = `${IMPORTED}${sha256Hex(JSON.stringify([notebook, header.key, ids])).slice(0, 24)}`;
  await core.library.keepRun({ notebook, id: runId, header });
  await core.library.keepRecords({ id: runId, records: samples });
  const { tasks, lengths, methods, variants, created, backend, model, app } = header;
  const made = { at: created, backend, model: modelTag(model), app, inputs: "" };
  core.putOutput<"benchmark">(cellId, () => ({
    ...{ runId, tasks, lengths, methods, variants, kept: samples.length, planned: samples.length },
    stamp: { ...made, milliseconds: Math.round(timeOf(samples)) },
  }));
}

/** Milliseconds of all samples. A memory that several methods of a case share counts once; a file may hold any numbers. */
function timeOf(samples: readonly SampleRecord[]): number {
  const made = new Map(
    samples.map(({ textHash, milliseconds: { prepare } }) => [`${textHash} ${prepare}`, prepare]),
  );
  const prepared = [...made.values()].reduce((sum, one) => sum + one, 0);
  const all = samples.reduce((sum, { milliseconds }) => sum + milliseconds.answer, prepared);
  return Math.min(all, Number.MAX_SAFE_INTEGER);
}

export async function removeRun(core: Core, runId: string): Promise<void> {
  await core.library.removeRun({ id: runId });
  for (const { id, kind, output } of core.notebook.cells)
    if ((kind === "benchmark" || kind === "experiment") && output?.runId === runId)
      core.putOutput<typeof kind>(id, () => null);
}

export async function addPredictions(
  core: Core,
  cellId: string,
  { header, samples }: Evaluation,
): Promise<void> {
  const { output } = core.cellOf(cellId, "benchmark");
  if (!output) return;
  await core.library.keepRun({ notebook: core.notebook.id, id: output.runId, header });
  await core.library.keepRecords({ id: output.runId, records: samples });
  const joined = (a: readonly string[], b: readonly string[]): string[] => [...new Set([...a, ...b])];
  core.putOutput<"benchmark">(
    cellId,
    ({ output: now }) =>
      now && {
        ...now,
        tasks: joined(now.tasks, header.tasks),
        lengths: joined(now.lengths, header.lengths),
        methods: joined(now.methods, header.methods),
      },
  );
}

/** Opens the helpers that the cell of `context` has chosen, and closes the others. @throws if one cannot be opened */
async function ensureHelpers(context: RunContext): Promise<void> {
  const { core, cellId } = context;
  for (const helper of HELPERS) {
    const choice = core.cellOf(cellId, "benchmark").input.helpers?.[helper];
    const empty = choice?.from.kind === "files" && choice.from.name === "";
    await ensureRole(context, helper, cellId, choice && !empty ? choice : null);
  }
}

/** The run that a plan's samples belong to: the plan's own, or another one if that was started with other helpers. */
async function runOf(core: Core, notebook: string, { run, header }: RunPlan): Promise<string> {
  const listed = await core.library.runs({ notebook });
  const former = listed.find(({ id }) => id === run)?.header;
  if (former?.kind !== "evaluation" || header.kind !== "evaluation") return run;
  const agree = (helper: Helper): boolean =>
    former[helper] === null || header[helper] === null || former[helper] === header[helper];
  if (HELPERS.every(agree)) return run;
  return `evaluation-${sha256Hex(JSON.stringify([run, ...HELPERS.map((helper) => header[helper])])).slice(0, 24)}`;
}

/** The seed is among the cell's settings, but is not a setting of any study. Runs of one seed are over the same facts. */
const SEED = "seed";

/** Makes the missing cases of the cell's unfinished run; if it is complete or its settings changed, starts a new run. */
export async function runExperiment(context: RunContext): Promise<void> {
  const { core, cellId, signal, since } = context;
  const { input } = core.cellOf(cellId, "experiment");
  const notebook = core.memoryId(cellId);
  await ensureEngine(context);
  const settings = settingsWithDefaults(input);
  const argument: StudyArgument = {
    study: input.study,
    settings,
    params: core.state.memory.info?.params ?? SHARP,
    seed: Number(input.settings[SEED] ?? 1),
    app: core.deps.app,
    memory: /\bmemory\b/.test(String(settings["kinds"] ?? "")) ? notebook : null,
    document: STUDY_INFO[input.study].needsText ? await textFor(core, cellId) : null,
  };
  const begun = await continued(context, argument);
  const plan = begun?.plan ?? (await core.engine.planRun(argument, { signal }));
  const output = { runId: plan.run, planned: plan.ids.length };
  await makeKept(context, notebook, begun?.argument ?? argument, plan, (cases) =>
    core.putOutput<"experiment">(cellId, () => ({ ...output, cases, stamp: core.stamp(cellId, since) })),
  );
}

async function continued({ core, cellId, signal }: RunContext, argument: StudyArgument) {
  const { output } = core.cellOf(cellId, "experiment");
  if (!output || output.cases >= (output.planned ?? 0)) return null;
  const run = await core.library.loadRun({ id: output.runId });
  if (!run) return null;
  const same = { ...argument, params: run.header.params };
  const plan = await core.engine.planRun(same, { signal });
  if (plan.header.key !== run.header.key) return null;
  return { argument: same, plan: { ...plan, run: output.runId, header: run.header } };
}

async function textFor(core: Core, cellId: string): Promise<DocumentId> {
  const notebook = core.notebookWith(cellId);
  const above = sourceCellsFor(notebook, cellId);
  const cells = above.length > 0 ? above : notebook.cells.filter((cell) => cell.kind === "source");
  const kept = await ensureTexts(core, cells, new Set());
  const id = cells.flatMap(({ input }) => input.documents).find((document) => kept.has(document.id))?.id;
  assert(
    id !== undefined,
    () =>
      "This study needs a text, and none is kept. Add one to a source cell above, with “forget the source” off.",
  );
  return id;
}

/** Makes and keeps the missing records of `plan`. @throws if one cannot be kept; then no further record is made */
async function makeKept(
  { core, signal, report }: RunContext,
  notebook: string,
  argument: RunArgument,
  { run: id, header, ids }: RunPlan,
  show: (kept: number) => void,
): Promise<void> {
  const library = core.library;
  await library.keepRun({ notebook, id, header });
  const known = new Set(await library.keptRecords({ id }));
  const have = ids.filter((one) => known.has(one));
  let kept = have.length;
  show(kept);
  const failed = new AbortController();
  let writing: Promise<void> = Promise.resolve();
  try {
    await core.engine.makeRecords(
      { ...argument, have },
      {
        signal: AbortSignal.any([signal, failed.signal]),
        onProgress(event) {
          if (event.kind === "progress") {
            report({ kind: "study", progress: event.progress });
            return;
          }
          writing = writing.then(async () => {
            await library.keepRecords({ id, records: [event.record] });
            show(++kept);
          });
          // Awaited below; until then a failure must not be an unhandled rejection.
          writing.catch(() => failed.abort());
        },
      },
    );
  } finally {
    await writing;
  }
}
