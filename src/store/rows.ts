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
import { sortedFields } from "../lib/sortedJson.ts";
import type {
  CurveRow,
  DocumentMeta,
  EntryRow,
  RoutingRow,
  RoutingVectorRow,
  StoredMeta,
  VectorRow,
} from "./schema.ts";

export const MAX_BLOCK_ENTRIES = 256;
export const MAX_BLOCK_BYTES = 8 * 2 ** 20;
const MAX_BLOCK_CHARACTERS = 2 ** 20;

export interface Placed<T> {
  readonly item: T;
  readonly place: number;
}

export const inOrder = <T>(placed: readonly Placed<T>[]): T[] =>
  placed.toSorted((a, b) => a.place - b.place).map(({ item }) => item);

export interface EntryBlock {
  readonly entries: EntryRow;
  readonly curves: CurveRow;
  readonly vectors: VectorRow;
}

export interface RoutingBlock {
  readonly routing: RoutingRow;
  readonly vectors: RoutingVectorRow;
}

export const entryBlocks = (
  placed: readonly Placed<MemoryEntry>[],
  model: Pick<ModelIdentity, "dFf" | "dModel">,
): Placed<MemoryEntry>[][] =>
  alikeEntries(placed, ({ item }) => item).flatMap(({ forms, items }) =>
    chunks(items, blockSize(forms, model)),
  );

function blockSize(
  { key, residual }: AlikeEntries<unknown>["forms"],
  { dFf, dModel }: Pick<ModelIdentity, "dFf" | "dModel">,
): number {
  const bytes = dFf * FORM_BYTES[key] + dModel * FORM_BYTES[residual];
  return Math.max(1, Math.min(MAX_BLOCK_ENTRIES, Math.floor(MAX_BLOCK_BYTES / bytes)));
}

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

export const metasOf = ({ ids, layer, entries }: EntryRow): EntryMeta[] =>
  entries.map((entry, i) => {
    const id = ids[i]![1] as FactId;
    return { ...WHOLE, id, documentId: documentOf(id), layer: layerIndex(layer), ...entry };
  });

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

export const lossesOf = ({ losses, ends }: CurveRow, i: number): number[] => [
  ...losses.subarray(ends[i - 1] ?? 0, ends[i]),
];

function storedMeta(entry: MemoryEntry): StoredMeta {
  const own = omit(entry, "id", "documentId", "layer", "part", "start", "key", "residual", "report");
  const whole = entry.part === WHOLE.part && entry.start === WHOLE.start;
  // Sorted: the order of fields would show which facts a deletion encoded again.
  return sortedFields({
    ...own,
    ...(!whole && { part: entry.part, start: entry.start }),
    ...(entry.documentId !== documentOf(entry.id) && { documentId: entry.documentId }),
    report: omit(entry.report, "losses"),
  });
}

export function routingBlocks(placed: readonly Placed<RoutingDocument>[]): Placed<RoutingDocument>[][] {
  const blocks: Placed<RoutingDocument>[][] = [];
  let bytes = Infinity;
  let characters = Infinity;
  for (const document of placed) {
    const size = sizeOf(document.item);
    const block = blocks.at(-1);
    bytes += size.bytes;
    characters += size.characters;
    const full = bytes > MAX_BLOCK_BYTES || characters > MAX_BLOCK_CHARACTERS;
    if (block && !full && block.length < MAX_BLOCK_ENTRIES) block.push(document);
    else {
      blocks.push([document]);
      ({ bytes, characters } = size);
    }
  }
  return blocks;
}

export function packRouting(
  memory: string,
  block: number,
  placed: readonly Placed<RoutingDocument>[],
): RoutingBlock {
  const facts = placed.flatMap(({ item }) => item.facts);
  return {
    routing: {
      memory,
      block,
      anchors: placed.map(({ item }) => [memory, item.anchor] as const),
      ids: facts.map(({ id }) => [memory, id] as const),
      documents: placed.map(({ item, place }) => ({
        ...omit(item, "vector", "facts"),
        facts: item.facts.map((fact) => omit(fact, "vector", "id")),
        own: item.facts.map(({ vector }) => vector !== undefined),
        place,
      })),
    },
    vectors: {
      memory,
      block,
      length: placed[0]!.item.vector.length,
      documents: packed(placed.map(({ item }) => item.vector)),
      facts: packed(facts.flatMap(({ vector }) => vector ?? [])),
    },
  };
}

export function documentsOf({ ids, documents }: RoutingRow): DocumentMeta[] {
  let at = 0;
  return documents.map(({ facts, ...document }) => ({
    ...document,
    facts: facts.map((fact) => ({ id: ids[at++]![1] as FactId, ...fact })),
  }));
}

/** Vectors stay packed until they are read, in a quarter of the memory. */
export function unpackRouting({ routing, vectors }: RoutingBlock): Placed<RoutingDocument>[] {
  const { block, documents } = routing;
  const own = documents.reduce((sum, document) => sum + document.own.filter(Boolean).length, 0);
  const vector = rowsOf(vectors.documents, documents.length, () => `document vectors of block ${block}`);
  const factVector = rowsOf(vectors.facts, own, () => `fact vectors of block ${block}`);
  let at = 0;
  return documentsOf(routing).map(({ facts, own: has, place, ...rest }, i) => ({
    item: withVector(
      { ...rest, facts: facts.map((fact, j) => (has[j] ? withVector(fact, factVector, at++) : fact)) },
      vector,
      i,
    ),
    place,
  }));
}

const withVector = <T extends object>(record: T, row: (at: number) => Float32Array, at: number) => ({
  ...record,
  get vector() {
    return row(at);
  },
});

function sizeOf({ anchor, facts, vector }: RoutingDocument): { bytes: number; characters: number } {
  let characters = anchor.length;
  let vectors = 1;
  for (const { terms, digest, vector: own } of facts) {
    characters += terms.length + digest.length;
    if (own) vectors++;
  }
  return { bytes: 4 * vector.length * vectors, characters };
}

const packed = (vectors: readonly Float32Array[]): Rows => packRows(vectors, commonForm(vectors));

function rowsOf(values: Rows, count: number, what: () => string): (i: number) => Float32Array {
  const length = count === 0 ? 0 : countOf(values) / count;
  if (!Number.isInteger(length))
    throw new Error(`${what()}: ${countOf(values)} values do not divide into vectors for ${count} rows`);
  return (i) => unpackRow(values, length, i);
}
