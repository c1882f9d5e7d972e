/** @file Kept runs, whose code is loaded with the first call. */

import type { RunsService } from "../../rpc/evaluation.ts";
import type { Database } from "../../store/database.ts";

export function runsOnDemand(database: () => Promise<Database>): RunsService {
  const load = async (): Promise<RunsService> => (await import("./savedRuns.ts")).createRunsService(database);
  return {
    keepRun: async (argument) => (await load()).keepRun(argument),
    keepRecords: async (argument) => (await load()).keepRecords(argument),
    loadRun: async (argument) => (await load()).loadRun(argument),
    loadEvaluation: async (argument) => (await load()).loadEvaluation(argument),
    keptRecords: async (argument) => (await load()).keptRecords(argument),
    runs: async (argument) => (await load()).runs(argument),
    removeRun: async (argument) => (await load()).removeRun(argument),
  };
}
