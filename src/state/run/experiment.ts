/**
 * @file Running an experiment cell: every case is kept as soon as it is done, so a run that was stopped, or whose tab
 * was closed, goes on where it was.
 */

import { assert } from "../../lib/assert.ts";
import { sourceCellsFor } from "../../notebook/places.ts";
import type { DocumentId } from "../../records/ids.ts";
import type { ExperimentCell } from "../../records/notebook.ts";
import { SHARP } from "../../records/params.ts";
import type { CaseRecord, Run, RunHeader, StudySettings } from "../../records/run.ts";
import { STUDY_INFO } from "../../records/studies.ts";
import { cellOf, get, openNotebook, putOutput, stamp, type Core } from "../core.ts";
import type { RunContext } from "../runs.ts";
import { memoryId } from "./memorize.ts";
import { ensureEngine } from "./embedder.ts";
import { ensureTexts } from "./source.ts";
import { modelTag } from "../../records/memory.ts";

/**
 * Studies draw their facts from the seed, so that two runs with the same one are over the same facts. It stands among
 * the cell's settings, and is no setting of any study.
 */
const seedOf = ({ settings }: ExperimentCell["input"]): number => Number(settings[SEED] ?? 1);
const SEED = "seed";

/** Runs what is missing of the cell's study; all of it anew where nothing is, or where the settings changed. */
export async function runExperiment(context: RunContext): Promise<void> {
  const { core, cellId, signal, report } = context;
  const { input } = cellOf(core, cellId, "experiment");
  const notebook = memoryId(core, cellId);
  await ensureEngine(context);
  const settings = settingsOf(input);
  const begun = await unfinished(core, cellId, settings);
  const keeping = new Keeping(context, notebook, begun);
  try {
    await core.engine().runStudy(
      {
        study: input.study,
        settings,
        params: begun?.header.params ?? get(core).memory.info?.params ?? SHARP,
        seed: seedOf(input),
        app: core.deps.app,
        memory: wantsMemory(settings) ? notebook : null,
        document: STUDY_INFO[input.study].needsText ? await textFor(core, cellId) : null,
        have: begun?.cases.map(({ id }) => id) ?? [],
      },
      {
        signal,
        onProgress: (event) => {
          if (event.kind === "header") keeping.begin(event.header, event.planned.length);
          else if (event.kind === "case") keeping.add(event.record);
          else report({ kind: "study", progress: event.progress });
        },
      },
    );
  } finally {
    await keeping.done();
  }
}

/** The run that the cell began with these settings on the model that is open, and did not end. */
async function unfinished(core: Core, cellId: string, settings: StudySettings): Promise<Run | null> {
  const { input, output } = cellOf(core, cellId, "experiment");
  if (!output || output.cases >= (output.planned ?? 0)) return null;
  const run = await core.library().loadRun({ id: output.runId });
  return run && continues(run.header, input, settings, core) ? run : null;
}

/** The study's settings as they will be used: the defaults, and what was changed. */
export function settingsOf({ study, settings }: ExperimentCell["input"]): StudySettings {
  const known = STUDY_INFO[study].settings;
  return Object.fromEntries(
    Object.entries(known).map(([name, { value }]) => [name, settings[name] ?? value]),
  );
}

/** Writes header and cases in the order in which they come, and shows after each how many there are. */
class Keeping {
  readonly #context: RunContext;
  readonly #notebook: string;
  #id: string | null;
  #cases: number;
  #planned = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(context: RunContext, notebook: string, begun: Run | null) {
    this.#context = context;
    this.#notebook = notebook;
    this.#id = begun?.header.id ?? null;
    this.#cases = begun?.cases.length ?? 0;
  }

  /** A run that goes on keeps its header. */
  begin(header: RunHeader, planned: number): void {
    this.#planned = planned;
    if (this.#id !== null) return;
    this.#id = header.id;
    this.#queue(async (library) => {
      await library.createRun({ notebook: this.#notebook, header });
      this.#show();
    });
  }

  add(record: CaseRecord): void {
    this.#queue(async (library) => {
      await library.saveCase({ run: this.#id!, record });
      this.#cases++;
      this.#show();
    });
  }

  /** Rejects when something could not be kept. */
  done(): Promise<void> {
    return this.#writing;
  }

  #queue(write: (library: ReturnType<Core["library"]>) => Promise<void>): void {
    const { core } = this.#context;
    this.#writing = this.#writing.then(() => write(core.library()));
    // Awaited in `done`; until then a failure is no unhandled rejection.
    this.#writing.catch(() => undefined);
  }

  #show(): void {
    const { core, cellId, since } = this.#context;
    const output = { runId: this.#id!, cases: this.#cases, planned: this.#planned };
    putOutput<"experiment">(core, cellId, () => ({ ...output, stamp: stamp(core, cellId, since) }));
  }
}

/** Whether an unfinished run is of these settings and of the model that is open. */
function continues(
  header: RunHeader,
  input: ExperimentCell["input"],
  settings: StudySettings,
  core: Core,
): boolean {
  const model = get(core).device.model;
  const name = model ? modelTag(model.identity) : "";
  return (
    header.study === input.study &&
    header.seed === seedOf(input) &&
    header.model === name &&
    header.backend === model?.device.backend &&
    Object.entries(settings).every(([key, value]) => header.settings[key] === value)
  );
}

const wantsMemory = (settings: StudySettings): boolean => /\bmemory\b/.test(String(settings["kinds"] ?? ""));

/** The first text of the source cells above, or of the notebook's, that is kept. */
async function textFor(core: Core, cellId: string): Promise<DocumentId> {
  const { notebook } = openNotebook(core, memoryId(core, cellId));
  const above = sourceCellsFor(notebook, cellId);
  const cells = above.length > 0 ? above : notebook.cells.filter((cell) => cell.kind === "source");
  const kept = await ensureTexts(core, cells, new Set());
  const id = cells.flatMap(({ input }) => input.documents).find((document) => kept.has(document.id))?.id;
  assert(
    id !== undefined,
    () =>
      "This study hides facts in a text, and no text is kept. Add one to a source cell above, with “forget the source” off.",
  );
  return id;
}
