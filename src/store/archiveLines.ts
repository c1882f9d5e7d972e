/** @file The lines and the manifest of an archive, and how they are checked when one is read. */

import * as v from "valibot";
import { count, record, text, type Shape } from "../lib/check.ts";
import type { CharOffset, DocumentId, FactId, LayerIndex } from "../records/ids.ts";
import type { EncodingReport, Memory, ModelIdentity } from "../records/memory.ts";
import { memoryHead } from "../records/shapes.ts";
import { anchorText, encodedFields, factFields, type EntryLine } from "./lines.ts";

/** The newest archive format this app reads, and the one it writes. */
export const ARCHIVE_VERSION = 5;
/** What is written of a memory that keeps its keys: builds that know no other read it. */
export const KEYED_VERSION = 4;
/** From this one on entries lie in blocks, each in a file of lines and one of vectors in any form. */
export const BLOCKS_VERSION = 4;
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

/**
 * A line of facts.jsonl in formats 1 to 3, one for each part of a fact. Line i has row i of `keys` and `residuals`, unless
 * it is still to be encoded. Version 1 had one a fact.
 */
export interface FactLine {
  readonly id: FactId;
  readonly document: DocumentId;
  readonly anchor: string;
  readonly index: number;
  /** v, in the first line of the fact; null where the routing index does not know the fact, or keeps no words. */
  readonly value: string | null;
  readonly offset: CharOffset;
  readonly part: number;
  readonly start: number;
  /** Null, as `tokens` and `report`: not encoded yet. */
  readonly layer: LayerIndex | null;
  readonly tokens: number | null;
  readonly report: EncodingReport | null;
  /** Which of the manifest's `earlier` parameters it was made with; absent: with the current ones. */
  readonly params?: number;
  /** In the first line of the fact. */
  readonly questions: readonly string[];
  /** In the first line of a fact without words: the salted hashes of its terms. */
  readonly terms?: string;
}

/** A line of routing.jsonl in formats 1 to 3; line i has row i of `documents`. */
export interface ArchivedDocument {
  readonly anchor: string;
  readonly order: number;
  /** `vector` is a row of `facts`; null where the fact has none of its own. */
  readonly facts: readonly {
    readonly id: FactId;
    readonly index: number;
    readonly vector: number | null;
  }[];
}

/** A fact line, checked against the model. */
export function factLineOf(model: ModelIdentity): Shape<FactLine> {
  const { part, start, layer, tokens, params, report } = encodedFields(model);
  return record<FactLine>({
    ...factFields,
    document: text(),
    value: v.nullable(text()),
    part,
    start,
    layer: v.nullable(layer),
    tokens: v.nullable(tokens),
    params,
    report: v.nullable(report),
    questions: v.array(text()),
    terms: v.optional(text()),
  });
}

export const archivedDocument = record<ArchivedDocument>({
  anchor: anchorText,
  order: count(),
  facts: v.array(
    record<ArchivedDocument["facts"][number]>({
      id: text(),
      index: count(),
      vector: v.nullable(count()),
    }),
  ),
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
