/** @file Methods of the library service for texts: reading files, stored texts and their marks. */

import { turn } from "../../lib/eventLoop.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { omit } from "../../lib/omit.ts";
import type { DocumentId } from "../../records/ids.ts";
import type { SourceEntry } from "../../records/notebook.ts";
import type { MethodParams } from "../../records/params.ts";
import type { TextMarks } from "../../records/source.ts";
import { handOver } from "../../rpc/serve.ts";
import type { Call } from "../../rpc/wire.ts";
import { addDocument, forgetText, listDocuments, readDocument, readText } from "../../store/documents.ts";
import type { ReadOptions } from "../../ingest/readers/types.ts";
import type { LibraryHost } from "../types.ts";

export interface IncomingFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly options?: Pick<ReadOptions, "encoding" | "withoutCopyright">;
}

interface TextRange {
  readonly id: DocumentId;
  readonly start: number;
  readonly end: number;
}

export function textMethods({ database, deadline, date }: Omit<LibraryHost, "app">) {
  return {
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
      const stored = { ...known, ...starts, hash: sha256Hex(text), added: date() };
      await addDocument(await database(), stored, text);
      return { ...known, kept: true };
    },
    readText: async ({ id, start, end }: TextRange) => readText(await database(), id, start, end),
    /** Sentences and candidates of a stored text, for highlights. */
    async marks({
      id,
      filter,
    }: {
      readonly id: DocumentId;
      readonly filter: MethodParams["candidateFilter"];
    }): Promise<TextMarks> {
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
      (await listDocuments(await database())).map((stored) => omit(stored, "hash", "added", "pageStarts")),
  };
}
