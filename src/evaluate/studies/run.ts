/** @file Studies as plans of cases. */

import type { StudyName } from "../../records/notebook.ts";
import type { CaseRecord, StudySettings } from "../../records/run.ts";
import { caseClock } from "../runs/pace.ts";
import { runPlan } from "../runs/runPlan.ts";
import { capacity } from "./capacity.ts";
import { deletion } from "./deletion.ts";
import { gates } from "./gates.ts";
import { layers } from "./layers.ts";
import { parts } from "./parts.ts";
import { steps } from "./steps.ts";
import { Reader, type Study, type StudyContext } from "./study.ts";

const STUDIES: Readonly<Record<StudyName, Study>> = {
  capacity,
  deletion,
  gates,
  steps,
  layers,
  parts,
};

/** Ids of all cases of a study with these settings. @throws when a setting is unknown or cannot be understood */
export const plannedCases = (study: StudyName, settings: StudySettings): string[] =>
  STUDIES[study].plan(new Reader(study, settings));

/** All settings of a study, defaults included. @throws as {@link plannedCases} */
export const settingsOf = (study: StudyName, given: StudySettings): StudySettings =>
  new Reader(study, given).all;

/**
 * Yields the cases of a study that `have` lacks, in order. The same seed, settings and model give the same measures,
 * apart from times.
 * @throws on an invalid setting, Cancelled, and errors of the model
 */
export function runStudy(
  study: StudyName,
  context: StudyContext,
  given: StudySettings,
  have: ReadonlySet<string> = new Set(),
): AsyncGenerator<CaseRecord> {
  const settings = new Reader(study, given);
  const plan = {
    ids: STUDIES[study].plan(settings),
    clock: (missing: ReadonlySet<string>) => caseClock(STUDIES[study].cost(settings), missing, context.now),
    make: (missing: ReadonlySet<string>, note: (text: string, encoded?: number) => void) =>
      STUDIES[study].cases({ context, settings, wanted: (id) => missing.has(id), note }),
  };
  return runPlan(plan, have, { signal: context.signal, onProgress: context.onProgress });
}
