/** @file The library worker's service: it stores texts and notebooks, and lists stored facts without their vectors. */

import type { FactId } from "../../records/ids.ts";
import type { VectorLosses } from "../../records/memory.ts";
import type { FactRow } from "../../records/notebook.ts";
import { searchWords } from "../../router/termHashes.ts";
import { storageState, wipe, type Database } from "../../store/database.ts";
import {
  readBytes,
  readCurves,
  readFacts,
  readIndexed,
  readMemoryHead,
  readParts,
  readRouting,
  removeMemory,
} from "../../store/facts.ts";
import { openIndexedDbStore } from "../../store/indexedDb.ts";
import { cacheSize, clearCache } from "../../store/indexedDbCache.ts";
import { fingerprint, keepSigningKey, keptSigningKey, removeSigningKey } from "../../store/signing.ts";
import type { FactArgument, LibraryHost } from "../types.ts";
import { notebookMethods } from "./notebooks.ts";
import { textMethods } from "./texts.ts";
import type { createRunsService } from "./savedRuns.ts";

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
    clearCache: async (_: null) => clearCache(await database()),
    wipe: async (_: null) => {
      await removeSigningKey((await database()).name);
      return wipe(await database());
    },
  };
}

interface MemoryArgument {
  readonly memory: string;
}

interface ImportArgument extends MemoryArgument {
  readonly archive: Blob;
  readonly mode: "replace" | "merge";
  readonly name?: string;
}

function memoryMethods({ database, app }: Pick<LibraryHost, "database" | "app">) {
  const store = async (memory: string) => openIndexedDbStore(await database(), memory);
  const archives = () => import("../../store/archive.ts");
  return {
    memoryInfo: async ({ memory }: MemoryArgument) => readMemoryHead(await database(), memory),
    facts: async ({ memory }: MemoryArgument): Promise<readonly FactRow[]> =>
      readFacts(await database(), memory),
    memoryBytes: async ({ memory }: MemoryArgument) => readBytes(await database(), memory),
    /** Facts with every word of a search in their sentence, by its hashes, or in their anchor. */
    async findWords({
      memory,
      search,
    }: MemoryArgument & { readonly search: string }): Promise<readonly FactId[]> {
      const { salts = [], documents = [] } = (await readIndexed(await database(), memory)) ?? {};
      return searchWords(search, documents, salts);
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
    /** Signed if this browser keeps a key. */
    exportMemory: async ({ memory }: MemoryArgument) => {
      const key = await keptSigningKey((await database()).name);
      return (await archives()).exportMemory(await store(memory), app, key);
    },
    /** The short name of the key that signs exports; null without one. `keep` makes or removes it. */
    signingKey: async ({ keep }: { readonly keep?: boolean }): Promise<string | null> => {
      const { name } = await database();
      if (keep === false) await removeSigningKey(name);
      const found = await (keep ? keepSigningKey : keptSigningKey)(name);
      return found && fingerprint(found.key);
    },
    importMemory: async ({ memory, archive, ...options }: ImportArgument) =>
      (await archives()).importMemory(await store(memory), archive, { name: "the archive", ...options }),
    /** Checks a file completely and changes nothing; rejects as the import would. */
    inspectArchive: async ({ archive, name }: { readonly archive: Blob; readonly name: string }) =>
      (await archives()).inspectArchive(archive, name),
    clearMemory: async ({ memory }: MemoryArgument) => removeMemory(await database(), memory),
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
