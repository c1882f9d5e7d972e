/** @file Archives of formats 1 to 3, which have one file of all facts and one of all vectors, read at once. */

import type { FactId } from "../records/ids.ts";
import { vectorBytes, type Memory, type MemoryEntry } from "../records/memory.ts";
import { checkCounts, checkFinite, LARGEST_VECTORS, type ArchiveFiles } from "./archiveFiles.ts";
import {
  archivedDocument,
  factLineOf,
  type ArchivedDocument,
  type ArchiveManifest,
  type FactLine,
} from "./archiveLines.ts";
import { checkBatch } from "./batch.ts";
import { checkImported } from "./imported.ts";
import { entryOf, readLines, routingOf, type EntryLine, type RoutingLine } from "./lines.ts";
import { rowsOf, type RowReader } from "./tensors.ts";

/** The memory of an archive of the formats before blocks, checked whole. */
export async function unpackOlder({ manifest, read }: ArchiveFiles): Promise<Memory> {
  const { model } = manifest.memory;
  const lines = readLines(await read("facts.jsonl"), "facts.jsonl", factLineOf(model));
  const routing = readLines(await read("routing.jsonl"), "routing.jsonl", archivedDocument);
  const memory = assemble(manifest.memory, lines, routing, await read("vectors.safetensors"));
  const { facts, documents } = manifest;
  if (memory.entries.length !== facts || routing.length !== documents)
    throw new Error(
      `manifest.json counts ${facts} facts and ${documents} routing documents, the files hold ${memory.entries.length} and ${routing.length}`,
    );
  checkBatch(memory, model);
  checkFinite(memory);
  checkImported(memory);
  checkCounts(memory.params);
  return memory;
}

function assemble(
  head: ArchiveManifest["memory"],
  facts: readonly FactLine[],
  routing: readonly ArchivedDocument[],
  vectors: Uint8Array,
): Memory {
  const { model } = head;
  const encoded = facts.filter(({ layer }) => layer !== null).length;
  const bytes = vectorBytes(encoded, model);
  if (bytes > LARGEST_VECTORS)
    throw new Error(
      `${encoded} entries of a model of width ${model.dModel} and ${model.dFf} take ${bytes} bytes in float32, which these formats have; at most ${LARGEST_VECTORS} are read`,
    );
  const row = rowsOf(vectors, "vectors.safetensors", {
    keys: [encoded, model.dFf],
    residuals: [encoded, model.dModel],
    documents: [routing.length, null],
    facts: [null, null],
  });
  const parts = new Set(facts.map(({ id, part }) => `${id} ${part}`));
  if (parts.size < facts.length) throw new Error("facts.jsonl names a part of a fact twice");
  // The words stand in the first line of a fact.
  const byId = new Map(facts.toReversed().map((line) => [line.id, line]));
  return {
    ...head,
    entries: entriesOf(facts.slice(0, encoded), row),
    routing: routing.map((document, i) => routingOf(withValues(document, i, byId), row)),
  };
}

const entriesOf = (lines: readonly FactLine[], row: RowReader): MemoryEntry[] =>
  lines.map((line, i) => entryOf(encodedLine(line), i, row));

/** The document with the words of its facts, which stand in facts.jsonl. */
function withValues(
  { anchor, order, facts }: ArchivedDocument,
  index: number,
  byId: ReadonlyMap<FactId, FactLine>,
): RoutingLine {
  const worded = facts.map(({ id, index: j, vector }) => {
    const { value = null, questions = [], terms } = byId.get(id) ?? {};
    if (value === null && terms === undefined)
      throw new Error(`routing.jsonl: "${anchor}" names fact "${id}", but facts.jsonl has no value for it`);
    const hashes = terms === undefined ? {} : { terms };
    return { id, index: j, value, questions, ...hashes, ...(vector !== null && { vector }) };
  });
  return { anchor, order, facts: worded, vector: index };
}

function encodedLine(line: FactLine): EntryLine {
  const {
    id,
    document: documentId,
    anchor,
    index,
    offset,
    part,
    start,
    layer,
    tokens,
    params,
    report,
  } = line;
  if (layer === null || tokens === null || report === null)
    throw new Error(`facts.jsonl: fact "${id}" is not encoded, but stands before one that is`);
  const made = params === undefined ? {} : { params };
  return { id, documentId, anchor, index, offset, part, start, layer, tokens, ...made, report };
}
