/** @file The one runner of evaluations and studies: makes the records of a plan that are missing, with progress. */

import { throwIfCancelled } from "../../lib/assert.ts";
import type { RecordsProgress } from "../../records/run.ts";

/** Measures a run to estimate the time that is left. */
export interface Clock {
  /** This share of the facts that the next records need is encoded. */
  encoded?(share: number): void;
  finished(id: string): void;
  /** Milliseconds to the end; null before the first measurement. */
  left(): number | null;
}

/** A run: the ids of all its records are known before it starts. */
export interface Plan<R extends { readonly id: string }> {
  /** Ids of all records, in running order. */
  readonly ids: readonly string[];
  clock(missing: ReadonlySet<string>): Clock;
  /** Makes the missing records in that order; `note` names the current step and the share of facts encoded for it. */
  make(missing: ReadonlySet<string>, note: (text: string, encoded?: number) => void): AsyncGenerator<R>;
}

interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: RecordsProgress) => void) | undefined;
}

/**
 * Yields the records of `plan` that `have` lacks; apart from times, a plan gives the same ones however often it is stopped.
 * @throws Cancelled; records that were yielded before it stay valid
 */
export async function* runPlan<R extends { readonly id: string }>(
  plan: Plan<R>,
  have: ReadonlySet<string>,
  { signal, onProgress }: RunOptions,
): AsyncGenerator<R> {
  const missing = new Set(plan.ids.filter((id) => !have.has(id)));
  const total = plan.ids.length;
  const clock = plan.clock(missing);
  let done = total - missing.size;
  let note = "";
  const report = (): void => onProgress?.({ done, total, note, left: clock.left() });
  if (missing.size === 0) return;
  throwIfCancelled(signal, "evaluate");
  report();
  const records = plan.make(missing, (text, encoded) => {
    note = text;
    if (encoded !== undefined) clock.encoded?.(encoded);
    report();
  });
  for await (const record of records) {
    done++;
    clock.finished(record.id);
    yield record;
    report();
    throwIfCancelled(signal, "evaluate");
  }
}
