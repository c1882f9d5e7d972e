/** @file Cases from the user's files: published records of four benchmarks, and tables of questions over a text. */

import { assert } from "../../lib/assert.ts";
import { groupBy } from "../../lib/group.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { Case, CasePlace } from "../../records/evaluation.ts";
import { labelsOf, type ScorerName } from "../scores/scorers.ts";
import {
  type Benchmark,
  type BenchmarkOptions,
  type MadeCase,
  type OpenBenchmark,
  type PlannedCase,
  printOf,
  type UserFile,
} from "./benchmark.ts";
import { babilongTurn, plainTurn } from "./prompts.ts";
import { babilongPlace, recordsOf, strings, type Fields } from "./userRecords.ts";

interface UserCase extends Pick<MadeCase, keyof Case | "labels">, Pick<CasePlace, "task" | "length"> {
  readonly primary: ScorerName;
}

const OPEN = { length: "", evidence: [], labels: null } as const;

type Reader = (fields: Fields, file: UserFile) => UserCase | null;

/** {input, question, target}; task and length are in the file's name, as upstream: "qa1_16k.json". */
const babilongRecord: Reader = ({ input: text, question, target }, { name }) => {
  if (typeof text !== "string" || typeof question !== "string" || typeof target !== "string") return null;
  const primary = "babilong-strict";
  return { ...babilongPlace(name), primary, text, question, gold: [target], evidence: [] };
};

/** {index, input, outputs, length}: the documents and the question are in the prompt. */
const rulerRecord: Reader = ({ input, outputs, length }, { name }) => {
  if (typeof input !== "string" || !Array.isArray(outputs)) return null;
  const parts =
    /The following are given documents\.\n\n([\s\S]*)\n\nAnswer the question[\s\S]*?Question: ([\s\S]*?)(?:\s*Answer:)?\s*$/.exec(
      input,
    );
  assert(
    parts,
    () =>
      `evaluate: ${name}: a record of RULER holds no documents and question as its question answering has them; other tasks of RULER cannot be read`,
  );
  const [, text, question] = parts as unknown as readonly [string, string, string];
  const place = { ...OPEN, task: "qa", length: String(length ?? "") };
  return { ...place, primary: "ruler-part", text, question, gold: strings(outputs) };
};

/** Datasets that LongBench scores by F1 over English words; of triviaqa it reads only the first line of an answer. */
const LONG_BENCH = ["narrativeqa", "qasper", "multifieldqa_en", "hotpotqa", "2wikimqa", "musique"];

/** {input, context, answers, dataset, all_classes}. */
const longBenchRecord: Reader = ({ input: question, context: text, answers, dataset }, { name }) => {
  if (typeof text !== "string" || typeof question !== "string" || !Array.isArray(answers)) return null;
  const task = String(dataset ?? "").replace(/_e$/, "");
  assert(
    LONG_BENCH.includes(task),
    () =>
      `evaluate: ${name}: a record of LongBench is of the dataset "${String(dataset ?? "")}", which is not scored by F1 over English words; ` +
      `${LONG_BENCH.join(", ")} are read`,
  );
  return { ...OPEN, task, primary: "longbench-f1", text, question, gold: strings(answers) };
};

/** {id, context, input, answer, options}. */
const infiniteBenchRecord: Reader = ({ input: question, context: text, answer }) => {
  if (typeof text !== "string" || typeof question !== "string" || answer === undefined) return null;
  return { ...OPEN, task: "infinitebench", primary: "ruler-part", text, question, gold: strings(answer) };
};

const READERS: readonly Reader[] = [longBenchRecord, infiniteBenchRecord, rulerRecord, babilongRecord];

export const userFiles: Benchmark = {
  title: "Your files",
  about: "Records of BABILong, RULER, LongBench or InfiniteBench (JSON, or a record a line).",
  tasks: [],
  lengths: [],
  open(options): Promise<OpenBenchmark> {
    assert(
      options.files.length > 0,
      () => "evaluate: there is no file to take cases from; name one with --file",
    );
    const cases = options.files.flatMap((file) =>
      recordsOf(file).map((fields, i) => {
        const found = READERS.reduce<UserCase | null>((read, reader) => read ?? reader(fields, file), null);
        assert(
          found,
          () =>
            `evaluate: ${file.name}: record ${i + 1} has the fields ${Object.keys(fields).join(", ")}; ` +
            "expected those of BABILong (input, question, target), RULER (input, outputs), LongBench (context, input, answers) or InfiniteBench (context, input, answer)",
        );
        return found;
      }),
    );
    return Promise.resolve(opened("files", cases, options));
  },
};

/** {question, gold or answer, evidence}, over the texts in the other files. */
export const table: Benchmark = {
  title: "Your questions",
  about: "A table of questions (CSV, JSON, or a record a line) over any text.",
  tasks: [],
  lengths: [],
  open(options): Promise<OpenBenchmark> {
    const tables = options.files.filter(({ name }) => TABLE.test(name));
    const texts = options.files.filter(({ name }) => !TABLE.test(name));
    assert(
      tables.length > 0 && texts.length > 0,
      () =>
        "evaluate: a table of questions and a text are needed; name both with --file, FILE.csv or .json or .jsonl and FILE.txt",
    );
    const text = texts.map((file) => file.text).join("\n\n");
    const cases = tables.flatMap((file) =>
      recordsOf(file).map((fields, i) => tableCase(fields, text, file.name, i)),
    );
    return Promise.resolve(opened("table", cases, options));
  },
};

const TABLE = /\.(?:csv|json|jsonl)$/i;

function tableCase(fields: Fields, text: string, name: string, i: number): UserCase {
  const { question, evidence } = fields;
  const gold = strings(fields["gold"] ?? fields["answers"] ?? fields["answer"]);
  assert(
    typeof question === "string" && gold.length > 0,
    () =>
      `evaluate: ${name}: row ${i + 1} has the columns ${Object.keys(fields).join(", ")}; "question" and "gold" are needed`,
  );
  const needed = strings(evidence);
  const missing = needed.find((sentence) => !text.includes(sentence));
  assert(
    missing === undefined,
    () =>
      `evaluate: ${name}: row ${i + 1}: the evidence "${missing}" does not stand in the text; copy it as it is there`,
  );
  return { ...OPEN, task: "questions", primary: "ruler-part", text, question, gold, evidence: needed };
}

function opened(
  benchmark: string,
  all: readonly UserCase[],
  { tasks, samples, files }: BenchmarkOptions,
): OpenBenchmark {
  const wanted = all.filter(({ task }) => tasks.length === 0 || tasks.includes(task));
  const primaries = new Set(wanted.map(({ primary }) => primary));
  assert(
    primaries.size === 1,
    () =>
      `evaluate: ${wanted.length} records are judged by ${[...primaries].join(" and ") || "no score"}; give files of one benchmark at a time`,
  );
  const cells = [...groupBy(wanted, ({ task, length }) => JSON.stringify([task, length])).values()];
  const cases = cells.flatMap((cell) =>
    cell.slice(0, samples).map(({ task, length, primary: _, ...own }, index): PlannedCase => {
      const known = own.labels ?? all.flatMap(({ gold }) => gold);
      const others = known.filter((one) => !own.gold.includes(one));
      return {
        place: { benchmark, task, length, depth: null, index },
        make: () => ({ ...own, others, cluster: sha256Hex(own.text).slice(0, 16) }),
      };
    }),
  );
  return {
    tasks: [...new Set(wanted.map(({ task }) => task))],
    lengths: [...new Set(wanted.map(({ length }) => length))],
    cases,
    primary: [...primaries][0]!,
    answerTokens: 32,
    turn: (task) => (labelsOf(task) === undefined ? plainTurn : babilongTurn(task)),
    settings: { files: printOf(files) },
  };
}
