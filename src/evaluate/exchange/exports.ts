/** @file A run as samples of lm-evaluation-harness, where each method becomes a task: "babilong_qa1_16k_ours". */

import { groupBy } from "../../lib/group.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { modelTag } from "../../records/memory.ts";
import type { Evaluation, SampleRecord } from "../../records/evaluation.ts";
import { accuracy } from "../summary.ts";
import { isAsked } from "../unanswered.ts";

/** Text as part of a file name, without separators of folders. */
const nameable = (text: string): string => text.replace(/[^\w.-]+/g, "-");

const taskName = ({ benchmark, task, length, method, variant }: SampleRecord): string =>
  nameable(
    [benchmark, task, length, method, ...(variant === "whole" ? [] : [variant])]
      .filter((part) => part !== "")
      .join("_"),
  );

/** The scores that apply to a sample; 0 without an answer. */
const applying = ({ scores, error }: SampleRecord): Record<string, number> =>
  Object.fromEntries(
    Object.entries(scores).flatMap(([name, score]) =>
      score === null ? [] : [[name, error === null ? score : 0]],
    ),
  );

/** `samples_TASK_DATE.jsonl` for each task, as `--log_samples` writes them, and `results_DATE.json`. */
export function exported({ header, samples: all }: Evaluation) {
  const date = nameable(header.created);
  // A sample without an answer counts as wrong there too.
  const tasks = [...groupBy(all.filter(isAsked), taskName)];
  const results = Object.fromEntries(
    tasks.map(([name, samples]) => {
      const { score, n } = accuracy(samples, header.primary);
      return [name, { alias: name, [`${header.primary},none`]: score, sample_len: n }];
    }),
  );
  const aggregate = {
    results,
    configs: Object.fromEntries(
      tasks.map(([task]) => [task, { task, output_type: "generate_until", metadata: { key: header.key } }]),
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
      content: samples.map((sample, at) => `${JSON.stringify(lmEvalSample(sample, at))}\n`).join(""),
    })),
  ];
}

function lmEvalSample(sample: SampleRecord, at: number): object {
  const { question, gold, evidence, labels, prompt, answer, raw, error } = sample;
  const { benchmark, task, length, depth, index, method, variant } = sample;
  const doc = {
    ...{ benchmark, task, length, depth, index, method, variant },
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
