/**
 * @file Greedy decoding in recorded steps behind a cache of fixed length. A session is held against the portable graph
 * by the first prompt that it is given; what does not come out the same is left to the portable way.
 */

import { relativeRms } from "../lib/stats.ts";
import { frameAt, type FrameShape } from "./frame.ts";
import type { FixedStep } from "./fixedSessions.ts";
import { decodeLogits, RECENT_PLACES } from "./roles.ts";
import { disposeAll, freeing, pasts, type Feeds, type Runner } from "./runner.ts";

/** Prompts that have been read, to go on from. */
export interface Started extends Omit<FrameShape, "time"> {
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
 * What a cache has room for in any case, so that the session of a fact that is recalled, and with it the order in which
 * kernels add, does not follow from what is recalled with it: values are hardly longer, and what a check takes is less.
 */
const LEAST_TOKENS = 24;

/** Whether a session gives the numbers of the portable graph; where it does not, none of this model is used any more. */
async function isRight(
  runner: Runner,
  step: FixedStep,
  started: Started,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const off = await deviation(runner, step, started, signal);
  // Not where it is no number either.
  const right = off <= TOLERANCE;
  if (!right)
    await runner.programs.fixed.refuse(
      `recorded steps came out otherwise (logits off by ${off.toExponential(1)})`,
    );
  return right;
}

/** The first run of a recorded session makes the commands, the second plays them, the third does behind a move. */
const CHECKED_STEPS = 3;
const CHECKED_PLACES = 2;

/** Relative RMS of logits that another order of adding may cost. */
const TOLERANCE = 1e-4;

/** The largest relative RMS of a session's logits against the portable graph's; infinite where a token is another. */
async function deviation(
  runner: Runner,
  step: FixedStep,
  { cache, next: first, ...shape }: Started,
  signal: AbortSignal | undefined,
): Promise<number> {
  const batch = new FixedBatch(runner, step, { cache, next: first, ...shape }, CHECKED_PLACES);
  let outputs: Feeds = {};
  let next = first;
  let worst = 0;
  try {
    for (let i = 0; i < CHECKED_STEPS; i++) {
      const feeds = runner.tokens(next.map((id) => [id]), { ...shape, past: shape.past + i }); // prettier-ignore
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
  readonly #shape: Pick<FrameShape, "pads" | "length">;
  readonly #places: number;
  /** Columns of the long cache that are filled, and places of the short one. */
  #filled: number;
  #placed = 0;

  /** @param places those of the short cache that are filled before it is moved */
  constructor(
    runner: Runner,
    step: FixedStep,
    { cache, next, past, ...shape }: Started,
    places = RECENT_PLACES,
  ) {
    this.#runner = runner;
    this.#step = step;
    this.#shape = shape;
    this.#filled = past;
    this.#places = places;
    for (const [name, tensor] of Object.entries(cache)) step.session.copy(tensor, name, { axis: 2, from: 0 });
    this.#write("ids", BigInt64Array.from(next, BigInt));
  }

  async step(signal?: AbortSignal): Promise<number[]> {
    if (this.#placed === this.#places) this.#move();
    const { columns, session } = this.#step;
    const at = { filled: this.#filled, placed: this.#placed, columns, places: RECENT_PLACES };
    const { cos, sin, bias } = frameAt(this.#runner.config, this.#shape, at);
    this.#write("cos", cos);
    this.#write("sin", sin);
    this.#write("bias", bias);
    this.#write("place", Int32Array.of(this.#placed++));
    const { next } = await session.run(signal);
    return Array.from(next!, Number);
  }

  /** Puts the short cache behind what is filled of the long one. */
  #move(): void {
    const { session } = this.#step;
    for (const [name, tensor] of Object.entries(session.inputs))
      if (name.startsWith("recent."))
        session.copy(tensor, name.replace("recent", "past"), { axis: 2, from: this.#filled });
    this.#filled += this.#placed;
    this.#placed = 0;
  }

  #write(name: string, { buffer, byteLength }: Float32Array | Int32Array | BigInt64Array): void {
    this.#step.session.inputs[name]!.write(0, new Uint8Array(buffer, 0, byteLength));
  }
}
