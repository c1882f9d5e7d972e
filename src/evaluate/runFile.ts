/**
 * @file Runs of version 2: JSON a line, a header and then samples, only ever appended to. A run that was killed may end
 * in half a line, one that was continued has several headers; runs that agree in what decides a sample merge by its id.
 */

import * as v from "valibot";
import { assert } from "../lib/assert.ts";
import { anyNumber, checked, count, record, text, type Shape } from "../lib/check.ts";
import { isDeeper } from "../lib/deepJson.ts";
import { sha256Hex } from "../lib/hash.ts";
import {
  EVALUATION_FORMAT,
  HELPERS,
  PROMPT_FORMS,
  VARIANTS,
  type Budgets,
  type CasePlace,
  type Evaluation,
  type EvaluationHeader,
  type KeptSize,
  type SampleRecord,
  type Stages,
  type Variant,
} from "../records/evaluation.ts";
import { identity, params, studySettings } from "../records/shapes.ts";
import { isDone } from "./unanswered.ts";

const place = {
  benchmark: text(),
  task: text(),
  length: text(),
  depth: v.nullable(anyNumber),
  index: count(),
};

const texts: Shape<readonly string[]> = v.array(v.string());
const named: Shape<Readonly<Record<string, string>>> = v.record(v.string(), v.string());
const variant: Shape<Variant> = v.picklist(VARIANTS);

const budgets = record<Budgets>({
  scale: anyNumber,
  context: count(),
  sinks: count(),
  chunk: count(),
  retrieved: count(),
  placed: count(),
  answer: count(),
});

const ISO_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const time: Shape<string> = v.pipe(v.string(), v.regex(ISO_TIME, "a time such as 2026-01-01T00:00:00Z"));

/** What the first line of a run must look like. */
export const evaluationHeader = record<EvaluationHeader>({
  kind: v.literal("header"),
  format: v.literal(EVALUATION_FORMAT),
  key: text(),
  benchmark: text(),
  tasks: texts,
  lengths: texts,
  samples: count(),
  settings: studySettings,
  methods: texts,
  leftOut: named,
  variants: v.array(variant),
  prompt: v.picklist(PROMPT_FORMS),
  model: identity,
  precision: text(),
  backend: text(),
  embedder: text(),
  // Runs that were made before these fields existed lack them.
  embedderIdentity: v.optional(v.nullable(text()), null),
  reranker: v.optional(v.nullable(text()), null),
  compressor: v.optional(v.nullable(text()), null),
  adapter: v.nullable(text()),
  params,
  budgets,
  data: named,
  scorers: named,
  primary: text(),
  seed: count(),
  shard: text(),
  app: text(),
  created: time,
});

const stages = record<Stages>({
  stored: v.boolean(),
  routed: v.boolean(),
  recalled: v.boolean(),
  failed: v.nullable(v.picklist(["extraction", "routing", "reconstruction", "answer"])),
});

/** What its other lines must look like. */
export const sampleRecord = record<SampleRecord>({
  ...place,
  kind: v.literal("sample"),
  id: text(),
  method: text(),
  variant,
  question: text(),
  gold: texts,
  evidence: texts,
  labels: v.optional(v.nullable(texts), null),
  textHash: text(),
  cluster: text(),
  characters: count(),
  promptHash: v.nullable(text()),
  prompt: v.nullable(text()),
  raw: v.nullable(text()),
  answer: text(),
  scores: v.record(v.string(), v.nullable(anyNumber)),
  stages: v.nullable(stages),
  kept: record<KeptSize>({ tokens: count(), bytes: count() }),
  promptTokens: count(),
  milliseconds: record<SampleRecord["milliseconds"]>({ prepare: anyNumber, answer: anyNumber }),
  error: v.nullable(text()),
});

const line: Shape<EvaluationHeader | SampleRecord> = v.variant("kind", [
  evaluationHeader,
  sampleRecord,
] as never);

/** What a header says beside its key. */
export type HeaderInputs = Omit<EvaluationHeader, "kind" | "format" | "key">;

/** What decides a sample beside its place, variant and method: the fields whose hash is the key. */
const DECISIVE = [
  "benchmark",
  "settings",
  "prompt",
  "model",
  "precision",
  "backend",
  "embedder",
  "embedderIdentity",
  "adapter",
  "params",
  "budgets",
  "scorers",
  "seed",
] as const satisfies readonly (keyof HeaderInputs)[];

/** The header of a run, with its key. */
export const headerOf = (inputs: HeaderInputs): EvaluationHeader => ({
  kind: "header",
  format: EVALUATION_FORMAT,
  key: keyOf(inputs),
  ...inputs,
});

/** An embedder whose name says it all has no part of its own in the key: runs from before it was known keep theirs. */
const keyOf = (inputs: HeaderInputs): string => {
  const deciding = DECISIVE.filter((name) => name !== "embedderIdentity" || inputs[name] !== null);
  return sha256Hex(canonical([EVALUATION_FORMAT, ...deciding.map((name) => inputs[name])]));
};

/**
 * A run as this build names it. A build that knew fewer parameters gave the same run another key: with the newer ones
 * filled in, key and ids are those that this build gives, so that none of its samples is made a second time.
 */
export function renamed({ header, samples }: Evaluation): Evaluation {
  const key = keyOf(header);
  return {
    header: { ...header, key },
    samples: samples.map((one) => ({ ...one, id: sampleId(key, one, one.variant, one.method) })),
  };
}

/** JSON whose fields stand in alphabetical order: equal values give equal text. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}

/** What a sample is known by. */
export const sampleId = (
  key: string,
  { benchmark, task, length, depth, index }: CasePlace,
  of: Variant,
  method: string,
): string => sha256Hex(JSON.stringify([key, benchmark, task, length, depth, index, of, method])).slice(0, 32);

/** A record as a line of a run file. */
export const lineOf = (one: EvaluationHeader | SampleRecord): string => `${JSON.stringify(one)}\n`;

/**
 * Reads a run; several headers stand for one that names what they name together. Null where not even the first line is whole.
 * @throws on a line that is none of a run, with its number, and where headers differ in what decides a sample
 */
export function readRun(content: string, where: string): Evaluation | null {
  assert(
    content.length <= MOST_RUN_BYTES,
    () =>
      `evaluate: ${where} has ${content.length} characters, at most ${MOST_RUN_BYTES} are read; split it by its samples`,
  );
  const whole = content.lastIndexOf("\n") + 1;
  const lines = content.slice(0, whole).split("\n").slice(0, -1);
  const read = lines.map((one, i) =>
    checked(line, parsed(one, `${where}: line ${i + 1}`), `${where}: line ${i + 1}: `),
  );
  const headers = read.filter((one) => one.kind === "header");
  if (read[0] === undefined) return null;
  assert(
    read[0].kind === "header",
    () => `${where} begins with a sample; the header of a run is expected first`,
  );
  const { header, samples } = renamed({
    header: together(headers, where),
    samples: read.filter((one) => one.kind === "sample"),
  });
  return { header, samples: distinct(samples) };
}

/** Of a run file, or one of predictions: some ten thousand samples with prompts of 16,000 characters. */
export const MOST_RUN_BYTES = 2 ** 28;
/** Levels of objects and lists in a line. */
const DEEPEST = 20;

function parsed(one: string, where: string): unknown {
  assert(
    !isDeeper(one, DEEPEST),
    () => `evaluate: ${where} nests deeper than ${DEEPEST} levels, which no record of a run does`,
  );
  try {
    return JSON.parse(one);
  } catch (error) {
    throw new Error(`${where} is no JSON (${one.slice(0, 40)}…); remove the line, or the file`, {
      cause: error,
    });
  }
}

function assertOneKey(headers: readonly EvaluationHeader[], where: string): void {
  const other = headers.find((header) => differences(headers[0]!, header) !== "");
  assert(
    other === undefined,
    () =>
      `${where}: runs of different kinds do not merge: ${differences(headers[0]!, other!)} differ; keep each in a folder of its own`,
  );
}

/**
 * Names of what keeps two runs from being one, with commas; "" where they are parts of one. Builds may differ: what was
 * made by several is read together, and says so, but goes on with the build that began it (`unfinishable`).
 */
export function differences(a: EvaluationHeader, b: EvaluationHeader): string {
  const fields = DECISIVE.flatMap((name) =>
    name === "settings" || name === "params"
      ? unequal(a[name], b[name])
      : canonical(a[name]) === canonical(b[name])
        ? []
        : [name],
  );
  // Other tasks are made from other files; the same file must be the same.
  const files = unequal(a.data, b.data).filter((name) => name in a.data && name in b.data);
  // A run without one goes on with any.
  const models = HELPERS.filter((name) => a[name] !== null && b[name] !== null && a[name] !== b[name]);
  return [...fields, ...files, ...models].join(", ");
}

/** Names whose values differ, or that one alone has. */
function unequal(a: object, b: object): string[] {
  const [one, other]: Readonly<Record<string, unknown>>[] = [{ ...a }, { ...b }];
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].filter((name) => canonical(one![name]) !== canonical(other![name]));
}

/** Why a run that lies there cannot be gone on with under `header`; "" where it can. */
export function unfinishable(lying: EvaluationHeader, header: EvaluationHeader): string {
  const other = differences(lying, header);
  if (other !== "") return `differs in ${other}`;
  // What another build makes of a case may be another thing.
  return lying.app === header.app
    ? ""
    : `was made by the build ${lying.app}, which is not this one (${header.app})`;
}

/** One record each: the last, but no failure in place of what was done. */
function distinct(samples: readonly SampleRecord[]): SampleRecord[] {
  const found = new Map<string, SampleRecord>();
  for (const one of samples) {
    const former = found.get(one.id);
    if (!former || isDone(one) || !isDone(former)) found.set(one.id, one);
  }
  return [...found.values()];
}

/**
 * Parts of one evaluation as one, in the order of their samples' places.
 * @throws where there is none, or where their headers differ in what decides a sample
 */
export function merged(parts: readonly Evaluation[], where: string): Evaluation {
  const header = together(
    parts.map((part) => part.header),
    where,
  );
  assertOneText(parts, where);
  return { header, samples: inOrder(distinct(parts.flatMap(({ samples }) => samples)), header) };
}

/** A sample of two runs is one only where both asked of the same text; of predictions of others the text is not known. */
function assertOneText(parts: readonly Evaluation[], where: string): void {
  const known = new Map<string, string>();
  for (const { samples } of parts) {
    const own = distinct(samples).filter(({ textHash }) => textHash !== "");
    const other = own.find(({ id, textHash }) => (known.get(id) ?? textHash) !== textHash);
    assert(
      other === undefined,
      () =>
        `${where}: sample ${other!.index + 1} of ${other!.task} ${other!.length} was asked of two different texts; give each run a folder of its own`,
    );
    for (const { id, textHash } of own) known.set(id, textHash);
  }
}

/** The first of some headers, with what all of them name. */
function together(headers: readonly EvaluationHeader[], where: string): EvaluationHeader {
  const [first] = headers;
  assert(first, () => `${where} holds no run; run an evaluation into it first`);
  assertOneKey(headers, where);
  const union = (of: (header: EvaluationHeader) => readonly string[]): string[] => [
    ...new Set(headers.flatMap(of)),
  ];
  const [methods, tasks, lengths] = [
    union((one) => one.methods),
    union((one) => one.tasks),
    union((one) => one.lengths),
  ];
  assertShowable({ methods, tasks, lengths }, where);
  return {
    ...first,
    ...{ methods, tasks, lengths },
    variants: VARIANTS.filter((one) => headers.some(({ variants }) => variants.includes(one))),
    samples: Math.max(...headers.map(({ samples }) => samples)),
    leftOut: Object.assign({}, ...headers.map(({ leftOut }) => leftOut)) as Readonly<Record<string, string>>,
    data: Object.assign({}, ...headers.map(({ data }) => data)) as Readonly<Record<string, string>>,
    shard: union(({ shard }) => [shard]).join(" "),
    reranker: headers.find(({ reranker }) => reranker !== null)?.reranker ?? null,
    compressor: headers.find(({ compressor }) => compressor !== null)?.compressor ?? null,
    app: union(({ app }) => app.split(", ")).join(", "),
  };
}

/** Tables and figures have a cell for each: what somebody made up must not keep a page from coming. */
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
      `at most ${MOST_NAMES} of each and ${MOST_CELLS} combinations can be shown, so give it in parts`,
  );
}

function inOrder(
  samples: readonly SampleRecord[],
  { lengths, tasks, methods, variants }: EvaluationHeader,
): SampleRecord[] {
  const rank = (one: SampleRecord): readonly number[] => [
    lengths.indexOf(one.length),
    tasks.indexOf(one.task),
    one.index,
    one.depth ?? 0,
    variants.indexOf(one.variant),
    methods.indexOf(one.method),
  ];
  const ranked = samples.map((one) => ({ one, rank: rank(one) }));
  const compare = (a: readonly number[], b: readonly number[]): number => {
    const at = a.findIndex((x, i) => x !== b[i]);
    return at < 0 ? 0 : a[at]! - b[at]!;
  };
  return ranked.sort((a, b) => compare(a.rank, b.rank)).map(({ one }) => one);
}
