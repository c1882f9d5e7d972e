/** @file `npm run recall`: text in, memory out, questions answered from memory alone, facts deleted with proof. */

import { parseArgs } from "node:util";
import { answer, openMemory } from "../src/flow/answer.ts";
import type { FlowContext } from "../src/flow/context.ts";
import { findKey } from "./findKey.ts";
import { forget } from "../src/flow/forget.ts";
import { withoutKnown } from "../src/flow/extend.ts";
import { estimateRun, ruleFacts } from "../src/flow/estimateRun.ts";
import { ratesFor } from "../src/flow/observeRun.ts";
import { sayMemory } from "../src/flow/carry.ts";
import { memorize, memorizeSaid, resume, type MemorizeReport } from "../src/flow/memorize.ts";
import { totalSeconds } from "../src/plan/estimate.ts";
import { sayFacts, softVerdicts } from "../src/flow/sayFacts.ts";
import type { FactId } from "../src/records/ids.ts";
import type { Answer, DeletionCertificate } from "../src/records/answer.ts";
import { countFacts, type EntryMeta, precisionOf, type Memory } from "../src/records/memory.ts";
import { SHARP, type MethodParams } from "../src/records/params.ts";
import type { Document } from "../src/records/source.ts";
import { withVectors, type KeptMemory } from "../src/records/vectors.ts";
import { diskCache } from "./node/diskCache.ts";
import { inMemoryStore } from "../src/store/inMemory.ts";
import { memoryFileStore } from "./node/memoryFile.ts";
import {
  BUNDLED_MODEL,
  choiceOption,
  EMBEDDER_OPTIONS,
  EMBEDDER_USAGE,
  embedderOption,
  openModel,
  PRECISION_OPTION,
  PRECISION_USAGE,
  precisionOption,
  progressPrinter,
  readDocument,
  runCommand,
  UsageError,
} from "./cli.ts";
import { METHOD_OPTIONS, methodHelp, methodParams } from "./methodOptions.ts";
import { jsonReport, printReport, type RecallRun } from "./recallReport.ts";

const USAGE = `usage: npm run recall -- [--model DIR] [--text FILE …] [--ask "…" …] [--forget "Sandra (1)" …] [--store FILE]
  --preset sharp|paper   the method's parameters (default: those of the stored memory, or sharp)
  --layers K  --depth m  --capacity C  --steps N  --refine N  --theta T  --beta B  --anchors model|rules
                         short for --set layers=K and so on
  --cache DIR            stores the vectors of each fact by its content, so that a fact is not encoded twice;
                         --forget removes a fact from it too
  --reads both           reports for every fact the results of both reads, top-1 and soft
  --carry DIR            the model that the stored memory belongs to: it decodes the facts, --model writes them,
                         and the memory then belongs to --model
  --backend cpu|webgpu   where the model runs      --json            one JSON document on stdout
${PRECISION_USAGE}
                         a memory is read only in the precision that it was made with
${EMBEDDER_USAGE}
A FILE is plain text, Markdown, CSV, HTML, PDF, EPUB, Word, e-mail or subtitles. It is memorised first, then facts are forgotten, then questions
are answered. With --store the memory is one file, an archive that the page can import: a second call needs no --text.
Progress is saved to it during the run; an interrupted run continues from there.
${methodHelp()}`;

const OPTIONS = {
  model: { type: "string", default: BUNDLED_MODEL },
  text: { type: "string", multiple: true },
  reads: { type: "string" },
  ask: { type: "string", multiple: true },
  forget: { type: "string", multiple: true },
  store: { type: "string" },
  cache: { type: "string" },
  carry: { type: "string" },
  ...METHOD_OPTIONS,
  layers: { type: "string" },
  depth: { type: "string" },
  capacity: { type: "string" },
  steps: { type: "string" },
  refine: { type: "string" },
  theta: { type: "string" },
  beta: { type: "string" },
  anchors: { type: "string" },
  ...EMBEDDER_OPTIONS,
  ...PRECISION_OPTION,
  backend: { type: "string", default: "cpu" },
  json: { type: "boolean", default: false },
} as const;

type Options = ReturnType<typeof readOptions>;

function readOptions(args: readonly string[]) {
  return parseArgs({ args: [...args], options: OPTIONS }).values;
}

/** Short options for parameters that are often set. */
const SHORTHANDS = {
  layers: "layers",
  depth: "depth",
  capacity: "capacity",
  steps: "steps",
  refine: "refine",
  theta: "theta",
  beta: "beta",
  anchors: "anchors",
} as const;

/** The preset (or, if none is named, the parameters of the stored memory) with the changes of the command line. */
export const paramsOf = (options: Options, stored?: MethodParams): MethodParams =>
  methodParams(options, SHORTHANDS, stored ?? SHARP);

/** Options that make sense together. Rejects others before anything is opened. */
export function checkedOptions(args: readonly string[]): Options {
  const options = readOptions(args);
  paramsOf(options);
  precisionOption(options);
  if (options.reads !== undefined) choiceOption("reads", options.reads, ["both"]);
  if (!options.text?.length && !options.store)
    throw new UsageError("nothing to recall from: give --text, or --store with a memory");
  if (options.carry !== undefined && !options.store)
    throw new UsageError("--carry needs --store with the memory to carry over");
  for (const name of ["model", "store", "cache", "carry", "text", "ask", "forget"] as const)
    if ([options[name] ?? []].flat().some((value) => value.trim() === ""))
      throw new UsageError(`--${name} is empty`);
  return options;
}

/** Runs the command with the arguments `args`. */
export async function recallCommand(args: readonly string[]): Promise<void> {
  const options = checkedOptions(args);
  const backend = choiceOption("backend", options.backend, ["cpu", "webgpu"]);
  const started = performance.now();
  // Cheap checks come before opening the model.
  const documents = await Promise.all((options.text ?? []).map(readDocument));
  const store = options.store ? memoryFileStore(options.store) : inMemoryStore();
  const stored = (await store.open())?.params;
  if (!stored && (documents.length === 0 || options.carry !== undefined))
    throw new UsageError(`--store ${options.store} holds no memory yet; give --text to make one`);
  const params = paramsOf(options, stored);
  const precision = precisionOption(options);
  const { engine, device } = await openModel(options.model, backend, embedderOption(options), precision);
  try {
    const open = performance.now() - started;
    const context: FlowContext = {
      engine,
      store,
      params,
      now: () => performance.now(),
      date: () => new Date().toISOString(),
      onProgress: progressPrinter(),
      ...(options.cache ? { cache: diskCache(options.cache) } : {}),
    };
    if (options.carry) await carryOver(context, options.carry);
    const done = await recallRun(context, documents, options);
    const milliseconds = { open, total: performance.now() - started };
    const { capabilities, ledger } = device;
    const { decoding } = engine;
    const run: RecallRun = { ...done, params, capabilities, decoding, ledger, milliseconds };
    if (options.json) for (const piece of jsonReport(run)) process.stdout.write(piece);
    else printReport(run);
  } finally {
    await engine.dispose();
    await device.dispose();
  }
}

/** Replaces the stored memory by one of the open model, with the words that the model in `folder` decodes. */
async function carryOver(context: FlowContext, folder: string): Promise<void> {
  const stored = (await context.store.open())!; // checked by recallCommand
  const { engine, device } = await openModel(folder, "cpu", undefined, {
    precision: precisionOf(stored.model),
  });
  try {
    const said = await sayMemory(engine, stored);
    await memorizeSaid(context, said, null);
    console.error(`carried   ${said.anchors.length} facts, ${said.inexact.length} of them not word for word`);
    for (const key of said.inexact) console.error(`          not word for word: ${key}`);
  } finally {
    await engine.dispose();
    await device.dispose();
  }
}

/** Text is memorised first, then facts are forgotten, then questions are answered. */
async function recallRun(
  given: FlowContext,
  documents: readonly Document[],
  { forget: keys = [], ask = [], reads, json = false }: Options,
): Promise<Pick<RecallRun, "memory" | "said" | "memorized" | "certificates" | "answers">> {
  // Sentences that the run itself tested need not be decoded again.
  const tested = new Map<FactId, string>();
  const onSaid = (words: ReadonlyMap<FactId, string>): void => {
    for (const [id, text] of words) tested.set(id, text);
  };
  const context = { ...given, onSaid };
  const memorized = documents.length > 0 ? await estimatedRun(context, documents) : undefined;
  if (!memorized) await resume(context);
  const stored = (await context.store.open())!;
  const { memory, certificates } = await forgetKeys(context, stored, keys);
  const answers = await askAll(context, memory, ask);
  const readBack = memorized !== undefined && certificates.length === 0 && context.params.read === "soft";
  const judged = readBack ? memory : await withSoft(context, memory, reads === "both");
  const unknown = json ? memory.entries.filter(({ id }) => !tested.has(id)) : [];
  const said = new Map([...tested, ...(await sayFacts(context.engine, await withVectors(memory, unknown)))]);
  return { memory: judged, said, memorized, certificates, answers };
}

/** The memory with the results of the soft read, if the memory uses it or `both` reads are reported. */
async function withSoft(
  { engine, params }: FlowContext,
  memory: KeptMemory,
  both: boolean,
): Promise<Memory<EntryMeta>> {
  if (params.read !== "soft" && !both) return memory;
  return { ...memory, entries: await softVerdicts({ engine }, memory, params) };
}

/** Prints an estimate, and runs. */
async function estimatedRun(context: FlowContext, documents: readonly Document[]): Promise<MemorizeReport> {
  const stored = await context.store.open();
  const fresh = withoutKnown(documents, stored);
  if (fresh.length === 0) return memorize(context, documents);
  const head = stored && { ...stored, facts: countFacts(stored.entries), vectors: stored.entries.length };
  const found = await ruleFacts(fresh, context.params);
  const { rates } = ratesFor(context.engine, {});
  const { planned, seconds, work } = await estimateRun(context, found, head, rates);
  const total = totalSeconds(seconds, work);
  const time = total === null ? "" : `, about ${Math.ceil(total)} s`;
  console.error(`estimate  ${planned.length} facts${time}`);
  return memorize({ ...context, estimate: { seconds, rates: {} } }, documents);
}

async function forgetKeys(
  context: FlowContext,
  memory: KeptMemory,
  keys: readonly string[],
): Promise<{ memory: KeptMemory; certificates: DeletionCertificate[] }> {
  if (keys.length === 0) return { memory, certificates: [] };
  const ids = new Set(keys.map((key) => findKey(memory, key).id));
  const { certificate } = await forget(context, memory, ids);
  return { memory: (await context.store.open())!, certificates: [certificate] };
}

async function askAll(
  { engine, params, now }: FlowContext,
  memory: KeptMemory,
  questions: readonly string[],
): Promise<Answer[]> {
  const open = openMemory(engine, memory, params);
  try {
    const answers: Answer[] = [];
    for (const question of questions) answers.push(await answer(open, question, { now }));
    return answers;
  } finally {
    open.dispose();
  }
}

export const recallUsage = USAGE;

// Run only as a script: demo.ts imports the command.
if (process.argv[1]?.endsWith("recall.ts"))
  await runCommand(() => recallCommand(process.argv.slice(2)), USAGE);
