/**
 * @file The library worker's service: files become kept texts, notebooks are saved, and stored facts are listed
 * without their vectors. All of it is one database, which the engine worker opens as well.
 */

import { loose, type Loose } from "../../lib/check.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { DocumentId } from "../../records/ids.ts";
import type { SourceEntry } from "../../records/notebook.ts";
import type { LibraryService } from "../../rpc/protocol.ts";
import type { Deadline } from "../../rpc/deadline.ts";
import { handOver } from "../../rpc/serve.ts";
import { wordSearch } from "../../router/wordless.ts";
import { wipe, type Database } from "../../store/database.ts";
import {
  addDocument,
  forgetText,
  listDocuments,
  readDocument,
  readText,
  removeDocuments,
  type ListedDocument,
} from "../../store/documents.ts";
import {
  readBytes,
  readCurves,
  readParts,
  readFacts,
  readIndexed,
  readMemoryHead,
  readRouting,
  removeMemory,
} from "../../store/facts.ts";
import { openIndexedDbStore } from "../../store/indexedDb.ts";
import { cacheSize, clearCache } from "../../store/indexedDbCache.ts";
import { listNotebooks, loadNotebook, removeNotebook, saveNotebook } from "../../store/notebooks.ts";
import { storageState } from "../../store/quota.ts";
import { createRunsService, evaluationsOnDemand } from "./savedRuns.ts";

export interface LibraryHost {
  /** For what a file decides the length of. */
  readonly deadline: Deadline;
  /** Opens the database, or gives the connection that is open. */
  database(): Promise<Database>;
  /** The wall clock as ISO text. */
  date(): string;
  /** Version of the app, for archives. */
  readonly app: string;
}

/** Memories as files; the code is fetched when one is asked for. */
const archives = () => import("../../store/archive.ts");
/** Readers of files: likewise. */
const readers = () => import("../../ingest/readers/readFile.ts");

/** The service of {@link LibraryService} over one database. */
export function createLibraryService({ database, deadline, date, app }: LibraryHost): LibraryService {
  const store = async (memory: string) => openIndexedDbStore(await database(), memory);
  return {
    ...textMethods({ database, deadline, date }),
    ...notebookMethods(database),
    ...createRunsService(database),
    ...evaluationsOnDemand(database),
    async memoryInfo({ memory }) {
      const head = await readMemoryHead(await database(), memory);
      if (!head) return null;
      const { model, params, embedder, layers, sources, facts, pending, unsealed } = head;
      return { model, params, embedder, layers, sources, facts, pending, unsealed };
    },
    facts: async ({ memory }) => readFacts(await database(), memory),
    memoryBytes: async ({ memory }) => readBytes(await database(), memory),
    async findWordless({ memory, search }) {
      const indexed = await readIndexed(await database(), memory);
      if (indexed?.salt === undefined) return null;
      return indexed.facts.filter(wordSearch(search, indexed.salt)).map(({ id }) => id);
    },
    entries: async ({ memory, id }) => readParts(await database(), memory, id),
    routing: async ({ memory, id }) => readRouting(await database(), memory, id),
    curves: async ({ memory, ids }) => readCurves(await database(), memory, ids),
    exportMemory: async ({ memory }) => (await archives()).exportMemory(await store(memory), app),
    importMemory: async ({ memory, archive, mode, name = "the archive" }) =>
      (await archives()).importMemory(await store(memory), archive, { name, mode }),
    inspectArchive: async ({ archive, name }) => (await archives()).inspectArchive(archive, name),
    clearMemory: async ({ memory }) => removeMemory(await database(), memory),
    storage: async () => ({ ...(await storageState()), cache: await cacheSize(await database()) }),
    clearCache: async () => clearCache(await database()),
    wipe: async () => wipe(await database()),
  };
}

type Methods<Names extends keyof LibraryService> = Pick<LibraryService, Names>;

function textMethods({
  database,
  deadline,
  date,
}: Pick<LibraryHost, "database" | "deadline" | "date">): Methods<
  "ingest" | "readText" | "marks" | "pageStarts" | "forgetText" | "documents"
> {
  return {
    async ingest({ name, bytes }, { signal } = {}) {
      const { document, format, encoding, notes, pages } = await deadline.follow(
        `reading "${name}"`,
        async (alive) =>
          (await readers()).readFile(bytes, name, { onProgress: alive, ...(signal ? { signal } : {}) }),
      );
      const { id, title, text } = document;
      const known = {
        ...{ id, title, format, encoding: encoding ?? null, characters: text.length },
        pages: pages?.length ?? null,
        notes,
      };
      const starts = pages ? { pageStarts: pages.map(({ start }) => start) } : {};
      const stored = { ...known, ...starts, hash: sha256Hex(text), added: date() };
      await addDocument(await database(), stored, text);
      return { ...known, kept: true };
    },
    readText: async ({ id, start, end }) => readText(await database(), id, start, end),
    async marks({ id, filter }) {
      const text = await readText(await database(), id);
      // Read with the first text that is looked at, as the readers of files are.
      const { markText } = await import("../../ingest/marks.ts");
      const marks = await markText({ id, title: "", text }, filter, nextTurn);
      return handOver(marks, [marks.starts.buffer, marks.ends.buffer, marks.kinds.buffer] as ArrayBuffer[]);
    },
    pageStarts: async ({ id }) => (await readDocument(await database(), id))?.pageStarts ?? [],
    forgetText: async ({ ids }) => forgetText(await database(), ...ids),
    documents: async () => (await listDocuments(await database())).map(entryOf),
  };
}

/** Lets the calls that came in meanwhile be answered. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** A stored document as the notebook knows it. */
function entryOf({
  id,
  title,
  format,
  encoding,
  characters,
  pages,
  notes,
  kept,
}: ListedDocument): SourceEntry {
  return { id, title, format, encoding, characters, pages, notes, kept };
}

function notebookMethods(
  database: () => Promise<Database>,
): Methods<"notebooks" | "loadNotebook" | "saveNotebook" | "removeNotebook" | "removeUnnamedTexts"> {
  return {
    notebooks: async () => listNotebooks(await database()),
    async loadNotebook({ id }) {
      const found = await loadNotebook(await database(), id);
      return found && { revision: found.revision, body: found.body };
    },
    saveNotebook: async (notebook) => saveNotebook(await database(), notebook),
    async removeNotebook({ id }) {
      const opened = await database();
      const own = await named(opened, id);
      const ids = (await listNotebooks(opened)).map((notebook) => notebook.id).filter((one) => one !== id);
      const others = await Promise.all(ids.map((other) => named(opened, other)));
      const shared = new Set(others.flatMap(({ documents }) => documents));
      const documents = own.documents.filter((document) => !shared.has(document));
      const heirs = others.flatMap(({ runs }, i) => runs.map((run) => [run, ids[i]!] as const));
      await removeNotebook(opened, id, documents, new Map(heirs));
    },
    async removeUnnamedTexts() {
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

interface Named {
  readonly documents: readonly DocumentId[];
  readonly runs: readonly string[];
}

/** The documents and runs that a notebook's cells name. A body that cannot be read names none. */
async function named(database: Database, id: string): Promise<Named> {
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
