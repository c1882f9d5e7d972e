/** @file Headers of runs and their keys, ids of samples, and whether a run can be continued under another header. */

import type { Engine } from "../../engine/engine.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { sortedJson } from "../../lib/sortedJson.ts";
import {
  HELPERS,
  RUN_FORMAT,
  type CasePlace,
  type EvaluationHeader,
  type Variant,
} from "../../records/evaluation.ts";
import { modelTag, precisionOf } from "../../records/memory.ts";
import type { RunHeader, StudyHeader } from "../../records/run.ts";
import type { OpenBenchmark } from "../benchmarks/benchmark.ts";
import { budgetsFor } from "../budgets.ts";
import { scorerSources } from "../scores/scorers.ts";

/** An evaluation's header without the fields that follow from the others. */
export type HeaderInputs = Omit<EvaluationHeader, "kind" | "format" | "key">;
type StudyInputs = Omit<StudyHeader, "kind" | "format" | "key" | "id">;

/** The header fields that decide a record, in addition to its place, variant and method. The key is their hash. */
const DECISIVE = {
  evaluation: [
    "benchmark",
    "settings",
    "prompt",
    "model",
    "precision",
    "backend",
    "embedder",
    "embedderIdentity",
    "adapter",
    "params",
    "budgets",
    "scorers",
    "seed",
  ],
  study: ["study", "settings", "params", "seed", "model", "backend"],
} as const satisfies { evaluation: readonly (keyof HeaderInputs)[]; study: readonly (keyof StudyInputs)[] };

type Fields = Readonly<Record<string, unknown>>;

const keyOf = (kind: keyof typeof DECISIVE, inputs: object): string =>
  sha256Hex(sortedJson([RUN_FORMAT, ...DECISIVE[kind].map((name) => (inputs as Fields)[name])]));

export const headerOf = (inputs: HeaderInputs): EvaluationHeader => ({
  kind: "evaluation",
  format: RUN_FORMAT,
  key: keyOf("evaluation", inputs),
  ...inputs,
});

/** The header of a study. `created` distinguishes the ids of runs with the same settings. */
const studyHeaderOf = (inputs: StudyInputs): StudyHeader => ({
  kind: "study",
  format: RUN_FORMAT,
  key: keyOf("study", inputs),
  id: `${inputs.study}-${inputs.created.replace(/[-:]/g, "").replace(/\.\d+/, "")}`,
  ...inputs,
});

/** The fields of an evaluation's header that neither the model nor the benchmark decides. */
export type Planned = Pick<
  EvaluationHeader,
  "benchmark" | "samples" | "variants" | "prompt" | "params" | "seed" | "shard" | "app" | "created"
>;

export function plannedHeader(
  { benchmark, samples, variants, prompt, params, seed, shard, app, created }: Planned,
  engine: Pick<Engine, "model" | "capabilities" | "embedder" | "embedderIdentity">,
  { tasks, lengths, settings, primary, answerTokens }: OpenBenchmark,
  own: Pick<EvaluationHeader, "data" | "leftOut" | "methods" | "reranker" | "compressor">,
): EvaluationHeader {
  const { model, capabilities, embedder, embedderIdentity } = engine;
  // The model's own embedder follows from the model, which the header names.
  const isOwn = embedderIdentity === null || embedderIdentity === embedder;
  return headerOf({
    ...{ benchmark, tasks, lengths, samples, settings },
    ...own,
    ...{ variants, prompt, seed, shard, app, created, model, embedder, primary },
    precision: precisionOf(model),
    backend: `${capabilities.backend}, ${capabilities.description}`,
    embedderIdentity: isOwn ? null : sha256Hex(embedderIdentity),
    adapter: null,
    // The benchmark limits the length of an answer, for all methods.
    params: { ...params, answerTokens },
    budgets: budgetsFor(model.window, answerTokens),
    scorers: scorerSources(),
  });
}

export const plannedStudy = (
  inputs: Omit<StudyInputs, "backend" | "model">,
  { capabilities, model }: Pick<Engine, "model" | "capabilities">,
): StudyHeader => studyHeaderOf({ ...inputs, backend: capabilities.backend, model: modelTag(model) });

export const sampleId = (
  key: string,
  { benchmark, task, length, depth, index }: CasePlace,
  variant: Variant,
  method: string,
): string =>
  sha256Hex(JSON.stringify([key, benchmark, task, length, depth, index, variant, method])).slice(0, 32);

/** Names of the fields by which two headers belong to different runs, separated by commas; "" for parts of one run. */
export function differences(a: RunHeader, b: RunHeader): string {
  if (a.kind !== b.kind) return "kind";
  const [one, other] = [a as unknown as Fields, b as unknown as Fields];
  const fields = DECISIVE[a.kind].flatMap((name) =>
    name === "settings" || name === "params"
      ? unequal(one[name] as Fields, other[name] as Fields)
      : sortedJson(one[name]) === sortedJson(other[name])
        ? []
        : [name],
  );
  if (a.kind === "study" || b.kind === "study") return fields.join(", ");
  // Other tasks are made from other files; the same file must have the same content.
  const files = unequal(a.data, b.data).filter((name) => name in a.data && name in b.data);
  // A run without a helper continues with any.
  const helpers = HELPERS.filter((name) => a[name] !== null && b[name] !== null && a[name] !== b[name]);
  return [...fields, ...files, ...helpers].join(", ");
}

/** Names of fields whose values differ, or that only one of the two has. */
const unequal = (a: Fields, b: Fields): string[] =>
  Object.keys({ ...a, ...b }).filter((name) => sortedJson(a[name]) !== sortedJson(b[name]));

/** Why an existing run cannot be continued under `header`; "" if it can. */
export function obstacle(existing: RunHeader, header: RunHeader): string {
  const other = differences(existing, header);
  if (other !== "") return `differs in ${other}`;
  // Another build may make something else of a case.
  return existing.app === header.app
    ? ""
    : `was made by the build ${existing.app}, which is not this one (${header.app})`;
}
