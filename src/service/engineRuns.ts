/** @file The long runs on the model: memorise and resume, as summaries of what they did. */

import type { Engine } from "../engine/engine.ts";
import type { FlowContext, Progress } from "../flow/context.ts";
import { pendingFacts } from "../flow/extend.ts";
import type { MemorizeReport } from "../flow/memorize.ts";
import { planBudget } from "../plan/budget.ts";
import type { Memory, MemoryEntry } from "../records/memory.ts";
import type { MemorizeSummary } from "../records/notebook.ts";
import type { MethodParams } from "../records/params.ts";
import type { Store } from "../store/port.ts";
import type { EngineHost } from "./engineHost.ts";

/** How a run is followed and stopped. */
export interface RunCall {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** The context of the arrows for one run. */
export function contextOf(
  host: EngineHost,
  engine: Engine,
  store: Store,
  params: MethodParams,
  { signal, onProgress }: RunCall,
): FlowContext {
  return {
    engine,
    store,
    params,
    now: () => host.now(),
    date: () => host.date(),
    signal,
    ...(onProgress ? { onProgress: throttled(onProgress, () => host.now()) } : {}),
  };
}

/** Lets through what changes the stage, what ends it, and of the rest one message per interval. */
export function throttled(
  onProgress: (progress: Progress) => void,
  now: () => number,
): (progress: Progress) => void {
  let last: { readonly stage: string; readonly at: number } | undefined;
  return (progress) => {
    const ends = progress.total !== null && progress.done >= progress.total;
    if (!ends && last?.stage === progress.stage && now() - last.at < PROGRESS_EVERY_MS) return;
    last = { stage: progress.stage, at: now() };
    onProgress(progress);
  };
}

/** A report without vectors. @param before ids of the entries that were there when the run began */
export function summaryOf(report: MemorizeReport, before: ReadonlySet<string>): MemorizeSummary {
  const { memory, sources, known, budget, layerPlan, extracted, retained, resumed } = report;
  return {
    sources,
    known,
    budget,
    layers: memory.layers,
    layerPlan,
    extracted,
    retained,
    resumed,
    skipped: report.skipped,
    milliseconds: report.milliseconds,
    ...outcome(memory, before),
  };
}

/** What became of the facts that a run encoded. */
export function outcome(
  memory: Memory,
  before: ReadonlySet<string>,
): Pick<MemorizeSummary, "encoded" | "exact" | "fidelity" | "steps" | "bytes" | "total"> {
  const { entries } = memory;
  const made = entries.filter(({ id }) => !before.has(id));
  const sum = (of: (entry: MemoryEntry) => number) => made.reduce((total, entry) => total + of(entry), 0);
  return {
    encoded: made.length,
    exact: sum(({ report }) => Number(report.exact)),
    fidelity: made.length === 0 ? 0 : sum(({ report }) => report.fidelity) / made.length,
    steps: sum(({ report }) => report.steps),
    bytes: vectorBytes(memory),
    total: entries.length,
  };
}

/** The summary of a run that only encoded what an earlier one had left. */
export function resumedSummary(memory: Memory, before: Memory, milliseconds: number): MemorizeSummary {
  const { depth, capacity } = memory.params;
  return {
    sources: [],
    known: [],
    budget: planBudget(memory.routing.length, { depth, layers: memory.layers.length, capacity }),
    layers: memory.layers,
    layerPlan: null,
    extracted: 0,
    retained: 0,
    resumed: pendingFacts(before).length,
    skipped: [],
    milliseconds: { encode: milliseconds },
    ...outcome(memory, idsOf(before)),
  };
}

export const idsOf = (memory: Memory | null): ReadonlySet<string> =>
  new Set(memory?.entries.map(({ id }) => id));

/** Bytes of all keys, residuals and routing vectors. */
export function vectorBytes({ entries, routing }: Memory): number {
  const entry = entries.reduce((sum, { key, residual }) => sum + key.byteLength + residual.byteLength, 0);
  const vectors = routing.flatMap(({ vector, facts }) => [vector, ...facts.map((fact) => fact.vector)]);
  return vectors.reduce((sum, vector) => sum + (vector?.byteLength ?? 0), entry);
}

const PROGRESS_EVERY_MS = 100;
