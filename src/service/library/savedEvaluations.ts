/** @file Kept evaluations, as the library worker's service has them: the tables of runs, a sample a case. */

import { evaluationHeader, merged, renamed, sampleRecord } from "../../evaluate/runFile.ts";
import { isDone } from "../../evaluate/unanswered.ts";
import { EVALUATION } from "./savedRuns.ts";
import { checked } from "../../lib/check.ts";
import type { EvaluationHeader, SampleRecord } from "../../records/evaluation.ts";
import type { EvaluationsService } from "../../rpc/evaluation.ts";
import type { Database } from "../../store/database.ts";
import { appendCases, listRuns, loadRun, putRun, readRunHead } from "../../store/runs.ts";

export function createEvaluationsService(database: () => Promise<Database>): EvaluationsService {
  async function load(id: string): Promise<Awaited<ReturnType<EvaluationsService["loadEvaluation"]>>> {
    const found = await loadRun(await database(), id);
    if (!found) return null;
    const where = `store: evaluation "${id}": `;
    const header = checked(evaluationHeader, found.run.header, where);
    const samples = [...found.cases.values()].map((one) => checked(sampleRecord, one, where));
    return merged([renamed({ header, samples })], id);
  }
  return {
    async keepEvaluation({ notebook, id, header }) {
      const kept = await readRunHead(await database(), id);
      const former = kept ? [checked(evaluationHeader, kept.header, `store: evaluation "${id}": `)] : [];
      const parts = [...former, header].map((one) => ({ header: one, samples: [] }));
      const own: EvaluationHeader = merged(parts, "evaluate: this run").header;
      // A run that another notebook shows as well stays whose it was: with that one it would go.
      const notebookId = kept?.notebookId ?? notebook;
      await putRun(await database(), {
        id,
        notebookId,
        study: EVALUATION,
        created: own.created,
        params: own.params,
        header: own,
      });
    },
    keepSamples: async ({ id, samples }) =>
      appendCases(await database(), id, new Map(samples.map((one): [string, SampleRecord] => [one.id, one]))),
    loadEvaluation: ({ id }) => load(id),
    keptSamples: async ({ id }) => (await load(id))?.samples.filter(isDone).map((one) => one.id) ?? [],
    evaluations: async ({ notebook }) =>
      (await listRuns(await database(), notebook, (study) => study === EVALUATION)).map((run) => ({
        id: run.id,
        header: checked(evaluationHeader, run.header, "store: an evaluation: "),
        samples: run.cases,
      })),
  };
}
