/**
 * @file Runs in the formats of other tools: samples of lm-evaluation-harness, and Every Eval Ever (an aggregate and its
 * instances). Neither knows several methods of one model, so each method becomes a task: "babilong_qa1_16k_ours".
 */

import { groupBy } from "../../lib/group.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { modelTag } from "../../records/memory.ts";
import type { Evaluation, EvaluationHeader, SampleRecord } from "../../records/evaluation.ts";
import { accuracy } from "../summary.ts";
import { isAsked } from "../unanswered.ts";

/** A file to write: its name and content. */
export interface ExportFile {
  readonly name: string;
  readonly content: string;
}

export type ExportForm = "lm-eval" | "every-eval-ever";
export const EXPORT_FORMS: readonly ExportForm[] = ["lm-eval", "every-eval-ever"];

/** The files of a run in one of the formats. */
export const exported = (run: Evaluation, form: ExportForm): ExportFile[] =>
  form === "lm-eval" ? lmEval(run) : everyEvalEver(run);

/** Text as part of a file name, without separators of folders. */
const nameable = (text: string): string => text.replace(/[^\w.-]+/g, "-");

/** The name of a sample's task in another tool. */
const taskName = ({ benchmark, task, length, method, variant }: SampleRecord): string =>
  nameable(
    [benchmark, task, length, method, ...(variant === "whole" ? [] : [variant])]
      .filter((part) => part !== "")
      .join("_"),
  );

/** The samples that were asked; one without an answer counts as wrong there too. */
const askedOf = ({ samples }: Evaluation): SampleRecord[] => samples.filter(isAsked);

const byTask = (run: Evaluation): [string, SampleRecord[]][] => [...groupBy(askedOf(run), taskName)];

const jsonLines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

/** The scores that apply to a sample; 0 without an answer. */
const applying = ({ scores, error }: SampleRecord): Record<string, number> =>
  Object.fromEntries(
    Object.entries(scores).flatMap(([name, score]) =>
      score === null ? [] : [[name, error === null ? score : 0]],
    ),
  );

/** `samples_TASK_DATE.jsonl` for each task, as `--log_samples` writes them, and `results_DATE.json`. */
function lmEval(run: Evaluation): ExportFile[] {
  const { header } = run;
  const date = nameable(header.created);
  const tasks = byTask(run);
  const results = Object.fromEntries(
    tasks.map(([name, samples]) => {
      const { score, n } = accuracy(samples, header.primary);
      return [name, { alias: name, [`${header.primary},none`]: score, sample_len: n }];
    }),
  );
  const aggregate = {
    results,
    configs: Object.fromEntries(
      tasks.map(([name]) => [
        name,
        { task: name, output_type: "generate_until", metadata: { key: header.key } },
      ]),
    ),
    model_source: "palimpsest",
    model_name: header.model.name,
    config: { model: modelTag(header.model), model_args: "", batch_size: 1, random_seed: header.seed },
    git_hash: header.app,
    date: Date.parse(header.created) / 1000,
  };
  return [
    { name: `results_${date}.json`, content: `${JSON.stringify(aggregate, null, 1)}\n` },
    ...tasks.map(([name, samples]) => ({
      name: `samples_${name}_${date}.jsonl`,
      content: jsonLines(samples.map(lmEvalSample)),
    })),
  ];
}

function lmEvalSample(sample: SampleRecord, at: number): object {
  const { question, gold, evidence, labels, prompt, answer, raw, error } = sample;
  const doc = {
    ...placeOf(sample),
    question,
    target: gold[0] ?? "",
    gold,
    evidence,
    labels,
    sample: sample.id,
    textHash: sample.textHash,
    cluster: sample.cluster,
    // Distinguishes a failure from an empty answer.
    ...(error === null ? {} : { error }),
  };
  const scores = applying(sample);
  return {
    doc_id: at,
    doc,
    target: gold[0] ?? "",
    arguments: { gen_args_0: { arg_0: prompt ?? "", arg_1: { until: [], do_sample: false } } },
    resps: [[raw ?? ""]],
    filtered_resps: [answer],
    filter: "none",
    metrics: Object.keys(scores),
    doc_hash: sha256Hex(JSON.stringify(doc)),
    prompt_hash: sample.promptHash ?? sha256Hex(""),
    target_hash: sha256Hex(gold[0] ?? ""),
    ...scores,
  };
}

const placeOf = ({ benchmark, task, length, depth, index, method, variant }: SampleRecord) => ({
  benchmark,
  task,
  length,
  depth,
  index,
  method,
  variant,
});

const SCHEMA = "0.2.1";

/** One aggregate with a result a task, and its instances a line. */
function everyEvalEver(run: Evaluation): ExportFile[] {
  const { header } = run;
  const id = `${header.benchmark}/${header.model.name}/${Date.parse(header.created) / 1000}`;
  const details = jsonLines(askedOf(run).map((sample) => instance(sample, header, id)));
  const file = "instances.jsonl";
  const aggregate = {
    schema_version: SCHEMA,
    evaluation_id: id,
    evaluation_timestamp: header.created,
    retrieved_timestamp: String(Date.parse(header.created) / 1000),
    source_metadata: {
      source_name: "Palimpsest",
      source_type: "evaluation_run",
      source_organization_name: "unknown",
      evaluator_relationship: "other",
    },
    eval_library: { name: "palimpsest", version: header.app, additional_details: { key: header.key } },
    model_info: {
      name: header.model.name,
      id: header.model.name,
      inference_engine: { name: header.backend, version: "unknown" },
      additional_details: { sha256: header.model.sha256, precision: header.precision },
    },
    evaluation_results: byTask(run).flatMap(([name, samples]) => taskResult(name, samples, header)),
    detailed_evaluation_results: {
      format: "jsonl",
      file_path: file,
      hash_algorithm: "sha256",
      checksum: sha256Hex(details),
      total_rows: details.split("\n").length - 1,
    },
  };
  return [
    { name: "evaluation.json", content: `${JSON.stringify(aggregate, null, 1)}\n` },
    { name: file, content: details },
  ];
}

function taskResult(name: string, samples: readonly SampleRecord[], header: EvaluationHeader): object[] {
  const { n, score, interval } = accuracy(samples, header.primary);
  const [lower, upper] = interval;
  return [
    {
      evaluation_name: name,
      source_data: {
        dataset_name: header.benchmark,
        source_type: "other",
        additional_details: { ...header.data },
      },
      metric_config: {
        evaluation_description: `${header.primary}: ${header.scorers[header.primary] ?? ""}`,
        lower_is_better: false,
        score_type: "continuous",
        min_score: 0,
        max_score: 1,
      },
      score_details: {
        score,
        uncertainty: { confidence_interval: { lower, upper, confidence_level: 0.95 }, num_samples: n },
      },
      generation_config: { generation_args: { temperature: 0, max_tokens: header.budgets.answer } },
    },
  ];
}

function instance(sample: SampleRecord, header: EvaluationHeader, id: string): object {
  const { question, gold, prompt, answer, raw, promptTokens, milliseconds } = sample;
  const score = applying(sample)[header.primary] ?? 0;
  return {
    schema_version: `instance_level_eval_${SCHEMA}`,
    evaluation_id: id,
    model_id: header.model.name,
    evaluation_name: taskName(sample),
    sample_id: sample.id,
    sample_hash: sha256Hex(question + gold.join("")),
    interaction_type: "single_turn",
    input: { raw: question, formatted: prompt, reference: gold },
    output: { raw: [raw ?? ""] },
    messages: null,
    answer_attribution: [
      {
        turn_idx: 0,
        source: "output.raw",
        extracted_value: answer,
        extraction_method: "custom",
        is_terminal: true,
      },
    ],
    evaluation: { score, is_correct: score === 1 },
    performance: {
      latency_ms: milliseconds.answer,
      additional_details: { prepare_ms: String(milliseconds.prepare), prompt_tokens: String(promptTokens) },
    },
    metadata: Object.fromEntries(
      Object.entries(placeOf(sample)).map(([name, value]) => [name, String(value)]),
    ),
  };
}
