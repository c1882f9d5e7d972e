/** @file Parts of one evaluation as one: shards, and a run that was continued with more methods or tasks. */

import { assert } from "../../lib/assert.ts";
import {
  VARIANTS,
  type Evaluation,
  type EvaluationHeader,
  type SampleRecord,
} from "../../records/evaluation.ts";
import { isDone } from "../unanswered.ts";
import { differences } from "./header.ts";

/** One record per sample: the last one, unless it failed after an earlier success. */
export function latest(samples: readonly SampleRecord[]): SampleRecord[] {
  const found = new Map<string, SampleRecord>();
  for (const sample of samples) {
    const earlier = found.get(sample.id);
    if (!earlier || isDone(sample) || !isDone(earlier)) found.set(sample.id, sample);
  }
  return [...found.values()];
}

/**
 * Merges parts of one evaluation, in the order of their samples' places.
 * @throws if there is no part, or if their headers differ in what decides a sample
 */
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

/**
 * The first of some headers, with the tasks, lengths, methods and files of all.
 * @throws without a header, or if they differ in what decides a sample
 */
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
    lengths: union(({ lengths }) => lengths),
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

function inOrder(
  samples: readonly SampleRecord[],
  { lengths, tasks, methods, variants }: EvaluationHeader,
): SampleRecord[] {
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
