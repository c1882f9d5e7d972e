/** @file The parts of the engine service, and the context of work on the open model. */

import type { FlowContext } from "../../flow/context.ts";
import type { Engine } from "../../engine/engine.ts";
import { SHARP } from "../../records/params.ts";
import { inMemoryStore } from "../../store/inMemory.ts";
import type { Estimator } from "../cost/estimator.ts";
import type { Memories } from "../memories/openMemories.ts";
import type { CurrentModel } from "../model/open.ts";
import type { EngineHost } from "../types.ts";
import { pausable, type Pause } from "./pause.ts";

/** The parts of the engine service. */
export interface ServiceParts {
  readonly host: EngineHost;
  readonly model: CurrentModel;
  readonly memories: Memories;
  readonly pause: Pause;
  readonly estimator: Estimator;
}

/** The context of one run: it waits while runs are paused, ends on `signal` and stores in memory only. */
export function runContext({ host, pause }: ServiceParts, engine: Engine, signal: AbortSignal) {
  return {
    engine: pausable(engine, pause, signal),
    store: inMemoryStore(),
    params: SHARP,
    // Time in a pause does not count.
    now: () => host.now() - pause.held(),
    date: () => host.date(),
    signal,
    ...(host.cache ? { cache: host.cache } : {}),
  } satisfies FlowContext;
}
