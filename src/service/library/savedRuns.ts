/** @file Saved runs of studies, as the library worker's service has them. */

import { checked } from "../../lib/check.ts";
import { caseRecord, runHeader } from "../../records/shapes.ts";
import type { EvaluationsService } from "../../rpc/evaluation.ts";
import type { RunsService } from "../../rpc/inspection.ts";
import type { Database } from "../../store/database.ts";
import { appendCase, createRun, listRuns, loadRun, removeRun } from "../../store/runs.ts";

/** Stands in the place of a study's name where a run is an evaluation. */
export const EVALUATION = "evaluation";

/** Kept evaluations; the code is fetched when one is asked for. */
export function evaluationsOnDemand(database: () => Promise<Database>): EvaluationsService {
  const load = async (): Promise<EvaluationsService> =>
    (await import("./savedEvaluations.ts")).createEvaluationsService(database);
  return {
    keepEvaluation: async (argument) => (await load()).keepEvaluation(argument),
    keepSamples: async (argument) => (await load()).keepSamples(argument),
    loadEvaluation: async (argument) => (await load()).loadEvaluation(argument),
    keptSamples: async (argument) => (await load()).keptSamples(argument),
    evaluations: async (argument) => (await load()).evaluations(argument),
  };
}

export function createRunsService(database: () => Promise<Database>): RunsService {
  return {
    createRun: async ({ notebook, header }) =>
      createRun(await database(), {
        id: header.id,
        notebookId: notebook,
        study: header.study,
        created: header.created,
        params: header.params,
        header,
      }),
    saveCase: async ({ run, record }) => appendCase(await database(), run, record.id, record),
    async loadRun({ id }) {
      const found = await loadRun(await database(), id);
      if (!found) return null;
      const where = `store: run "${id}": `;
      const cases = [...found.cases.values()].map((one) => checked(caseRecord, one, where));
      return { header: checked(runHeader, found.run.header, where), cases };
    },
    runs: async ({ notebook }) =>
      (await listRuns(await database(), notebook, (study) => study !== EVALUATION)).map(
        ({ header, cases }) => ({
          header: checked(runHeader, header, "store: a run: "),
          cases,
        }),
      ),
    removeRun: async ({ id }) => removeRun(await database(), id),
  };
}
