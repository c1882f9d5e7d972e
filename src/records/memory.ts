/** @file What stays when the text is gone: the memory M, the routing index I, and the traces of using them. */

import { groupBy } from "../lib/group.ts";
import { omit } from "../lib/omit.ts";
import type { Precision } from "../lib/precision.ts";
import type { CharOffset, DocumentId, FactId, LayerIndex } from "./ids.ts";
import type { MethodParams } from "./params.ts";

/** Where Adam began: at zero, as the paper has it, or at what the memory had learnt from parts written before. */
export type AdamStart = "zero" | "learned";

/** What a read makes of a part. */
export interface ReadVerdict {
  /** The part comes back token for token. */
  readonly exact: boolean;
  /** Token-level F1 between what comes back and what was stored. */
  readonly fidelity: number;
  /** What the model says instead; null when exact. */
  readonly recalled: string | null;
}

/** How an encoding ended; every fact ends with a stated fidelity. */
export interface EncodingReport {
  /** Absent in memories older than the learned start, which began at zero. */
  readonly started?: AdamStart;
  /** It says a single token of its value in shorter ones: no vector was found that says the token itself. */
  readonly respelt?: true;
  /** Characters that the tokenizer has only in bytes stand in it as codes of ordinary tokens (memory/codes.ts). */
  readonly coded?: true;
  /** Optimisation steps of this vector, guided and refinement together. */
  readonly steps: number;
  /**
   * With the first of a fact's vectors: steps of tries for it that were given up, where a part was halved, or went to
   * another layer, address or company. Absent in what older versions saved.
   */
  readonly givenUp?: number;
  /** Free-running greedy decoding reproduces v token for token. */
  readonly exact: boolean;
  /** Token-level F1 between the decoded value and v. */
  readonly fidelity: number;
  /** What the model says in place of v; null when exact, and in memories older than this field. */
  readonly recalled: string | null;
  /**
   * What the soft read said once all facts were in, where the memory is read so. The fields above are of the part's own
   * vector, which is what top-1 injects.
   */
  readonly soft?: ReadVerdict;
  readonly deltaNorm: number;
  /** Loss of Eq. 3 before each step. */
  readonly losses: readonly number[];
}

/** One entry (κ, k̂, r, ℓ, o, t) of M plus its report: one vector. The value itself is not here. */
export interface MemoryEntry {
  readonly id: FactId;
  readonly documentId: DocumentId;
  readonly anchor: string;
  readonly index: number;
  readonly offset: CharOffset;
  /** s: which part of the value this vector says, from 1; it addresses the part and is no order. */
  readonly part: number;
  /** The value's token at which the part begins: parts are joined in this order. */
  readonly start: number;
  readonly layer: LayerIndex;
  /** t: number of tokens of the part, bounds decoding. */
  readonly tokens: number;
  /** Which of the memory's `earlier` parameters it was made with; absent: with the current ones. */
  readonly params?: number;
  /** k̂: unit vector [dFf]. */
  readonly key: Float32Array;
  /** r = δ: [dModel]. */
  readonly residual: Float32Array;
  readonly report: EncodingReport;
}

/** How the optimisation of one vector went: which part it says, that part's length t, and Eq. 3 before each step. */
export type VectorLosses = Pick<MemoryEntry, "part" | "tokens"> & Pick<EncodingReport, "losses">;

/** An entry without its vectors and losses. */
export type EntryMeta = Omit<MemoryEntry, "key" | "residual" | "report"> & {
  readonly report: Omit<EncodingReport, "losses">;
};

/** What is said of an entry, without what it holds. */
export const saidOf = (entry: MemoryEntry): EntryMeta => ({
  ...omit(entry, "key", "residual"),
  report: omit(entry.report, "losses"),
});

/** How a fact came out, all its parts together. */
export interface WholeReport {
  readonly tokens: number;
  /** Of the vectors that stand. */
  readonly steps: number;
  /** Of tries that were given up; absent where nobody counted them. */
  readonly givenUp?: number;
  readonly exact: boolean;
  /** Mean over the value's tokens. */
  readonly fidelity: number;
  /** Of the longest of its vectors. */
  readonly deltaNorm: number;
  /** What the model says; "…" stands for parts that are exact. Null where all are. */
  readonly recalled: string | null;
}

/** What the memory's own read says of a part. */
export const ownRead = (report: Omit<EncodingReport, "losses">): ReadVerdict => report.soft ?? report;

/** The part as top-1 reads it, which injects its own vector. */
export function asTop1<E extends Pick<EntryMeta, "report">>(entry: E): E {
  const { soft, ...report } = entry.report;
  return soft ? { ...entry, report } : entry;
}

/** The entries of one fact as one report: what the memory's own read says, where that was asked. */
export function wholeReport(parts: readonly Pick<EntryMeta, "tokens" | "report">[]): WholeReport {
  const sum = (of: (part: Pick<EntryMeta, "tokens" | "report">) => number): number =>
    parts.reduce((total, part) => total + of(part), 0);
  const tokens = sum((part) => part.tokens);
  const read = parts.map(({ tokens, report }) => ({ ...ownRead(report), tokens }));
  const exact = read.every((part) => part.exact);
  const known = read.some((part) => part.recalled !== null);
  const { givenUp } = parts.find(({ report }) => report.givenUp !== undefined)?.report ?? {};
  return {
    tokens,
    steps: sum(({ report }) => report.steps),
    ...(givenUp === undefined ? {} : { givenUp }),
    exact,
    fidelity: read.reduce((total, part) => total + part.tokens * part.fidelity, 0) / tokens,
    deltaNorm: Math.max(...parts.map(({ report }) => report.deltaNorm)),
    recalled: exact || !known ? null : read.map(({ recalled }) => recalled ?? "…").join(" "),
  };
}

/** Entries by fact, facts in the order of their first entries, each fact's in the order of its value. */
export const byFact = <E extends Pick<MemoryEntry, "id" | "start">>(entries: readonly E[]): E[][] =>
  [...groupBy(entries, ({ id }) => id).values()].map((parts) => parts.sort((a, b) => a.start - b.start));

/**
 * How many tokens of a value its parts, in order, say; null where they leave some out or say some twice. A respelt part
 * stands for a single token.
 */
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

/** How many facts the entries are of. */
export const countFacts = (entries: readonly Pick<MemoryEntry, "id">[]): number =>
  new Set(entries.map(({ id }) => id)).size;

/** What the routing index knows of one fact. */
export interface RoutingFact {
  readonly id: FactId;
  readonly index: number;
  /** v; null where the memory keeps no words (`index: "wordless"`) and has the fact's vectors. */
  readonly value: string | null;
  /** Paraphrase questions generated from the value; none where that is not kept. */
  readonly questions: readonly string[];
  /** Salted hashes of the terms of both, in place of the words (router/wordless.ts). */
  readonly terms?: string;
  /** Unit vector of the value and its questions; absent under the paper preset. */
  readonly vector?: Float32Array;
}

/** One routing document per retained anchor. */
export interface RoutingDocument {
  readonly anchor: string;
  /** ι(e). */
  readonly order: number;
  readonly facts: readonly RoutingFact[];
  /** Unit vector of the whole document text. */
  readonly vector: Float32Array;
}

/** The routing document of one anchor without its vectors. */
export interface AnchorRouting extends Omit<RoutingDocument, "vector" | "facts"> {
  readonly facts: readonly Omit<RoutingFact, "vector">[];
}

/** Identity of the frozen model a memory belongs to. */
export interface ModelIdentity {
  readonly name: string;
  readonly architecture: string;
  /** SHA-256 over config and weights (hex). */
  readonly sha256: string;
  readonly layers: number;
  readonly dModel: number;
  readonly dFf: number;
  readonly vocabulary: number;
  /** Longest sequence in tokens. */
  readonly window: number;
  /** In which numbers its matrices were held; absent in what older versions saved, which had f32 alone. */
  readonly precision?: Precision;
}

/** The precision of a model as it was opened. */
export const precisionOf = ({ precision = "f32" }: Pick<ModelIdentity, "precision">): Precision => precision;

/** Whether keys and residuals that one made say the same under the other: its weights, in its precision. */
export const sameModel = (a: ModelTag, b: ModelTag): boolean =>
  a.sha256 === b.sha256 && precisionOf(a) === precisionOf(b);

type ModelTag = Pick<ModelIdentity, "sha256" | "precision">;

/**
 * Name and first 8 hex digits of the identity, e.g. "palimpsest-6m@0a1b2c3d", and the precision where it is not f32:
 * how records and messages name a model.
 */
export const modelTag = (model: ModelTag & Pick<ModelIdentity, "name">): string =>
  `${model.name}@${model.sha256.slice(0, 8)}${precisionOf(model) === "f32" ? "" : ` in ${precisionOf(model)}`}`;

/** Bytes of the keys [dFf] and residuals [dModel] of so many entries, by how they are stored. */
export const vectorBytes = (
  vectors: number,
  { dFf, dModel }: Pick<ModelIdentity, "dFf" | "dModel">,
  stored: MethodParams["vectors"] = "float32",
): number => vectors * (stored === "float32" ? 4 * dFf + 4 * dModel : dFf + 4 + 2 * dModel);

/** Bytes of float32 that the stored vectors of an open memory take on the device; the soft read takes a whole layer. */
export const DEVICE_BYTES = 256 * 2 ** 20;

/** Metadata of a source; the text itself is not kept. */
export interface SourceInfo {
  readonly id: DocumentId;
  readonly title: string;
  readonly characters: number;
  /** In UTF-8; absent in what older versions saved. */
  readonly bytes?: number;
  readonly sentences: number;
  readonly candidates: number;
  readonly memorizedAt: string;
}

/**
 * c(ℓ): what is taken from every key and query of a layer before they are compared. It stays as it was when the layer
 * got its first key, so that nothing that is stored or deleted later changes how two activations compare.
 */
export interface KeyCentre {
  readonly layer: LayerIndex;
  /** [dFf], as activations come. */
  readonly vector: Float32Array;
}

/** Everything retained. Plain data: save, load and clone it as it is. */
export interface Memory {
  readonly model: ModelIdentity;
  /** Of the latest run, and of every entry that names no others. */
  readonly params: MethodParams;
  /** Those of entries that were made with others; absent where none was. */
  readonly earlier?: readonly MethodParams[];
  readonly embedder: string;
  /** What the terms of a wordless index are hashed with; a memory without it keeps words. */
  readonly salt?: string;
  readonly layers: readonly LayerIndex[];
  /** The final key token of the recall prompts, as text: where activations are read. Absent in what older versions saved. */
  readonly keyToken?: string;
  /** Of the layers whose keys lie behind a centre; absent where none does. */
  readonly centres?: readonly KeyCentre[];
  readonly sources: readonly SourceInfo[];
  readonly entries: readonly MemoryEntry[];
  readonly routing: readonly RoutingDocument[];
}

/** A memory without its vectors and losses: what is planned, judged and sealed needs no more of it. */
export interface MemoryOutline extends Omit<Memory, "entries"> {
  readonly entries: readonly EntryMeta[];
}

/** What a forecast needs to know of a memory. */
export interface MemoryHead extends Pick<Memory, "params" | "layers" | "sources"> {
  readonly facts: number;
  /** As many as there are parts of facts. */
  readonly vectors: number;
}

/** A memory without its entries and its routing index. */
export interface MemoryInfo extends Pick<Memory, "model" | "params" | "embedder" | "layers" | "sources"> {
  readonly facts: number;
  /** Facts that an interrupted run left to be encoded: the engine's `resume` takes them up. */
  readonly pending: number;
  /** Encoded facts of a wordless memory that an interrupted run left with their words: `resume` takes those out. */
  readonly unsealed: number;
}
