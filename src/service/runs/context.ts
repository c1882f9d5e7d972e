/** @file What the engine service is made of, and what work on the open model is given of it. */

import type { FlowContext } from "../../flow/context.ts";
import type { Engine } from "../../engine/engine.ts";
import { SHARP } from "../../records/params.ts";
import { inMemoryStore } from "../../store/inMemory.ts";
import type { Estimator } from "../cost/estimator.ts";
import type { Memories } from "../memories/openMemories.ts";
import type { CurrentModel } from "../model/open.ts";
import type { EngineHost } from "../types.ts";
import { pausable, type Pause } from "./pause.ts";

/** What the engine service is made of. */
export interface ServiceParts {
  readonly host: EngineHost;
  readonly model: CurrentModel;
  readonly memories: Memories;
  readonly pause: Pause;
  readonly estimator: Estimator;
}

/** A context of its own for one run: it waits while runs are paused, ends on `signal` and keeps what it stores in mind. */
export function runContext({ host, pause }: ServiceParts, engine: Engine, signal: AbortSignal) {
  return {
    engine: pausable(engine, pause, signal),
    store: inMemoryStore(),
    params: SHARP,
    // A pause is no time that anything took.
    now: () => host.now() - pause.held(),
    date: () => host.date(),
    signal,
    ...(host.cache ? { cache: host.cache } : {}),
  } satisfies FlowContext;
}
