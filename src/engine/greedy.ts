/** @file Greedy decoding with a cache: free generation, and the recall of facts with an injected residual. */

import type { DecoderConfig } from "../graph/models/config.ts";
import { assert } from "../lib/assert.ts";
import type { Engine, KeyReading, RecallPrompt, RecallRow } from "./engine.ts";
import { chunks, groupBy } from "../lib/group.ts";
import { greedyTokens } from "./decoding.ts";
import { cacheBytes } from "./fixedSessions.ts";
import { decode, GENERATE_ROWS, inject, keys, partRuns, prefill } from "./roles.ts";
import {
  disposeAll,
  fillRows,
  onlyLayers,
  padLeft,
  pasts,
  type Feeds,
  type Runner,
  type RunShape,
} from "./runner.ts";

/**
 * The columns of an anchor are rounded up to this, so that the columns a row sees do not depend on the others. Nearly all
 * anchors have fewer: the facts of a question share their runs. With 12, the bits of a row depended on the other rows.
 */
const ANCHOR_COLUMNS = 16;

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

/** A prompt with the number of tokens to decode behind it, if it is recalled. */
export type AskedPrompt = RecallPrompt & { readonly tokens?: number };

/** Columns in front of the key, and how many of them hold the shared opening; the others are a multiple of `step`. */
export function columnsBefore(
  { config }: Runner,
  { ids, keyPosition, opening = 0, tokens = 0 }: AskedPrompt,
  step: number,
): { readonly opening: number; readonly columns: number } {
  const shared = ids.length + tokens <= longestAlike(config) ? opening : 0;
  return { opening: shared, columns: shared + Math.max(1, Math.ceil((keyPosition - shared) / step)) * step };
}

/** Bytes of the caches of a run of many rows at most, at {@link CACHED_COLUMNS} tokens. */
const MOST_CACHED = 2 ** 28;
const CACHED_COLUMNS = 64;
/** Share of many rows that must be filled: a step reads all weights, so that empty rows cost little. */
const FILLED = 1 / 2;

interface PromptGroup {
  readonly indices: readonly number[];
  readonly rows: number;
  readonly opening: number;
  readonly columns: number;
  readonly suffix: number;
}

function groupPrompts(
  runner: Runner,
  prompts: readonly AskedPrompt[],
  order: Iterable<number>,
): PromptGroup[] {
  const most = MOST_CACHED / (cacheBytes(runner.config) * CACHED_COLUMNS);
  const groups = groupBy(order, (i) => {
    const { ids, keyPosition } = prompts[i]!;
    const { opening, columns } = columnsBefore(runner, prompts[i]!, ANCHOR_COLUMNS);
    return `${opening} ${columns} ${ids.length - keyPosition}`;
  });
  return [...groups].flatMap(([key, indices]) => {
    const [opening, columns, suffix] = key.split(" ").map(Number) as [number, number, number];
    return [...partRuns(indices, most, FILLED)].map(({ rows, members }) => ({
      ...{ indices: members, rows, opening, columns, suffix },
    }));
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
  for (const { indices, rows, opening, columns } of groupPrompts(runner, prompts, order)) {
    const members = indices.map((i) => prompts[i]!);
    const filled = fillRows(members, rows);
    const length = filled.map((p) => p.ids.length);
    const until = Math.max(...layers);
    const recalled = { prompts: filled, columns, length: filled.map((p) => p.ids.length + (p.tokens ?? 0)) };
    const kept = isKept(runner, members, rows * columns);
    const part = { columns, opening, length, signal, ...(kept ? {} : { until }) };
    const read = await runner.readPrefixes(filled, part);
    const keyTokens = filled.map((p) => [p.ids[p.keyPosition]!]);
    const feeds = runner.tokens(keyTokens, { pads: read.pads, opening, past: columns, length });
    const past = onlyLayers(read.cache, (layer) => layer <= until);
    const run = runner.run(keys(rows, layers), feeds, signal, past);
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

/** Tokens up to which a cache serves every sequence: some models rotate keys otherwise in longer ones. */
const longestAlike = ({ rope }: DecoderConfig): number =>
  rope.kind === "longrope" || rope.kind === "dynamic" ? rope.originalWindow : Infinity;

/** Whether the cache of these prompts may serve their recall. */
function isKept({ config, prefixes }: Runner, prompts: Parameters<Engine["readKeys"]>[0], tokens: number) {
  const longest = longestAlike(config);
  return (
    prompts.every(({ ids, tokens }) => tokens !== undefined && ids.length + tokens <= longest) &&
    prefixes.hasRoom(cacheBytes(config) * tokens)
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
    const prompts = rows.map(({ prompt, tokens }) => ({ ...prompt, tokens }));
    for (const group of groupPrompts(runner, prompts, order)) {
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
  { rows, opening, columns, suffix }: PromptGroup,
  signal?: AbortSignal,
): Promise<number[][]> {
  for (const { prompt, injection, tokens } of members) {
    checkInjection(runner, injection);
    checkWindow(runner, prompt.ids.length + tokens, "a fact with its recall prompt");
  }
  const filled = fillRows(members, rows);
  const length = filled.map(({ prompt, tokens }) => prompt.ids.length + tokens);
  const prompts = filled.map(({ prompt }) => prompt);
  const { cache, pads } =
    runner.prefixes.take({ prompts, columns, length }) ??
    (await runner.readPrefixes(prompts, { columns, opening, length, signal }));
  const window = prompts.map(({ ids, keyPosition }) => ids.slice(keyPosition));
  const residuals = filled.map(({ injection }) => injection);
  const feeds = {
    ...runner.tokens(window, { pads, opening, past: columns, length }),
    ...cache,
    ...runner.injections(residuals, suffix),
  };
  const read = await runner.run(inject(rows), feeds, signal);
  const said: number[][] = members.map(() => []);
  const longest = Math.max(...members.map(({ tokens }) => tokens));
  const shape = { pads, opening, past: columns + suffix, length };
  const decoding = { ...shape, rows: members.length, tokens: longest, signal };
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
