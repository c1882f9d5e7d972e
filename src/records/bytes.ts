/** @file The size of a memory in bytes, and that of its source text. Every place that shows a size uses this file. */

import { number, object, type Infer } from "../lib/check.ts";
import { utf8Length } from "../lib/hash.ts";
import { FORM_BYTES } from "../lib/vectorForms.ts";
import {
  countFacts,
  type EntryMeta,
  type Memory,
  type ModelIdentity,
  type RoutingDocument,
  type RoutingFact,
  type SourceInfo,
  vectorBytes,
} from "./memory.ts";
import type { MethodParams } from "./params.ts";

export type MemoryBytes = Infer<typeof memoryBytesShape>;
export const memoryBytesShape = object({
  text: number(),
  vectors: number(),
  index: number(),
  dense: number(),
  perFact: number(),
});

interface Countable {
  readonly params: Pick<MethodParams, "vectors">;
  readonly model: Pick<ModelIdentity, "dFf" | "dModel">;
  readonly sources: readonly SourceInfo[];
  readonly facts: number;
  readonly vectors: number;
  readonly compact: number;
  readonly centres: number;
  readonly documents: readonly (Pick<RoutingDocument, "anchor"> & {
    readonly facts: readonly Omit<RoutingFact, "vector">[];
  })[];
  readonly routingNumbers: number;
}

export function memoryBytes({
  params,
  model,
  documents,
  facts,
  compact,
  ...counted
}: Countable): MemoryBytes {
  const all = documents.flatMap((document) => document.facts);
  const hashes = sum(all, ({ terms, digest }) => terms.length + digest.length);
  const anchors = sum(documents, ({ anchor }) => utf8Length(anchor));
  const dense = counted.routingNumbers * routingBytes(params);
  const index = hashes + anchors + dense;
  const pairs =
    vectorBytes(counted.vectors - compact, model, "float32") +
    vectorBytes(compact, model, "compact") +
    counted.centres * model.dFf * Float32Array.BYTES_PER_ELEMENT;
  return {
    text: sum(counted.sources, ({ bytes, characters }) => bytes ?? characters),
    vectors: pairs,
    index,
    dense,
    perFact: facts === 0 ? 0 : (pairs + index) / facts,
  };
}

export const routingBytes = ({ vectors }: Pick<MethodParams, "vectors">): number =>
  FORM_BYTES[vectors === "compact" ? "float16" : "float32"];

export const compactOf = (
  { params, earlier = [] }: Pick<Memory, "params" | "earlier">,
  entries: readonly Pick<EntryMeta, "params">[],
): number =>
  entries.filter(
    (entry) => (entry.params === undefined ? params : earlier[entry.params])?.vectors === "compact",
  ).length;

export const bytesOf = (memory: Memory<EntryMeta>): MemoryBytes =>
  memoryBytes({
    ...memory,
    facts: countFacts(memory.entries),
    vectors: memory.entries.length,
    compact: compactOf(memory, memory.entries),
    centres: memory.centres?.length ?? 0,
    documents: memory.routing,
    routingNumbers: sum(
      memory.routing,
      ({ vector, facts }) => vector.length + sum(facts, (fact) => fact.vector?.length ?? 0),
    ),
  });

const sum = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((total, item) => total + of(item), 0);
