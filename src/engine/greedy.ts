/** @file Greedy decoding with a cache, one token per run or many: free generation, and the recall of facts with an injected residual. */

import { assert, messageOf, throwIfCancelled } from "../lib/assert.ts";
import type { Engine, KeyReading, RecallPrompt, RecallRow } from "./engine.ts";
import { chunks, groupBy } from "../lib/group.ts";
import { cacheBytes, type FixedStep } from "./fixedSessions.ts";
import { decode, GENERATE_ROWS, inject, keys, prefill, RECALL_ROWS, rounds, decodeLogits } from "./roles.ts";
import {
  disposeAll,
  fillRows,
  onlyLayers,
  padLeft,
  pasts,
  type Feeds,
  type Runner,
  type RunShape,
  freeing,
  numbers,
  attentionInputs,
  fixedStepInputs,
} from "./runner.ts";
import { relativeRms } from "../lib/stats.ts";

export interface Decoding extends Omit<RunShape, "time"> {
  /** Wanted rows; further ones only fill the program. */
  readonly rows: number;
  readonly tokens: number;
  /** Tokens that end a row; decoding ends with the last row. */
  readonly ends?: ReadonlySet<number>;
  readonly signal?: AbortSignal | undefined;
}

/** The first token of every row, then the second, and so on. `read`, "next" and the cache of the prompts, is freed. */
export async function* greedyTokens(
  runner: Runner,
  read: Feeds,
  decoding: Decoding,
): AsyncGenerator<number[]> {
  const { rows, ends = new Set<number>(), tokens, signal } = decoding;
  const { tokensPerRun } = runner.programs;
  const end = decoding.past + tokens - 1;
  let { past } = decoding;
  let outputs = read;
  let fixed: FixedDecoding | undefined;
  try {
    let said = [await numbers(outputs["next"]!)];
    if (tokens > 1) {
      const started = { ...decoding, cache: pasts(outputs), next: said[0]! };
      fixed = await beginFixed(runner, started, tokens - 1, signal);
      if (fixed) disposeAll(outputs);
    }
    const open = new Set(Array.from({ length: rows }, (_, row) => row));
    for (;;) {
      for (const next of said) {
        for (const [row, id] of next.entries()) if (ends.has(id)) open.delete(row);
        yield next;
      }
      const count = Math.min(end - past, tokensPerRun);
      if (open.size === 0 || count < 1) return;
      if (fixed) {
        said = [await fixed.step(signal)];
        past++;
        continue;
      }
      const run = { ...decoding, ends, past, open, next: said.at(-1)! };
      outputs =
        tokensPerRun > 1
          ? await manyTokens(runner, outputs, run, count, signal)
          : await oneToken(runner, outputs, run, signal);
      said = chunks(await numbers(outputs["next"]!), run.next.length);
      past += said.length;
    }
  } finally {
    fixed?.end();
    disposeAll(outputs);
  }
}

interface Run extends Omit<RunShape, "time"> {
  readonly next: readonly number[];
  readonly open: ReadonlySet<number>;
  readonly ends: ReadonlySet<number>;
}

export function oneToken(
  runner: Runner,
  outputs: Feeds,
  { next, ...shape }: Run,
  signal?: AbortSignal,
): Promise<Feeds> {
  const feeds = runner.tokens(chunks(next, 1), shape);
  return freeing({ ...feeds, ...outputs }, () =>
    runner.forward(decode(next.length), { ...feeds, ...pasts(outputs) }, signal),
  );
}

export async function manyTokens(
  runner: Runner,
  outputs: Feeds,
  { next, open, ends, ...shape }: Run,
  count: number,
  signal?: AbortSignal,
): Promise<Feeds> {
  const { config, programs } = runner;
  const rows = next.length;
  const last = { ...shape, past: shape.past + count - 1, time: 1 };
  const { cos, sin } = attentionInputs(config, { ...shape, time: count });
  const table = [rows, 1, count, config.headDim];
  // No token is -1: the operator compares with at least one.
  const ids = [...(ends.size > 0 ? ends : [-1])];
  const feeds = {
    ids: runner.ids(chunks(next, 1)),
    ends: runner.ids([ids]),
    rounds: programs.device.upload(BigInt64Array.of(BigInt(count)), "int64", [1], "activation"),
    open: runner.floats(
      Float32Array.from({ length: rows }, (_, row) => (open.has(row) ? 1 : 0)),
      [rows, 1],
    ),
    cos: runner.floats(cos, table),
    sin: runner.floats(sin, table),
    bias: runner.floats(attentionInputs(config, last).bias, [rows, 1, 1, shape.past + count]),
  };
  return freeing({ ...feeds, ...outputs }, () =>
    runner.forward(rounds(rows), { ...feeds, ...pasts(outputs) }, signal),
  );
}

interface Started extends Omit<RunShape, "time"> {
  /** The cache of the prompts, as past.{layer}.key|value. */
  readonly cache: Feeds;
  readonly next: readonly number[];
}

type Step = (signal?: AbortSignal) => Promise<number[]>;

interface FixedDecoding {
  readonly step: Step;
  end(): void;
}

/** Continues `started`, whose cache stays the caller's, for up to `tokens` steps. Undefined if it cannot be recorded. */
async function beginFixed(runner: Runner, started: Started, tokens: number, signal?: AbortSignal) {
  const { fixed } = runner.programs;
  const step = await fixed.take(started.next.length, started.past + Math.max(tokens, LEAST_TOKENS));
  if (!step) return undefined;
  const end = () => fixed.give(step);
  try {
    step.checked ||= await isRight(runner, step, started, signal);
    if (step.checked) return { step: stepsOf(runner, step, started), end };
  } catch (error) {
    end();
    throw error;
  }
  end();
  return undefined;
}

/** Minimum cache size: with a fixed floor, the order of additions does not depend on the facts recalled together. */
const LEAST_TOKENS = 24;

/** Checks that a session gives the numbers of the portable graph; if not, nothing more is recorded for this model. */
async function isRight(runner: Runner, step: FixedStep, started: Started, signal: AbortSignal | undefined) {
  const { fixed } = runner.programs;
  try {
    const off = await deviation(runner, step, started, signal);
    if (off <= TOLERANCE) return true;
    await fixed.refuse(`recorded steps gave other results (logits off by ${off.toExponential(1)})`);
  } catch (error) {
    throwIfCancelled(signal, "engine: decoding");
    // On a lost device the portable way fails as well and reports it.
    await fixed.refuse(`recorded steps failed (${messageOf(error)})`);
  }
  return false;
}

/** The first run of a recorded session makes the commands, the second plays them, the third reads the cache of the second. */
const CHECKED_STEPS = 3;

const TOLERANCE = 1e-4;

/** The largest relative RMS of a session's logits against the portable graph's; infinite if a token differs. */
async function deviation(runner: Runner, step: FixedStep, started: Started, signal: AbortSignal | undefined) {
  const { cache, next: first, ...shape } = started;
  const nextOf = stepsOf(runner, step, started);
  let outputs: Feeds = {};
  let next = first;
  let worst = 0;
  try {
    for (let i = 0; i < CHECKED_STEPS; i++) {
      const feeds = runner.tokens(chunks(next, 1), { ...shape, past: shape.past + i });
      const behind = i === 0 ? cache : pasts(outputs);
      const after = await runner.run(decodeLogits(next.length), feeds, signal, behind);
      disposeAll(outputs);
      outputs = after;
      const expected = (await outputs["logits"]!.read()) as Float32Array;
      next = await nextOf(signal);
      const found = (await step.session.output("logits")) as Float32Array;
      const same = next.every((id, row) => id === best(expected, row, next.length));
      worst = Math.max(worst, same ? relativeRms(found, expected) : Infinity);
    }
    return worst;
  } finally {
    disposeAll(outputs);
  }
}

function best(logits: Float32Array, row: number, rows: number): number {
  const width = logits.length / rows;
  const own = logits.subarray(row * width, (row + 1) * width);
  return own.indexOf(own.reduce((a, b) => Math.max(a, b)));
}

function stepsOf({ config }: Runner, { session }: FixedStep, { cache, next: ids, past, ...shape }: Started) {
  const write = (name: string, { buffer, byteLength }: Float32Array | Int32Array | BigInt64Array): void =>
    session.inputs[name]!.write(0, new Uint8Array(buffer, 0, byteLength));
  for (const [name, tensor] of Object.entries(cache))
    session.copy(tensor, name, { axis: 2, begins: shape.pads });
  write("ids", BigInt64Array.from(ids, BigInt));
  let filled = past;
  return async (signal: AbortSignal | undefined) => {
    const fed = fixedStepInputs(config, { ...shape, past: filled++ });
    for (const [name, data] of Object.entries(fed)) write(name, data);
    const { next } = await session.run(signal);
    return Array.from(next!, Number);
  };
}

/** Prompt columns are rounded up to this, so that the columns a row sees do not depend on the others. */
const PROMPT_COLUMNS = 16;

interface GreedyOptions {
  readonly maxTokens: number;
  readonly endTokens: ReadonlySet<number>;
  readonly mostScores?: number;
  readonly onTokens?: ((ids: readonly number[]) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Greedy replies to prompts, each cut at its end token. A single prompt runs alone; several share batches. */
export async function generate(
  runner: Runner,
  prompts: readonly (readonly number[])[],
  options: GreedyOptions,
): Promise<number[][]> {
  const replies: number[][] = [];
  const size = prompts.length === 1 ? 1 : GENERATE_ROWS;
  for (const group of chunks(prompts, size))
    replies.push(...(await generateGroup(runner, group, size, options)));
  return replies;
}

async function generateGroup(
  runner: Runner,
  prompts: readonly (readonly number[])[],
  batch: number,
  { maxTokens, endTokens, mostScores = MOST_SCORES, onTokens, signal }: GreedyOptions,
): Promise<number[][]> {
  const columns = Math.max(...prompts.map((p) => p.length));
  checkWindow(runner, columns, "the prompt");
  const end = Math.min(columns + maxTokens, runner.config.window);
  const { rows, pads } = padLeft(fillRows(prompts, batch), columns);
  const length = pads.map((pad) => end - pad);
  const read = await readPrompts(runner, rows, { pads, length, mostScores, signal });
  const replies: number[][] = prompts.map(() => []);
  const open = new Set(prompts.keys());
  const tokens = end - columns;
  const decoding = { rows: prompts.length, pads, past: columns, length, tokens, ends: endTokens, signal };
  for await (const next of greedyTokens(runner, read, decoding)) {
    for (const row of [...open])
      if (endTokens.has(next[row]!)) open.delete(row);
      else replies[row]!.push(next[row]!);
    onTokens?.(replies[0]!);
  }
  return replies;
}

/** A run holds a few tensors of its scores: 8,192 tokens of 32 heads at once would take 8.6 GB for each. */
export const MOST_SCORES = 2 ** 24;

interface Reading extends Pick<RunShape, "pads" | "length"> {
  readonly mostScores: number;
  readonly signal: AbortSignal | undefined;
}

async function readPrompts(
  runner: Runner,
  rows: readonly (readonly number[])[],
  { mostScores, signal, ...shape }: Reading,
): Promise<Feeds> {
  const [batch, columns] = [rows.length, rows[0]!.length];
  const piece = Math.max(1, Math.floor(mostScores / (batch * runner.config.heads * columns)));
  let read: Feeds | undefined;
  for (let past = 0; past < columns; past += piece) {
    const ids = rows.map((row) => row.slice(past, past + piece));
    const feeds = { ...runner.tokens(ids, { ...shape, past }), ...(read && pasts(read)) };
    read?.["next"]?.dispose();
    const role = read ? decode(batch) : prefill(batch);
    read = await runner.run(role, feeds, signal);
  }
  return read!;
}

/** Columns of a prefix of so many tokens, which is padded to a multiple of `step`. */
export const columnsOf = (tokens: number, step: number): number =>
  Math.max(1, Math.ceil(tokens / step)) * step;

interface PromptGroup {
  readonly indices: readonly number[];
  readonly columns: number;
  readonly suffix: number;
}

function groupPrompts(prompts: readonly RecallPrompt[], order: Iterable<number>): PromptGroup[] {
  const groups = groupBy(order, (i) => {
    const { ids, keyPosition } = prompts[i]!;
    return `${columnsOf(keyPosition, PROMPT_COLUMNS)} ${ids.length - keyPosition}`;
  });
  return [...groups].flatMap(([key, indices]) => {
    const [columns, suffix] = key.split(" ").map(Number) as [number, number];
    return chunks(indices, RECALL_ROWS).map((chunk) => ({ indices: chunk, columns, suffix }));
  });
}

/** a(ℓ) at the key token of every prompt, at every layer of `layers`: [prompt][layer]. */
export async function readKeys(
  runner: Runner,
  prompts: Parameters<Engine["readKeys"]>[0],
  layers: readonly number[],
  signal?: AbortSignal,
): Promise<KeyReading[][]> {
  const readings: KeyReading[][] = prompts.map(() => []);
  // Remaining caches were not recalled; reading stored keys in between does not remove them.
  if (prompts.some(({ tokens }) => tokens !== undefined)) runner.prefixes.clear();
  const order = [...prompts.keys()].sort((a, b) => (prompts[a]!.tokens ?? 0) - (prompts[b]!.tokens ?? 0));
  for (const { indices, columns } of groupPrompts(prompts, order)) {
    const members = indices.map((i) => prompts[i]!);
    const filled = fillRows(members, RECALL_ROWS);
    const length = filled.map((p) => p.ids.length);
    const until = Math.max(...layers);
    const recalled = { prompts: filled, columns, length: filled.map((p) => p.ids.length + (p.tokens ?? 0)) };
    const kept = isKept(runner, members, columns);
    const read = await runner.readPrefixes(filled, { columns, length, signal, ...(kept ? {} : { until }) });
    const keyTokens = filled.map((p) => [p.ids[p.keyPosition]!]);
    const feeds = runner.tokens(keyTokens, { pads: read.pads, past: columns, length });
    const past = onlyLayers(read.cache, (layer) => layer <= until);
    const run = runner.run(keys(RECALL_ROWS, layers), feeds, signal, past);
    const outputs = await run.catch((error: unknown) => {
      disposeAll(read.cache);
      throw error;
    });
    // Not before it was read: another recall may clear the kept caches at any time.
    if (kept) runner.prefixes.keep(recalled, read);
    else disposeAll(read.cache);
    for (const layer of layers) {
      const activations = (await outputs[`activation.${layer}`]!.read()) as Float32Array;
      const width = runner.config.dFf;
      for (const [row, i] of indices.entries())
        readings[i]!.push({ activation: activations.slice(row * width, (row + 1) * width) });
    }
    disposeAll(outputs);
  }
  return readings;
}

/** Whether the cache of these prompts may serve their recall: some models rotate keys otherwise in long sequences. */
function isKept({ config, prefixes }: Runner, prompts: Parameters<Engine["readKeys"]>[0], columns: number) {
  const { rope } = config;
  const longest = rope.kind === "longrope" || rope.kind === "dynamic" ? rope.originalWindow : Infinity;
  return (
    prompts.every(({ ids, tokens }) => tokens !== undefined && ids.length + tokens <= longest) &&
    prefixes.hasRoom(cacheBytes(config) * columns * RECALL_ROWS)
  );
}

/** Greedy decoding of every row with its injection at the key token. */
export async function recall(
  runner: Runner,
  rows: readonly RecallRow[],
  signal?: AbortSignal,
): Promise<number[][]> {
  const decoded: number[][] = rows.map(() => []);
  try {
    // A group decodes as far as its longest value: values of similar length share one.
    const order = [...rows.keys()].sort((a, b) => rows[a]!.tokens - rows[b]!.tokens);
    const prompts = rows.map(({ prompt }) => prompt);
    for (const group of groupPrompts(prompts, order)) {
      const members = group.indices.map((i) => rows[i]!);
      const tokens = await recallGroup(runner, members, group, signal);
      for (const [row, i] of group.indices.entries()) decoded[i] = tokens[row]!;
    }
  } finally {
    runner.prefixes.clear();
  }
  return decoded;
}

async function recallGroup(
  runner: Runner,
  members: readonly RecallRow[],
  { columns, suffix }: PromptGroup,
  signal?: AbortSignal,
): Promise<number[][]> {
  for (const { prompt, injection, tokens } of members) {
    checkInjection(runner, injection);
    checkWindow(runner, prompt.ids.length + tokens, "a fact with its recall prompt");
  }
  const filled = fillRows(members, RECALL_ROWS);
  const length = filled.map(({ prompt, tokens }) => prompt.ids.length + tokens);
  const prompts = filled.map(({ prompt }) => prompt);
  const { cache, pads } =
    runner.prefixes.take({ prompts, columns, length }) ??
    (await runner.readPrefixes(prompts, { columns, length, signal }));
  const window = prompts.map(({ ids, keyPosition }) => ids.slice(keyPosition));
  const residuals = filled.map(({ injection }) => injection);
  const feeds = {
    ...runner.tokens(window, { pads, past: columns, length }),
    ...cache,
    ...runner.injections(residuals, suffix),
  };
  const read = await runner.run(inject(RECALL_ROWS), feeds, signal);
  const said: number[][] = members.map(() => []);
  const longest = Math.max(...members.map(({ tokens }) => tokens));
  const decoding = { rows: members.length, pads, past: columns + suffix, length, tokens: longest, signal };
  for await (const next of greedyTokens(runner, read, decoding))
    for (const [row, { tokens }] of members.entries())
      if (said[row]!.length < tokens) said[row]!.push(next[row]!);
  return said;
}

/** Throws when a residual is not of this model: another layer index would name another position. */
export function checkInjection({ config }: Runner, injection: RecallRow["injection"]): void {
  const fits = !injection || (injection.layer < config.layers && injection.residual.length === config.dModel);
  if (!fits)
    throw new Error(
      `engine: a residual of ${injection!.residual.length} values at layer ${injection!.layer} does not fit a model of ${config.layers} layers and width ${config.dModel}`,
    );
}

export function checkWindow({ config }: Runner, tokens: number, what: string): void {
  assert(
    tokens <= config.window,
    () => `engine: ${what} has ${tokens} tokens, the model's window holds ${config.window}; shorten it`,
  );
}
