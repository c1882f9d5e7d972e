/** @file Kept runs of the library worker: headers and records in the tables of src/store/runs.ts. */

import { latest, merged, mergedHeader } from "../../evaluate/runs/file.ts";
import { differences } from "../../evaluate/runs/header.ts";
import { isDone } from "../../evaluate/unanswered.ts";
import { assert } from "../../lib/assert.ts";
import { checked } from "../../lib/check.ts";
import type { Evaluation } from "../../records/evaluation.ts";
import { runHeader, runRecord, type Run, type RunHeader, type RunRecord } from "../../records/run.ts";
import type { Database } from "../../store/database.ts";
import { appendCases, listRuns, loadRun, putRun, readRunHead, removeRun } from "../../store/runs.ts";

export interface ListedRun {
  readonly id: string;
  readonly header: RunHeader;
  readonly records: number;
}

interface Id {
  readonly id: string;
}

/** A notebook's runs are removed with it. */
export function createRunsService(database: () => Promise<Database>) {
  async function load(id: string): Promise<{ header: RunHeader; records: RunRecord[] } | null> {
    const found = await loadRun(await database(), id);
    if (!found) return null;
    const where = `store: run "${id}": `;
    const records = [...found.cases.values()].map((one) => checked(runRecord, one, where));
    return { header: checked(runHeader, found.run.header, where), records };
  }
  const samplesOf = (records: readonly RunRecord[]) => records.filter((one) => one.kind === "sample");
  return {
    /** Keeps a run, or merges it into a kept one. Rejects if a setting that decides a record differs. */
    async keepRun({ notebook, id, header }: Id & { readonly notebook: string; readonly header: RunHeader }) {
      const kept = await readRunHead(await database(), id);
      const former = kept && checked(runHeader, kept.header, `store: run "${id}": `);
      const own = former ? joined(former, header) : header;
      await putRun(await database(), {
        id,
        // A run that another notebook shows as well stays with its own notebook.
        notebookId: kept?.notebookId ?? notebook,
        created: own.created,
        header: own,
      });
    },
    keepRecords: async ({ id, records }: Id & { readonly records: readonly RunRecord[] }) =>
      appendCases(await database(), id, new Map(records.map((one) => [one.id, one]))),
    /** A study with its cases in the order of their ids; null for an unknown id. */
    async loadRun({ id }: Id): Promise<Run | null> {
      const found = await load(id);
      if (found?.header.kind !== "study") return null;
      return { header: found.header, cases: found.records.filter((one) => one.kind === "case") };
    },
    /** An evaluation with its samples in running order; null for an unknown id. */
    async loadEvaluation({ id }: Id): Promise<Evaluation | null> {
      const found = await load(id);
      if (found?.header.kind !== "evaluation") return null;
      return merged([{ header: found.header, samples: samplesOf(found.records) }], id);
    },
    /** Ids of the kept records that need not be made again. */
    async keptRecords({ id }: Id): Promise<readonly string[]> {
      const { records = [] } = (await load(id)) ?? {};
      const failed = new Set(latest(samplesOf(records)).flatMap((one) => (isDone(one) ? [] : [one.id])));
      return records.map((one) => one.id).filter((one) => !failed.has(one));
    },
    /** Newest first. */
    runs: async ({ notebook }: { readonly notebook: string }) =>
      (await listRuns(await database(), notebook)).map(({ id, header, cases }) => ({
        id,
        header: checked(runHeader, header, `store: run "${id}": `),
        records: cases,
      })),
    removeRun: async ({ id }: Id) => removeRun(await database(), id),
  };
}

/** A kept header with the tasks and methods of another. @throws if they differ in a setting that decides a record */
function joined(kept: RunHeader, header: RunHeader): RunHeader {
  if (kept.kind === "evaluation" && header.kind === "evaluation")
    return mergedHeader([kept, header], "evaluate: this run");
  const other = differences(kept, header);
  assert(other === "", () => `evaluate: the kept run differs in ${other}; start a new one`);
  return kept;
}
