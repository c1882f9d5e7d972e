/**
 * @file Every parameter of the method as a person sets it: its symbol, what it does in one line, its range. The table
 * is closed: a new field of MethodParams without a row here does not compile.
 */

import { PRESETS, type MethodParams } from "../../../records/params.ts";

export type ParameterName = Exclude<keyof MethodParams, "preset">;
export type ParameterGroup = "Candidates" | "Anchors" | "Budget" | "Layers" | "Encoding" | "Read" | "Routing";

/** How a value is entered; "limit" is a number or none at all. */
export type ParameterKind =
  | { readonly type: "number" | "limit"; readonly min: number; readonly max: number; readonly step?: number }
  | { readonly type: "whole"; readonly min: number; readonly max: number }
  | { readonly type: "switch" }
  | {
      readonly type: "choice";
      readonly options: readonly { readonly value: string; readonly label: string }[];
    };

export interface ParameterSpec {
  readonly group: ParameterGroup;
  readonly label: string;
  /** The paper's symbol, where it has one. */
  readonly symbol?: string;
  readonly unit?: string;
  readonly about: string;
  readonly kind: ParameterKind;
}

/** The groups in running order. */
export const GROUPS: readonly ParameterGroup[] = [
  "Candidates",
  "Anchors",
  "Budget",
  "Layers",
  "Encoding",
  "Read",
  "Routing",
];

const whole = (min: number, max: number): ParameterKind => ({ type: "whole", min, max });
const number = (min: number, max: number, step: number): ParameterKind => ({
  type: "number",
  min,
  max,
  step,
});
const choice = (...options: readonly [string, string][]): ParameterKind => ({
  type: "choice",
  options: options.map(([value, label]) => ({ value, label })),
});

export const PARAMETERS: { readonly [Name in ParameterName]: ParameterSpec } = {
  candidateFilter: {
    group: "Candidates",
    label: "Filter",
    about:
      "Strict keeps sentences with a name, a number or an identifier; wide also takes relations without names.",
    kind: choice(["wide", "Wide"], ["strict", "Strict"]),
  },
  anchors: {
    group: "Anchors",
    label: "Proposed by",
    about:
      "The model proposes a short verbatim anchor and rules check it; rules alone are faster on long sources.",
    kind: choice(["model", "Model, then rules"], ["rules", "Rules alone"]),
  },
  anchorBatch: {
    group: "Anchors",
    label: "Batch",
    unit: "candidates",
    about: "Candidates put before the model in one request for anchors.",
    kind: whole(1, 64),
  },
  compoundAnchors: {
    group: "Anchors",
    label: "Compound anchors",
    about: "Prefer “Duchy of Normandy” over “Duchy”: one generic word draws too many facts to one anchor.",
    kind: { type: "switch" },
  },
  depth: {
    group: "Budget",
    label: "Retention depth",
    symbol: "m̂",
    unit: "facts per anchor",
    about: "At most this many facts stay for one anchor, the latest first.",
    kind: whole(1, 1024),
  },
  capacity: {
    group: "Budget",
    label: "Layer capacity",
    symbol: "C",
    unit: "facts per layer",
    about: "Nominal limit of one storage layer; K C facts are the most the memory takes.",
    kind: whole(1, 1_000_000),
  },
  layers: {
    group: "Layers",
    label: "Storage layers",
    symbol: "K",
    unit: "layers",
    about: "Facts are dealt out over this many layers in turn (Eq. 2); a smaller model gives what it has.",
    kind: whole(1, 128),
  },
  layerShare: {
    group: "Layers",
    label: "Least share of the best",
    about: "A layer must recall this share of what the best layer recalls in the probe; 0 asks for none.",
    kind: number(0, 1, 0.05),
  },
  steps: {
    group: "Encoding",
    label: "Guided steps",
    unit: "steps",
    about: "Adam steps on δ with the true words as context (teacher forcing).",
    kind: whole(1, 2000),
  },
  refine: {
    group: "Encoding",
    label: "Refinement steps",
    unit: "steps",
    about: "More steps for facts that free decoding does not reproduce.",
    kind: whole(0, 2000),
  },
  refineOn: {
    group: "Encoding",
    label: "Refine on",
    about: "What the model is fed in refinement: its own words with the current δ, or the value itself.",
    kind: choice(["the value", "The value"], ["own words", "Its own words"]),
  },
  learningRate: {
    group: "Encoding",
    label: "Learning rate",
    symbol: "η",
    about: "Adam's step size on δ, in units of the residual stream.",
    kind: number(0.001, 10, 0.05),
  },
  beta1: {
    group: "Encoding",
    label: "First moment",
    symbol: "β₁",
    about: "Adam's memory of past gradients.",
    kind: number(0, 0.9999, 0.01),
  },
  beta2: {
    group: "Encoding",
    label: "Second moment",
    symbol: "β₂",
    about: "Adam's memory of past squared gradients.",
    kind: number(0, 0.99999, 0.001),
  },
  epsilon: {
    group: "Encoding",
    label: "Adam's floor",
    symbol: "ε",
    about: "Keeps Adam's division finite.",
    kind: { type: "number", min: 1e-12, max: 0.1 },
  },
  clamp: {
    group: "Encoding",
    label: "Clamp on ‖δ‖",
    unit: "× norm at the key",
    about: "δ grows to at most this many times the output it is added to; none lets it grow freely.",
    kind: { type: "limit", min: 0.1, max: 1000, step: 0.5 },
  },
  earlyStop: {
    group: "Encoding",
    label: "Stop when exact",
    about: "A fact stops as soon as every word is the model's first choice: greedy decoding is right then.",
    kind: { type: "switch" },
  },
  encodeBatch: {
    group: "Encoding",
    label: "Batch",
    unit: "facts",
    about: "Facts optimised side by side at one layer; more use more memory of the device.",
    kind: whole(1, 512),
  },
  read: {
    group: "Read",
    label: "Read",
    about:
      "Top-1 injects the best key's residual at the key position; soft mixes the whole layer at every position.",
    kind: choice(["top1", "Top-1 at the key"], ["soft", "Soft, everywhere"]),
  },
  theta: {
    group: "Read",
    label: "Gate",
    symbol: "θ",
    about: "The gate opens when the best cosine similarity reaches this (Eq. 4c).",
    kind: number(-1, 1, 0.05),
  },
  beta: {
    group: "Read",
    label: "Sharpness",
    symbol: "β",
    about: "Inverse temperature of the soft read (Eq. 4b); top-1 does not use it.",
    kind: number(0.1, 1000, 1),
  },
  maxFacts: {
    group: "Routing",
    label: "Facts per question",
    unit: "facts",
    about: "At most this many facts are recalled for one question.",
    kind: whole(1, 256),
  },
  maxAnchors: {
    group: "Routing",
    label: "Anchors per question",
    unit: "anchors",
    about: "At most this many anchors are routed to for one question.",
    kind: whole(1, 64),
  },
  routeShare: {
    group: "Routing",
    label: "Least share of the leader",
    about: "An anchor must reach this share of the leading fused score, unless the question names it.",
    kind: number(0, 1, 0.05),
  },
  factVectors: {
    group: "Routing",
    label: "Fact vectors",
    about:
      "One dense vector per fact beside the anchor's, so that a question worded differently can reach it.",
    kind: { type: "switch" },
  },
  questionsPerFact: {
    group: "Routing",
    label: "Questions per fact",
    unit: "questions",
    about: "Paraphrase questions put beside each fact in the routing index.",
    kind: whole(0, 16),
  },
  answerTokens: {
    group: "Routing",
    label: "Longest answer",
    unit: "tokens",
    about: "The answer ends after this many tokens.",
    kind: whole(1, 1024),
  },
};

export const NAMES = Object.keys(PARAMETERS) as readonly ParameterName[];

/** The parameters of one group, in the order of the table. */
export const namesOf = (group: ParameterGroup): readonly ParameterName[] =>
  NAMES.filter((name) => PARAMETERS[name].group === group);

/** What stands for a group in one line; the rest is behind it. */
const SUMMARY: { readonly [Group in ParameterGroup]: readonly ParameterName[] } = {
  Candidates: ["candidateFilter"],
  Anchors: ["anchors", "compoundAnchors"],
  Budget: ["depth", "capacity"],
  Layers: ["layers", "layerShare"],
  Encoding: ["steps", "refine", "learningRate", "clamp", "earlyStop"],
  Read: ["read", "theta", "beta"],
  Routing: ["maxFacts", "maxAnchors", "factVectors"],
};

/** A group in one line, e.g. "m̂ = 14, C = 4096". */
export const groupSummary = (group: ParameterGroup, params: MethodParams): string =>
  SUMMARY[group]
    .map((name) => {
      const { symbol, label, kind } = PARAMETERS[name];
      const value = valueText(name, params[name]);
      if (symbol) return `${symbol} = ${value}`;
      return kind.type === "choice" ? value : `${label.toLowerCase()} ${value}`;
    })
    .join(", ");

/** The parameters that differ from those of the preset they started from. */
export const differences = (params: MethodParams): readonly ParameterName[] =>
  NAMES.filter((name) => params[name] !== PRESETS[params.preset][name]);

/** `params` with one field changed; the caller has the value from the field's own control. */
export const withParameter = (params: MethodParams, name: ParameterName, value: unknown): MethodParams =>
  ({ ...params, [name]: value }) as MethodParams;

/** The value as a person reads it, e.g. "0.6", "none", "top-1 at the key", "on". */
export function valueText(name: ParameterName, value: MethodParams[ParameterName]): string {
  const { kind } = PARAMETERS[name];
  if (kind.type === "choice")
    return kind.options.find((option) => option.value === value)?.label.toLowerCase() ?? String(value);
  if (typeof value === "boolean") return value ? "on" : "off";
  return value === null ? "none" : String(value);
}

/** Why a value cannot be used, as a sentence; null when it can. */
export function problemWith(name: ParameterName, value: unknown): string | null {
  const { kind, label } = PARAMETERS[name];
  if (kind.type === "switch") return typeof value === "boolean" ? null : `${label} must be on or off.`;
  if (kind.type === "choice")
    return kind.options.some((option) => option.value === value)
      ? null
      : `${label} must be one of: ${kind.options.map((option) => option.value).join(", ")}.`;
  if (kind.type === "limit" && value === null) return null;
  if (typeof value !== "number" || !Number.isFinite(value)) return `${label} must be a number.`;
  if (kind.type === "whole" && !Number.isInteger(value)) return `${label} must be a whole number.`;
  if (value < kind.min || value > kind.max) return `${label} must be from ${kind.min} to ${kind.max}.`;
  return null;
}

/** Everything that is wrong with a set of parameters: each field, and fields that do not go together. */
export function problemsOf(params: MethodParams): readonly string[] {
  const each = NAMES.flatMap((name) => problemWith(name, params[name]) ?? []);
  if (params.refineOn === "own words" && params.earlyStop && params.refine === 0)
    return [...each, "Refinement on the model's own words needs at least one refinement step."];
  return each;
}
