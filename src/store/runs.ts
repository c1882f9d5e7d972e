/** @file Evaluation runs: parameters first, then one record per case, so that an interrupted run can continue. */

import { allOf } from "./blocks.ts";
import type { Database } from "./database.ts";
import type { StoredRun, Writing } from "./schema.ts";

export type ListedRun = StoredRun & { readonly cases: number };

export const putRun = (database: Database, run: StoredRun): Promise<void> =>
  database.write(["runs"], async (transaction) => {
    await transaction.objectStore("runs").put(run);
  });

export const readRunHead = (database: Database, id: string): Promise<StoredRun | null> =>
  database.read(["runs"], async (transaction) => (await transaction.objectStore("runs").get(id)) ?? null);

export const appendCases = (
  database: Database,
  run: string,
  results: ReadonlyMap<string, unknown>,
): Promise<void> =>
  database.write(["runs", "cases"], async (transaction) => {
    if (!(await transaction.objectStore("runs").getKey(run)))
      throw new Error(
        `store: no run "${run}" is stored (it may have been removed elsewhere); start a new one`,
      );
    for (const [name, result] of results)
      await transaction.objectStore("cases").put({ run, case: name, result });
  });

export const loadRun = (
  database: Database,
  id: string,
): Promise<{ readonly run: StoredRun; readonly cases: ReadonlyMap<string, unknown> } | null> =>
  database.read(["runs", "cases"], async (transaction) => {
    const run = await transaction.objectStore("runs").get(id);
    if (!run) return null;
    const rows = await transaction.objectStore("cases").getAll(allOf(id));
    return { run, cases: new Map(rows.map((row) => [row.case, row.result])) };
  });

export const listRuns = (database: Database, notebookId: string): Promise<ListedRun[]> =>
  database.read(["runs", "cases"], async (transaction) => {
    const runs = await transaction.objectStore("runs").index("notebook").getAll(notebookId);
    runs.sort((a, b) => b.created.localeCompare(a.created));
    const cases = transaction.objectStore("cases");
    return Promise.all(runs.map(async (run) => ({ ...run, cases: await cases.count(allOf(run.id)) })));
  });

export const removeRun = (database: Database, id: string): Promise<void> =>
  database.write(["runs", "cases"], (transaction) => removeRunRows(transaction, id));

export async function removeRunRows(transaction: Writing, id: string): Promise<void> {
  await transaction.objectStore("cases").delete(allOf(id));
  await transaction.objectStore("runs").delete(id);
}
