/** @file The lines and the manifest of an archive, and how they are checked when one is read. */

import * as v from "valibot";
import { count, record, text, type Shape } from "../lib/check.ts";
import type { Memory, ModelIdentity } from "../records/memory.ts";
import { memoryHead } from "../records/shapes.ts";
import { encodedFields, factFields, type EntryLine } from "./lines.ts";

/** Version of the archive format. Archives of another version are refused. */
export const ARCHIVE_VERSION = 1;
export const ARCHIVE_FORMAT = "palimpsest-archive";
/** The routing index, as lines and as the vectors of texts. */
export const ROUTING_LINES = "routing.jsonl";
export const ROUTING_VECTORS = "routing.safetensors";

/** A line of a block of entries, beside its place among all of the memory; line i has row i of `keys` and `residuals`. */
export type ArchivedEntry = EntryLine & { readonly place: number };

/** Such a line, checked against the model. */
export const archivedEntry = (model: ModelIdentity): Shape<ArchivedEntry> =>
  record<ArchivedEntry>({
    ...factFields,
    ...encodedFields(model),
    documentId: text(),
    place: count(),
  });

export interface ArchiveManifest {
  readonly memory: Omit<Memory, "entries" | "routing">;
  /** How many of each the lines hold. */
  readonly facts: number;
  readonly documents: number;
  /** All but manifest.json. */
  readonly files: Readonly<Record<string, FileSum>>;
}

interface FileSum {
  readonly bytes: number;
  readonly sha256: string;
}
const fileSum = record<FileSum>({ bytes: count(), sha256: text() });

export const archiveManifest = record<ArchiveManifest>({
  memory: memoryHead,
  facts: count(),
  documents: count(),
  files: v.record(v.string(), fileSum),
});
