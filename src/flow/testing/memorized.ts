/** @file Test support: runs with the memory whole, as it is stored, once what the run says of it is found to be that. */

import { expect } from "vitest";
import { omit } from "../../lib/omit.ts";
import type { EntryMeta, Memory } from "../../records/memory.ts";
import type { Document } from "../../records/source.ts";
import type { Store } from "../../store/port.ts";
import type { FlowContext } from "../context.ts";
import * as flow from "../memorize.ts";

export interface WholeReport extends flow.MemorizeReport {
  readonly memory: Memory;
}

/** As the flow's own. */
export async function memorize(context: FlowContext, documents: readonly Document[]): Promise<WholeReport> {
  return whole(context.store, await flow.memorize(context, documents));
}

/** As the flow's own. */
export async function resume(context: FlowContext): Promise<WholeReport | null> {
  const report = await flow.resume(context);
  return report && whole(context.store, report);
}

async function whole(store: Store, report: flow.MemorizeReport): Promise<WholeReport> {
  const memory = (await store.load())!;
  expect(said(report.memory)).toEqual(said(memory));
  return { ...report, memory };
}

/** A store that loads all it opens says more than it has to. */
const said = (memory: flow.MemorizeReport["memory"]): object => ({
  ...memory,
  entries: memory.entries.map((entry: EntryMeta & { key?: unknown; residual?: unknown }) => ({
    ...omit(entry, "key", "residual"),
    report: omit<object & { losses?: unknown }, "losses">(entry.report, "losses"),
  })),
});
