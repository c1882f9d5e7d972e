/** @file Notebooks: listed without their cells, saved only over the latest revision, removed with everything they own. */

import type { DocumentId } from "../records/ids.ts";
import { removeBlocks } from "./blocks.ts";
import type { Database } from "./database.ts";
import { removeDocumentRows } from "./documents.ts";
import { removeRunRows } from "./runs.ts";
import { MEMORY_TABLES, type NotebookHead, type StoredNotebook } from "./schema.ts";

export class StaleNotebook extends Error {
  override name = "StaleNotebook";
}

export async function listNotebooks(database: Database): Promise<NotebookHead[]> {
  const heads = await database.read(["notebooks"], (transaction) =>
    transaction.objectStore("notebooks").getAll(),
  );
  return heads.sort((a, b) => b.updated.localeCompare(a.updated));
}

export const loadNotebook = (database: Database, id: string): Promise<StoredNotebook | null> =>
  database.read(["notebooks", "bodies"], async (transaction) => {
    const head = await transaction.objectStore("notebooks").get(id);
    const row = await transaction.objectStore("bodies").get(id);
    return head && row ? { ...head, body: row.body } : null;
  });

/** Saves over revision `notebook.revision` (0: new); resolves to the new one. @throws {StaleNotebook} after other changes */
export function saveNotebook(database: Database, notebook: StoredNotebook): Promise<number> {
  const { body, ...head } = notebook;
  return database.write(["notebooks", "bodies"], async (transaction) => {
    const stored = await transaction.objectStore("notebooks").get(head.id);
    if ((stored?.revision ?? 0) !== head.revision) throw stale(notebook, stored);
    const revision = head.revision + 1;
    await transaction.objectStore("notebooks").put({ ...head, revision });
    await transaction.objectStore("bodies").put({ id: head.id, body });
    return revision;
  });
}

/** Removes a notebook with its memory, runs and `documents`. `heirs` maps runs that another notebook shows to its id. */
export function removeNotebook(
  database: Database,
  id: string,
  documents: readonly DocumentId[] = [],
  heirs: ReadonlyMap<string, string> = new Map(),
): Promise<void> {
  const tables = [...MEMORY_TABLES, "notebooks", "bodies", "runs", "cases", "documents", "texts"] as const;
  return database.write(tables, async (transaction) => {
    await transaction.objectStore("notebooks").delete(id);
    await transaction.objectStore("bodies").delete(id);
    await transaction.objectStore("memories").delete(id);
    await removeBlocks(transaction, id);
    for (const run of await transaction.objectStore("runs").index("notebook").getAll(id)) {
      const heir = heirs.get(run.id);
      if (heir === undefined) await removeRunRows(transaction, run.id);
      else await transaction.objectStore("runs").put({ ...run, notebookId: heir });
    }
    for (const document of documents) await removeDocumentRows(transaction, document);
  });
}

function stale({ title, revision }: StoredNotebook, stored: NotebookHead | undefined): StaleNotebook {
  const what = stored
    ? `was saved elsewhere since (revision ${stored.revision}, here ${revision})`
    : "was removed elsewhere";
  return new StaleNotebook(
    `store: notebook "${title}" ${what}. Nothing was written: reload this tab to continue from there, or export this version to a file first.`,
  );
}
