/** @file Methods of the library service for saved notebooks. */

import { loose, type Loose } from "../../lib/check.ts";
import type { DocumentId } from "../../records/ids.ts";
import type { Database } from "../../store/database.ts";
import { forgetText, listDocuments, removeDocuments } from "../../store/documents.ts";
import { readMemoryHead } from "../../store/facts.ts";
import { listNotebooks, loadNotebook, removeNotebook, saveNotebook } from "../../store/notebooks.ts";
import type { NotebookHead, StoredNotebook } from "../../store/schema.ts";

export type NotebookInfo = Omit<NotebookHead, "revision">;

export function notebookMethods(database: () => Promise<Database>) {
  return {
    notebooks: async (_: null) => listNotebooks(await database()),
    loadNotebook: async ({ id }: Pick<NotebookInfo, "id">) => loadNotebook(await database(), id),
    /** Returns the new revision; rejects if another tab saved since `revision`. */
    saveNotebook: async (notebook: StoredNotebook) => saveNotebook(await database(), notebook),
    /** Removes a notebook with its memory, its runs, and the texts that no other notebook names. */
    async removeNotebook({ id }: Pick<NotebookInfo, "id">): Promise<void> {
      const opened = await database();
      const own = await named(opened, id);
      const ids = (await listNotebooks(opened)).map((notebook) => notebook.id).filter((one) => one !== id);
      const others = await Promise.all(ids.map((other) => named(opened, other)));
      const shared = new Set(others.flatMap(({ documents }) => documents));
      const documents = own.documents.filter((document) => !shared.has(document));
      const heirs = others.flatMap(({ runs }, i) => runs.map((run) => [run, ids[i]!] as const));
      await removeNotebook(opened, id, documents, new Map(heirs));
    },
    /** Removes the texts that no saved notebook names; their descriptions stay if a memory names them. */
    async removeUnnamedTexts(_: null): Promise<void> {
      const opened = await database();
      const known = await listDocuments(opened);
      const ids = (await listNotebooks(opened)).map(({ id }) => id);
      const inCells = new Set(
        (await Promise.all(ids.map((id) => named(opened, id)))).flatMap(({ documents }) => documents),
      );
      const unnamed = known.map(({ id }) => id).filter((id) => !inCells.has(id));
      if (unnamed.length === 0) return;
      const heads = await Promise.all(ids.map((id) => readMemoryHead(opened, id)));
      const memorised = new Set(heads.flatMap((head) => head?.sources.map(({ id }) => id) ?? []));
      await forgetText(opened, ...unnamed);
      await removeDocuments(
        opened,
        unnamed.filter((id) => !memorised.has(id)),
      );
    },
  };
}

/** The documents and runs that a notebook's cells name; empty if its body cannot be read. */
async function named(database: Database, id: string) {
  const list = (value: unknown): Loose[] => (Array.isArray(value) ? value.map(loose) : []);
  const texts = (values: readonly unknown[]): string[] => values.filter((one) => typeof one === "string");
  const cells = list(loose((await loadNotebook(database, id))?.body)["cells"]);
  const inputs = cells.map(({ input }) => loose(input));
  return {
    documents: texts(
      inputs.flatMap(({ documents }) => list(documents).map((one) => one["id"])),
    ) as DocumentId[],
    runs: texts([
      ...cells.map(({ output }) => loose(output)["runId"]),
      ...inputs.map((one) => one["compareWith"]),
    ]),
  };
}
