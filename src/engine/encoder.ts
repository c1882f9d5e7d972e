/**
 * @file A batch of facts being encoded at one layer λ. What δ cannot change is computed once: the cache of the
 * prompt prefixes (all layers) and the window after λ; a step then runs the layers above λ only.
 *
 *   prefix ids ── all layers ── cache ─┬─ layers <= λ ── window: hidden after λ ─┐
 *                                      └─ layers  > λ ───────────────────────────┴─ encode step ── δ, m, v, loss
 */

import { assert } from "../lib/assert.ts";
import type { DeviceTensor, Session } from "../runtime/device.ts";
import type { AdamState, Encoder, EncoderOptions, EncodeRow, StepResult, StepRow } from "./engine.ts";
import { checkWindow } from "./greedy.ts";
import { encode, ENCODE_BATCHES, lower, prefix } from "./roles.ts";
import {
  disposeAll,
  fillRows,
  freeing,
  onlyLayers,
  padLeft,
  pasts,
  type Feeds,
  type Runner,
} from "./runner.ts";

const LARGEST_BATCH = ENCODE_BATCHES.at(-1)!;

/** Opens a batch. Throws when rows differ in what follows the key token, or a row does not fit the window. */
export async function openEncoder(
  runner: Runner,
  rows: readonly EncodeRow[],
  options: EncoderOptions,
  signal?: AbortSignal,
): Promise<Encoder> {
  const first = rows[0];
  assert(first, () => "engine: an encoding batch needs at least one fact");
  assert(
    rows.length <= LARGEST_BATCH,
    () => `engine: ${rows.length} facts in a batch, at most ${LARGEST_BATCH}`,
  );
  const { layers } = runner.config;
  assert(
    Number.isInteger(options.layer) && options.layer >= 0 && options.layer < layers - 1,
    // What is added at the key token of the last layer reaches no later token.
    () =>
      `engine: facts cannot be encoded at layer ${options.layer}; a model of ${layers} layers stores them at 0 to ${layers - 2}`,
  );
  const suffix = suffixOf(first);
  for (const row of rows) {
    assert(
      suffixOf(row) === suffix,
      () =>
        `engine: prompts in one batch end ${suffix} and ${suffixOf(row)} tokens from the key; batch them apart`,
    );
    assert(row.targets.length > 0, () => "engine: a value without tokens cannot be encoded");
    checkWindow(runner, row.prompt.ids.length + row.targets.length, "a fact with its recall prompt");
  }
  const batch = ENCODE_BATCHES.find((size) => size >= rows.length)!;
  const encoder = new LocalEncoder(runner, rows, options, { batch, suffix });
  try {
    await encoder.open(signal);
  } catch (error) {
    encoder.dispose();
    throw error;
  }
  return encoder;
}

const suffixOf = ({ prompt }: EncodeRow): number => prompt.ids.length - prompt.keyPosition;

interface Shape {
  readonly batch: number;
  readonly suffix: number;
}

class LocalEncoder implements Encoder {
  readonly #runner: Runner;
  readonly #rows: readonly EncodeRow[];
  readonly #options: EncoderOptions;
  readonly #batch: number;
  readonly #suffix: number;
  /** Columns of prefix and window, and number of targets per row. */
  readonly #columns: number;
  readonly #count: number;
  readonly #pads: readonly number[];
  #cache: Feeds = {};
  /** Everything a step is fed that stays the same between steps. */
  #fixed: Feeds = {};
  #hidden: Feeds = {};
  #state: Feeds = {};
  #session: Session | undefined;

  constructor(runner: Runner, rows: readonly EncodeRow[], options: EncoderOptions, { batch, suffix }: Shape) {
    this.#runner = runner;
    this.#rows = rows;
    this.#options = options;
    this.#batch = batch;
    this.#suffix = suffix;
    this.#columns = Math.max(1, ...rows.map((row) => row.prompt.keyPosition));
    this.#count = Math.max(...rows.map((row) => row.targets.length));
    this.#pads = fillRows(rows, batch).map((row) => this.#columns - row.prompt.keyPosition);
  }

  get #time(): number {
    return this.#suffix - 1 + this.#count;
  }

  get #shape() {
    const length = fillRows(this.#rows, this.#batch).map((row) => row.prompt.ids.length + row.targets.length);
    return { pads: this.#pads, past: this.#columns, length };
  }

  async open(signal?: AbortSignal): Promise<void> {
    this.#session = await this.#runner.session(encode(this.#batch, this.#suffix, this.#options));
    await this.#readPrefix(signal);
    await this.feed(this.#rows.map((row) => row.prefix ?? row.targets), signal); // prettier-ignore
    this.#fixed = { ...this.#fixed, ...this.#targets() };
    this.#state = this.#initialState();
  }

  async feed(prefixes: readonly (readonly number[])[], signal?: AbortSignal): Promise<void> {
    const { layer } = this.#options;
    const batch = this.#batch;
    for (const [i, { targets }] of this.#rows.entries())
      assert(
        prefixes[i]?.length === targets.length,
        () => `engine: a prefix of ${prefixes[i]?.length ?? 0} tokens for ${targets.length} target tokens`,
      );
    const window = this.#rows.map((row, i) => this.#window(row, prefixes[i]!));
    const feeds = this.#runner.tokens(fillRows(window, batch), this.#shape);
    const cache = onlyLayers(this.#cache, (i) => i <= layer);
    const hidden = await freeing(feeds, () =>
      this.#runner.forward(lower(batch, layer), { ...feeds, ...cache }, signal),
    );
    disposeAll(this.#hidden);
    this.#hidden = hidden;
  }

  async step(rows: readonly StepRow[], signal?: AbortSignal): Promise<StepResult> {
    const settings = this.#settings(rows);
    const fixed = { ...this.#fixed, ...this.#hidden, ...this.#state };
    const outputs = await freeing(settings, () => this.#session!.run({ ...fixed, ...settings }, signal));
    const [losses, hits] = [await outputs["loss"]!.read(), await outputs["hits"]!.read()];
    disposeAll(this.#state);
    this.#state = { delta: outputs["delta.next"]!, m: outputs["m.next"]!, v: outputs["v.next"]! };
    for (const name of ["loss", "hits", "gradient"]) outputs[name]!.dispose();
    return {
      losses: this.#rows.map((_, i) => Number(losses[i])),
      hits: this.#rows.map(({ targets }, i) =>
        targets.map((_, t) => Number(hits[i * this.#count + t]) === 1),
      ),
    };
  }

  async state(): Promise<AdamState[]> {
    const width = this.#runner.config.dModel;
    const [delta, m, v] = await Promise.all(
      (["delta", "m", "v"] as const).map(async (name) => (await this.#state[name]!.read()) as Float32Array),
    );
    const row = (data: Float32Array, i: number) => data.slice(i * width, (i + 1) * width);
    return this.#rows.map((_, i) => ({ delta: row(delta!, i), m: row(m!, i), v: row(v!, i) }));
  }

  dispose(): void {
    disposeAll(this.#cache, this.#fixed, this.#hidden, this.#state);
    this.#cache = this.#fixed = this.#hidden = this.#state = {};
  }

  /** The cache of the tokens in front of each key token, and the frame of the window behind them. */
  async #readPrefix(signal: AbortSignal | undefined): Promise<void> {
    const batch = this.#batch;
    const prefixes = fillRows(this.#rows, batch).map(({ prompt }) => prompt.ids.slice(0, prompt.keyPosition));
    const { rows, pads } = padLeft(prefixes, this.#columns);
    const feeds = this.#runner.tokens(rows, { pads, past: 0, length: this.#shape.length });
    this.#cache = pasts(await freeing(feeds, () => this.#runner.forward(prefix(batch), feeds, signal)));
    const first = new Float32Array(this.#time);
    first[0] = 1;
    this.#fixed = {
      ...this.#runner.frame({ ...this.#shape, time: this.#time }),
      ...onlyLayers(this.#cache, (i) => i > this.#options.layer),
      first: this.#runner.floats(first, [1, this.#time, 1], "encode"),
    };
  }

  /** From the key token on: the end of the prompt, then u without its last token, padded on the right. */
  #window({ prompt }: EncodeRow, prefix: readonly number[]): number[] {
    const ids = [...prompt.ids.slice(prompt.keyPosition), ...prefix.slice(0, -1)];
    return [...ids, ...new Array<number>(this.#time - ids.length).fill(0)];
  }

  #targets(): Feeds {
    const [batch, count] = [this.#batch, this.#count];
    const targets = new Int32Array(batch * count);
    const mask = new Float32Array(batch * count);
    for (const [i, row] of this.#rows.entries())
      for (const [t, id] of row.targets.entries()) {
        targets[i * count + t] = id;
        mask[i * count + t] = 1;
      }
    return {
      targets: this.#runner.programs.device.upload(targets, "int32", [batch, count], "encode"),
      mask: this.#runner.floats(mask, [batch, count], "encode"),
    };
  }

  #initialState(): Feeds {
    const width = this.#runner.config.dModel;
    const gather = (name: keyof AdamState): DeviceTensor => {
      const data = new Float32Array(this.#batch * width);
      for (const [i, row] of this.#rows.entries()) if (row.state) data.set(row.state[name], i * width);
      return this.#runner.floats(data, [this.#batch, width], "encode");
    };
    return { delta: gather("delta"), m: gather("m"), v: gather("v") };
  }

  #settings(rows: readonly StepRow[]): Feeds {
    const { beta1, beta2 } = this.#options;
    const column = (of: (row: StepRow) => number, idle: number) => {
      const data = Float32Array.from({ length: this.#batch }, (_, i) => (rows[i] ? of(rows[i]) : idle));
      return this.#runner.floats(data, [this.#batch, 1], "encode");
    };
    return {
      rate: column((row) => row.rate, 0),
      correction1: column((row) => 1 / (1 - beta1 ** row.step), 1),
      correction2: column((row) => 1 / (1 - beta2 ** row.step), 1),
      limit: column((row) => Math.min(row.limit, UNLIMITED), UNLIMITED),
      stop: column((row) => (row.stop ? 1 : 0), 1),
    };
  }
}

/** A norm no delta reaches: float32 has no room for Infinity in a quotient. */
const UNLIMITED = 1e30;
