/**
 * @file Greedy decoding in recorded steps behind a cache of fixed length. A session is held against the portable graph
 * by the first prompt that it is given; what does not come out the same is left to the portable way.
 */

import { messageOf, throwIfCancelled } from "../lib/assert.ts";
import { relativeRms } from "../lib/stats.ts";
import { fixedStepInputs, type RunShape } from "./attentionInputs.ts";
import type { FixedStep } from "./fixedSessions.ts";
import { decodeLogits } from "./roles.ts";
import { disposeAll, freeing, pasts, type Feeds, type Runner } from "./runner.ts";

/** Prompts that have been read, to go on from. */
export interface Started extends Omit<RunShape, "time"> {
  /** The cache of the prompts, as past.{layer}.key|value. */
  readonly cache: Feeds;
  /** The first token of each row. */
  readonly next: readonly number[];
}

/** A batch on its way. */
export interface FixedDecoding {
  /** The next token of every row. */
  step(signal?: AbortSignal): Promise<number[]>;
  /** Gives the session back. */
  end(): void;
}

/**
 * Goes on from `started`, whose cache stays the caller's and is not needed any more, for up to `tokens` steps. Undefined
 * where that is left to the portable way.
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
    if (step.checked) {
      const batch = new FixedBatch(runner, step, started);
      return { step: (stop) => batch.step(stop), end };
    }
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

/** The first run of a recorded session makes the commands, the second plays them, the third reads what that one wrote. */
const CHECKED_STEPS = 3;

/** Relative RMS of logits that another order of adding may cost. */
const TOLERANCE = 1e-4;

/** The largest relative RMS of a session's logits against the portable graph's; infinite where a token is another. */
async function deviation(
  runner: Runner,
  step: FixedStep,
  { cache, next: first, ...shape }: Started,
  signal: AbortSignal | undefined,
): Promise<number> {
  const batch = new FixedBatch(runner, step, { cache, next: first, ...shape });
  let outputs: Feeds = {};
  let next = first;
  let worst = 0;
  try {
    for (let i = 0; i < CHECKED_STEPS; i++) {
      const feeds = runner.tokens(
        next.map((id) => [id]),
        { ...shape, past: shape.past + i },
      );
      const behind = i === 0 ? cache : pasts(outputs);
      const after = await freeing(feeds, () =>
        runner.forward(decodeLogits(next.length), { ...feeds, ...behind }, signal),
      );
      disposeAll(outputs);
      outputs = after;
      const expected = (await outputs["logits"]!.read()) as Float32Array;
      next = await batch.step(signal);
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

/** The caches and tokens of one batch in a session, which no other uses meanwhile. */
class FixedBatch {
  readonly #runner: Runner;
  readonly #step: FixedStep;
  readonly #shape: Omit<RunShape, "time" | "past">;
  /** Columns that are filled, padding counted. */
  #past: number;

  constructor(runner: Runner, step: FixedStep, { cache, next, past, ...shape }: Started) {
    this.#runner = runner;
    this.#step = step;
    this.#shape = shape;
    this.#past = past;
    for (const [name, tensor] of Object.entries(cache))
      step.session.copy(tensor, name, { axis: 2, begins: shape.pads });
    this.#write("ids", BigInt64Array.from(next, BigInt));
  }

  async step(signal?: AbortSignal): Promise<number[]> {
    const fed = fixedStepInputs(this.#runner.config, { ...this.#shape, past: this.#past++ });
    for (const [name, data] of Object.entries(fed)) this.#write(name, data as Float32Array | Int32Array);
    const { next } = await this.#step.session.run(signal);
    return Array.from(next!, Number);
  }

  #write(name: string, { buffer, byteLength }: Float32Array | Int32Array | BigInt64Array): void {
    this.#step.session.inputs[name]!.write(0, new Uint8Array(buffer, 0, byteLength));
  }
}
