/**
 * @file The lines of an archive and their checks. What comes from a file is believed only after every field was
 * looked at: a wrong one is refused with the file, the line, the field, and what was expected.
 */

import type { CharOffset, DocumentId, FactId, LayerIndex } from "../records/ids.ts";
import type { EncodingReport, Memory, ModelIdentity, SourceInfo } from "../records/memory.ts";
import { savedParams } from "../records/params.ts";

/** The newest archive format this app reads, and the one it writes. */
export const ARCHIVE_VERSION = 1;
export const ARCHIVE_FORMAT = "palimpsest-archive";
/** All files of an archive but manifest.json. */
export const ARCHIVE_FILES = ["facts.jsonl", "routing.jsonl", "vectors.safetensors"] as const;
export type ArchiveFile = (typeof ARCHIVE_FILES)[number];

/** A line of facts.jsonl. Line i has row i of `keys` and `residuals`, unless it is still to be encoded. */
export interface FactLine {
  readonly id: FactId;
  readonly document: DocumentId;
  readonly anchor: string;
  readonly index: number;
  /** v; null where the routing index does not know the fact. */
  readonly value: string | null;
  readonly offset: CharOffset;
  /** Null, as `tokens` and `report`: not encoded yet. */
  readonly layer: LayerIndex | null;
  readonly tokens: number | null;
  readonly report: EncodingReport | null;
  readonly questions: readonly string[];
}

/** A line of routing.jsonl; line i has row i of `documents`. */
export interface RoutingLine {
  readonly anchor: string;
  readonly order: number;
  /** `vector` is a row of `facts`; null where the fact has none of its own. */
  readonly facts: readonly {
    readonly id: FactId;
    readonly index: number;
    readonly vector: number | null;
  }[];
}

/** Where a value stands, for messages. */
type Place = string;
type Check<T> = (value: unknown, place: Place) => T;

/** A fact line checked against the model. */
export function checkFactLine(value: unknown, place: Place, model: ModelIdentity): FactLine {
  const line = object(value, place);
  const encoded = line["layer"] !== null;
  const layer = encoded ? count(line["layer"], `${place}, layer`) : null;
  if (layer !== null && layer >= model.layers)
    throw wrong(`${place}, layer`, layer, `a layer below ${model.layers}`);
  return {
    id: text(line["id"], `${place}, id`) as FactId,
    document: text(line["document"], `${place}, document`) as DocumentId,
    anchor: text(line["anchor"], `${place}, anchor`),
    index: count(line["index"], `${place}, index`),
    value: line["value"] === null ? null : text(line["value"], `${place}, value`),
    offset: count(line["offset"], `${place}, offset`) as CharOffset,
    layer: layer as LayerIndex | null,
    tokens: encoded ? count(line["tokens"], `${place}, tokens`) : null,
    report: encoded ? report(line["report"], `${place}, report`) : null,
    questions: list(text)(line["questions"], `${place}, questions`),
  };
}

export function checkRoutingLine(value: unknown, place: Place): RoutingLine {
  const line = object(value, place);
  return {
    anchor: text(line["anchor"], `${place}, anchor`),
    order: count(line["order"], `${place}, order`),
    facts: list((item, at) => {
      const fact = object(item, at);
      return {
        id: text(fact["id"], `${at}, id`) as FactId,
        index: count(fact["index"], `${at}, index`),
        vector: fact["vector"] === null ? null : count(fact["vector"], `${at}, vector`),
      };
    })(line["facts"], `${place}, facts`),
  };
}

/** All of a memory but entries and routing, as manifest.json states it. */
export function checkHead(value: unknown, place: Place): Omit<Memory, "entries" | "routing"> {
  const head = object(value, place);
  return {
    model: model(head["model"], `${place}, model`),
    params: savedParams(head["params"], `${place}, params`),
    embedder: text(head["embedder"], `${place}, embedder`),
    layers: list(count)(head["layers"], `${place}, layers`) as LayerIndex[],
    sources: list(source)(head["sources"], `${place}, sources`),
  };
}

function report(value: unknown, place: Place): EncodingReport {
  const fields = object(value, place);
  return {
    steps: count(fields["steps"], `${place}, steps`),
    exact: flag(fields["exact"], `${place}, exact`),
    fidelity: number(fields["fidelity"], `${place}, fidelity`),
    recalled: fields["recalled"] === null ? null : text(fields["recalled"], `${place}, recalled`),
    deltaNorm: number(fields["deltaNorm"], `${place}, deltaNorm`),
    losses: list(number)(fields["losses"], `${place}, losses`),
  };
}

function model(value: unknown, place: Place): ModelIdentity {
  const fields = object(value, place);
  const size = (name: string): number => count(fields[name], `${place}, ${name}`);
  return {
    name: text(fields["name"], `${place}, name`),
    architecture: text(fields["architecture"], `${place}, architecture`),
    sha256: text(fields["sha256"], `${place}, sha256`),
    layers: size("layers"),
    dModel: size("dModel"),
    dFf: size("dFf"),
    vocabulary: size("vocabulary"),
    window: size("window"),
  };
}

function source(value: unknown, place: Place): SourceInfo {
  const fields = object(value, place);
  return {
    id: text(fields["id"], `${place}, id`) as DocumentId,
    title: text(fields["title"], `${place}, title`),
    characters: count(fields["characters"], `${place}, characters`),
    sentences: count(fields["sentences"], `${place}, sentences`),
    candidates: count(fields["candidates"], `${place}, candidates`),
    memorizedAt: text(fields["memorizedAt"], `${place}, memorizedAt`),
  };
}

/** A record of unknown fields. */
export function object(value: unknown, place: Place): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw wrong(place, value, "an object");
  return value as Readonly<Record<string, unknown>>;
}

export function text(value: unknown, place: Place): string {
  if (typeof value !== "string") throw wrong(place, value, "a text");
  return value;
}

export function count(value: unknown, place: Place): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0)
    throw wrong(place, value, "a whole number, 0 or more");
  return value;
}

function number(value: unknown, place: Place): number {
  if (typeof value !== "number") throw wrong(place, value, "a number");
  return value;
}

function flag(value: unknown, place: Place): boolean {
  if (typeof value !== "boolean") throw wrong(place, value, "true or false");
  return value;
}

function list<T>(item: Check<T>): Check<T[]> {
  return (value, place) => {
    if (!Array.isArray(value)) throw wrong(place, value, "a list");
    return value.map((one, i) => item(one, `${place}, item ${i + 1}`));
  };
}

function wrong(place: Place, value: unknown, expected: string): Error {
  const shown = JSON.stringify(value) ?? "missing";
  return new Error(
    `${place} is ${shown.length > 60 ? `${shown.slice(0, 57)}...` : shown}, ${expected} expected`,
  );
}
