/** @file The memory M and the routing index I: everything that is stored once the text is gone. */

import * as v from "valibot";
import { anyNumber, count, countUpTo, list, object, text, type Infer, type Shape } from "../lib/check.ts";
import { groupBy } from "../lib/group.ts";
import { omit } from "../lib/omit.ts";
import { PRECISIONS, type Precision } from "../lib/precision.ts";
import type { Fact } from "./fact.ts";
import { offsetOf, type DocumentId, type FactId, type LayerIndex } from "./ids.ts";
import { methodParams, type MethodParams } from "./params.ts";

export type ReadVerdict = Infer<typeof readVerdict>;
const verdict = {
  exact: v.boolean(),
  fidelity: anyNumber,
  recalled: v.nullable(text()),
};
const readVerdict = object(verdict);

/** The result of encoding a part. `exact`, `fidelity` and `recalled` are for its own vector, as the top-1 read injects it. */
export type EncodingReport = Infer<typeof encodingReport>;
export const encodingReport = object({
  steps: count(),
  ...verdict,
  started: v.optional(v.picklist(["zero", "learned", "written"])),
  /** The part spells a single token of its value with shorter tokens, since no vector was found for the token itself. */
  respelt: v.optional(v.literal(true)),
  /** Characters that the tokenizer has only as bytes are encoded as codes of ordinary tokens (memory/codes.ts). */
  coded: v.optional(v.literal(true)),
  /** On the first vector of a fact: steps of abandoned attempts, whose part was halved or spelt differently. */
  givenUp: v.optional(count()),
  soft: v.optional(readVerdict),
  deltaNorm: anyNumber,
  /** Logits by which every token of the part leads the next best one, at least; 0 if one does not lead. */
  margin: anyNumber,
  losses: list(anyNumber),
});

export type AdamStart = NonNullable<EncodingReport["started"]>;

/** One entry (κ, k̂, r, ℓ, o, t) of M plus its report: one vector. The value itself is not here. */
export interface MemoryEntry extends Pick<Fact, "id" | "documentId" | "anchor" | "index" | "offset"> {
  /** s: number of the part, from 1. It addresses the part; `start` gives the order. */
  readonly part: number;
  readonly start: number;
  readonly layer: LayerIndex;
  /** t: number of tokens of the part, bounds decoding. */
  readonly tokens: number;
  /** Index in the memory's `earlier` of the parameters it was made with; absent: the current parameters. */
  readonly params?: number;
  readonly key: Float32Array;
  /** r = δ: [dModel]. */
  readonly residual: Float32Array;
  /** Random hex digits, a part of the entry's leaf (records/proof.ts); absent in memories of earlier builds. */
  readonly nonce?: string;
  readonly report: EncodingReport;
}

export type VectorLosses = Pick<MemoryEntry, "part" | "tokens"> & Pick<EncodingReport, "losses">;

export type EntryMeta = Omit<MemoryEntry, "key" | "residual" | "report"> & {
  readonly report: Omit<EncodingReport, "losses">;
};

export const saidOf = (entry: MemoryEntry): EntryMeta => ({
  ...omit(entry, "key", "residual"),
  report: omit(entry.report, "losses"),
});

export type WholeReport = ReturnType<typeof wholeReport>;

export const ownRead = (report: Omit<EncodingReport, "losses">): ReadVerdict => report.soft ?? report;

export function asTop1<E extends Pick<EntryMeta, "report">>(entry: E): E {
  const { soft, ...report } = entry.report;
  return soft ? { ...entry, report } : entry;
}

export function wholeReport(parts: readonly Pick<EntryMeta, "tokens" | "report">[]) {
  const sum = (of: (part: Pick<EntryMeta, "tokens" | "report">) => number): number =>
    parts.reduce((total, part) => total + of(part), 0);
  const tokens = sum((part) => part.tokens);
  const read = parts.map(({ tokens, report }) => ({ ...ownRead(report), tokens }));
  const exact = read.every((part) => part.exact);
  const { givenUp } = parts.find(({ report }) => report.givenUp !== undefined)?.report ?? {};
  return {
    tokens,
    steps: sum(({ report }) => report.steps),
    ...(givenUp === undefined ? {} : { givenUp }),
    exact,
    fidelity: read.reduce((total, part) => total + part.tokens * part.fidelity, 0) / tokens,
    deltaNorm: Math.max(...parts.map(({ report }) => report.deltaNorm)),
    margin: Math.min(...parts.map(({ report }) => report.margin)),
  };
}

/** An entry with its new id, and the offset in it. */
export function renamedEntry<E extends EntryMeta>(entry: E, renamed: ReadonlyMap<FactId, FactId> = NONE): E {
  const id = renamed.get(entry.id);
  return id === undefined ? entry : { ...entry, id, offset: offsetOf(id) };
}

const NONE: ReadonlyMap<FactId, FactId> = new Map();

export const byFact = <E extends Pick<MemoryEntry, "id" | "start">>(entries: readonly E[]): E[][] =>
  [...groupBy(entries, ({ id }) => id).values()].map((parts) => parts.sort((a, b) => a.start - b.start));

/** Number of tokens that the parts of a value cover in order; null if they leave a gap or overlap. A respelt part covers one. */
export function tiledTokens(
  parts: readonly {
    readonly start: number;
    readonly tokens: number;
    readonly report: Pick<EncodingReport, "respelt">;
  }[],
): number | null {
  let end = 0;
  for (const { start, tokens, report } of parts) {
    if (start !== end) return null;
    end += report.respelt ? 1 : tokens;
  }
  return end;
}

export const countFacts = (entries: readonly Pick<MemoryEntry, "id">[]): number =>
  new Set(entries.map(({ id }) => id)).size;

export interface RoutingFact {
  readonly id: FactId;
  readonly index: number;
  /** Salted hashes of the terms of v and its paraphrase questions, cues, and a vector of its meaning; see router/termHashes.ts. */
  readonly terms: string;
  readonly digest: string;
  /** Unit vector of the value and its questions; absent under the paper preset. */
  readonly vector?: Float32Array;
}

/** A fact that waits to be encoded, with v. The store drops it in the step that stores the fact's entries. */
export type WaitingFact = Infer<typeof waitingFact>;
export const waitingFact = object({ id: text<FactId>(), value: text() });

export interface RoutingDocument {
  readonly anchor: string;
  readonly order: number;
  readonly facts: readonly RoutingFact[];
  /** Unit vector of the whole document text; empty, in all documents, if the memory was made to route by words alone. */
  readonly vector: Float32Array;
}

export const haveVectors = (documents: readonly Pick<RoutingDocument, "vector">[]): boolean =>
  documents.some(({ vector }) => vector.length > 0);

export const routingFacts = (routing: readonly Pick<RoutingDocument, "facts">[]): Map<FactId, RoutingFact> =>
  new Map(routing.flatMap(({ facts }) => facts.map((fact) => [fact.id, fact])));

export interface AnchorRouting extends Omit<RoutingDocument, "vector" | "facts"> {
  readonly facts: readonly Omit<RoutingFact, "vector">[];
}

/** More than any model has. In a model with more, a single vector could take the memory that a whole archive may. */
const WIDEST = 2 ** 22;

export type ModelIdentity = Infer<typeof modelIdentity>;
export const modelIdentity = object({
  name: text(),
  architecture: text(),
  sha256: text(),
  layers: countUpTo(512),
  dModel: countUpTo(WIDEST),
  dFf: countUpTo(WIDEST),
  vocabulary: countUpTo(WIDEST),
  window: countUpTo(WIDEST),
  precision: v.optional(v.picklist(PRECISIONS)),
  writer: v.optional(text()),
  reader: v.optional(text()),
});

export const precisionOf = ({ precision = "f32" }: Pick<ModelIdentity, "precision">): Precision => precision;

export const sameModel = (a: ModelTag, b: ModelTag): boolean =>
  a.sha256 === b.sha256 && precisionOf(a) === precisionOf(b);

type ModelTag = Pick<ModelIdentity, "sha256" | "precision">;

/** E.g. "palimpsest-6m@0a1b2c3d": name, first 8 hex digits, and the precision if it is not f32. */
export const modelTag = (model: ModelTag & Pick<ModelIdentity, "name">): string =>
  `${model.name}@${model.sha256.slice(0, 8)}${precisionOf(model) === "f32" ? "" : ` in ${precisionOf(model)}`}`;

export const vectorBytes = (
  vectors: number,
  { dFf, dModel }: Pick<ModelIdentity, "dFf" | "dModel">,
  stored: MethodParams["vectors"] = "float32",
): number => vectors * (stored === "float32" ? 4 * dFf + 4 * dModel : dFf + 4 + 2 * dModel);

/** Bytes of float32 that the stored vectors of an open memory take on the device; the soft read takes a whole layer. */
export const DEVICE_BYTES = 256 * 2 ** 20;

export type SourceInfo = Infer<typeof sourceInfo>;
export const sourceInfo = object({
  id: text<DocumentId>(),
  title: text(),
  characters: count(),
  bytes: v.optional(count()),
  sentences: count(),
  candidates: count(),
  memorizedAt: text(),
});

/** Every term of a question is hashed with every salt. */
export const MOST_SALTS = 64;

/** c(ℓ) [dFf]: subtracted from keys and queries of a layer before they are compared. It is fixed with the layer's first key. */
export type KeyCentre = Infer<typeof keyCentre>;
const keyCentre = object({
  layer: count<LayerIndex>(),
  vector: v.instance(Float32Array) as Shape<Float32Array>,
});

/** A deletion as the memory keeps it: no words, and nothing that shows which facts were numbered on or moved with it. */
export type DeletionRecord = Infer<typeof deletionRecord>;
const deletionRecord = object({
  at: text(),
  facts: count(),
  /** Roots of the tree; null if an entry had no random number, so that a root could be compared with guesses. */
  before: v.nullable(text()),
  after: v.nullable(text()),
  /** The root over the leaves of each deleted fact. */
  removed: list(text()),
  gaps: count(),
});

export type MemoryFields = Infer<typeof memoryFields>;
export const memoryFields = object({
  model: modelIdentity,
  /** Parameters of the latest run, and of every entry without an index into `earlier`. */
  params: methodParams,
  earlier: v.optional(list(methodParams)),
  embedder: text(),
  salts: v.pipe(list(text()), v.minLength(1), v.maxLength(MOST_SALTS)),
  layers: list(count<LayerIndex>()),
  /** Text of the last key token of the recall prompts, at which activations are read. */
  keyToken: v.optional(text()),
  centres: v.optional(list(keyCentre)),
  sources: list(sourceInfo),
  deletions: v.optional(list(deletionRecord)),
});

export interface Memory<E extends EntryMeta | MemoryEntry = MemoryEntry> extends MemoryFields {
  readonly entries: readonly E[];
  readonly routing: readonly RoutingDocument[];
  readonly waiting: readonly WaitingFact[];
}

export interface MemoryHead extends Pick<
  Memory,
  "model" | "params" | "embedder" | "salts" | "layers" | "sources"
> {
  readonly facts: number;
  readonly vectors: number;
  readonly pending: number;
}
