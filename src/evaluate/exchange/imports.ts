/** @file Predictions from lm-evaluation-harness and BABILong's scripts as samples of a run, scored by our scorers. */

import { assert } from "../../lib/assert.ts";
import { sha256Hex } from "../../lib/hash.ts";
import {
  VARIANTS,
  type Evaluation,
  type EvaluationHeader,
  type SampleRecord,
} from "../../records/evaluation.ts";
import type { UserFile } from "../benchmarks/benchmark.ts";
import { babilongPlace, recordsOf, strings, type Fields } from "../benchmarks/userRecords.ts";
import { methodNamed } from "../methods/registry.ts";
import { sampleId } from "../runs/header.ts";
import { labelsOf, scoresOf } from "../scores/scorers.ts";

const UNKNOWN = {
  evidence: [],
  characters: 0,
  stages: null,
  kept: { tokens: 0, bytes: 0 },
  promptTokens: 0,
  milliseconds: { prepare: 0, answer: 0 },
} as const satisfies Partial<SampleRecord>;
type Derived = "kind" | "id" | "benchmark" | "cluster" | "promptHash" | "scores";

/** A prediction of any tool. Only our own export has a cluster, an error and a hash of the text. */
type Prediction = Omit<SampleRecord, keyof typeof UNKNOWN | Derived> & { readonly cluster: string | null };

/**
 * The predictions of a file as samples for the run of `header`.
 * @param as name of their method, or its prefix if the file names methods. A name of one of our methods gets the prefix
 * "imported", so that no prediction replaces a sample of the run
 * @throws if a record has neither the fields of lm-evaluation-harness nor those of BABILong
 */
export function imported(file: UserFile, as: string, header: EvaluationHeader): Evaluation {
  const method = methodNamed(as.trim()) ? `imported ${as}` : as;
  const samples = recordsOf(file).map((fields, i) =>
    sampleOf(predictionOf(fields, file.name, i, method), header),
  );
  const all = (of: (sample: SampleRecord) => string): string[] => [...new Set(samples.map(of))];
  return {
    header: {
      ...header,
      tasks: all(({ task }) => task),
      lengths: all(({ length }) => length),
      methods: all((sample) => sample.method),
      variants: VARIANTS.filter((variant) => samples.some((sample) => sample.variant === variant)),
      shard: "import",
    },
    samples,
  };
}

function predictionOf(fields: Fields, name: string, i: number, method: string): Prediction {
  const found = lmEvalPrediction(fields, i, method) ?? babilongPrediction(fields, name, i, method);
  assert(
    found,
    () =>
      `evaluate: ${name}: record ${i + 1} has the fields ${Object.keys(fields).join(", ")}; expected those of ` +
      "lm-evaluation-harness (doc, target, filtered_resps) or BABILong (target, output, question)",
  );
  return found;
}

/** {doc, target, resps, filtered_resps, arguments}; fields that our own export added to `doc` are read as well. */
function lmEvalPrediction(
  { doc, target, filtered_resps: answers, resps, arguments: given }: Fields,
  i: number,
  method: string,
): Prediction | null {
  if (typeof doc !== "object" || doc === null || !Array.isArray(answers)) return null;
  const own = doc as Fields;
  const variant = VARIANTS.find((one) => one === own["variant"]) ?? "whole";
  const answer = String(answers.flat()[0] ?? "");
  const golds = strings(own["gold"]);
  return {
    task: String(own["task"] ?? ""),
    length: String(own["length"] ?? ""),
    depth: typeof own["depth"] === "number" ? own["depth"] : null,
    index: typeof own["index"] === "number" ? own["index"] : i,
    variant,
    method: typeof own["method"] === "string" ? `${method}: ${own["method"]}` : method,
    question: String(own["question"] ?? ""),
    gold: golds.length > 0 ? golds : [String(target)],
    labels: Array.isArray(own["labels"]) ? strings(own["labels"]) : (labelsOf(String(own["task"])) ?? null),
    answer,
    raw: Array.isArray(resps) ? String((resps as unknown[]).flat(2)[0] ?? "") : answer,
    prompt: promptOf(given),
    textHash: String(own["textHash"] ?? ""),
    cluster: typeof own["cluster"] === "string" ? own["cluster"] : null,
    error: typeof own["error"] === "string" ? own["error"] : null,
  };
}

/** Newer files name their arguments, older ones list them. */
function promptOf(given: unknown): string | null {
  const first: unknown = Array.isArray(given)
    ? (given as unknown[]).flat()[0]
    : (given as { gen_args_0?: { arg_0?: unknown } } | undefined)?.gen_args_0?.arg_0;
  return typeof first === "string" ? first : null;
}

/** target, output, question; task and length come from the file name: "qa1_16k_….csv". */
function babilongPrediction(
  { target, output, question }: Fields,
  name: string,
  i: number,
  method: string,
): Prediction | null {
  if (typeof target !== "string" || typeof output !== "string" || typeof question !== "string") return null;
  return {
    ...babilongPlace(name),
    depth: null,
    index: i,
    variant: "whole",
    method,
    question,
    gold: [target],
    answer: output,
    raw: output,
    prompt: null,
    textHash: "",
    cluster: null,
    error: null,
  };
}

function sampleOf(prediction: Prediction, { key, benchmark }: EvaluationHeader): SampleRecord {
  const { task, length, depth, index, variant, method, question, gold, labels, answer, prompt } = prediction;
  const place = { benchmark, task, length, depth, index };
  return {
    ...UNKNOWN,
    ...prediction,
    benchmark,
    kind: "sample",
    id: sampleId(key, place, variant, method),
    cluster: prediction.cluster ?? `${task} ${length} ${index}`,
    promptHash: prompt === null ? null : sha256Hex(prompt),
    scores: scoresOf(answer, { question, gold, labels }),
  };
}
