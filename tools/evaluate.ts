/**
 * @file `npm run evaluate`: methods on a benchmark, sample by sample into a run file that can be stopped, continued,
 * split over machines and merged; its report; the paper's tables.
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { budgetNote } from "../src/evaluate/budgets.ts";
import type { OpenBenchmark } from "../src/evaluate/benchmarks/benchmark.ts";
import { BENCHMARK_NAMES, BENCHMARKS, type BenchmarkName } from "../src/evaluate/benchmarks/registry.ts";
import { exported } from "../src/evaluate/exchange/exports.ts";
import { imported } from "../src/evaluate/exchange/imports.ts";
import type { Need } from "../src/evaluate/methods/method.ts";
import { able, chosenMethods, METHODS } from "../src/evaluate/methods/registry.ts";
import {
  judgedAsPublished,
  PAPER_ENTRIES,
  type PaperEntry,
  type PaperEvaluation,
} from "../src/evaluate/paper.ts";
import { markdown, report } from "../src/evaluate/report.ts";
import { ofShard, runEvaluation, type Shard } from "../src/evaluate/run.ts";
import { lineOf, merged } from "../src/evaluate/runs/file.ts";
import { plannedHeader } from "../src/evaluate/runs/header.ts";
import { Shelf } from "../src/evaluate/shelf.ts";
import { textTokens } from "../src/evaluate/tokens.ts";
import { isDone } from "../src/evaluate/unanswered.ts";
import type { CrossEncoder, Engine, TokenKeeper } from "../src/engine/engine.ts";
import type { TransformersSource } from "../src/engine/transformersFiles.ts";
import { transformersCompressor, transformersReranker } from "../src/engine/transformersHelpers.ts";
import { DTYPES } from "../src/records/model.ts";
import {
  PROMPT_FORMS,
  VARIANTS,
  type Evaluation,
  type EvaluationHeader,
  type PromptForm,
  type Variant,
} from "../src/records/evaluation.ts";
import { SHARP, type MethodParams } from "../src/records/params.ts";
import { additionsTo } from "../src/store/additions.ts";
import { inMemoryStore } from "../src/store/inMemory.ts";
import { memoryFileStore } from "./node/memoryFile.ts";
import {
  BUNDLED_MODEL,
  choiceOption,
  EMBEDDER_OPTIONS,
  EMBEDDER_USAGE,
  embedderOption,
  numberOption,
  openModel,
  PRECISION_OPTION,
  PRECISION_USAGE,
  precisionOption,
  runCommand,
  transformersSource,
  UsageError,
} from "./cli.ts";
import type { RecordsProgress } from "../src/records/run.ts";
import { commit } from "./commit.ts";
import {
  LONGEST_PROMPT,
  append,
  assertContinues,
  continued,
  diskData,
  gpt2Counter,
  mergedRun,
  record,
  RECORDED,
  runPath,
  userFilesOf,
  writeFiles,
} from "./evaluateData.ts";
import { METHOD_OPTIONS, methodHelp, methodParams } from "./methodOptions.ts";

const USAGE = `Usage: npm run evaluate -- --benchmark NAME --out DIR [options]
       npm run evaluate -- --paper NAME --out DIR [options]
       npm run evaluate -- --report DIR [--report DIR …] [--record DIR | --export FORM --to DIR]
  --benchmark NAME   ${BENCHMARK_NAMES.map((name) => `${name}: ${BENCHMARKS[name].about}`).join(`\n${" ".repeat(21)}`)}
  --tasks A,B        tasks of the benchmark (default: its first)
  --lengths A,B      e.g. 0k,16k,128k,2M (default: one of the shortest)
  --methods A,B      default ours,truncation,rag:
${Object.entries(METHODS)
  .map(
    ([name, { about, option }]) =>
      `    ${name.padEnd(16)} ${about}${option ? ` (${name}:… ${option.about})` : ""}`,
  )
  .join("\n")}
  --n N              samples of each task and length (default 10)
  --prompt FORM      ours (default, what the bundled model knows) or benchmark
  --variants A,B     ${VARIANTS.join(", ")} (default whole): the text as it is, without its evidence, with another answer in it
  --backgrounds N    samples of a length share N background texts (default: one each, as is official)
  --shard I/N        only every Nth case from the Ith on; parts in one folder are merged by --report
  --out DIR          folder of the run; an existing run is continued
  --file FILE        your own cases, can be repeated (benchmarks files, table, probe)
  --data DIR         default data
  --tokenizer DIR    a folder with GPT-2's tokenizer.json: counts lengths (otherwise estimated)
  --model DIR        default public/models/palimpsest-7m     --backend cpu|webgpu     --seed N (default 42)
  --threads N        of the CPU (default: all cores); one where other work has them. A run goes on with as many as it was begun with
${PRECISION_USAGE}
${EMBEDDER_USAGE}
  --keep DIR         keeps the memories of shared backgrounds in files: a continued run need not make them again
  --reranker DIR     a cross-encoder (ONNX, transformers.js layout) for rag-reranked; hub:OWNER/NAME asks the Hub for it
  --compressor DIR   a token classifier of LLMLingua-2 (ONNX, transformers.js layout) for llmlingua; hub:OWNER/NAME likewise
  --reranker-dtype T, --compressor-dtype T   their weights: ${DTYPES.join(", ")} (fp32)
  --paper NAME       runs a table or figure of the paper and prints its numbers: ${Object.keys(PAPER_ENTRIES).join(", ")};
                     --n, --lengths, --tasks and --methods change it. BABILong is judged as there, by the older substring rule
  --report DIR       tables of a run: accuracy with intervals, comparisons, stages, sizes
  --record DIR       the runs of --report as docs/runs keeps them: ${RECORDED}, prompts of more than ${LONGEST_PROMPT} characters as hashes
  --export lm-eval   the runs of --report as samples of lm-evaluation-harness, into --to DIR
  --import FILE      predictions (samples of lm-eval, tables of BABILong) to add to the runs of --report, as --as NAME
${methodHelp()}`;

const OPTIONS = {
  benchmark: { type: "string" },
  tasks: { type: "string" },
  lengths: { type: "string" },
  methods: { type: "string" },
  n: { type: "string", default: "10" },
  prompt: { type: "string", default: "ours" },
  variants: { type: "string", default: "whole" },
  backgrounds: { type: "string", default: "0" },
  shard: { type: "string", default: "1/1" },
  out: { type: "string" },
  file: { type: "string", multiple: true, default: [] as string[] },
  data: { type: "string", default: "data" },
  tokenizer: { type: "string" },
  model: { type: "string", default: BUNDLED_MODEL },
  backend: { type: "string", default: "cpu" },
  threads: { type: "string" },
  seed: { type: "string", default: "42" },
  paper: { type: "string" },
  report: { type: "string", multiple: true },
  record: { type: "string" },
  export: { type: "string" },
  to: { type: "string" },
  import: { type: "string", multiple: true, default: [] as string[] },
  as: { type: "string", default: "others" },
  reranker: { type: "string" },
  compressor: { type: "string" },
  "reranker-dtype": { type: "string", default: "fp32" },
  "compressor-dtype": { type: "string", default: "fp32" },
  keep: { type: "string" },
  ...PRECISION_OPTION,
  ...EMBEDDER_OPTIONS,
  ...METHOD_OPTIONS,
} as const;

/** An evaluation as the command line asks for it. */
export interface EvaluateCommand {
  readonly benchmark: BenchmarkName;
  readonly tasks: readonly string[];
  readonly lengths: readonly string[];
  readonly methods: readonly string[];
  readonly samples: number;
  readonly prompt: PromptForm;
  readonly variants: readonly Variant[];
  readonly backgrounds: number;
  readonly shard: Shard;
  readonly seed: number;
  readonly params: MethodParams;
  readonly out: string;
}

type Values = ReturnType<typeof readOptions>;
export const readOptions = (args: readonly string[]) =>
  parseArgs({ args: [...args], options: OPTIONS }).values;

const listed = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== ""),
  ),
];

const USUAL_METHODS = ["ours", "truncation", "rag"];

const paperEntry = (name: string): PaperEntry =>
  PAPER_ENTRIES[choiceOption("paper", name, Object.keys(PAPER_ENTRIES))]!;

/** The evaluation of a table of the paper; undefined without a name. */
function paperRun(name: string | undefined): PaperEvaluation | undefined {
  if (name === undefined) return undefined;
  const { run, title } = paperEntry(name);
  if (run.evaluation) return run.evaluation;
  const commands = run.studies.map((study) => `npm run study -- ${study}`).join(", ");
  throw new UsageError(`--paper ${name} (${title}) is run by studies: ${commands}`);
}

/** @throws UsageError */
export function parseCommand(values: Values): EvaluateCommand {
  const paper = paperRun(values.paper);
  const benchmark = values.benchmark ?? paper?.benchmark;
  if (benchmark === undefined)
    throw new UsageError("--benchmark is missing, or --paper with a table, or --report with a folder");
  if (values.out === undefined) throw new UsageError("--out is missing: a folder for the run");
  const [, part, of] = /^(\d+)\/(\d+)$/.exec(values.shard) ?? [];
  const shard: Shard = [Number(part), Number(of)];
  if (!(shard[0] >= 1 && shard[0] <= shard[1]))
    throw new UsageError(`--shard is "${values.shard}", expected I/N with I from 1 to N, e.g. 2/8`);
  const whole = { min: 1, whole: true };
  const listOf = (text: string | undefined, otherwise: readonly string[] = []): readonly string[] =>
    text === undefined ? otherwise : listed(text);
  const methods = listOf(values.methods, paper?.methods ?? USUAL_METHODS);
  try {
    chosenMethods(methods);
  } catch (error) {
    throw new UsageError(`--methods: ${(error as Error).message}`);
  }
  return {
    benchmark: choiceOption("benchmark", benchmark, BENCHMARK_NAMES),
    tasks: listOf(values.tasks, paper?.tasks),
    lengths: listOf(values.lengths, paper?.lengths),
    methods,
    samples: numberOption("n", values.n, whole)!,
    prompt: choiceOption("prompt", values.prompt, PROMPT_FORMS),
    variants: listed(values.variants).map((one) => choiceOption("variants", one, VARIANTS)),
    backgrounds: numberOption("backgrounds", values.backgrounds, { min: 0, whole: true })!,
    shard,
    seed: numberOption("seed", values.seed, { min: 0, max: 2 ** 32 - 1, whole: true })!,
    params: methodParams({ preset: values.preset, set: values.set }, {}, SHARP),
    out: values.out,
  };
}

async function main(): Promise<void> {
  const values = readOptions(process.argv.slice(2));
  if (values.report) {
    reportRuns(values, values.report);
    return;
  }
  const command = parseCommand(values);
  const backend = choiceOption("backend", values.backend, ["cpu", "webgpu"]);
  const threads = numberOption("threads", values.threads, { min: 1, whole: true });
  const options = { ...precisionOption(values), ...(threads === undefined ? {} : { threads }) };
  const { engine, device } = await openModel(values.model, backend, embedderOption(values), options);
  try {
    await evaluate(command, values, engine);
  } finally {
    await engine.dispose();
    await device.dispose();
  }
}

/** Prints, records or exports the runs of some folders, with imported predictions. */
function reportRuns(values: Values, folders: readonly string[]): void {
  const own = mergedRun(folders);
  const others = userFilesOf(values.import, {}).map((file) => imported(file, values.as, own.header));
  const run = others.length === 0 ? own : merged([own, ...others], folders.join(", "));
  if (values.record !== undefined) {
    const bytes = record(values.record, run);
    console.log(`${run.samples.length} samples, ${bytes} bytes in ${values.record}/${RECORDED}`);
    return;
  }
  if (values.export === undefined) {
    process.stdout.write(tables(run, values.paper));
    return;
  }
  choiceOption("export", values.export, ["lm-eval"]);
  if (values.to === undefined) throw new UsageError("--to is missing: a folder for the exported files");
  const files = exported(run);
  writeFiles(values.to, files);
  console.log(`${files.length} files in ${values.to}`);
}

async function evaluate(command: EvaluateCommand, values: Values, engine: Engine): Promise<void> {
  const data: Record<string, string> = {};
  const benchmark = await BENCHMARKS[command.benchmark].open({
    ...command,
    data: diskData(values.data, data),
    files: userFilesOf(values.file, data),
    gpt2: await gpt2Counter(values.tokenizer),
    model: { name: `tokens of ${engine.model.name}`, count: (text) => textTokens(engine, text).length },
  });
  const needs: readonly Need[] = ["embedder", "reranker", "compressor"];
  const has = new Set(needs.filter((need) => values[need] !== undefined));
  const { able: methods, leftOut } = able(chosenMethods(command.methods), has);
  const helpers = await openHelpers(values);
  const { reranker, compressor } = helpers;
  const header = plannedHeader(
    { ...command, shard: command.shard.join("/"), app: commit() ?? "unknown", created: date() },
    engine,
    benchmark,
    {
      ...{ data, leftOut, methods: methods.map(({ name }) => name) },
      ...{ reranker: reranker?.name ?? null, compressor: compressor?.name ?? null },
    },
  );
  tell(header, benchmark, command);
  const path = runPath(command.out, command.shard);
  const existing = continued(path);
  if (existing) assertContinues(command.out, existing.header, header);
  if (existing === null || !sameScope(existing.header, header)) append(path, lineOf(header));
  const { params } = header;
  const now = () => performance.now();
  const shelf = new Shelf({
    engine,
    now,
    date,
    additionsTo,
    newStore: (name) =>
      name === undefined || values.keep === undefined
        ? inMemoryStore()
        : memoryFileStore(join(values.keep, `${name}.zip`)),
  });
  const context = { engine, budgets: header.budgets, params, shelf, reranker, compressor, now };
  const have = new Set(existing?.samples.filter(isDone).map(({ id }) => id));
  const work = { header, benchmark, methods, context, shard: command.shard, have, onProgress: printer() };
  for await (const sample of runEvaluation(work)) append(path, lineOf(sample));
  process.stdout.write(tables(mergedRun([command.out]), values.paper));
}

/** The tables of a run; for a table of the paper, judged as there, with the published numbers. */
export const tables = (run: Evaluation, paper: string | undefined): string =>
  paper === undefined
    ? report(run)
    : `${report(judgedAsPublished(run))}\n${publishedText(paperEntry(paper))}`;

/** The published numbers of the paper. */
function publishedText({ title, published: { head, rows }, run: { studies } }: PaperEntry): string {
  const commands = studies.map((study) => `npm run study -- ${study}`).join(", ");
  const also = studies.length === 0 ? "" : `\nIts other rows are studies: ${commands}.\n`;
  return `## The paper: ${title}\n\n${markdown(head, rows)}\n${also}`;
}

const date = (): string => new Date().toISOString();

/** The models that some methods need; null if not named. */
async function openHelpers(
  values: Values,
): Promise<{ reranker: CrossEncoder | null; compressor: TokenKeeper | null }> {
  const opened = async <T>(
    name: "reranker" | "compressor",
    open: (source: TransformersSource) => Promise<T>,
  ) => {
    const [from, dtype] = [values[name], choiceOption(`${name}-dtype`, values[`${name}-dtype`], DTYPES)];
    return from === undefined ? null : open(await transformersSource(`--${name}`, { from, dtype }));
  };
  return {
    reranker: await opened("reranker", transformersReranker),
    compressor: await opened("compressor", transformersCompressor),
  };
}

/** Whether a continued run asks for nothing that its last header does not name. */
function sameScope(a: EvaluationHeader, b: EvaluationHeader): boolean {
  const scope = ({ tasks, lengths, samples, methods, variants }: EvaluationHeader): string =>
    JSON.stringify([tasks, lengths, samples, methods, variants]);
  return scope(a) === scope(b);
}

/** Prints the plan of the run, and the methods that are left out. */
function tell(header: EvaluationHeader, { cases }: OpenBenchmark, { shard }: EvaluateCommand): void {
  console.error(planText(header, ofShard(cases, shard).length));
  const note = budgetNote(header.budgets, header.model.window);
  if (note !== null) console.error(note);
  for (const [name, lacks] of Object.entries(header.leftOut))
    console.error(`${name} is left out: it needs ${lacks}`);
}

/** The size of an evaluation before it starts. */
const planText = (
  { benchmark, methods, lengths, tasks, variants }: EvaluationHeader,
  cases: number,
): string =>
  `${benchmark}: ${cases} cases (${tasks.join(", ")}; ${lengths.map((length) => length || "all").join(", ")}), ` +
  `${methods.length} methods, ${variants.join(", ")}: ${cases * methods.length * variants.length} samples`;

function printer(): (progress: RecordsProgress) => void {
  return ({ done, total, note, left }) => {
    const rest = left === null ? "" : `   about ${Math.ceil(left / 1000)} s left`;
    console.error(`${done} / ${total}   ${note}${rest}`);
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runCommand(main, USAGE);
