/** @file Entries and routing documents as rows of bounded size and back, bit for bit. Browsers limit a value to 127 MiB. */

import { commonForm, FORM_BYTES, packRows, unpackRow, countOf, type Rows } from "../lib/vectorForms.ts";
import { documentOf, layerIndex, type FactId } from "../records/ids.ts";
import {
  type EntryMeta,
  type MemoryEntry,
  type ModelIdentity,
  type RoutingDocument,
} from "../records/memory.ts";
import { alikeEntries, type AlikeEntries } from "../records/vectors.ts";
import { chunks } from "../lib/group.ts";
import { omit } from "../lib/omit.ts";
import type {
  CurveRow,
  DocumentPart,
  EntryRow,
  RoutingRow,
  RoutingVectorRow,
  StoredMeta,
  StoredPart,
  VectorRow,
  WordsOf,
} from "./schema.ts";

export const MAX_BLOCK_ENTRIES = 256;
export const MAX_BLOCK_BYTES = 8 * 2 ** 20;
const MAX_BLOCK_CHARACTERS = 2 ** 20;

/** An entry or document with its rank among those of the memory. */
export interface Placed<T> {
  readonly item: T;
  readonly place: number;
}

/** The three rows of a block of entries. */
export interface EntryBlock {
  readonly entries: EntryRow;
  readonly curves: CurveRow;
  readonly vectors: VectorRow;
}

export interface RoutingBlock {
  readonly routing: RoutingRow;
  readonly vectors: RoutingVectorRow;
}

interface Part {
  readonly document: RoutingDocument;
  readonly place: number;
  readonly part: number;
}

/** Entries by block: by layer, by the form of their vectors, and by size. */
export function entryBlocks(
  placed: readonly Placed<MemoryEntry>[],
  model: Pick<ModelIdentity, "dFf" | "dModel">,
): Placed<MemoryEntry>[][] {
  return alikeEntries(placed, ({ item }) => item).flatMap(({ forms, items }) =>
    chunks(items, blockSize(forms, model)),
  );
}

function blockSize(
  { key, residual }: AlikeEntries<unknown>["forms"],
  { dFf, dModel }: Pick<ModelIdentity, "dFf" | "dModel">,
): number {
  const bytes = dFf * FORM_BYTES[key] + dModel * FORM_BYTES[residual];
  return Math.max(1, Math.min(MAX_BLOCK_ENTRIES, Math.floor(MAX_BLOCK_BYTES / bytes)));
}

/** The rows of a block; at least one entry, all of one layer. */
export function packEntries(
  memory: string,
  block: number,
  placed: readonly Placed<MemoryEntry>[],
): EntryBlock {
  const items = placed.map(({ item }) => item);
  let end = 0;
  return {
    entries: {
      memory,
      block,
      layer: items[0]!.layer,
      ids: items.map(({ id }) => [memory, id] as const),
      entries: items.map(storedMeta),
      places: placed.map(({ place }) => place),
    },
    curves: {
      memory,
      block,
      losses: smallest(items.flatMap(({ report }) => report.losses)),
      ends: items.map(({ report }) => (end += report.losses.length)),
    },
    vectors: {
      memory,
      block,
      keys: packed(items.map(({ key }) => key)),
      residuals: packed(items.map(({ residual }) => residual)),
    },
  };
}

/** Numbers in float32 if that loses no bit, as for the losses of a model; otherwise in float64. */
function smallest(numbers: readonly number[]): Float32Array | Float64Array {
  const single = Float32Array.from(numbers);
  return numbers.every((x, i) => Object.is(x, single[i])) ? single : Float64Array.from(numbers);
}

const WHOLE = { part: 1, start: 0 } as const;

export function metaOf({ ids, layer, entries }: EntryRow, i: number): EntryMeta {
  const id = ids[i]![1] as FactId;
  return { ...WHOLE, id, documentId: documentOf(id), layer: layerIndex(layer), ...entries[i]! };
}

export const metasOf = (row: EntryRow): EntryMeta[] => row.entries.map((_, i) => metaOf(row, i));

/** The inverse of {@link packEntries}. Throws if the rows do not belong together. */
export function unpackEntries({ entries: row, curves, vectors }: EntryBlock): Placed<MemoryEntry>[] {
  const count = row.entries.length;
  const key = rowsOf(vectors.keys, count, () => `keys of block ${row.block}`);
  const residual = rowsOf(vectors.residuals, count, () => `residuals of block ${row.block}`);
  return metasOf(row).map(({ report, ...meta }, i) => ({
    item: {
      ...meta,
      key: key(i),
      residual: residual(i),
      report: { ...report, losses: lossesOf(curves, i) },
    },
    place: row.places[i]!,
  }));
}

export function lossesOf({ losses, ends }: CurveRow, i: number): number[] {
  return [...losses.subarray(ends[i - 1] ?? 0, ends[i])];
}

function storedMeta(entry: MemoryEntry): StoredMeta {
  const own = omit(entry, "id", "documentId", "layer", "part", "start", "key", "residual", "report");
  const whole = entry.part === WHOLE.part && entry.start === WHOLE.start;
  return {
    ...own,
    ...(!whole && { part: entry.part, start: entry.start }),
    ...(entry.documentId !== documentOf(entry.id) && { documentId: entry.documentId }),
    report: omit(entry.report, "losses"),
  };
}

/** Routing documents by block; a document that is too long for one is split between facts. */
export function routingBlocks(placed: readonly Placed<RoutingDocument>[]): Part[][] {
  const blocks: Part[][] = [];
  let bytes = Infinity;
  let characters = Infinity;
  for (const part of placed.flatMap(splitDocument)) {
    const size = sizeOf(part.document);
    const block = blocks.at(-1);
    bytes += size.bytes;
    characters += size.characters;
    const full = bytes > MAX_BLOCK_BYTES || characters > MAX_BLOCK_CHARACTERS;
    if (block && !full && block.length < MAX_BLOCK_ENTRIES) block.push(part);
    else {
      blocks.push([part]);
      ({ bytes, characters } = size);
    }
  }
  return blocks;
}

export function packRouting(memory: string, block: number, parts: readonly Part[]): RoutingBlock {
  const facts = parts.flatMap(({ document }) => document.facts);
  return {
    routing: {
      memory,
      block,
      anchors: parts.map(({ document }) => [memory, document.anchor] as const),
      ids: facts.map(({ id }) => [memory, id] as const),
      parts: parts.map(({ document, place, part }) => {
        const texts = document.facts.map((fact) => omit(fact, "vector", "id"));
        const own = document.facts.map(({ vector }) => vector !== undefined);
        return { ...omit(document, "vector", "facts"), facts: texts, own, place, part };
      }),
    },
    vectors: {
      memory,
      block,
      length: parts[0]!.document.vector.length,
      documents: packed(parts.flatMap(({ document, part }) => (part === 0 ? [document.vector] : []))),
      facts: packed(facts.flatMap(({ vector }) => vector ?? [])),
    },
  };
}

/** The routing documents of a row, or parts of them, each fact under its name. */
export function partsOf({ ids, parts }: RoutingRow): DocumentPart[] {
  let at = 0;
  const named = (words: StoredPart["facts"][number]): WordsOf => ({ id: ids[at++]![1] as FactId, ...words });
  return parts.map((part) => ({ ...part, facts: part.facts.map(named) }));
}

/**
 * Only first parts have the document's vector, the others an empty one. Vectors stay packed until they are read, in a
 * quarter of the memory.
 */
export function unpackRouting({ routing, vectors }: RoutingBlock): Part[] {
  const first = routing.parts.filter(({ part }) => part === 0).length;
  const own = routing.parts.reduce((sum, part) => sum + part.own.filter(Boolean).length, 0);
  const document = rowsOf(vectors.documents, first, () => `document vectors of block ${routing.block}`);
  const fact = rowsOf(vectors.facts, own, () => `fact vectors of block ${routing.block}`);
  let documents = 0;
  let facts = 0;
  return partsOf(routing).map(({ facts: texts, own: has, place, part, ...rest }) => {
    const words = {
      ...rest,
      facts: texts.map((text, i) => (has[i] ? withVector(text, fact, facts++) : text)),
    };
    const whole =
      part === 0 ? withVector(words, document, documents++) : { ...words, vector: new Float32Array() };
    return { document: whole, place, part };
  });
}

/** `record` with row `at` as its vector. */
const withVector = <T extends object>(
  record: T,
  row: (at: number) => Float32Array,
  at: number,
): T & { readonly vector: Float32Array } => ({
  ...record,
  get vector() {
    return row(at);
  },
});

export function joinParts(parts: readonly Part[]): Placed<RoutingDocument>[] {
  const sorted = parts.toSorted((a, b) => a.place - b.place || a.part - b.part);
  const documents: Placed<RoutingDocument>[] = [];
  for (const { document, place, part } of sorted) {
    if (part === 0) documents.push({ item: document, place });
    else {
      const { item } = documents.pop()!;
      documents.push({ item: { ...item, facts: [...item.facts, ...document.facts] }, place });
    }
  }
  return documents;
}

/** Splits a document that is too large for one block; nearly always one part. */
function splitDocument({ item, place }: Placed<RoutingDocument>): Part[] {
  const parts: Part[] = [];
  let start = 0;
  let size = sizeOf({ ...item, facts: [] });
  const end = (stop: number): void => {
    parts.push({
      document: { ...item, facts: item.facts.slice(start, stop) },
      place,
      part: parts.length,
    });
    start = stop;
  };
  for (const [i, fact] of item.facts.entries()) {
    const own = sizeOf({ ...item, facts: [fact] });
    const grown = { bytes: size.bytes + own.bytes, characters: size.characters + own.characters };
    const full = grown.bytes > MAX_BLOCK_BYTES || grown.characters > MAX_BLOCK_CHARACTERS;
    if (full && i > start) end(i);
    size = full ? own : grown;
  }
  end(item.facts.length);
  return parts;
}

function sizeOf({ anchor, facts, vector }: RoutingDocument): { bytes: number; characters: number } {
  let characters = anchor.length;
  let vectors = 1;
  for (const { value, questions, terms = "", vector: own } of facts) {
    const words = [value ?? "", terms, ...questions];
    characters += words.reduce((sum, { length }) => sum + length, 0);
    if (own) vectors++;
  }
  return { bytes: 4 * vector.length * vectors, characters };
}

const packed = (vectors: readonly Float32Array[]): Rows => packRows(vectors, commonForm(vectors));

/** Reads row i of `count` as a new array. */
function rowsOf(values: Rows, count: number, what: () => string): (i: number) => Float32Array {
  const length = count === 0 ? 0 : countOf(values) / count;
  if (!Number.isInteger(length))
    throw new Error(`${what()}: ${countOf(values)} values do not divide into vectors for ${count} rows`);
  return (i) => unpackRow(values, length, i);
}
