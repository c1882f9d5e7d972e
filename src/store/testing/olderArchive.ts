/**
 * @file A memory as apps before format 4 wrote it: manifest.json, facts.jsonl (one part of a fact a line), routing.jsonl
 * and vectors.safetensors, all in float32. The same memory gives the same bytes.
 */

import { sha256Hex } from "../../lib/hash.ts";
import { writeZip } from "../../lib/zip.ts";
import { documentOf, offsetOf, type FactId } from "../../records/ids.ts";
import type { Memory } from "../../records/memory.ts";
import { joinBytes } from "../archivePack.ts";
import { toJson } from "../json.ts";
import { needsWordless } from "../manifest.ts";
import { ARCHIVE_FORMAT, type ArchivedDocument, type FactLine } from "../archiveLines.ts";
import { entryMatrices, lineParts, routingLines } from "../lines.ts";
import { tensorParts } from "../tensors.ts";

const ARCHIVE_FILES = ["facts.jsonl", "routing.jsonl", "vectors.safetensors"] as const;
type ArchiveFile = (typeof ARCHIVE_FILES)[number];
const [WORDS_VERSION, WORDLESS_VERSION] = [2, 3];

/** The archive of `memory` in format 2, or 3 where it keeps no words; `app` is its app's version. */
export function packOlder(memory: Memory, app: string): Promise<Uint8Array<ArrayBuffer>> {
  const { entries, routing, ...head } = memory;
  const files: Record<ArchiveFile, Uint8Array> = {
    "facts.jsonl": joinBytes(lineParts(factLines(memory))),
    ...packRouting(memory),
  };
  const sums = ARCHIVE_FILES.map((name) => [
    name,
    { bytes: files[name].length, sha256: sha256Hex(files[name]) },
  ]);
  const manifest = {
    format: ARCHIVE_FORMAT,
    version: needsWordless(memory) ? WORDLESS_VERSION : WORDS_VERSION,
    app,
    memory: head,
    facts: entries.length,
    documents: routing.length,
    files: Object.fromEntries(sums) as unknown,
  };
  const signed = { ...manifest, check: sha256Hex(toJson(manifest)) };
  return writeZip([
    { name: "manifest.json", bytes: new TextEncoder().encode(toJson(signed, 1)) },
    ...ARCHIVE_FILES.map((name) => ({ name, bytes: files[name], stored: name === "vectors.safetensors" })),
  ]);
}

function factLines(memory: Memory): FactLine[] {
  const known = new Map(memory.routing.flatMap(({ facts }) => facts.map((fact) => [fact.id, fact] as const)));
  const encoded = new Set<FactId>();
  const lines = memory.entries.map((entry): FactLine => {
    const { id, documentId, anchor, index, offset, part, start, layer, tokens, params, report } = entry;
    const { value = null, questions = [], terms } = (encoded.has(id) ? undefined : known.get(id)) ?? {};
    encoded.add(id);
    return {
      id,
      document: documentId,
      anchor,
      index,
      value,
      offset,
      part,
      start,
      layer,
      tokens,
      ...(params !== undefined && { params }),
      report,
      questions,
      ...(terms !== undefined && { terms }),
    };
  });
  const pending = memory.routing.flatMap(({ anchor, facts }) =>
    facts
      .filter(({ id }) => !encoded.has(id))
      .map(({ id, index, value, questions }) => ({
        id,
        document: documentOf(id),
        anchor,
        index,
        value,
        offset: offsetOf(id),
        part: 1,
        start: 0,
        layer: null,
        tokens: null,
        report: null,
        questions,
      })),
  );
  return [...lines, ...pending];
}

function packRouting(memory: Memory): Record<"routing.jsonl" | "vectors.safetensors", Uint8Array> {
  const { model, entries } = memory;
  const { lines, matrices } = routingLines(memory);
  const archived = lines.map(({ anchor, order, facts }): ArchivedDocument => ({
    anchor,
    order,
    facts: facts.map(({ id, index, vector = null }) => ({ id, index, vector })),
  }));
  const tensors = [...entryMatrices(entries, memory), ...matrices];
  return {
    "routing.jsonl": joinBytes(lineParts(archived)),
    "vectors.safetensors": joinBytes(tensorParts(tensors, { format: ARCHIVE_FORMAT, model: model.name })),
  };
}
