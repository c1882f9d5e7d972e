/** @file Test support: a benchmark of small stories, its run without a disturbance, and a model that reads the last line about a person. */

import { SHARP } from "../../records/params.ts";
import type { EvaluationHeader, SampleRecord } from "../../records/evaluation.ts";
import type { OpenBenchmark } from "../benchmarks/benchmark.ts";
import { chosenMethods } from "../methods/registry.ts";
import { runEvaluation, type EvaluationWork, type Shard } from "../run.ts";
import { lineOf } from "../runs/file.ts";
import { headerOf, type HeaderInputs } from "../runs/header.ts";
import { scorerSources } from "../scores/scorers.ts";
import { methodContext, wordEngine } from "./words.ts";

const NAMES = ["Mary", "John", "Sandra", "Daniel"];
const PLACES = ["garden", "office", "kitchen", "hallway"];
export const METHODS = ["truncation:12", "full", "closed", "rag", "latest"];

/** A benchmark of small stories: whoever reads the last sentence about a person knows. */
export const stories: OpenBenchmark = {
  tasks: ["where"],
  lengths: ["", "long"],
  primary: "babilong-strict",
  answerTokens: 8,
  turn: () => (passages, question) => `${passages.join("\n")}\n${question}`,
  settings: {},
  cases: ["", "long"].flatMap((length) =>
    NAMES.map((name, index) => ({
      place: { benchmark: "stories", task: "where", length, depth: null, index },
      make() {
        const facts = NAMES.map((who, i) => `${who} went to the ${PLACES[(i + index) % 4]}.`);
        const gold = PLACES[(2 * index) % 4]!;
        const filler = length === "" ? "" : ` ${"It rained again all day. ".repeat(30)}`;
        const evidence = [`${name} went to the ${gold}.`];
        return {
          text: `${facts.join(" ")}${filler}`,
          question: `Where is ${name}?`,
          gold: [gold],
          evidence,
          labels: PLACES,
          others: PLACES.filter((one) => one !== gold),
          cluster: `story ${index}`,
        };
      },
    })),
  ),
};

/** Reads the last line that names the person. */
export const engine = wordEngine((turn) => {
  const lines = turn.split("\n");
  const name = /Where is (\w+)/.exec(lines.at(-1)!)?.[1] ?? "";
  const told = lines.slice(0, -1).findLast((line) => line.includes(name));
  return PLACES.find((place) => told?.includes(place)) ?? "nowhere";
}, 120);

export const INPUTS: HeaderInputs = {
  benchmark: "stories",
  tasks: stories.tasks,
  lengths: stories.lengths,
  samples: 4,
  settings: {},
  methods: METHODS,
  leftOut: {},
  variants: ["whole", "without", "altered"],
  prompt: "ours",
  model: engine.model,
  precision: "none",
  backend: "cpu",
  embedder: "none",
  embedderIdentity: null,
  reranker: null,
  compressor: null,
  adapter: null,
  params: SHARP,
  budgets: methodContext(engine).budgets,
  data: {},
  scorers: scorerSources(),
  primary: "babilong-strict",
  seed: 1,
  shard: "1/1",
  app: "test",
  created: "2026-01-01T00:00:00Z",
};

export function workOf(
  header: EvaluationHeader,
  samples: readonly SampleRecord[],
  shard: Shard = [1, 1],
): EvaluationWork {
  const have = new Set(samples.map(({ id }) => id));
  return {
    header,
    benchmark: stories,
    methods: chosenMethods(METHODS),
    context: methodContext(engine),
    shard,
    have,
  };
}

/** The file of a whole run without a disturbance. */
export async function runText(shard: Shard = [1, 1]): Promise<string> {
  const header = headerOf({ ...INPUTS, shard: shard.join("/") });
  let file = lineOf(header);
  for await (const sample of runEvaluation(workOf(header, [], shard))) file += lineOf(sample);
  return file;
}
