/** @file Greedy decoding with a cache: free generation, and the recall of facts with an injected residual. */

import { assert } from "../lib/assert.ts";
import type { CancelSignal } from "../runtime/device.ts";
import type { KeyReading, RecallPrompt, RecallRow } from "./engine.ts";
import { chunks, groupBy } from "../lib/group.ts";
import { decode, GENERATE_ROWS, inject, keys, prefill, prefix, RECALL_ROWS } from "./roles.ts";
import { disposeAll, fillRows, numbers, padLeft, pasts, type Feeds, type Runner } from "./runner.ts";

/** Prompt columns are rounded up to this: the columns a row sees must not depend on others (see RECALL_ROWS). */
const PROMPT_COLUMNS = 32;

export interface GreedyOptions {
  readonly maxTokens: number;
  readonly endTokens: ReadonlySet<number>;
  readonly onTokens?: (ids: readonly number[]) => void;
  readonly signal?: CancelSignal;
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
  { maxTokens, endTokens, onTokens, signal }: GreedyOptions,
): Promise<number[][]> {
  const columns = Math.max(...prompts.map((p) => p.length));
  checkWindow(runner, columns, "the prompt");
  const length = Math.min(columns + maxTokens, runner.config.window);
  const { rows, pads } = padLeft(fillRows(prompts, batch), columns);
  const feeds = runner.tokens(rows, { pads, past: 0, length });
  let outputs = await runner.forward(prefill(batch), feeds, signal);
  disposeAll(feeds);
  const replies: number[][] = prompts.map(() => []);
  const open = new Set(prompts.keys());
  for (let past = columns; ; past++) {
    const next = await numbers(outputs["next"]!);
    for (const row of [...open])
      if (endTokens.has(next[row]!)) open.delete(row);
      else replies[row]!.push(next[row]!);
    onTokens?.(replies[0]!);
    if (open.size === 0 || past + 1 >= length) break;
    outputs = await decodeStep(runner, next, outputs, { pads, past, length }, signal);
  }
  disposeAll(outputs);
  return replies;
}

/** Feeds one token per row after `past` columns; frees the outputs it continues from. */
async function decodeStep(
  runner: Runner,
  next: readonly number[],
  outputs: Feeds,
  shape: { readonly pads: readonly number[]; readonly past: number; readonly length: number },
  signal?: CancelSignal,
): Promise<Feeds> {
  const feeds = runner.tokens(next.map((id) => [id]), shape); // prettier-ignore
  const result = await runner.forward(decode(next.length), { ...feeds, ...pasts(outputs) }, signal);
  disposeAll(feeds, outputs);
  return result;
}

/** A group of prompts whose prefixes share a number of columns and whose suffixes are equally long. */
interface PromptGroup {
  readonly indices: readonly number[];
  readonly columns: number;
  readonly suffix: number;
}

function groupPrompts(prompts: readonly RecallPrompt[]): PromptGroup[] {
  const columnsOf = ({ keyPosition }: RecallPrompt) =>
    Math.max(1, Math.ceil(keyPosition / PROMPT_COLUMNS)) * PROMPT_COLUMNS;
  const groups = groupBy(prompts.keys(), (i) => {
    const prompt = prompts[i]!;
    return `${columnsOf(prompt)} ${prompt.ids.length - prompt.keyPosition}`;
  });
  return [...groups].flatMap(([key, indices]) => {
    const [columns, suffix] = key.split(" ").map(Number) as [number, number];
    return chunks(indices, RECALL_ROWS).map((chunk) => ({ indices: chunk, columns, suffix }));
  });
}

/** Reads the tokens in front of the key token into a cache of RECALL_ROWS rows. */
async function readPrefixes(
  runner: Runner,
  prompts: readonly RecallPrompt[],
  columns: number,
  length: number,
): Promise<{ cache: Feeds; pads: number[] }> {
  const prefixes = fillRows(prompts, RECALL_ROWS).map((p) => p.ids.slice(0, p.keyPosition));
  const { rows, pads } = padLeft(prefixes, columns);
  const feeds = runner.tokens(rows, { pads, past: 0, length });
  const outputs = await runner.forward(prefix(RECALL_ROWS), feeds);
  disposeAll(feeds);
  return { cache: pasts(outputs), pads };
}

/** a(ℓ) at the key token of every prompt, at every layer of `layers`: [prompt][layer]. */
export async function readKeys(
  runner: Runner,
  prompts: readonly RecallPrompt[],
  layers: readonly number[],
): Promise<KeyReading[][]> {
  const readings: KeyReading[][] = prompts.map(() => []);
  for (const { indices, columns } of groupPrompts(prompts)) {
    const members = indices.map((i) => prompts[i]!);
    const length = columns + 1;
    const { cache, pads } = await readPrefixes(runner, members, columns, length);
    const keyTokens = fillRows(members, RECALL_ROWS).map((p) => [p.ids[p.keyPosition]!]);
    const feeds = { ...runner.tokens(keyTokens, { pads, past: columns, length }), ...cache };
    const used = usedCache(feeds, Math.max(...layers));
    const outputs = await runner.forward(keys(RECALL_ROWS, layers), used);
    for (const layer of layers) {
      const activations = (await outputs[`activation.${layer}`]!.read()) as Float32Array;
      const norms = await outputs[`downNorm.${layer}`]!.read();
      const width = runner.config.dFf;
      for (const [row, i] of indices.entries())
        readings[i]!.push({
          activation: activations.slice(row * width, (row + 1) * width),
          downNorm: Number(norms[row]),
        });
    }
    disposeAll(feeds, outputs);
  }
  return readings;
}

/** Feeds without the cache of layers above `top`: a graph takes exactly the inputs it uses. */
function usedCache(feeds: Feeds, top: number): Feeds {
  return Object.fromEntries(
    Object.entries(feeds).filter(([name]) => !name.startsWith("past.") || Number(name.split(".")[1]) <= top),
  );
}

/** Greedy decoding of every row with its injection at the key token. */
export async function recall(
  runner: Runner,
  rows: readonly RecallRow[],
  signal?: CancelSignal,
): Promise<number[][]> {
  const decoded: number[][] = rows.map(() => []);
  for (const group of groupPrompts(rows.map((row) => row.prompt))) {
    const members = group.indices.map((i) => rows[i]!);
    const tokens = await recallGroup(runner, members, group, signal);
    for (const [row, i] of group.indices.entries()) decoded[i] = tokens[row]!;
  }
  return decoded;
}

async function recallGroup(
  runner: Runner,
  rows: readonly RecallRow[],
  { columns, suffix }: PromptGroup,
  signal?: CancelSignal,
): Promise<number[][]> {
  const longest = Math.max(...rows.map((row) => row.tokens));
  const length = columns + suffix + longest;
  checkWindow(
    runner,
    Math.max(...rows.map((r) => r.prompt.ids.length)) + longest,
    "a fact with its recall prompt",
  );
  const { cache, pads } = await readPrefixes(runner, rows.map((row) => row.prompt), columns, length); // prettier-ignore
  const filled = fillRows(rows, RECALL_ROWS);
  const window = filled.map(({ prompt }) => prompt.ids.slice(prompt.keyPosition));
  const feeds = {
    ...runner.tokens(window, { pads, past: columns, length }),
    ...cache,
    ...injection(runner, filled, suffix),
  };
  let outputs = await runner.forward(inject(RECALL_ROWS), feeds, signal);
  disposeAll(feeds);
  const decoded: number[][] = rows.map(() => []);
  for (let t = 0; ; t++) {
    const next = await numbers(outputs["next"]!);
    for (const [row, { tokens }] of rows.entries()) if (t < tokens) decoded[row]!.push(next[row]!);
    if (t + 1 >= longest) break;
    outputs = await decodeStep(runner, next, outputs, { pads, past: columns + suffix + t, length }, signal);
  }
  disposeAll(outputs);
  return decoded;
}

/** "delta" and "at": row r gets its residual at its own layer, at the window's first position. */
function injection(runner: Runner, rows: readonly RecallRow[], time: number): Feeds {
  const { dModel, layers } = runner.config;
  const delta = new Float32Array(rows.length * dModel);
  const at = new Float32Array(rows.length * time * layers);
  for (const [row, { injection }] of rows.entries())
    if (injection) {
      delta.set(injection.residual, row * dModel);
      at[row * time * layers + injection.layer] = 1;
    }
  return {
    delta: runner.floats(delta, [rows.length, dModel]),
    at: runner.floats(at, [rows.length, time, layers]),
  };
}

/** Throws when a sequence does not fit into the model's window. */
export function checkWindow({ config }: Runner, tokens: number, what: string): void {
  assert(
    tokens <= config.window,
    () => `engine: ${what} has ${tokens} tokens, the model's window holds ${config.window}; shorten it`,
  );
}
