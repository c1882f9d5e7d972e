/**
 * @file Greedy decoding in recorded steps with a cache of fixed length. The first prompt of a session compares it with the
 * portable graph, which replaces it if the two differ.
 */

import { messageOf, throwIfCancelled } from "../lib/assert.ts";
import { chunks } from "../lib/group.ts";
import { relativeRms } from "../lib/stats.ts";
import { fixedStepInputs, type RunShape } from "./attentionInputs.ts";
import type { FixedStep } from "./fixedSessions.ts";
import { decodeLogits } from "./roles.ts";
import { disposeAll, freeing, pasts, type Feeds, type Runner } from "./runner.ts";

/** Prompts that have been read. */
interface Started extends Omit<RunShape, "time"> {
  /** The cache of the prompts, as past.{layer}.key|value. */
  readonly cache: Feeds;
  /** The first token of each row. */
  readonly next: readonly number[];
}

/** The next token of every row. */
type Step = (signal?: AbortSignal) => Promise<number[]>;

/** A batch that is decoded. */
export interface FixedDecoding {
  readonly step: Step;
  /** Gives the session back. */
  end(): void;
}

/**
 * Continues `started`, whose cache stays the caller's and is not needed any more, for up to `tokens` steps. Undefined if
 * the portable way has to be used.
 */
export async function beginFixed(
  runner: Runner,
  started: Started,
  tokens: number,
  signal?: AbortSignal,
): Promise<FixedDecoding | undefined> {
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

/**
 * Minimum cache size. With a fixed floor, the session of a fact, and with it the order of additions in kernels, does
 * not depend on the facts recalled with it. Values are rarely longer, and a check takes less.
 */
const LEAST_TOKENS = 24;

/**
 * Checks that a session gives the numbers of the portable graph; if not, this model is not decoded with recorded
 * sessions again.
 */
async function isRight(
  runner: Runner,
  step: FixedStep,
  started: Started,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { fixed } = runner.programs;
  try {
    const off = await deviation(runner, step, started, signal);
    // Also false for NaN.
    if (off <= TOLERANCE) return true;
    await fixed.refuse(`recorded steps came out otherwise (logits off by ${off.toExponential(1)})`);
  } catch (error) {
    throwIfCancelled(signal, "engine: decoding");
    // On a lost device the portable way fails as well and reports it.
    await fixed.refuse(`recorded steps failed (${messageOf(error)})`);
  }
  return false;
}

/** The first run of a recorded session makes the commands, the second plays them, the third reads the cache of the second. */
const CHECKED_STEPS = 3;

/** Relative RMS of logits that another order of adding may cost. */
const TOLERANCE = 1e-4;

/** The largest relative RMS of a session's logits against the portable graph's; infinite if a token differs. */
async function deviation(
  runner: Runner,
  step: FixedStep,
  started: Started,
  signal: AbortSignal | undefined,
): Promise<number> {
  const { cache, next: first, ...shape } = started;
  const nextOf = stepsOf(runner, step, started);
  let outputs: Feeds = {};
  let next = first;
  let worst = 0;
  try {
    for (let i = 0; i < CHECKED_STEPS; i++) {
      const feeds = runner.tokens(chunks(next, 1), { ...shape, past: shape.past + i });
      const behind = i === 0 ? cache : pasts(outputs);
      const after = await freeing(feeds, () =>
        runner.forward(decodeLogits(next.length), { ...feeds, ...behind }, signal),
      );
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

/** The index of the first maximum of a row. */
function best(logits: Float32Array, row: number, rows: number): number {
  const width = logits.length / rows;
  const own = logits.subarray(row * width, (row + 1) * width);
  return own.indexOf(own.reduce((a, b) => Math.max(a, b)));
}

/** The steps of one batch in a session, which no other batch uses meanwhile. */
function stepsOf(
  { config }: Runner,
  { session }: FixedStep,
  { cache, next: ids, past, ...shape }: Started,
): Step {
  const write = (name: string, { buffer, byteLength }: Float32Array | Int32Array | BigInt64Array): void =>
    session.inputs[name]!.write(0, new Uint8Array(buffer, 0, byteLength));
  for (const [name, tensor] of Object.entries(cache))
    session.copy(tensor, name, { axis: 2, begins: shape.pads });
  write("ids", BigInt64Array.from(ids, BigInt));
  let filled = past;
  return async (signal) => {
    const fed = fixedStepInputs(config, { ...shape, past: filled++ });
    for (const [name, data] of Object.entries(fed)) write(name, data);
    const { next } = await session.run(signal);
    return Array.from(next!, Number);
  };
}
