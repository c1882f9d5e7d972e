/** @file The library worker's service: it stores texts and notebooks, and lists stored facts without their vectors. */

import { type FactId, type DocumentId, charOffset, documentOf, editionOf } from "../../records/ids.ts";
import type { VectorLosses } from "../../records/memory.ts";
import type { FactRow, SourceEntry } from "../../records/notebook.ts";
import { storageState, wipe, type Database } from "../../store/database.ts";
import { CACHE_TABLES, type NotebookHead, type StoredNotebook } from "../../store/schema.ts";
import {
  readBytes,
  readCurves,
  readFacts,
  readIndexed,
  readMemoryHead,
  readParts,
  readRouting,
} from "../../store/facts.ts";
import { openIndexedDbStore } from "../../store/indexedDb.ts";
import { cacheSize } from "../../store/indexedDbCache.ts";
import { fingerprint, ownSigningKey } from "../../store/signing.ts";
import type { FactArgument, LibraryHost } from "../types.ts";
import type { createRunsService } from "./savedRuns.ts";
import { loose, type Loose } from "../../lib/check.ts";
import {
  forgetText,
  listDocuments,
  removeDocuments,
  addDocument,
  readDocument,
  readText,
} from "../../store/documents.ts";
import { listNotebooks, loadNotebook, removeNotebook, saveNotebook } from "../../store/notebooks.ts";
import { turn } from "../../lib/eventLoop.ts";
import { omit } from "../../lib/omit.ts";
import type { MethodParams } from "../../records/params.ts";
import type { Sentence, TextMarks } from "../../records/source.ts";
import { handOver } from "../../rpc/serve.ts";
import type { Call } from "../../rpc/wire.ts";
import type { ReadOptions } from "../../ingest/readers/types.ts";
import { groupBy } from "../../lib/group.ts";
import { digestOf } from "../../records/digest.ts";

export type LibraryService = ReturnType<typeof createLibraryService>;

export function createLibraryService(host: LibraryHost) {
  const { database } = host;
  return {
    ...textMethods(host),
    ...notebookMethods(database),
    ...runsOnDemand(database),
    ...memoryMethods(host),
    storage: async (_: null) => ({
      ...(await storageState()),
      cache: await cacheSize(await database()),
    }),
    clearCache: async (_: null) => wipe(await database(), CACHE_TABLES),
    wipe: async (_: null) => {
      await ownSigningKey((await database()).name, false);
      return wipe(await database());
    },
  };
}

interface MemoryArgument {
  readonly memory: string;
}

function memoryMethods({ database, app }: Pick<LibraryHost, "database" | "app">) {
  const store = async (memory: string) => openIndexedDbStore(await database(), memory);
  const archives = () => import("../../store/archive.ts");
  return {
    memoryInfo: async ({ memory }: MemoryArgument) => readMemoryHead(await database(), memory),
    facts: async ({ memory }: MemoryArgument): Promise<readonly FactRow[]> => {
      const opened = await database();
      const rows = await readFacts(opened, memory);
      return inKeptTexts(opened, rows, async () => (await readIndexed(opened, memory))?.salts ?? []);
    },
    memoryBytes: async ({ memory }: MemoryArgument) => readBytes(await database(), memory),
    /** Facts with every word of a search in their sentence, by its hashes, or in their anchor. */
    async findWords({
      memory,
      search,
    }: MemoryArgument & { readonly search: string }): Promise<readonly FactId[]> {
      const { salts = [], documents = [] } = (await readIndexed(await database(), memory)) ?? {};
      return (await import("../../router/termHashes.ts")).searchWords(search, documents, salts);
    },
    /** The vectors of a fact, one per part, in the order of its value; empty if it is not stored. */
    entries: async ({ memory, id }: FactArgument) => readParts(await database(), memory, id),
    /** The document that routing indexes for a fact's anchor; null if the fact is not stored. */
    routing: async ({ memory, id }: FactArgument) => readRouting(await database(), memory, id),
    /** Losses of Eq. 3 of each vector by fact, in the order of `ids`. */
    curves: async ({
      memory,
      ids,
    }: MemoryArgument & { readonly ids: readonly FactId[] }): Promise<readonly (readonly VectorLosses[])[]> =>
      readCurves(await database(), memory, ids),
    /** With the text of its notebook, if given. Signed if this browser keeps a key. */
    exportMemory: async ({ memory, notebook }: MemoryArgument & { readonly notebook?: string }) => {
      const key = await ownSigningKey((await database()).name);
      return (await archives()).exportMemory(await store(memory), app, key, notebook);
    },
    /** The short name of the key that signs exports; null without one. `keep` makes or removes it. */
    signingKey: async ({ keep }: { readonly keep?: boolean }): Promise<string | null> => {
      const key = await ownSigningKey((await database()).name, keep);
      return key && fingerprint(key.key);
    },
    importMemory: async ({
      memory,
      archive,
      ...options
    }: MemoryArgument & Readonly<{ archive: Blob; mode: "replace" | "merge"; name?: string }>) =>
      (await archives()).importMemory(await store(memory), archive, { name: "the archive", ...options }),
    /** Checks a file completely and changes nothing; rejects as the import would. */
    inspectArchive: async ({ archive, name }: { readonly archive: Blob; readonly name: string }) =>
      (await archives()).inspectArchive(archive, name),
    /** The text of the notebook in a .palimpsest file; null in a file of a memory alone. */
    notebookIn: async ({ archive, name }: { readonly archive: Blob; readonly name: string }) =>
      (await archives()).notebookIn(archive, name),
  };
}

type Runs = ReturnType<typeof createRunsService>;

function runsOnDemand(database: () => Promise<Database>): Runs {
  const load = async (): Promise<Runs> => (await import("./savedRuns.ts")).createRunsService(database);
  const call =
    <A, R>(method: (runs: Runs) => (argument: A) => Promise<R>) =>
    async (argument: A): Promise<R> =>
      method(await load())(argument);
  return {
    keepRun: call((runs) => runs.keepRun),
    keepRecords: call((runs) => runs.keepRecords),
    loadRun: call((runs) => runs.loadRun),
    loadEvaluation: call((runs) => runs.loadEvaluation),
    keptRecords: call((runs) => runs.keptRecords),
    runs: call((runs) => runs.runs),
    removeRun: call((runs) => runs.removeRun),
  };
}

export type NotebookInfo = Omit<NotebookHead, "revision">;

const notebookMethods = (database: () => Promise<Database>) => ({
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
});

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

export interface IncomingFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly options?: Pick<ReadOptions, "encoding" | "withoutCopyright">;
}

export const textMethods = ({ database, deadline, date }: Omit<LibraryHost, "app">) => ({
  async ingest({ name, bytes, options }: IncomingFile, { signal }: Call = {}): Promise<SourceEntry> {
    const { document, format, encoding, notes, pages } = await deadline.follow(
      `reading "${name}"`,
      async (alive) =>
        (await import("../../ingest/readers/readFile.ts")).readFile(bytes, name, {
          ...options,
          onProgress: alive,
          signal,
        }),
    );
    const { id, title, text } = document;
    const known = {
      ...{ id, title, format, encoding: encoding ?? null, characters: text.length },
      pages: pages?.length ?? null,
      notes,
    };
    const starts = pages ? { pageStarts: pages.map(({ start }) => start) } : {};
    const stored = { ...known, ...starts, added: date() };
    await addDocument(await database(), stored, text);
    return { ...known, kept: true };
  },
  readText: async ({ id, start, end }: Readonly<{ id: DocumentId; start: number; end: number }>) =>
    readText(await database(), id, start, end),
  async marks({
    id,
    filter,
  }: Readonly<{ id: DocumentId; filter: MethodParams["candidateFilter"] }>): Promise<TextMarks> {
    const text = await readText(await database(), id);
    const { markText } = await import("../../ingest/marks.ts");
    const marks = await markText({ id, title: "", text }, filter, turn);
    return handOver(marks, [marks.starts.buffer, marks.ends.buffer, marks.kinds.buffer] as ArrayBuffer[]);
  },
  /** Offset of each page, page 1 first; empty for formats without pages. */
  pageStarts: async ({ id }: { readonly id: DocumentId }) =>
    (await readDocument(await database(), id))?.pageStarts ?? [],
  forgetText: async ({ ids }: { readonly ids: readonly DocumentId[] }) =>
    forgetText(await database(), ...ids),
  documents: async (_: null) =>
    (await listDocuments(await database())).map((stored) => omit(stored, "added", "pageStarts")),
});

/** `rows` with the offsets that they have in the texts that are kept; those of texts without a deletion are the same objects. */
export async function inKeptTexts(
  database: Database,
  rows: readonly FactRow[],
  saltsOf: () => Promise<readonly string[]>,
): Promise<readonly FactRow[]> {
  const places = new Map<FactId, number>();
  let salts: readonly string[] | undefined;
  for (const own of groupBy(rows, ({ id }) => editionOf(id)).values()) {
    const id = documentOf(own[0]!.id);
    const document = id === editionOf(own[0]!.id) ? null : await readDocument(database, id);
    if (!document?.kept) continue;
    const text = await readText(database, id);
    salts ??= await saltsOf();
    const { sentences } = await import("../../ingest/sentences.ts");
    const read = sentences({ id, title: "", text });
    for (const [fact, place] of placesIn(read, own, salts)) places.set(fact, place);
  }
  return places.size === 0 ? rows : rows.map((row) => ({ ...row, offset: places.get(row.id) ?? row.offset }));
}

/** Each fact is at the next sentence with its digest; one that was edited is as far behind its offset as the fact before it. */
function* placesIn(
  sentences: Iterable<Pick<Sentence, "text" | "start">>,
  facts: readonly FactRow[],
  salts: readonly string[],
): Generator<[FactId, number]> {
  const starts = new Map<string, number[]>();
  for (const { text, start } of sentences)
    for (const salt of salts) {
      const digest = digestOf(text, salt);
      starts.set(digest, [...(starts.get(digest) ?? []), start]);
    }
  let cut = 0;
  for (const { id, offset, digest } of facts.toSorted((a, b) => a.offset - b.offset)) {
    const place = starts.get(digest)?.find((start) => start >= offset + cut);
    cut = Math.max(cut, (place ?? offset + cut) - offset);
    yield [id, charOffset(offset + cut)];
  }
}
