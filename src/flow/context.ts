/** @file What the arrows run on: a model, a store, the parameters, and the ways to report and to stop. */

import type { Engine } from "../engine/engine.ts";
import type { CostModel, StageSeconds } from "../records/cost.ts";
import type { LayerProbe, PartPlan } from "../records/plan.ts";
import type { LayerIndex } from "../records/ids.ts";
import type { MethodParams } from "../records/params.ts";
import type { Progress } from "../records/progress.ts";
import type { EncodingCache } from "../store/encodingCache.ts";
import type { Store } from "../store/port.ts";

export interface FlowContext {
  readonly engine: Engine;
  readonly store: Store;
  readonly params: MethodParams;
  /** Milliseconds from any fixed origin (performance.now). */
  readonly now: () => number;
  /** The wall clock as ISO text, for records. */
  readonly date: () => string;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
  /** Storage layers that a new memory takes as given, without a probe; a memory that exists keeps its own. */
  readonly layers?: readonly LayerIndex[];
  /** What an earlier probe of this model on this backend found: it is not made again. */
  readonly probed?: readonly LayerProbe[];
  /** The same of the part length. */
  readonly parts?: PartPlan;
  /** What the model made of the same contents before; without one, all is made anew. */
  readonly cache?: EncodingCache;
  /** What is known of the cost of the stages, and what the run was expected to take; null where nobody asked. */
  readonly forecast?: {
    readonly seconds: StageSeconds | null;
    readonly cost: CostModel;
    /** `cost` is of another machine. */
    readonly elsewhere?: true;
  };
}
