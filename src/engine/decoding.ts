/** @file Greedy decoding after a prompt: one token per run, recorded if the device can, or many per run if it has rounds. */

import { chunks } from "../lib/group.ts";
import { beginFixed, type FixedDecoding } from "./fixedDecoding.ts";
import { attentionInputs, type RunShape } from "./attentionInputs.ts";
import { decode, rounds } from "./roles.ts";
import { disposeAll, freeing, numbers, pasts, type Feeds, type Runner } from "./runner.ts";

export interface Decoding extends Omit<RunShape, "time"> {
  /** Wanted rows; further ones only fill the program. */
  readonly rows: number;
  /** Maximum tokens of every row. */
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
      // Its session has a copy.
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

/** One more token for every row; frees `outputs`, also when it fails. */
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

/** The same for `count` tokens, or fewer if the last open row ends. */
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
  return freeing({ ...feeds, ...outputs }, async () => {
    const session = await runner.session(rounds(rows));
    return session.run({ ...feeds, ...pasts(outputs) }, signal);
  });
}
