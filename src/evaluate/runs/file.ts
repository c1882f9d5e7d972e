/** @file Run files: a header and then records, a JSON document per line. A killed run may end in half a line. */

import { runLine, type CaseRecord, type Run, type RunHeader, type RunRecord } from "../../records/run.ts";
import { assert } from "../../lib/assert.ts";
import { checked } from "../../lib/check.ts";
import { isDeeper } from "../../lib/deepJson.ts";
import {
  VARIANTS,
  type Evaluation,
  type SampleRecord,
  type EvaluationHeader,
} from "../../records/evaluation.ts";
import { isDone } from "../unanswered.ts";
import { differences } from "./header.ts";
import { sizeOf } from "./pace.ts";

/** Limit of a file of a run or of predictions: some ten thousand samples with prompts of 16,000 characters. */
export const MOST_RUN_BYTES = 2 ** 28;
/** Limit of nested objects and lists in a line. */
const DEEPEST = 20;

export const lineOf = (line: RunHeader | RunRecord): string => `${JSON.stringify(line)}\n`;

/** Reads an evaluation; null without a complete line. @throws on an invalid line, and if headers are of different runs */
export function readRun(content: string, where: string): Evaluation | null {
  const lines = linesOf(content, where, "evaluation", "sample");
  const headers = lines.filter((line) => line.kind === "evaluation");
  const samples = lines.filter((line): line is SampleRecord => line.kind === "sample");
  return headers.length === 0 ? null : { header: mergedHeader(headers, where), samples: latest(samples) };
}

/** Reads a study, as {@link readRun}. */
export function readStudy(content: string, where: string): Run | null {
  const lines = linesOf(content, where, "study", "case");
  const [header] = lines.filter((line) => line.kind === "study");
  const cases = lines.filter((line): line is CaseRecord => line.kind === "case");
  return header === undefined ? null : { header, cases };
}

/** The complete lines of a file: a header of kind `first`, then records of kind `second`. */
function linesOf(content: string, where: string, first: RunHeader["kind"], second: RunRecord["kind"]) {
  assert(
    content.length <= MOST_RUN_BYTES,
    () =>
      `evaluate: ${where} has ${content.length} characters, the limit is ${MOST_RUN_BYTES}; split it by samples`,
  );
  const complete = content.slice(0, content.lastIndexOf("\n") + 1);
  const lines = complete.split("\n").slice(0, -1);
  return lines.map((text, i) => {
    const place = `${where}: line ${i + 1}`;
    const line = checked(runLine, parsed(text, place), `${place}: `);
    const allowed = i === 0 ? [first] : [first, second];
    assert(
      (allowed as readonly string[]).includes(line.kind),
      () => `${place}: a record of kind "${line.kind}", expected ${allowed.join(" or ")}`,
    );
    return line;
  });
}

function parsed(text: string, place: string): unknown {
  assert(!isDeeper(text, DEEPEST), () => `evaluate: ${place} nests deeper than ${DEEPEST} levels`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${place} is not valid JSON (${text.slice(0, 40)}…); remove that line or the file`, {
      cause: error,
    });
  }
}

/** One record per sample: the last one, unless it failed after an earlier success. */
export function latest(samples: readonly SampleRecord[]): SampleRecord[] {
  const found = new Map<string, SampleRecord>();
  for (const sample of samples) {
    const earlier = found.get(sample.id);
    if (!earlier || isDone(sample) || !isDone(earlier)) found.set(sample.id, sample);
  }
  return [...found.values()];
}

/** Merges parts of one evaluation in the order of their places. @throws without a part, or if headers are of different runs */
export function merged(parts: readonly Evaluation[], where: string): Evaluation {
  const header = mergedHeader(
    parts.map((part) => part.header),
    where,
  );
  assertOneText(parts, where);
  return { header, samples: inOrder(latest(parts.flatMap(({ samples }) => samples)), header) };
}

/** A sample of two runs must have the same text in both. Predictions of others do not name their text. */
function assertOneText(parts: readonly Evaluation[], where: string): void {
  const known = new Map<string, string>();
  for (const { samples } of parts) {
    const own = latest(samples).filter(({ textHash }) => textHash !== "");
    const other = own.find(({ id, textHash }) => (known.get(id) ?? textHash) !== textHash);
    assert(
      other === undefined,
      () =>
        `${where}: sample ${other!.index + 1} of ${other!.task} ${other!.length} was asked of two different texts; use a separate folder for each run`,
    );
    for (const { id, textHash } of own) known.set(id, textHash);
  }
}

/** The first header, with tasks, lengths, methods and files of all. @throws without one, or if they are of different runs */
export function mergedHeader(headers: readonly EvaluationHeader[], where: string): EvaluationHeader {
  const [first] = headers;
  assert(first, () => `${where} holds no run; run an evaluation into it first`);
  const other = headers.find((header) => differences(first, header) !== "");
  assert(
    other === undefined,
    () =>
      `${where}: runs of different kinds do not merge: ${differences(first, other!)} differ; use a separate folder for each`,
  );
  const union = (of: (header: EvaluationHeader) => readonly string[]) => [...new Set(headers.flatMap(of))];
  const names = {
    methods: union(({ methods }) => methods),
    tasks: union(({ tasks }) => tasks),
    // A run may begin with the longest.
    lengths: union(({ lengths }) => lengths).sort((a, b) => sizeOf(a) - sizeOf(b)),
  };
  assertShowable(names, where);
  const joined = (of: (header: EvaluationHeader) => Readonly<Record<string, string>>) =>
    Object.assign({}, ...headers.map(of)) as Readonly<Record<string, string>>;
  return {
    ...first,
    ...names,
    variants: VARIANTS.filter((one) => headers.some(({ variants }) => variants.includes(one))),
    samples: Math.max(...headers.map(({ samples }) => samples)),
    leftOut: joined(({ leftOut }) => leftOut),
    data: joined(({ data }) => data),
    shard: union(({ shard }) => [shard]).join(" "),
    reranker: headers.find(({ reranker }) => reranker !== null)?.reranker ?? null,
    compressor: headers.find(({ compressor }) => compressor !== null)?.compressor ?? null,
    app: union(({ app }) => app.split(", ")).join(", "),
  };
}

/** Tables and figures have a cell for each combination: an invented file must not keep a page from loading. */
const MOST_NAMES = 1000;
const MOST_CELLS = 20_000;

function assertShowable(
  { methods, tasks, lengths }: Pick<EvaluationHeader, "methods" | "tasks" | "lengths">,
  where: string,
): void {
  const sizes = [methods.length, tasks.length, lengths.length];
  assert(
    Math.max(...sizes) <= MOST_NAMES && sizes.reduce((product, size) => product * size) <= MOST_CELLS,
    () =>
      `evaluate: ${where} names ${methods.length} methods, ${tasks.length} tasks and ${lengths.length} lengths; ` +
      `the limits are ${MOST_NAMES} of each and ${MOST_CELLS} combinations, so split it`,
  );
}

function inOrder(samples: readonly SampleRecord[], { lengths, tasks, methods, variants }: EvaluationHeader) {
  const ranked = samples.map((sample) => ({
    sample,
    rank: [
      lengths.indexOf(sample.length),
      tasks.indexOf(sample.task),
      sample.index,
      sample.depth ?? 0,
      variants.indexOf(sample.variant),
      methods.indexOf(sample.method),
    ],
  }));
  const compare = (a: readonly number[], b: readonly number[]): number => {
    const at = a.findIndex((x, i) => x !== b[i]);
    return at < 0 ? 0 : a[at]! - b[at]!;
  };
  return ranked.sort((a, b) => compare(a.rank, b.rank)).map(({ sample }) => sample);
}
