/** @file Studies as plans of cases. */

import type { StudyName, StudySettings } from "../../records/studies.ts";
import type { CaseRecord } from "../../records/run.ts";
import { caseClock } from "../runs/pace.ts";
import { runPlan, type Plan } from "../runs/runPlan.ts";
import { capacity, gates, steps } from "./oneLayer.ts";
import { forgetting } from "./forgetting.ts";
import { deletion, layers, parts } from "./severalLayers.ts";
import { Reader, type Point, type Study, type StudyContext, type Work } from "./study.ts";

const STUDIES: Readonly<Record<StudyName, Study>> = {
  ...{ capacity, deletion, forgetting, gates, steps, layers, parts },
};

const idOf = (study: StudyName, point: Point): string => [study, ...point].join("/");

const planOf = (study: StudyName, settings: Reader): string[] =>
  STUDIES[study]
    .axes(settings)
    .reduce<Point[]>(
      (points, axis) => points.flatMap((point) => axis.map((value) => [...point, value])),
      [[]],
    )
    .map((point) => idOf(study, point));

/** Ids of all cases of a study with these settings. @throws when a setting is unknown or cannot be understood */
export const plannedCases = (study: StudyName, settings: StudySettings): string[] =>
  planOf(study, new Reader(study, settings));

/** All settings of a study, defaults included. @throws as {@link plannedCases} */
export const settingsOf = (study: StudyName, given: StudySettings): StudySettings =>
  new Reader(study, given).all;

/** Yields the missing cases of a study in order, the same apart from times. @throws on an invalid setting, and Cancelled */
export function runStudy(
  study: StudyName,
  context: StudyContext,
  given: StudySettings,
  have: ReadonlySet<string> = new Set(),
): AsyncGenerator<CaseRecord> {
  const settings = new Reader(study, given);
  const made: Work["made"] = (point, found) => ({ kind: "case", id: idOf(study, point), ...found });
  const plan: Plan<CaseRecord> = {
    ids: planOf(study, settings),
    clock: (missing) => caseClock(STUDIES[study].cost(settings), missing, context.now),
    make(missing, note) {
      const wanted: Work["wanted"] = (...point) => missing.has(idOf(study, point));
      return STUDIES[study].cases({ context, settings, wanted, note, made });
    },
  };
  return runPlan(plan, have, context);
}
