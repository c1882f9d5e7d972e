/** @file Kept runs, whose code is loaded with the first call. */

import type { Database } from "../../store/database.ts";
import type { createRunsService } from "./savedRuns.ts";

type Runs = ReturnType<typeof createRunsService>;

export function runsOnDemand(database: () => Promise<Database>): Runs {
  const load = async (): Promise<Runs> => (await import("./savedRuns.ts")).createRunsService(database);
  const call =
    <A, R>(method: (runs: Runs) => (argument: A) => Promise<R>) =>
    async (argument: A): Promise<R> =>
      method(await load())(argument);
  return {
    keepRun: call((runs) => runs.keepRun),
    keepRecords: call((runs) => runs.keepRecords),
    loadRun: call((runs) => runs.loadRun),
    loadEvaluation: call((runs) => runs.loadEvaluation),
    keptRecords: call((runs) => runs.keptRecords),
    runs: call((runs) => runs.runs),
    removeRun: call((runs) => runs.removeRun),
  };
}
