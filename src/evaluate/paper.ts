/**
 * @file The paper's tables and figures: what each published, and what runs it here. Numbers are the paper's own, for
 * Phi-3.5-mini, Qwen3-4B and Llama-3.1-8B; where it gives a figure without numbers, what its text says of it.
 */

import { present } from "../lib/assert.ts";
import type { Evaluation } from "../records/evaluation.ts";
import type { StudyName } from "../records/notebook.ts";
import type { BenchmarkName } from "./benchmarks/registry.ts";
import type { ScorerName } from "./scores/scorers.ts";

/** Published rows under their heads; "-" where the paper has a dash. */
export interface Published {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** An evaluation that makes a table or figure here. */
export interface PaperEvaluation {
  readonly benchmark: BenchmarkName;
  readonly tasks: readonly string[];
  readonly lengths: readonly string[];
  readonly methods: readonly string[];
}

/** What runs a table here: an evaluation, studies that the app has, or both. */
export interface PaperRun {
  readonly evaluation: PaperEvaluation | null;
  readonly studies: readonly StudyName[];
}

export interface PaperEntry {
  readonly title: string;
  readonly published: Published;
  readonly run: PaperRun;
}

const MODELS = ["", "Phi-3.5-mini", "Qwen3-4B", "Llama-3.1-8B"];
const COMPARED = ["ours", "truncation", "sinks", "rag-reranked", "llmlingua", "rag", "full", "closed"];
const WITH_ORACLES = ["ours", "ours-stored", "ours-routed", "ours-extracted"];

/** Lengths at which the paper asks BABILong. */
const LENGTHS = ["0k", "1k", "16k", "128k", "256k", "512k", "1M", "2M"];

const evaluation = (
  benchmark: BenchmarkName,
  tasks: readonly string[],
  lengths: readonly string[],
  methods: readonly string[],
  studies: readonly StudyName[] = [],
): PaperRun => ({ evaluation: { benchmark, tasks, lengths, methods }, studies });

/** Table 5's settings, as far as they are parameters of a question's memory: what its accuracies are of. */
const CONTROLS = [
  "ours",
  ...["layers=1", "layers=2", "steps=20+refine=10", "theta=0.45", "theta=0.75", "routing=dense"].map(
    (option) => `ours:${option}`,
  ),
];

export const PAPER_ENTRIES: Readonly<Record<string, PaperEntry>> = {
  "table-1": {
    title: "Samples of the proposed method in each cell (Phi / Qwen / Llama)",
    published: {
      head: ["length", "QA1", "QA2", "RULER QA"],
      rows: [
        ["0K", "20/10/10", "20/10/10", "-"],
        ["1K", "20/10/10", "20/10/10", "-"],
        ["16K", "16/10/10", "16/10/10", "8/8/8"],
        ["128K", "3/3/3", "3/3/3", "2/3/2"],
        ["256K", "3/3/3", "3/3/3", "-"],
        ["512K", "5/5/3", "3/3/3", "2/3/2"],
        ["1M", "4/4/4", "2/1/1", "1/3/1"],
        ["2M", "4/3/5", "-", "1/2/1"],
      ],
    },
    run: evaluation("babilong", ["qa1", "qa2"], LENGTHS, ["ours"]),
  },
  "table-2": {
    title: "RULER QA, %",
    published: {
      head: ["model", "method", "16K", "128K", "512K", "1M", "2M"],
      rows: [
        ["Phi-3.5-mini", "ours", "13", "50", "50", "100", "100"],
        ["", "chunk RAG", "38", "50", "0", "0", "0"],
        ["", "StreamingLLM (prompt proxy)", "25", "0", "0", "0", "0"],
        ["", "truncation", "25", "0", "0", "0", "0"],
        ["", "full context", "63", "-", "-", "-", "-"],
        ["", "compression", "38", "25", "0", "0", "0"],
        ["", "closed book", "13", "13", "13", "13", "13"],
        ["Qwen3-4B", "ours", "50", "67", "67", "33", "50"],
        ["", "chunk RAG", "25", "67", "67", "0", "50"],
        ["", "StreamingLLM (prompt proxy)", "50", "67", "67", "33", "0"],
        ["", "truncation", "50", "67", "67", "33", "0"],
        ["", "full context", "38", "-", "-", "-", "-"],
        ["", "compression", "38", "38", "13", "0", "0"],
        ["", "closed book", "38", "38", "38", "38", "38"],
        ["Llama-3.1-8B", "ours", "75", "100", "100", "100", "0"],
        ["", "chunk RAG", "38", "50", "0", "0", "0"],
        ["", "StreamingLLM (prompt proxy)", "100", "50", "50", "0", "0"],
        ["", "truncation", "100", "50", "50", "0", "0"],
        ["", "full context", "50", "-", "-", "-", "-"],
        ["", "compression", "50", "25", "13", "0", "0"],
        ["", "closed book", "25", "25", "25", "25", "25"],
      ],
    },
    run: evaluation("ruler", ["qa_1"], ["16k", "128k", "512k", "1M", "2M"], COMPARED),
  },
  "table-3": {
    title: "Outcomes of the proposed method's questions, all three models",
    published: {
      head: [
        "benchmark",
        "success",
        "extraction",
        "routing",
        "reconstruction",
        "answer",
        "unattributed",
        "n",
      ],
      rows: [
        ["BABILong QA1, 128K to 2M", "48", "0", "1", "1", "2", "3", "55"],
        ["BABILong QA2, 128K to 2M", "11", "0", "8", "3", "7", "3", "32"],
        ["RULER QA 16K", "11", "0", "9", "2", "2", "0", "24"],
        ["RULER QA 128K to 2M", "15", "0", "4", "3", "0", "1", "23"],
      ],
    },
    run: evaluation("babilong", ["qa1", "qa2"], ["128k", "256k", "512k", "1M", "2M"], WITH_ORACLES),
  },
  "table-4": {
    title: "One question of SQuAD at two lengths, Qwen3-4B",
    published: {
      head: ["length", "anchor", "reconstruction", "fidelity", "right"],
      rows: [
        ["1M", "Duchy", "...was under the a of the Normans, a Norman, a Norman, a Norman, ...", "0.30", "0"],
        [
          "2M",
          "Duchy of Normandy",
          "The Duchy of Normandy ... was a great fief of medieval France, and under Richard I ...",
          "0.75",
          "1",
        ],
      ],
    },
    run: evaluation("ruler", ["qa_1"], ["1M", "2M"], WITH_ORACLES),
  },
  "table-5": {
    title: "Implementation controls (accuracy %, fidelity, n)",
    published: {
      head: ["study", "model", "setting", "accuracy", "fidelity", "n"],
      rows: [
        ["layers", "Phi-3.5-mini", "K = 1", "62.5", "0.88", "8"],
        ["layers", "Phi-3.5-mini", "K = 6", "87.5", "1.00", "8"],
        ["layers, other split", "Phi-3.5-mini", "K = 12", "93.8", "0.95", "16"],
        ["steps", "Qwen3-4B", "20 + 10", "60.0", "0.87", "5"],
        ["steps", "Qwen3-4B", "60 + 30", "60.0", "0.99", "5"],
        ["steps", "Llama-3.1-8B", "20 + 10", "80.0", "1.00", "5"],
        ["gate", "Qwen3-4B", "0.45", "60.0", "0.97", "5"],
        ["gate", "Qwen3-4B", "0.75", "60.0", "0.99", "5"],
        ["gate", "Llama-3.1-8B", "0.45", "40.0", "0.62", "5"],
        ["gate", "Llama-3.1-8B", "0.75", "80.0", "1.00", "5"],
        ["dense routing alone", "Qwen3-4B", "", "60.0", "0.99", "5"],
        ["dense routing alone", "Llama-3.1-8B", "", "80.0", "1.00", "5"],
        ["deletion", "each", "8 of 64 removed, recall of them", "0.0", "-", "8"],
        ["deletion", "each", "retained outputs that changed", "0.0", "-", "56"],
      ],
    },
    run: evaluation("babilong", ["qa1", "qa2"], ["16k"], CONTROLS, ["layers", "steps", "gates", "deletion"]),
  },
  "figure-4": {
    title: "BABILong accuracy by length: QA1 at 2M, and what the text says of QA2",
    published: {
      head: MODELS,
      rows: [
        ["ours, QA1 at 2M", "50", "67", "80"],
        ["ours, QA1 at 128K and 256K (figure 6)", "100", "100", "100"],
        ["ours, QA2 at 1M", "50 (n = 2)", "0", "0"],
      ],
    },
    run: evaluation("babilong", ["qa1", "qa2"], LENGTHS, COMPARED),
  },
  "figure-5": {
    title: "Peak GPU memory by length, GB; here: what each method keeps of a text, in bytes",
    published: {
      head: MODELS,
      rows: [
        ["ours, 4K to 2M", "9.3 to 10.3", "9.3 to 10.3", "17.1 to 17.9"],
        ["growth of its store, 4K to 2M", "below 0.8", "below 0.8", "below 0.8"],
        ["chunk RAG over truncation, 4K", "2.9 to 3.7 more", "2.9 to 3.7 more", "2.9 to 3.7 more"],
        ["chunk RAG over truncation, 2M", "7.4 to 8.9 more", "7.4 to 8.9 more", "7.4 to 8.9 more"],
        ["full context, from 8K on", "above ours", "above ours", "above ours"],
      ],
    },
    run: evaluation("babilong", ["qa1"], ["4k", "16k", "128k", "1M", "2M"], COMPARED),
  },
  "figure-6": {
    title: "BABILong by task and length, proposed method",
    published: {
      head: MODELS,
      rows: [
        ["QA1, 128K and 256K", "100", "100", "100"],
        ["QA2, 128K (n = 7)", "42.9", "42.9", "42.9"],
        ["QA3 and QA4, from 16K", "at or near 0", "at or near 0", "at or near 0"],
      ],
    },
    run: evaluation("babilong", ["qa1", "qa2", "qa3", "qa4", "qa5"], ["0k", "16k", "128k", "256k"], ["ours"]),
  },
  "figure-7": {
    title: "Capacity of one layer: recall of template facts, 128 to 4,096",
    published: {
      head: ["", "Phi-3.5-mini"],
      rows: [
        ["template facts, mean recall", "93.6 to 98.5"],
        ["template facts, fidelity", "near 0.94"],
      ],
    },
    run: { evaluation: null, studies: ["capacity"] },
  },
  "figure-8": {
    title: "Needle depth, Phi-3.5-mini, five places",
    published: {
      head: ["method", "16K", "128K", "2M"],
      rows: [
        ["ours", "100", "100", "100"],
        ["chunk RAG", "72 to 90", "72 to 90", "72 to 73"],
      ],
    },
    run: evaluation(
      "depth",
      ["paraphrase"],
      ["16k", "128k", "2M"],
      ["ours", "truncation", "sinks", "rag-reranked", "rag"],
    ),
  },
  "figure-9": {
    title: "Routing probe from NoLiMa at 256K",
    published: {
      head: ["questions", "ours", "chunk RAG"],
      rows: [
        ["direct, depth 1", "12.5", "87.5"],
        ["direct, depth 3", "12.5", "87.5"],
        ["one hop, depth 3", "0", "25"],
      ],
    },
    run: evaluation("probe", ["direct", "onehop"], ["256k"], ["ours", "rag-reranked", "rag"]),
  },
};

export const PAPER_NAMES = Object.keys(PAPER_ENTRIES);

/** A run as the paper judges it: BABILong by the older rule, that the answer stands somewhere in what is said. */
export const judgedAsPublished = (run: Evaluation): Evaluation =>
  run.header.primary === "babilong-strict"
    ? { ...run, header: { ...run.header, primary: "babilong-substring" satisfies ScorerName } }
    : run;

/** @throws on a name that the paper has not, with those it has */
export const paperEntry = (name: string): PaperEntry =>
  present(
    PAPER_ENTRIES[name],
    () => `evaluate: the paper's "${name}" is not here; there are ${PAPER_NAMES.join(", ")}`,
  );
