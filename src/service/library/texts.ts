/** @file Methods of the library service for texts: reading files, stored texts and their marks. */

import { sha256Hex } from "../../lib/hash.ts";
import type { DocumentId } from "../../records/ids.ts";
import type { SourceEntry } from "../../records/notebook.ts";
import type { MethodParams } from "../../records/params.ts";
import type { TextMarks } from "../../records/source.ts";
import { handOver } from "../../rpc/serve.ts";
import type { Call } from "../../rpc/wire.ts";
import {
  addDocument,
  forgetText,
  listDocuments,
  readDocument,
  readText,
  type ListedDocument,
} from "../../store/documents.ts";
import type { LibraryHost } from "../types.ts";

/** A file to read, or a pasted text. */
export interface IncomingFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

interface TextRange {
  readonly id: DocumentId;
  readonly start: number;
  readonly end: number;
}

interface MarksArgument {
  readonly id: DocumentId;
  readonly filter: MethodParams["candidateFilter"];
}

export function textMethods({ database, deadline, date }: Omit<LibraryHost, "app">) {
  return {
    /** Reads a file and stores its text. */
    async ingest({ name, bytes }: IncomingFile, { signal }: Call = {}): Promise<SourceEntry> {
      const { document, format, encoding, notes, pages } = await deadline.follow(
        `reading "${name}"`,
        async (alive) =>
          (await import("../../ingest/readers/readFile.ts")).readFile(bytes, name, {
            onProgress: alive,
            ...(signal ? { signal } : {}),
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
    /** Characters [start, end) of a stored text. */
    readText: async ({ id, start, end }: TextRange): Promise<string> =>
      readText(await database(), id, start, end),
    /** Sentences and candidates of a stored text, for highlights. */
    async marks({ id, filter }: MarksArgument): Promise<TextMarks> {
      const text = await readText(await database(), id);
      // Loaded with the first text that is shown.
      const { markText } = await import("../../ingest/marks.ts");
      const marks = await markText({ id, title: "", text }, filter, nextTurn);
      return handOver(marks, [marks.starts.buffer, marks.ends.buffer, marks.kinds.buffer] as ArrayBuffer[]);
    },
    /** Offset of each page, page 1 first; empty for formats without pages. */
    pageStarts: async ({ id }: { readonly id: DocumentId }): Promise<readonly number[]> =>
      (await readDocument(await database(), id))?.pageStarts ?? [],
    /** Deletes the text of documents; their descriptions stay. */
    forgetText: async ({ ids }: { readonly ids: readonly DocumentId[] }): Promise<void> =>
      forgetText(await database(), ...ids),
    documents: async (_: null): Promise<readonly SourceEntry[]> =>
      (await listDocuments(await database())).map(entryOf),
  };
}

/** Lets the worker answer calls that arrived meanwhile. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** A stored document as the notebook lists it. */
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
