/** @file How a cell of each kind runs; null where it has nothing to run. */

import type { CellKind } from "../../records/notebook.ts";
import type { Job } from "../runs.ts";
import { runAsk, runAskAll } from "./ask.ts";
import { runMemorize, runMemorizeKept } from "./memorize.ts";
import { runModel } from "./model.ts";
import { runProbe } from "./probe.ts";
import { runQuestions } from "./questions.ts";
import { runSource } from "./source.ts";
import { runStore } from "./store.ts";

export const JOBS: { readonly [K in CellKind]: Job | null } = {
  note: null,
  model: runModel,
  source: runSource,
  memorize: runMemorize,
  store: runStore,
  ask: runAsk,
  questions: runQuestions,
  probe: runProbe,
  // Their code is loaded with the first run.
  experiment: async (context) => (await import("./experiment.ts")).runExperiment(context),
  benchmark: async (context) => (await import("./benchmark.ts")).runBenchmark(context),
};

/** The same where the whole notebook is run: all questions are asked again, and what is forgotten is no failure. */
export const JOBS_OF_ALL: typeof JOBS = { ...JOBS, ask: runAskAll, memorize: runMemorizeKept };
