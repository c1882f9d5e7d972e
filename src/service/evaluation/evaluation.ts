/** @file Evaluations and studies on the open model: plans the records that the page asks for, and makes them. */

import type { Engine } from "../../engine/engine.ts";
import {
  estimatedGpt2,
  type TokenCounter,
  type BenchmarkData,
  type UserFile,
} from "../../evaluate/benchmarks/benchmark.ts";
import { BENCHMARK_NAMES, BENCHMARKS, type BenchmarkName } from "../../evaluate/benchmarks/registry.ts";
import type { MethodContext, Need } from "../../evaluate/methods/method.ts";
import { able, chosenMethods } from "../../evaluate/methods/registry.ts";
import { plannedSamples, runEvaluation, type EvaluationWork } from "../../evaluate/run.ts";
import { plannedHeader, plannedStudy } from "../../evaluate/runs/header.ts";
import { sizeOf } from "../../evaluate/runs/pace.ts";
import { plannedCases, runStudy, settingsOf } from "../../evaluate/studies/run.ts";
import type { StudyContext } from "../../evaluate/studies/study.ts";
import { Shelf } from "../../evaluate/shelf.ts";
import { textTokens } from "../../evaluate/tokens.ts";
import { assert, present } from "../../lib/assert.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { HELPERS, type EvaluationChoice, type Helper } from "../../records/evaluation.ts";
import type { Fact } from "../../records/fact.ts";
import type { DocumentId } from "../../records/ids.ts";
import type { StudyName, StudySettings } from "../../records/studies.ts";
import type { MethodParams } from "../../records/params.ts";
import type { RecordsProgress, RunHeader, RunRecord } from "../../records/run.ts";
import type { Document } from "../../records/source.ts";
import type { Store } from "../../store/port.ts";
import { additionsTo } from "../../store/additions.ts";
import { inMemoryStore } from "../../store/inMemory.ts";
import type { PackedFiles } from "../types.ts";
import { unpackedText } from "../../lib/gzip.ts";

export interface EvaluationArgument extends EvaluationChoice {
  readonly notebook: string;
  readonly params: MethodParams;
  readonly files: readonly BroughtFile[];
  readonly app: string;
}

export interface StudyArgument {
  readonly study: StudyName;
  readonly settings: StudySettings;
  readonly params: MethodParams;
  readonly seed: number;
  readonly app: string;
  /** The memory whose facts are kind "memory"; null for studies over made facts. */
  readonly memory: string | null;
  readonly document: DocumentId | null;
}

export type RunArgument = EvaluationArgument | StudyArgument;

export interface RunPlan {
  /** The run of its records: all evaluations of the same settings, app and files go into one; a study is always new. */
  readonly run: string;
  readonly header: RunHeader;
  readonly ids: readonly string[];
}

export type RunEvent =
  | { readonly kind: "record"; readonly record: RunRecord }
  | { readonly kind: "progress"; readonly progress: RecordsProgress };

export interface EvaluationParts {
  /** Waits while runs are paused, and stops on the signal. */
  readonly engine: Engine;
  readonly signal: AbortSignal;
  readonly files: PackedFiles;
  readonly embedder: boolean;
  readonly helpers: Pick<MethodContext, Helper>;
  readonly facts: (memory: string) => Promise<readonly Fact[]>;
  readonly document: (id: DocumentId) => Promise<Document>;
  /** Empty, for one study alone. */
  readonly store: Store;
  readonly now: () => number;
  readonly date: () => string;
}

const NEEDS: Readonly<Record<Need, string>> = {
  embedder: "a text embedder, which is chosen in a memorise cell",
  reranker: "a cross-encoder, which is chosen in the benchmark cell",
  compressor: "a compressor, which is chosen in the benchmark cell",
};

/** Limits of a run. An imported notebook may have any values. */
const MOST_SAMPLES = 1000;
const MOST_TOKENS = 10_000_000;
const MOST_NAMES = 100;

function assertBounded({ samples, tasks, lengths, methods }: EvaluationArgument): void {
  const longest = Math.max(0, ...lengths.map(sizeOf));
  const names = Math.max(tasks.length, lengths.length, methods.length);
  assert(
    Number.isInteger(samples) &&
      samples >= 1 &&
      samples <= MOST_SAMPLES &&
      longest <= MOST_TOKENS &&
      names <= MOST_NAMES,
    () =>
      `evaluate: ${samples} samples at up to ${longest} tokens, and up to ${names} tasks, lengths or methods are asked for; ` +
      `at most ${MOST_SAMPLES} samples, ${MOST_TOKENS} tokens and ${MOST_NAMES} of each can be planned, so choose fewer`,
  );
}

async function opened(
  argument: EvaluationArgument,
  { engine, files, embedder, helpers, date }: EvaluationParts,
) {
  assertBounded(argument);
  const data: Record<string, string> = {};
  const brought = await broughtFiles(argument.files);
  const model: TokenCounter = {
    name: `tokens of ${engine.model.name}`,
    count: (text) => textTokens(engine, text).length,
  };
  const name = present(
    BENCHMARK_NAMES.find((one) => one === argument.benchmark),
    () => `evaluate: there is no benchmark "${argument.benchmark}"; there are ${BENCHMARK_NAMES.join(", ")}`,
  ) satisfies BenchmarkName;
  const benchmark = await BENCHMARKS[name].open({
    ...argument,
    ...{ data: packedData(files, data), files: brought.files, gpt2: estimatedGpt2, model, backgrounds: 0 },
  });
  const has = new Set<Need>([
    ...(embedder ? (["embedder"] as const) : []),
    ...HELPERS.filter((name) => helpers[name] !== null),
  ]);
  const { able: methods, leftOut } = able(chosenMethods(argument.methods), has, NEEDS);
  const header = plannedHeader({ ...argument, shard: "1/1", created: date() }, engine, benchmark, {
    ...{ data: { ...data, ...brought.hashes }, leftOut, methods: methods.map((one) => one.name) },
    ...{ reranker: helpers.reranker?.name ?? null, compressor: helpers.compressor?.name ?? null },
  });
  return { benchmark, methods, header, brought: brought.hashes };
}

/** Plans a run. @throws if the benchmark, a method or a setting is unknown */
export async function planRun(argument: RunArgument, parts: EvaluationParts): Promise<RunPlan> {
  if ("study" in argument) {
    const { study, params, seed, app } = argument;
    const settings = settingsOf(study, argument.settings);
    const header = plannedStudy({ study, settings, params, seed, app, created: parts.date() }, parts.engine);
    return { run: header.id, header, ids: plannedCases(study, settings) };
  }
  const { brought, ...work } = await opened(argument, parts);
  // Another version of the app may make something else of a case: it gets its own run.
  const run = sha256Hex(JSON.stringify([argument.notebook, argument.app, work.header.key, brought]));
  return { run: `evaluation-${run.slice(0, 24)}`, header: work.header, ids: plannedSamples(work) };
}

export async function makeRecords(
  argument: RunArgument & { readonly have: readonly string[] },
  parts: EvaluationParts,
  send: (event: RunEvent) => void,
): Promise<number> {
  const onProgress: StudyContext["onProgress"] = (progress) => send({ kind: "progress", progress });
  const have = new Set(argument.have);
  const sendAll = async (records: AsyncIterable<RunRecord>): Promise<number> => {
    let made = 0;
    for await (const record of records) {
      send({ kind: "record", record });
      made++;
    }
    return made;
  };
  if ("study" in argument) {
    const context = { ...(await studyContext(argument, parts)), onProgress };
    return sendAll(runStudy(argument.study, context, argument.settings, have));
  }
  const { engine, helpers, signal, now, date } = parts;
  const { benchmark, methods, header } = await opened(argument, parts);
  const shelf = new Shelf({ engine, now, date, signal, newStore: () => inMemoryStore(), additionsTo });
  const { params, budgets } = header;
  const work: EvaluationWork = {
    ...{ header, benchmark, methods, shard: [1, 1], have, onProgress },
    context: { engine, budgets, params, shelf, ...helpers, now, signal },
  };
  try {
    return await sendAll(runEvaluation(work));
  } finally {
    await shelf.clear();
  }
}

const studyContext = async (
  { memory, document, params, seed }: StudyArgument,
  { engine, store, now, date, signal, ...parts }: EvaluationParts,
): Promise<StudyContext> => ({
  ...{ engine, store, now, date, signal, params, seed },
  ...(memory === null ? {} : { facts: await parts.facts(memory) }),
  ...(document === null ? {} : { document: await parts.document(document) }),
});

/** A file of cases from outside; packed if its name ends in .gz. */
export interface BroughtFile {
  readonly name: string;
  readonly file: Blob;
}

/** Benchmark data from packed files. The hash of every file that is read is added to `hashes`. */
const packedData = (files: PackedFiles, hashes: Record<string, string>): BenchmarkData => ({
  async text(path) {
    assert(
      (await files.names()).includes(path),
      () => `evaluate: this app comes without ${path}; build it with the data folder of the repository`,
    );
    const bytes = await files.read(path);
    hashes[path] = sha256Hex(bytes);
    return textOf(bytes, path, MOST_BYTES);
  },
  list: async (folder) => (await files.names()).filter((name) => name.startsWith(`${folder}/`)).sort(),
});

/** Limit of all files together, unpacked: several times a benchmark file with 128K tokens per record. */
const MOST_BYTES = 2 ** 27;

/** Brought files, with the hash of each. @throws if they are too large for a tab, also unpacked */
export async function broughtFiles(
  brought: readonly BroughtFile[],
): Promise<{ readonly files: readonly UserFile[]; readonly hashes: Readonly<Record<string, string>> }> {
  const files: UserFile[] = [];
  const hashes: Record<string, string> = {};
  let room = MOST_BYTES;
  for (const { name, file } of brought) {
    assert(file.size <= room, () => tooLarge(name));
    const bytes = new Uint8Array(await file.arrayBuffer());
    const plain = name.replace(/\.gz$/, "");
    hashes[plain] = sha256Hex(bytes);
    const text = await textOf(bytes, name, room);
    room -= text.length;
    files.push({ name: plain, text });
  }
  return { files, hashes };
}

const tooLarge = (name: string): string =>
  `evaluate: with ${name} the files have more than ${MOST_BYTES} bytes unpacked; give fewer records, or run them by the command line`;

const textOf = (bytes: Uint8Array<ArrayBuffer>, name: string, most: number): Promise<string> =>
  unpackedText(bytes, most, () => tooLarge(name));
