/** @file Reports of the flow for the page: without vectors, and with throttled progress. */

import type { Progress } from "../../records/progress.ts";
import { valueOf } from "../../flow/inspect.ts";
import type { MemorizeReport } from "../../flow/memorize.ts";
import { rowOf } from "../../records/factRow.ts";
import {
  byFact,
  countFacts,
  type Memory,
  type MemoryEntry,
  wholeReport,
  type WholeReport,
} from "../../records/memory.ts";
import { bytesOf } from "../../records/bytes.ts";
import type { FactRow, MemorizeSummary } from "../../records/notebook.ts";
import type { SkippedFact } from "../../records/plan.ts";
import type { EngineHost, LoadCall } from "../types.ts";

/** Passes a change of stage and the end on at once, and of the rest the latest once per interval. */
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
    // A pause or a broken connection shows the latest progress.
    else later = setTimeout(() => send(progress), wait);
  };
}

export const withThrottle = (
  { now }: Pick<EngineHost, "now">,
  { signal, onProgress }: LoadCall,
): LoadCall => ({ signal, onProgress: onProgress && throttled(onProgress, now) });

/** A report without vectors; its results are those of the facts that the run encoded. */
export function summaryOf(report: MemorizeReport): MemorizeSummary {
  const { plan, memory, before, cached, milliseconds, expected } = report;
  const { sources, known, budget, layers, layerPlan, extracted, extraction, skipped } = plan;
  const made = byFact(memory.entries.slice(before)).map(wholeReport);
  const kept = bytesOf(memory);
  const sum = (of: (fact: WholeReport) => number) => made.reduce((total, fact) => total + of(fact), 0);
  // Unknown for entries of the encoding cache that lack it.
  const givenUp = sum((fact) => fact.givenUp ?? NaN);
  return {
    ...{ sources, known, budget, layers, layerPlan, extracted, extraction },
    retained: plan.retained.length,
    resumed: plan.resumed.length,
    skipped: memory.salt === undefined ? skipped : skipped.map(withFewWords),
    ...(plan.evicted.size > 0 && { evicted: plan.evicted.size }),
    ...(cached > 0 && { cached }),
    milliseconds,
    ...(expected === null ? {} : { expected }),
    encoded: made.length,
    exact: sum(({ exact }) => Number(exact)),
    fidelity: made.length === 0 ? 0 : sum(({ fidelity }) => fidelity) / made.length,
    steps: sum(({ steps }) => steps),
    ...(Number.isNaN(givenUp) ? {} : { givenUp }),
    bytes: kept.vectors + kept.dense,
    kept,
    total: countFacts(memory.entries),
  };
}

/** The first words of a sentence, enough to find it. */
const withFewWords = ({ value, why }: SkippedFact): SkippedFact => ({
  value: `${value.split(/\s+/).slice(0, FEW_WORDS).join(" ")} …`,
  why,
});

const FEW_WORDS = 3;

/** A fact as the table of facts shows it. */
export function factRow(memory: Pick<Memory, "routing" | "sources">, parts: readonly MemoryEntry[]): FactRow {
  const { id, documentId } = parts[0]!;
  const document = memory.routing.find(({ facts }) => facts.some((fact) => fact.id === id));
  return {
    ...rowOf(parts),
    ...(document && { order: document.order }),
    value: valueOf(memory, id),
    memorizedAt: memory.sources.find((source) => source.id === documentId)?.memorizedAt ?? "",
  };
}

const PROGRESS_EVERY_MS = 100;
