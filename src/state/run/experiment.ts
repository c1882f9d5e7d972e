/** @file Runs of experiment cells. A run that was stopped, or whose tab was closed, continues. */

import { assert } from "../../lib/assert.ts";
import { sourceCellsFor } from "../../notebook/places.ts";
import type { DocumentId } from "../../records/ids.ts";
import type { ExperimentCell } from "../../records/notebook.ts";
import { SHARP } from "../../records/params.ts";
import { STUDY_INFO, type StudySettings } from "../../records/studies.ts";
import type { RunArgument, RunPlan, StudyArgument } from "../../service/evaluation/evaluation.ts";
import { cellOf, get, memoryId, notebookWith, putOutput, stamp, type Core } from "../core.ts";
import type { RunContext } from "../runs.ts";
import { ensureEngine } from "./model.ts";
import { ensureTexts } from "./source.ts";

/** The seed is among the cell's settings, but is not a setting of any study. Runs of one seed are over the same facts. */
const SEED = "seed";

/** Makes the missing cases of the cell's unfinished run; if it is complete or its settings changed, starts a new run. */
export async function runExperiment(context: RunContext): Promise<void> {
  const { core, cellId, signal, since } = context;
  const { input } = cellOf(core, cellId, "experiment");
  const notebook = memoryId(core, cellId);
  await ensureEngine(context);
  const settings = settingsOf(input);
  const argument: StudyArgument = {
    study: input.study,
    settings,
    params: get(core).memory.info?.params ?? SHARP,
    seed: Number(input.settings[SEED] ?? 1),
    app: core.deps.app,
    memory: wantsMemory(settings) ? notebook : null,
    document: STUDY_INFO[input.study].needsText ? await textFor(core, cellId) : null,
  };
  const begun = await continued(context, argument);
  const plan = begun?.plan ?? (await core.engine().planRun(argument, { signal }));
  const output = { runId: plan.run, planned: plan.ids.length };
  await makeKept(context, notebook, begun?.argument ?? argument, plan, (cases) =>
    putOutput<"experiment">(core, cellId, () => ({ ...output, cases, stamp: stamp(core, cellId, since) })),
  );
}

async function continued({ core, cellId, signal }: RunContext, argument: StudyArgument) {
  const { output } = cellOf(core, cellId, "experiment");
  if (!output || output.cases >= (output.planned ?? 0)) return null;
  const run = await core.library().loadRun({ id: output.runId });
  if (!run) return null;
  const same = { ...argument, params: run.header.params };
  const plan = await core.engine().planRun(same, { signal });
  if (plan.header.key !== run.header.key) return null;
  return { argument: same, plan: { ...plan, run: output.runId, header: run.header } };
}

export function settingsOf({ study, settings }: ExperimentCell["input"]): StudySettings {
  const known = STUDY_INFO[study].settings;
  return Object.fromEntries(
    Object.entries(known).map(([name, { value }]) => [name, settings[name] ?? value]),
  );
}

const wantsMemory = (settings: StudySettings): boolean => /\bmemory\b/.test(String(settings["kinds"] ?? ""));

async function textFor(core: Core, cellId: string): Promise<DocumentId> {
  const notebook = notebookWith(core, cellId);
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

/**
 * Keeps the header of `plan`, then makes and keeps its missing records. `show` gets the number of kept records.
 * @throws if a record cannot be kept; then no further record is made
 */
export async function makeKept(
  { core, signal, report }: RunContext,
  notebook: string,
  argument: RunArgument,
  { run: id, header, ids }: RunPlan,
  show: (kept: number) => void,
): Promise<void> {
  const library = core.library();
  await library.keepRun({ notebook, id, header });
  const known = new Set(await library.keptRecords({ id }));
  const have = ids.filter((one) => known.has(one));
  let kept = have.length;
  show(kept);
  const failed = new AbortController();
  let writing: Promise<void> = Promise.resolve();
  try {
    await core.engine().makeRecords(
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
