/** @file Documents: a permanent record of each, and its text in pieces as long as the user keeps it. */

import type { DocumentId } from "../records/ids.ts";
import type { SourceEntry } from "../records/notebook.ts";
import { allOf } from "./blocks.ts";
import type { Database } from "./database.ts";
import type { Reading, StoredDocument, Writing } from "./schema.ts";

export const CHUNK_CHARACTERS = 2 ** 19;

/** Keeps the date of a document that is already stored. @throws if the length of `text` is not `document.characters` */
export async function addDocument(database: Database, document: StoredDocument, text: string): Promise<void> {
  if (text.length !== document.characters)
    throw new Error(
      `store: the text of "${document.title}" has ${text.length} characters, ${document.characters} expected; read the file again`,
    );
  await database.write(["documents", "texts"], async (transaction) => {
    const documents = transaction.objectStore("documents");
    const known = await documents.get(document.id);
    await documents.put({ ...document, added: known?.added ?? document.added });
    await removeTexts(transaction, document.id);
    for (let chunk = 0; chunk * CHUNK_CHARACTERS < text.length; chunk++) {
      const piece = text.slice(chunk * CHUNK_CHARACTERS, (chunk + 1) * CHUNK_CHARACTERS);
      await transaction.objectStore("texts").put({ document: document.id, chunk, text: piece });
    }
  });
}

type ListedDocument = StoredDocument & Pick<SourceEntry, "kept">;

export const listDocuments = (database: Database): Promise<ListedDocument[]> =>
  database.read(["documents", "texts"], async (transaction) => {
    const documents = await transaction.objectStore("documents").getAll();
    documents.sort((a, b) => a.added.localeCompare(b.added));
    return Promise.all(documents.map((document) => listed(transaction, document)));
  });

export const readDocument = (database: Database, id: DocumentId): Promise<ListedDocument | null> =>
  database.read(["documents", "texts"], async (transaction) => {
    const document = await transaction.objectStore("documents").get(id);
    return document ? listed(transaction, document) : null;
  });

/** Characters [start, end) of a kept text. @throws if the document is not stored, or its text was forgotten */
export const readText = (
  database: Database,
  id: DocumentId,
  start = 0,
  end = Number.MAX_SAFE_INTEGER,
): Promise<string> =>
  database.read(["documents", "texts"], async (transaction) => {
    const document = await transaction.objectStore("documents").get(id);
    if (!document) throw new Error(`store: no document "${id}" is stored; add the file again`);
    const from = Math.max(0, start);
    const to = Math.min(end, document.characters);
    if (!(await isKept(transaction, document)))
      throw new Error(`store: the text of "${document.title}" was forgotten; add the file again to read it`);
    if (from >= to) return "";
    const first = Math.floor(from / CHUNK_CHARACTERS);
    const last = Math.floor((to - 1) / CHUNK_CHARACTERS);
    const rows = await transaction.objectStore("texts").getAll(IDBKeyRange.bound([id, first], [id, last]));
    const offset = first * CHUNK_CHARACTERS;
    return rows
      .map(({ text }) => text)
      .join("")
      .slice(from - offset, to - offset);
  });

export const forgetText = (database: Database, ...ids: readonly DocumentId[]): Promise<void> =>
  database.write(["texts"], async (transaction) => {
    for (const id of ids) await removeTexts(transaction, id);
  });

export const removeDocuments = (database: Database, ids: readonly DocumentId[]): Promise<void> =>
  database.write(["documents", "texts"], async (transaction) => {
    for (const id of ids) await removeDocumentRows(transaction, id);
  });

export async function removeDocumentRows(transaction: Writing, id: DocumentId): Promise<void> {
  await removeTexts(transaction, id);
  await transaction.objectStore("documents").delete(id);
}

const removeTexts = (transaction: Writing, id: DocumentId): Promise<void> =>
  transaction.objectStore("texts").delete(allOf(id));

const listed = async (transaction: Reading, document: StoredDocument): Promise<ListedDocument> => ({
  ...document,
  kept: await isKept(transaction, document),
});

const isKept = async (transaction: Reading, { id, characters }: StoredDocument): Promise<boolean> =>
  characters === 0 || (await transaction.objectStore("texts").getKey([id, 0])) !== undefined;
