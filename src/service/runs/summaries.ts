/** @file Reports of the flow as the page gets them: without vectors, and no more progress than a person can see. */

import type { Progress } from "../../records/progress.ts";
import { valueOf } from "../../flow/inspect.ts";
import type { MemorizeReport } from "../../flow/memorize.ts";
import type { Memory, MemoryEntry } from "../../records/memory.ts";
import type { FactRow, MemorizeSummary } from "../../records/notebook.ts";

/** Lets through what changes the stage, what ends it, and of the rest the latest once per interval. */
export function throttled<P extends Pick<Progress, "done" | "total"> & { readonly stage: string }>(
  onProgress: (progress: P) => void,
  now: () => number,
): (progress: P) => void {
  let last: { readonly stage: string; readonly at: number } | undefined;
  let later: ReturnType<typeof setTimeout> | undefined;
  const send = (progress: P): void => {
    last = { stage: progress.stage, at: now() };
    onProgress(progress);
  };
  return (progress) => {
    clearTimeout(later);
    const ends = progress.total !== null && progress.done >= progress.total;
    const wait = last?.stage === progress.stage ? last.at + PROGRESS_EVERY_MS - now() : 0;
    if (ends || wait <= 0) send(progress);
    // What comes to a halt (a pause, a broken connection) shows where it stands.
    else later = setTimeout(() => send(progress), wait);
  };
}

/** A report without vectors. */
export function summaryOf({ plan, memory, before, milliseconds }: MemorizeReport): MemorizeSummary {
  const { sources, known, budget, layers, layerPlan, extracted, extraction, skipped } = plan;
  return {
    sources,
    known,
    budget,
    layers,
    layerPlan,
    extracted,
    extraction,
    retained: plan.retained.length,
    resumed: plan.resumed.length,
    skipped,
    milliseconds,
    ...outcome(memory, before),
  };
}

/** What became of the facts that a run encoded: those after the first `before`. */
function outcome(
  memory: Memory,
  before: number,
): Pick<MemorizeSummary, "encoded" | "exact" | "fidelity" | "steps" | "bytes" | "total"> {
  const made = memory.entries.slice(before);
  const sum = (of: (entry: MemoryEntry) => number) => made.reduce((total, entry) => total + of(entry), 0);
  return {
    encoded: made.length,
    exact: sum(({ report }) => Number(report.exact)),
    fidelity: made.length === 0 ? 0 : sum(({ report }) => report.fidelity) / made.length,
    steps: sum(({ report }) => report.steps),
    bytes: vectorBytes(memory),
    total: memory.entries.length,
  };
}

/** Bytes of all keys, residuals and routing vectors. */
function vectorBytes({ entries, routing }: Memory): number {
  const entry = entries.reduce((sum, { key, residual }) => sum + key.byteLength + residual.byteLength, 0);
  const vectors = routing.flatMap(({ vector, facts }) => [vector, ...facts.map((fact) => fact.vector)]);
  return vectors.reduce((sum, vector) => sum + (vector?.byteLength ?? 0), entry);
}

/** An entry as the table of facts shows it. */
export function factRow(memory: Memory, entry: MemoryEntry): FactRow {
  const { id, documentId, anchor, index, offset, layer, tokens, report } = entry;
  return {
    id,
    documentId,
    anchor,
    index,
    offset,
    layer,
    tokens,
    value: valueOf(memory, id) ?? "",
    recalled: report.recalled,
    exact: report.exact,
    fidelity: report.fidelity,
    steps: report.steps,
    deltaNorm: report.deltaNorm,
    memorizedAt: memory.sources.find((source) => source.id === documentId)?.memorizedAt ?? "",
  };
}

const PROGRESS_EVERY_MS = 100;
