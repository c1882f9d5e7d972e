/** @file The lines and the manifest of an archive, and how they are checked when one is read. */

import * as v from "valibot";
import { count, record, text, type Shape } from "../lib/check.ts";
import type { CharOffset, DocumentId, FactId, LayerIndex } from "../records/ids.ts";
import type { EncodingReport, Memory, ModelIdentity } from "../records/memory.ts";
import { memoryHead } from "../records/shapes.ts";
import { encodedFields, factFields } from "./lines.ts";

/** The newest archive format this app reads, and the one it writes where vectors may be smaller than float32. */
export const ARCHIVE_VERSION = 4;
/** What is written of a memory that keeps no words, or whose keys lie behind a centre. */
export const WORDLESS_VERSION = 3;
/** What is written of a memory that keeps words: apps before wordless memories read it. */
export const WORDS_VERSION = 2;
export const ARCHIVE_FORMAT = "palimpsest-archive";
/** All files of an archive but manifest.json. */
export const ARCHIVE_FILES = ["facts.jsonl", "routing.jsonl", "vectors.safetensors"] as const;
export type ArchiveFile = (typeof ARCHIVE_FILES)[number];

/**
 * A line of facts.jsonl, one for each part of a fact. Line i has row i of `keys` and `residuals`, unless it is still to
 * be encoded. Version 1 had one a fact.
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

/** A line of routing.jsonl; line i has row i of `documents`. */
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
  anchor: text(),
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
  readonly files: Readonly<Record<ArchiveFile, FileSum>>;
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
  files: record<ArchiveManifest["files"]>({
    "facts.jsonl": fileSum,
    "routing.jsonl": fileSum,
    "vectors.safetensors": fileSum,
  }),
});
