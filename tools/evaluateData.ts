/** @file Runs on disk, appended to line by line, and the files that cases are made from. */

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import {
  type BenchmarkData,
  estimatedGpt2,
  type TokenCounter,
  type UserFile,
} from "../src/evaluate/benchmarks/benchmark.ts";
import { lineOf, readRun, readStudy, merged } from "../src/evaluate/runs/file.ts";
import { obstacle } from "../src/evaluate/runs/header.ts";
import { openText } from "../src/engine/text.ts";
import { sha256Hex } from "../src/lib/hash.ts";
import type { Evaluation } from "../src/records/evaluation.ts";
import type { Run, RunHeader } from "../src/records/run.ts";
import { nodeModelFiles } from "./node/nodeFile.ts";
import { UsageError } from "./cli.ts";

/** A data folder. The hash of every file that is read is added to `hashes`. */
export function diskData(folder: string, hashes: Record<string, string>): BenchmarkData {
  return {
    text(path) {
      const file = join(folder, path);
      if (!existsSync(file))
        throw new UsageError(`--data ${folder} has no ${path}; name a folder that has it`);
      return Promise.resolve(hashed(file, path, hashes));
    },
    list(name) {
      const inside = join(folder, name);
      if (!existsSync(inside))
        throw new UsageError(`--data ${folder} has no folder ${name}; name one that has it`);
      return Promise.resolve(
        readdirSync(inside)
          .sort()
          .map((file) => `${name}/${file}`),
      );
    },
  };
}

function hashed(file: string, name: string, hashes: Record<string, string>): string {
  hashes[name] = sha256Hex(readFileSync(file));
  return unpacked(file);
}

function unpacked(file: string): string {
  const bytes = readFileSync(file);
  return (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
}

/** The files of --file and --import. */
export const userFilesOf = (paths: readonly string[], hashes: Record<string, string>): UserFile[] =>
  paths.map((path) => {
    if (!existsSync(path)) throw new UsageError(`--file ${path}: no such file`);
    const name = basename(path, ".gz");
    return { name, text: hashed(path, name, hashes) };
  });

/** Counts tokens by the tokenizer.json of `folder`; without one, estimates those of GPT-2. */
export async function gpt2Counter(folder: string | undefined): Promise<TokenCounter> {
  if (folder === undefined) return estimatedGpt2;
  const { encode } = await openText(await nodeModelFiles(folder), { endTokens: [], vocabulary: Infinity });
  return { name: `tokens of ${basename(folder)}`, count: (text) => encode(text).length };
}

/** The file of a shard; all shards of an evaluation are in one folder. */
export const runPath = (folder: string, [part, of]: readonly [number, number]): string =>
  join(folder, of === 1 ? "run.jsonl" : `run-${part}-of-${of}.jsonl`);

/** Writes files into a folder, created if needed. @throws on a name outside the folder, before anything is written */
export function writeFiles(
  folder: string,
  files: readonly { readonly name: string; readonly content: string }[],
): void {
  const odd = files.find(({ name }) => name !== basename(name) || ["", ".", ".."].includes(name));
  if (odd) throw new UsageError(`${folder}: "${odd.name}" is not a file name; nothing was written`);
  mkdirSync(folder, { recursive: true });
  for (const { name, content } of files) writeFileSync(join(folder, name), content);
}

/**
 * The run in a file, without the half line that a kill may have left, which is cut off; null if the file has no run yet.
 * @throws UsageError if the file is something else
 */
export function continued(path: string): Evaluation | null;
export function continued(path: string, kind: "study"): Run | null;
export function continued(path: string, kind = "evaluation"): Evaluation | Run | null {
  if (!existsSync(path)) return null;
  const content = readFileSync(path, "utf8");
  const run = (kind === "study" ? readStudy : readRun)(content, path);
  // A kill may have left a piece of the header.
  if (run === null && !content.startsWith(`{"kind":"${kind}"`.slice(0, content.length)))
    throw new UsageError(`${path} is not a run; name another file or folder, its content would be lost`);
  truncateSync(path, Buffer.byteLength(content.slice(0, content.lastIndexOf("\n") + 1)));
  return run;
}

/** @throws UsageError if an existing run cannot be continued under `header` */
export function assertContinues(path: string, existing: RunHeader, header: RunHeader): void {
  const reason = obstacle(existing, header);
  if (reason !== "")
    throw new UsageError(
      `--out ${path}: the existing run ${reason}; name another one, or use the settings it was started with`,
    );
}

/** Appends a line to a run file, whose folder is created if needed. */
export function append(path: string, line: string): void {
  mkdirSync(join(path, ".."), { recursive: true });
  appendFileSync(path, line);
}

/** All evaluations of some folders as one. */
export function mergedRun(folders: readonly string[]): Evaluation {
  const runs = folders.flatMap((folder) => {
    if (!existsSync(folder))
      throw new UsageError(`${folder}: there is no such folder; run an evaluation into it first`);
    const files = readdirSync(folder)
      .filter((file) => /\.jsonl(\.gz)?$/.test(file))
      .sort();
    return files.flatMap((file) => readRun(unpacked(join(folder, file)), join(folder, file)) ?? []);
  });
  return merged(runs, folders.join(", "));
}

/** Prompts that a recorded run keeps, in characters at most. Our own are shorter; a window full of text is longer. */
export const LONGEST_PROMPT = 2500;

/**
 * An evaluation as the repository keeps it: long prompts, which text and method can make again, only as hashes, and
 * times in whole milliseconds.
 */
const recorded = ({ header, samples }: Evaluation): Evaluation => ({
  header,
  samples: samples.map((sample) => ({
    ...sample,
    prompt: sample.prompt !== null && sample.prompt.length > LONGEST_PROMPT ? null : sample.prompt,
    milliseconds: {
      prepare: Math.round(sample.milliseconds.prepare),
      answer: Math.round(sample.milliseconds.answer),
    },
  })),
});

/** The file name of a recorded run in docs/runs, which the page looks for. */
export const RECORDED = "run.jsonl.gz";

/** Writes a run as the repository keeps it; @returns the bytes of the file. */
export function record(folder: string, run: Evaluation): number {
  const { header, samples } = recorded(run);
  const bytes = gzipSync([header, ...samples].map(lineOf).join(""), { level: 9 });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, RECORDED), bytes);
  return bytes.length;
}
