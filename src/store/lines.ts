/**
 * @file Facts and routing documents as lines of JSON, with the rows of their vectors in place of the vectors, and how
 * both are checked when they are read: what a folder and an archive have in common.
 */

import * as v from "valibot";
import { checked, count, countUpTo, countWithin, record, text, textUpTo, type Shape } from "../lib/check.ts";
import { commonForm } from "../lib/vectorForms.ts";
import type { CharOffset, FactId, LayerIndex } from "../records/ids.ts";
import {
  hasCompact,
  type Memory,
  type MemoryEntry,
  type ModelIdentity,
  type RoutingDocument,
  type RoutingFact,
} from "../records/memory.ts";
import { LONGEST_ANCHOR } from "../records/fact.ts";
import { encodingReport } from "../records/shapes.ts";
import { fromJson, toJson } from "./json.ts";
import type { Matrix, RowReader } from "./tensors.ts";

/** An entry without its vectors. */
export type EntryLine = Omit<MemoryEntry, "key" | "residual">;

/** Figures have a row for each index. */
const MOST_OF_AN_ANCHOR = 100_000;
export const anchorText = textUpTo(LONGEST_ANCHOR);

/** What every line of a fact says, encoded or not. */
export const factFields = {
  id: text<FactId>(),
  anchor: anchorText,
  index: countUpTo(MOST_OF_AN_ANCHOR),
  offset: count<CharOffset>(),
};

/** A layer of the model. */
export const layerOf = ({ layers }: ModelIdentity): Shape<LayerIndex> =>
  v.pipe(
    count<LayerIndex>(),
    v.check((layer) => layer < layers, `a layer below ${layers}`),
  );

export const encodedFields = (model: ModelIdentity) => ({
  // A value that is not cut is one part; older memories say nothing of parts.
  part: v.optional(countWithin(1, MOST_OF_AN_ANCHOR), 1),
  start: v.optional(count(), 0),
  layer: layerOf(model),
  tokens: countWithin(1, model.window),
  params: v.optional(count()),
  report: encodingReport,
});

/** A routing document whose vectors are rows of the matrices `documents` and `facts`. */
export interface RoutingLine extends Omit<RoutingDocument, "facts" | "vector"> {
  readonly facts: readonly (Omit<RoutingFact, "vector"> & { readonly vector?: number })[];
  readonly vector: number;
}

export const routingLine = record<RoutingLine>({
  anchor: anchorText,
  order: count(),
  facts: v.array(
    record<RoutingLine["facts"][number]>({
      id: text(),
      index: countUpTo(MOST_OF_AN_ANCHOR),
      value: v.nullable(text()),
      questions: v.array(text()),
      terms: v.optional(text()),
      vector: v.optional(count()),
    }),
  ),
  vector: count(),
});

/** Routing documents as lines, and the matrices that their rows are of. */
export function routingLines({ routing, ...head }: RoutingHead): {
  readonly lines: RoutingLine[];
  readonly matrices: readonly Matrix[];
} {
  const documents: Float32Array[] = [];
  const facts: Float32Array[] = [];
  const lines = routing.map(({ vector, facts: ofDocument, ...rest }) => ({
    ...rest,
    vector: documents.push(vector) - 1,
    facts: ofDocument.map(({ vector: own, ...fact }) =>
      own ? { ...fact, vector: facts.push(own) - 1 } : fact,
    ),
  }));
  const columns = documents[0]?.length ?? 0;
  return {
    lines,
    matrices: [matrixOf(head, "documents", documents, columns), matrixOf(head, "facts", facts, columns)],
  };
}

type RoutingHead = Pick<Memory, "routing" | "params" | "earlier">;

/** A matrix in the smallest form that may be written. Builds before `vectors` read float32 alone. */
const matrixOf = (
  head: Pick<Memory, "params" | "earlier">,
  name: string,
  rows: readonly Float32Array[],
  columns: number,
): Matrix => {
  return { name, rows, columns, ...(hasCompact(head) && { form: commonForm(rows) }) };
};

/** What {@link routingLines} was given. */
export function routingOf({ facts, vector, ...rest }: RoutingLine, row: RowReader): RoutingDocument {
  return {
    ...rest,
    facts: facts.map(({ vector: own, ...fact }) => ({
      ...fact,
      ...(own !== undefined && { vector: row("facts", own) }),
    })),
    vector: row("documents", vector),
  };
}

/** The matrices of a run of entries: row i of each is that of entry i. */
export const entryMatrices = (entries: readonly MemoryEntry[], head: FormedHead): Matrix[] => [
  matrixOf(
    head,
    "keys",
    entries.map(({ key }) => key),
    head.model.dFf,
  ),
  matrixOf(
    head,
    "residuals",
    entries.map(({ residual }) => residual),
    head.model.dModel,
  ),
];

/** What of a memory says in which forms its vectors may be written. */
export type FormedHead = Pick<Memory, "model" | "params" | "earlier">;

export const entryOf = (line: EntryLine, index: number, row: RowReader): MemoryEntry => ({
  ...line,
  key: row("keys", index),
  residual: row("residuals", index),
});

/** Lines of JSON as bytes, one part a line. */
export function* lineParts(lines: readonly unknown[]): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  for (const line of lines) yield encoder.encode(`${toJson(line)}\n`);
}

/** The lines of a file, each checked. @throws naming file, line and place */
export function readLines<T>(bytes: Uint8Array, file: string, shape: Shape<T>): T[] {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  if (text !== "" && !text.endsWith("\n")) throw new Error(`${file} does not end with a whole line`);
  const lines: T[] = [];
  // One after the other, not split at once: the first that is wrong ends it, however many follow.
  for (let start = 0; start < text.length;) {
    const end = text.indexOf("\n", start);
    lines.push(checked(shape, fromJson(text.slice(start, end)), `${file}, line ${lines.length + 1}: `));
    start = end + 1;
  }
  return lines;
}
