/**
 * @file The archive format: a zip with manifest.json, routing.jsonl, routing.safetensors, waiting.jsonl and, for each block,
 * facts/N.jsonl (lines with their row) and vectors/N.safetensors.
 */

import {
  encodingReport,
  memoryFields,
  routingFacts,
  type MemoryEntry,
  type ModelIdentity,
  type RoutingDocument,
} from "../records/memory.ts";
import * as v from "valibot";
import {
  checked,
  count,
  countUpTo,
  countWithin,
  dictionary,
  list,
  object,
  text,
  textUpTo,
  type Infer,
  type Shape,
} from "../lib/check.ts";
import { omit } from "../lib/omit.ts";
import { sortedFields } from "../lib/sortedJson.ts";
import { commonForm } from "../lib/vectorForms.ts";
import type { CharOffset, DocumentId, FactId, LayerIndex } from "../records/ids.ts";
import { LONGEST_ANCHOR } from "../records/fact.ts";
import { fromJson, toJson } from "./json.ts";
import { tensorParts, type Matrix, type RowReader } from "./tensors.ts";
import { createSha256, sha256Hex } from "../lib/hash.ts";
import { concat } from "../lib/bytes.ts";
import { startZip } from "../lib/zip.ts";
import { leafOf, rootOf } from "../records/proof.ts";
import type { Pieces } from "./pieces.ts";
import { sign, type SigningKey } from "./signing.ts";
import { entryBlocks, MAX_BLOCK_ENTRIES, type Placed } from "./rows.ts";

export const ARCHIVE_FORMAT = "palimpsest-archive";
export const ARCHIVE_VERSION = 1;
export const MANIFEST = "manifest.json";
export const ROUTING_LINES = "routing.jsonl";
export const ROUTING_VECTORS = "routing.safetensors";
export const WAITING_LINES = "waiting.jsonl";
/** In a .palimpsest file: the notebook that the memory belongs to. */
export const NOTEBOOK_FILE = "notebook.json";
export const factsFile = (block: string): string => `facts/${block}.jsonl`;
export const vectorsFile = (block: string): string => `vectors/${block}.safetensors`;

/** Figures have a row for each index. */
const MOST_OF_AN_ANCHOR = 100_000;
const anchorText = textUpTo(LONGEST_ANCHOR);

export type Manifest = Infer<typeof manifestShape>;
export const manifestShape = object({
  memory: memoryFields,
  facts: count(),
  documents: count(),
  /** Root of the Merkle tree over the entries (records/proof.ts). */
  root: text(),
  files: dictionary(object({ bytes: count(), sha256: text() })),
});

/** Shape of an entry as a line, with its rank among all entries; line i has row i of `keys` and of `residuals`. */
export const entryLine = (model: ModelIdentity) =>
  object({
    id: text<FactId>(),
    documentId: text<DocumentId>(),
    anchor: anchorText,
    index: countUpTo(MOST_OF_AN_ANCHOR),
    offset: count<CharOffset>(),
    part: countWithin(1, MOST_OF_AN_ANCHOR),
    start: count(),
    layer: v.pipe(
      count<LayerIndex>(),
      v.check((layer) => layer < model.layers, `a layer below ${model.layers}`),
    ),
    tokens: countWithin(1, model.window),
    params: v.optional(count()),
    nonce: v.optional(text()),
    report: encodingReport,
    place: count(),
  });

const entryMatrices = (
  entries: readonly MemoryEntry[],
  { dFf, dModel }: Pick<ModelIdentity, "dFf" | "dModel">,
): Matrix[] => [
  matrixOf(
    "keys",
    entries.map(({ key }) => key),
    dFf,
  ),
  matrixOf(
    "residuals",
    entries.map(({ residual }) => residual),
    dModel,
  ),
];

const matrixOf = (name: string, rows: readonly Float32Array[], columns: number): Matrix => ({
  name,
  rows,
  columns,
  form: commonForm(rows),
});

type RoutingLine = Infer<typeof routingLine>;
export const routingLine = object({
  anchor: anchorText,
  order: count(),
  facts: list(
    object({
      id: text<FactId>(),
      index: countUpTo(MOST_OF_AN_ANCHOR),
      terms: text(),
      digest: text(),
      vector: v.optional(count()),
    }),
  ),
  vector: count(),
});

function routingLines(routing: readonly RoutingDocument[]) {
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
  return { lines, matrices: [matrixOf("documents", documents, columns), matrixOf("facts", facts, columns)] };
}

export const routingOf = ({ facts, vector, ...rest }: RoutingLine, row: RowReader): RoutingDocument => ({
  ...rest,
  facts: facts.map(({ vector: own, ...fact }) => ({
    ...fact,
    ...(own !== undefined && { vector: row("facts", own) }),
  })),
  vector: row("documents", vector),
});

function* lineParts(lines: readonly unknown[]): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  for (const line of lines) yield encoder.encode(`${toJson(line)}\n`);
}

export function readLines<T>(bytes: Uint8Array, file: string, shape: Shape<T>): T[] {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  if (text !== "" && !text.endsWith("\n")) throw new Error(`${file} does not end with a whole line`);
  const lines: T[] = [];
  // One after another, not split at once: the first bad line ends it, however many follow.
  for (let start = 0; start < text.length;) {
    const end = text.indexOf("\n", start);
    lines.push(checked(shape, fromJson(text.slice(start, end)), `${file}, line ${lines.length + 1}: `));
    start = end + 1;
  }
  return lines;
}

type PackOptions = readonly [app: string, key?: SigningKey | null, notebook?: string];

export async function packMemory(memory: Pieces, ...options: PackOptions): Promise<Blob> {
  const file = await pack(await startZip(), memory, options);
  const content = file.slice(0, file.size - DIGITS);
  return new Blob([content, await hashOf(content)], { type: file.type });
}

/** The bytes of {@link packMemory}, each piece given to `write` as it is made. */
export async function writeMemory(
  memory: Pieces,
  app: string,
  write: (bytes: Uint8Array) => Promise<unknown>,
): Promise<void> {
  const hash = createSha256();
  let held = new Uint8Array();
  // All but the digits, which take the place of as many zeros.
  const sink = new WritableStream<Uint8Array>({
    async write(chunk) {
      const all = concat([held, chunk]);
      const ready = all.subarray(0, Math.max(0, all.length - DIGITS));
      held = all.slice(ready.length);
      hash.update(ready);
      await write(ready);
    },
  });
  await pack(await startZip(sink), memory, [app]);
  await write(new TextEncoder().encode(hash.hex()));
}

async function pack(
  zip: Awaited<ReturnType<typeof startZip>>,
  { batches, routing, waiting, ...head }: Pieces,
  [app, key, notebook]: PackOptions,
): Promise<Blob> {
  const files: Record<string, Manifest["files"][string]> = {};
  const add = async (name: string, parts: Iterable<Uint8Array>): Promise<void> => {
    const bytes = concat([...parts]);
    files[name] = { bytes: bytes.length, sha256: sha256Hex(bytes) };
    await zip.add({ name, bytes, stored: name.endsWith(".safetensors") });
  };
  const routed = routingFacts(routing);
  const leaves: string[] = [];
  let block = 0;
  for await (const batch of inBlocks(batches(), head.model)) {
    const number = String(block++).padStart(6, "0");
    const entries = batch.map(({ item }) => item);
    await add(
      factsFile(number),
      // Sorted: the order of fields would show which facts a deletion encoded again.
      lineParts(batch.map(({ item, place }) => sortedFields({ ...omit(item, "key", "residual"), place }))),
    );
    await add(vectorsFile(number), tensorParts(entryMatrices(entries, head.model)));
    for (const entry of entries) leaves.push(leafOf(entry, routed));
  }
  const { lines, matrices } = routingLines(routing);
  await add(ROUTING_LINES, lineParts(lines));
  await add(ROUTING_VECTORS, tensorParts(matrices, { format: ARCHIVE_FORMAT, model: head.model.name }));
  await add(WAITING_LINES, lineParts(waiting));
  if (notebook !== undefined) await add(NOTEBOOK_FILE, [new TextEncoder().encode(notebook)]);
  const counts = { facts: leaves.length, documents: routing.length, root: rootOf(leaves) };
  const manifest = { format: ARCHIVE_FORMAT, version: ARCHIVE_VERSION, app, memory: head, ...counts, files };
  const check = sha256Hex(toJson(manifest));
  const checked = { ...manifest, check, ...(key && { signature: await sign(key, check) }) };
  await zip.add({ name: MANIFEST, bytes: new TextEncoder().encode(toJson(checked, 1)) });
  return zip.close(SEAL + "0".repeat(DIGITS));
}

/** Begins the comment at the end of the zip; the SHA-256 of all bytes before its digits follows. */
const SEAL = "palimpsest sha256 ";
const DIGITS = 64;

/** Whether no bit of the file has changed since it was written. */
export async function isSealed(file: Blob): Promise<boolean> {
  const content = file.slice(0, Math.max(0, file.size - DIGITS));
  return (await file.slice(content.size).text()) === (await hashOf(content));
}

async function hashOf(content: Blob): Promise<string> {
  const hash = createSha256();
  for await (const chunk of content.stream()) hash.update(chunk);
  return hash.hex();
}

/** Entries in blocks of one layer and one form: entries that were appended in many small steps make few files. */
async function* inBlocks(batches: AsyncIterable<readonly Placed<MemoryEntry>[]>, model: ModelIdentity) {
  let waiting: Placed<MemoryEntry>[] = [];
  for await (const batch of batches) {
    const otherLayer = waiting.length > 0 && waiting[0]!.item.layer !== batch[0]?.item.layer;
    if (waiting.length + batch.length > MAX_BLOCK_ENTRIES || otherLayer) {
      yield* entryBlocks(waiting, model);
      waiting = [];
    }
    waiting.push(...batch);
  }
  yield* entryBlocks(waiting, model);
}
