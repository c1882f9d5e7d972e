/** @file Files read in a browser worker, as the library worker will: bytes in, a cloneable record out. */
import { markText } from "../../src/ingest/marks.ts";
import { readFile } from "../../src/ingest/readers/readFile.ts";
import type { ReadFile } from "../../src/ingest/readers/types.ts";
import { serveChecks } from "../support/serve.ts";

export interface FileToRead {
  readonly name: string;
  /** Its bytes in base64: what a test sends to a page must be JSON. */
  readonly base64: string;
}

const checks = {
  read: ({ name, base64 }: FileToRead): Promise<ReadFile> =>
    readFile(
      Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)),
      name,
    ),

  /** The candidates of a file as the reader would highlight them. */
  candidates: async (file: FileToRead): Promise<string[]> => {
    const { document } = await checks.read(file);
    const { starts, ends, kinds } = await markText(document, "wide", () => Promise.resolve());
    const sentences = Array.from(starts, (start, i) => document.text.slice(start, ends[i]));
    return sentences.filter((_, i) => kinds[i] !== 0);
  },
} as const;

export type IngestChecks = typeof checks;
serveChecks(checks);
