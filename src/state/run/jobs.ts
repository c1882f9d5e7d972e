/** @file How a cell of each kind runs; null where it has nothing to run. */

import type { CellKind } from "../../records/notebook.ts";
import type { Job } from "../runs.ts";
import { runAsk } from "./ask.ts";
import { runExperiment } from "./experiment.ts";
import { runMemorize } from "./memorize.ts";
import { runModel } from "./model.ts";
import { runProbe } from "./probe.ts";
import { runSource } from "./source.ts";
import { runStore } from "./store.ts";

export const JOBS: { readonly [K in CellKind]: Job | null } = {
  note: null,
  model: runModel,
  source: runSource,
  memorize: runMemorize,
  store: runStore,
  ask: runAsk,
  probe: runProbe,
  experiment: runExperiment,
};
