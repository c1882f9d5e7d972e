/**
 * @file Running a benchmark cell: every sample is kept as soon as it is there, so a run that was stopped, or whose tab
 * was closed, goes on where it was, and a run of another cell that has some of the samples already is not run twice.
 */

import { assert, present } from "../../lib/assert.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { Evaluation, SampleRecord } from "../../records/evaluation.ts";
import { modelTag } from "../../records/memory.ts";
import { IMPORTED, type BenchmarkInput, type BenchmarkParams } from "../../records/notebook.ts";
import { PRESETS, type MethodParams } from "../../records/params.ts";
import type { BroughtFile, EvaluationArgument, EvaluationPlan } from "../../rpc/evaluation.ts";
import { cellOf, currentNotebook, get, putOutput, stamp, type Core } from "../core.ts";
import { edit } from "../notebooks.ts";
import type { RunContext } from "../runs.ts";
import { ensureEngine } from "./embedder.ts";
import { ensureHelpers, runOf } from "./helpers.ts";
import { memoryId } from "./memorize.ts";

/** Goes on with the unfinished run of the cell as it was begun; the form says that again, whatever it said. */
export async function goOnBenchmark(context: RunContext): Promise<void> {
  const { core, cellId } = context;
  const { output } = cellOf(core, cellId, "benchmark");
  if (output?.asked) edit(core, { kind: "input", id: cellId, input: output.asked });
  await runBenchmark(context, output?.runId);
}

/**
 * Runs what is missing of the cell's samples.
 * @param begun the run that they must belong to; any, where it is left out
 */
export async function runBenchmark(context: RunContext, begun?: string): Promise<void> {
  const { core, cellId, signal, report } = context;
  const notebook = memoryId(core, cellId);
  await ensureEngine(context);
  await ensureHelpers(context);
  report({ kind: "note", note: "Reading the benchmark" });
  const { input: asked } = cellOf(core, cellId, "benchmark");
  const argument = argumentOf(core, cellId, notebook);
  const planned = await core.engine().planEvaluation(argument, { signal });
  const plan = { ...planned, run: await runOf(core, notebook, planned) };
  assert(
    begun === undefined || begun === plan.run,
    () =>
      "This run was begun with another model, backend or app version, other files, or another memory: with what is here " +
      "now a new one would begin. Open what it was begun with, or run the cell to begin anew.",
  );
  await core.library().keepEvaluation({ notebook, id: plan.run, header: plan.header });
  const kept = new Set(await core.library().keptSamples({ id: plan.run }));
  const have = plan.samples.filter((id) => kept.has(id));
  // What cannot be kept is not worth computing.
  const full = new AbortController();
  const keeping = new Keeping(context, { ...plan, asked }, have.length, () => full.abort());
  try {
    await core.engine().runEvaluation(
      { ...argument, have },
      {
        signal: AbortSignal.any([signal, full.signal]),
        onProgress: (event) => {
          if (event.kind === "sample") keeping.add(event.record);
          else report({ kind: "study", progress: event.progress });
        },
      },
    );
  } finally {
    await keeping.done();
  }
}

function argumentOf(core: Core, cellId: string, notebook: string): EvaluationArgument {
  const { input } = cellOf(core, cellId, "benchmark");
  assert(
    input.methods.length > 0,
    () => "No method is chosen. Choose what is to be compared, and run again.",
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
    get(core).memory.info?.params,
    () =>
      "Nothing is memorised in this notebook, so there are no parameters to take. Memorise a source, or choose a preset.",
  );
}

/** The files that the cell names, as they were dropped on this tab. */
function filesOf(core: Core, cellId: string, files: readonly string[]): readonly BroughtFile[] {
  const dropped = core.tab.benchmarkFiles.get(cellId) ?? [];
  const missing = files.filter((name) => !dropped.some((file) => file.name === name));
  assert(
    missing.length === 0,
    () =>
      `${missing.join(", ")} was dropped on another tab or before a reload. Drop it again: with the same files the run goes on where it stopped.`,
  );
  return dropped;
}

/** A plan, and the form that it was made for. */
type AskedPlan = EvaluationPlan & { readonly asked: BenchmarkInput };

/** Writes samples in the order in which they come, and shows after each how many there are. */
class Keeping {
  readonly #context: RunContext;
  readonly #plan: AskedPlan;
  #kept: number;
  readonly #onFailed: () => void;
  #writing: Promise<void> = Promise.resolve();

  constructor(context: RunContext, plan: AskedPlan, kept: number, onFailed: () => void) {
    this.#context = context;
    this.#plan = plan;
    this.#kept = kept;
    this.#onFailed = onFailed;
    this.#show();
  }

  add(sample: SampleRecord): void {
    const { core } = this.#context;
    this.#writing = this.#writing.then(async () => {
      await core.library().keepSamples({ id: this.#plan.run, samples: [sample] });
      this.#kept++;
      this.#show();
    });
    // Awaited in `done`; until then a failure is no unhandled rejection.
    this.#writing.catch(this.#onFailed);
  }

  /** Rejects when something could not be kept. */
  done(): Promise<void> {
    return this.#writing;
  }

  #show(): void {
    const { core, cellId, since } = this.#context;
    const { run: runId, samples, header, asked } = this.#plan;
    const { tasks, lengths, methods, variants } = header;
    const size = { kept: this.#kept, planned: samples.length };
    const output = { runId, tasks, lengths, methods, variants, asked, ...size };
    putOutput<"benchmark">(core, cellId, () => ({ ...output, stamp: stamp(core, cellId, since) }));
  }
}

/** Keeps a run that was made elsewhere, and shows it in a benchmark cell. */
export async function showEvaluation(
  core: Core,
  cellId: string,
  { header, samples }: Evaluation,
): Promise<void> {
  const notebook = currentNotebook(core).id;
  const ids = samples.map(({ id }) => id).join();
  const runId = `${IMPORTED}${sha256Hex(JSON.stringify([notebook, header.key, ids])).slice(0, 24)}`;
  await core.library().keepEvaluation({ notebook, id: runId, header });
  await core.library().keepSamples({ id: runId, samples });
  const { tasks, lengths, methods, variants, created, backend, model, app } = header;
  const made = { at: created, backend, model: modelTag(model), app, inputs: "" };
  putOutput<"benchmark">(core, cellId, () => ({
    ...{ runId, tasks, lengths, methods, variants, kept: samples.length, planned: samples.length },
    stamp: { ...made, milliseconds: Math.round(timeOf(samples)) },
  }));
}

/** Milliseconds that samples took together, a number also where a file says anything; a memory that several methods of a case shared was made once. */
function timeOf(samples: readonly SampleRecord[]): number {
  const made = new Map(
    samples.map(({ textHash, milliseconds: { prepare } }) => [`${textHash} ${prepare}`, prepare]),
  );
  const prepared = [...made.values()].reduce((sum, one) => sum + one, 0);
  const all = samples.reduce((sum, { milliseconds }) => sum + milliseconds.answer, prepared);
  return Math.min(all, Number.MAX_SAFE_INTEGER);
}

/** Removes a kept run with its samples; cells that showed it show nothing then. */
export async function removeEvaluation(core: Core, runId: string): Promise<void> {
  await core.library().removeRun({ id: runId });
  for (const cell of currentNotebook(core).cells)
    if (cell.kind === "benchmark" && cell.output?.runId === runId)
      putOutput<"benchmark">(core, cell.id, () => null);
}

/** Puts others' predictions beside the samples of a benchmark cell, as methods of their own. */
export async function addPredictions(
  core: Core,
  cellId: string,
  { header, samples }: Evaluation,
): Promise<void> {
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
}
