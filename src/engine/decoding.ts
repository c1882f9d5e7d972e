/** @file Greedy decoding after a prompt: one token per run, recorded if the device can, or many per run if it has rounds. */

import { chunks } from "../lib/group.ts";
import { decode, rounds, decodeLogits } from "./roles.ts";
import {
  disposeAll,
  freeing,
  numbers,
  pasts,
  attentionInputs,
  fixedStepInputs,
  type Feeds,
  type Runner,
  type RunShape,
} from "./runner.ts";
import { messageOf, throwIfCancelled } from "../lib/assert.ts";
import { relativeRms } from "../lib/stats.ts";
import type { FixedStep } from "./fixedSessions.ts";

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
    session.copy(tensor, name, { axis: 2, opening: shape.opening, begins: shape.pads });
  write("ids", BigInt64Array.from(ids, BigInt));
  let filled = past;
  return async (signal: AbortSignal | undefined) => {
    const fed = fixedStepInputs(config, { ...shape, past: filled++ });
    for (const [name, data] of Object.entries(fed)) write(name, data);
    const { next } = await session.run(signal);
    return Array.from(next!, Number);
  };
}
