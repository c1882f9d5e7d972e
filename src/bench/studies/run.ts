/** @file Runs a named study: what is there already is left out, and the rest comes case by case. */

import { throwIfCancelled } from "../../lib/assert.ts";
import type { StudyName } from "../../records/notebook.ts";
import { RUN_FORMAT, type CaseRecord, type RunHeader, type StudySettings } from "../../records/run.ts";
import { capacity } from "./capacity.ts";
import { deletion } from "./deletion.ts";
import { depth } from "./depth.ts";
import { gates } from "./gates.ts";
import { layers } from "./layers.ts";
import { Pace } from "./pace.ts";
import { parts } from "./parts.ts";
import { steps } from "./steps.ts";
import { Reader, type Study, type StudyContext } from "./study.ts";
import { modelTag } from "../../records/memory.ts";

const STUDIES: Readonly<Record<StudyName, Study>> = {
  capacity,
  deletion,
  gates,
  steps,
  layers,
  parts,
  depth,
};

/** Ids of all cases of a study with these settings. @throws when a setting is unknown or cannot be understood */
export const plannedCases = (study: StudyName, settings: StudySettings): string[] =>
  STUDIES[study].plan(new Reader(study, settings));

/**
 * The cases of a study that `have` lacks, in order; what was yielded before a cancel stays valid, and running again
 * with it goes on. The same seed, settings and model give the same measures, times apart.
 * @throws when a setting cannot be understood, Cancelled, and whatever the model throws
 */
export async function* runStudy(
  study: StudyName,
  context: StudyContext,
  settings: StudySettings,
  have: ReadonlySet<string> = new Set(),
): AsyncGenerator<CaseRecord> {
  const reader = new Reader(study, settings);
  const plan = STUDIES[study].plan(reader);
  const missing = new Set(plan.filter((id) => !have.has(id)));
  const total = plan.length;
  let done = total - missing.size;
  const pace = new Pace(STUDIES[study].cost(reader), missing, context.now());
  let said = "Encoding the first facts";
  const tell = (): void => context.onProgress?.({ done, total, note: said, left: pace.left() });
  const note = (text: string, encoded?: number): void => {
    said = text;
    if (encoded !== undefined) pace.encoded(encoded, context.now());
    tell();
  };
  const work = { context, settings: reader, wanted: (id: string) => missing.has(id), note };
  if (missing.size === 0) return;
  throwIfCancelled(context.signal, `bench: ${study}`);
  tell();
  for await (const found of STUDIES[study].cases(work)) {
    done++;
    pace.finished(found.id, context.now());
    yield found;
    tell();
    throwIfCancelled(context.signal, `bench: ${study}`);
  }
}

/** What is known of a run before its first case. `created` tells runs with the same settings apart. */
export function runHeader(
  study: StudyName,
  { engine, params, seed, date }: Pick<StudyContext, "engine" | "params" | "seed" | "date">,
  settings: StudySettings,
  app: string,
): RunHeader {
  const created = date();
  return {
    format: RUN_FORMAT,
    id: `${study}-${created.replace(/[-:]/g, "").replace(/\.\d+/, "")}`,
    study,
    settings: new Reader(study, settings).all,
    params,
    seed,
    backend: engine.capabilities.backend,
    model: modelTag(engine.model),
    app,
    created,
  };
}
