/** @file The name by which a memory remembers its text embedder, and the choice that a name says. */

import { DTYPES, type EmbedderChoice, type EmbedderDtype } from "./embedder.ts";

/** What a memory remembers of the model's own embedder. */
export const OWN_STATES = "mean-pooled hidden states";

/** The model of a choice in its name: another revision than main gives other vectors. */
export const modelOf = ({ from }: EmbedderChoice): string =>
  from.kind === "hub" ? `${from.repo}${from.revision === "main" ? "" : `@${from.revision}`}` : from.name;

export interface EmbedderTraits {
  readonly pooling: string;
  readonly prefixed: boolean;
  readonly dtype: EmbedderDtype;
  /** 16 hex digits of the hash of its weights, where only a folder's name would tell it; absent otherwise. */
  readonly weights?: string | undefined;
}

/** What a memory remembers of an embedder: all that its vectors depend on beyond rounding. */
export const embedderName = (model: string, { pooling, prefixed, dtype, weights }: EmbedderTraits): string =>
  `transformers.js ${model}${weights ? ` #${weights}` : ""} (${[pooling, prefixed && "prefixed", dtype !== "fp32" && dtype].filter(Boolean).join(", ")})`;

const WEIGHTS = / #[0-9a-f]{16}(?= \([^()]+\)$)/;

/** Whether a name says which weights: one of the Hub's by its address, one of a folder's by their hash. */
export const saysWeights = (name: string): boolean =>
  WEIGHTS.test(name) || choiceNamed(name)?.from.kind !== "files";

/**
 * Whether two names are of one embedder. Before version 0.3 a folder's name was all that was remembered: such a name is
 * that of any weights in a folder of that name.
 */
export const sameName = (a: string, b: string): boolean =>
  a === b || (WEIGHTS.test(a) !== WEIGHTS.test(b) && a.replace(WEIGHTS, "") === b.replace(WEIGHTS, ""));

/**
 * The choice that makes an embedder of this name, on `device`; null: the model itself; undefined where the name does
 * not say. A name with a slash is taken for one of the Hub, any other for a folder of files.
 */
export function choiceNamed(
  name: string,
  device: EmbedderChoice["device"] = "wasm",
): EmbedderChoice | null | undefined {
  if (name === OWN_STATES) return null;
  const [, model, traits] = /^transformers\.js (.+) \(([^()]+)\)$/.exec(name.replace(WEIGHTS, "")) ?? [];
  if (model === undefined || traits === undefined) return undefined;
  const dtype = DTYPES.find((known) => traits.split(", ").includes(known)) ?? "fp32";
  const [, repo, revision = "main"] = /^([\w.-]+\/[\w.-]+)(?:@(.+))?$/.exec(model) ?? [];
  return { from: repo ? { kind: "hub", repo, revision } : { kind: "files", name: model }, dtype, device };
}

/** Whether two choices give the same vectors, wherever they run. */
export const sameEmbedder = (a: EmbedderChoice | null, b: EmbedderChoice | null): boolean =>
  a === null || b === null ? a === b : modelOf(a) === modelOf(b) && a.dtype === b.dtype;
