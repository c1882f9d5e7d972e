/** @file What every flow runs on: a model, a store, the parameters, and the ways to observe and to cancel. */

import type { Engine } from "../engine/engine.ts";
import type { StageRates, StageSeconds, StageWork } from "../records/cost.ts";
import type { LayerProbe, PartPlan } from "../records/plan.ts";
import type { FactId, LayerIndex } from "../records/ids.ts";
import type { MethodParams } from "../records/params.ts";
import type { MemorizeStage, Progress } from "../records/progress.ts";
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
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  /** Gets the words of facts that were stored exactly, for this session alone. */
  readonly onSaid?: ((facts: ReadonlyMap<FactId, string>) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Storage layers that a new memory takes without a probe. An existing memory keeps its own. */
  readonly layers?: readonly LayerIndex[] | undefined;
  /** Results of earlier layer probes of this model on this backend. */
  readonly probed?: readonly LayerProbe[];
  /** Result of an earlier probe of the part length. */
  readonly parts?: PartPlan | undefined;
  readonly cache?: EncodingCache | undefined;
  /** The estimate of the run: seconds by stage, if it was made before the run, and the rates that are known. */
  readonly estimate?: { readonly seconds: StageSeconds | null; readonly rates: StageRates };
}

export type RunEvent =
  | { readonly stage: MemorizeStage; readonly state: "began" | "ended" }
  | { readonly work: StageWork };

export async function inStage<T>(
  { onEvent }: Pick<FlowContext, "onEvent">,
  stage: MemorizeStage,
  work: () => T | Promise<T>,
): Promise<T> {
  onEvent?.({ stage, state: "began" });
  const result = await work();
  onEvent?.({ stage, state: "ended" });
  return result;
}
