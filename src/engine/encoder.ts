/**
 * @file Encodes a batch of facts at one layer λ. Values that do not depend on δ are computed once: the cache of the prompt
 * prefixes (all layers) and the window after λ. A step then runs only the layers above λ. When a fact is finished its
 * row can be given to another fact, for which only the new row's values are computed.
 *
 *   prefix ids ── all layers ── cache ─┬─ layers <= λ ── window: hidden after λ ─┐
 *                                      └─ layers  > λ ───────────────────────────┴─ encode step ── δ, m, v, loss
 */

import { assert } from "../lib/assert.ts";
import type { DeviceTensor, Session } from "../runtime/device.ts";
import { chunks } from "../lib/group.ts";
import type { EncodeSession, EncodeShape } from "./encodeSessions.ts";
import type {
  AdamState,
  Encoder,
  EncoderOptions,
  EncodeRow,
  RowChange,
  StepResult,
  StepRow,
} from "./engine.ts";
import { checkWindow } from "./greedy.ts";
import { encode, ENCODE_BATCHES, FRESH_ROWS, lower, replacement } from "./roles.ts";
import {
  disposeAll,
  fillRows,
  freeing,
  onlyLayers,
  padRight,
  pasts,
  type Feeds,
  type Runner,
} from "./runner.ts";

const LARGEST_BATCH = ENCODE_BATCHES.at(-1)!;

export interface LocalEncoderOptions extends EncoderOptions {
  /** Fed steps before a session is recorded for the batch; with Infinity all steps are fed. */
  readonly fedSteps?: number;
}

/** Opens a batch. Throws when rows differ in what follows the key token, or a row does not fit the window. */
export async function openEncoder(
  runner: Runner,
  rows: readonly EncodeRow[],
  options: LocalEncoderOptions,
  signal?: AbortSignal,
): Promise<LocalEncoder> {
  const first = rows[0];
  assert(first, () => "engine: an encoding batch needs at least one fact");
  if (rows.length > LARGEST_BATCH)
    throw new Error(`engine: ${rows.length} facts in a batch, at most ${LARGEST_BATCH}`);
  const { layers } = runner.config;
  assert(
    Number.isInteger(options.layer) && options.layer >= 0 && options.layer < layers - 1,
    // A vector added at the key token of the last layer does not reach any later token.
    () =>
      `engine: facts cannot be encoded at layer ${options.layer}; a model of ${layers} layers stores them at 0 to ${layers - 2}`,
  );
  const suffix = suffixOf(first);
  for (const row of rows) checkRow(runner, row, suffix);
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

function checkRow(runner: Runner, row: EncodeRow, suffix: number): void {
  if (suffixOf(row) !== suffix)
    throw new Error(
      `engine: prompts in one batch end ${suffix} and ${suffixOf(row)} tokens from the key; batch them apart`,
    );
  assert(row.targets.length > 0, () => "engine: a value without tokens cannot be encoded");
  checkWindow(runner, row.prompt.ids.length + row.targets.length, "a fact with its recall prompt");
}

const suffixOf = ({ prompt }: EncodeRow): number => prompt.ids.length - prompt.keyPosition;

type Shape = Pick<EncodeShape, "batch" | "suffix">;

export class LocalEncoder implements Encoder {
  readonly #batch: number;
  readonly #suffix: number;
  /** Columns of the prefix, and number of targets per row. */
  readonly #columns: number;
  readonly #count: number;
  #cache: Feeds = {};
  /** Everything a step is fed that stays the same between steps. */
  #fixed: Feeds = {};
  #hidden: Feeds = {};
  #state: Feeds = {};
  #session: Session | undefined;
  /** Replaces #session and #state once a step of this shape is recorded, if the device records. */
  #recorded: EncodeSession | undefined;
  #spoilt = false;
  #isRefused = false;
  #steps = 0;

  constructor(
    private readonly runner: Runner,
    private rows: readonly EncodeRow[],
    private readonly options: LocalEncoderOptions,
    { batch, suffix }: Shape,
  ) {
    this.#batch = batch;
    this.#suffix = suffix;
    const { prefix = 1, targets = 1 } = options.room ?? {};
    const needed = {
      prefix: Math.max(prefix, ...rows.map((row) => row.prompt.keyPosition)),
      targets: Math.max(targets, ...rows.map((row) => row.targets.length)),
    };
    const columns = runner.programs.encoding.columns(batch, needed);
    this.#columns = columns.prefix;
    this.#count = columns.targets;
  }

  get slots(): number {
    return this.#batch * this.#time;
  }

  get recorded(): boolean {
    return this.#recorded !== undefined;
  }

  get #time(): number {
    return this.#suffix - 1 + this.#count;
  }

  /** Of runs behind the prefix; `rows` fill the program. */
  #shapeOf(rows: readonly EncodeRow[]) {
    const pads = rows.map(({ prompt }) => this.#columns - prompt.keyPosition);
    return { pads, past: this.#columns, length: rows.map(lengthOf) };
  }

  async open(signal?: AbortSignal): Promise<void> {
    this.#session = await this.runner.session(encode(this.#batch, this.#suffix, this.options));
    this.#cache = await this.#readPrefix(fillRows(this.rows, this.#batch), signal);
    await this.feed(
      this.rows.map((row) => row.prefix ?? row.targets),
      signal,
    );
    this.#fix();
    this.#state = this.#initialState();
  }

  async replace(changes: readonly RowChange[], signal?: AbortSignal): Promise<void> {
    for (const { row, fact } of changes) this.#checkChange(row, fact);
    const states = await this.state();
    for (const group of chunks(changes, FRESH_ROWS)) await this.#join(group, signal);
    const facts = new Map(changes.map(({ row, fact }) => [row, fact]));
    this.rows = this.rows.map((row, i) => facts.get(i) ?? { ...row, state: states[i]! });
    disposeAll(this.#fixed, this.#state);
    this.#fix();
    this.#state = this.#initialState();
    this.#load();
  }

  #checkChange(row: number, fact: EncodeRow): void {
    if (!(Number.isInteger(row) && row >= 0 && row < this.rows.length))
      throw new Error(`engine: there is no row ${row} in a batch of ${this.rows.length} facts`);
    checkRow(this.runner, fact, this.#suffix);
    const [before, tokens] = [fact.prompt.keyPosition, fact.targets.length];
    if (!(before <= this.#columns && tokens <= this.#count))
      throw new Error(
        `engine: a fact with ${before} tokens in front of its key and ${tokens} in its value does not fit a batch ` +
          `with room for ${this.#columns} and ${this.#count}; open another`,
      );
  }

  /** Puts what δ cannot change of at most FRESH_ROWS facts into their rows. */
  async #join(changes: readonly RowChange[], signal: AbortSignal | undefined): Promise<void> {
    const facts = changes.map(({ fact }) => fact);
    const fresh = await this.#readPrefix(fillRows(facts, FRESH_ROWS), signal);
    try {
      const hidden = await this.#readWindow(
        facts,
        facts.map((fact) => fact.prefix ?? fact.targets),
        fresh,
        signal,
      );
      await freeing(hidden, () => this.#select(changes, { ...fresh, ...hidden }, signal));
    } finally {
      disposeAll(fresh);
    }
  }

  async #select(changes: readonly RowChange[], fresh: Feeds, signal: AbortSignal | undefined): Promise<void> {
    const places = Array.from({ length: this.#batch }, (_, i) => i);
    for (const [i, { row }] of changes.entries()) places[row] = this.#batch + i;
    const { programs } = this.runner;
    const rows = programs.device.upload(BigInt64Array.from(places, BigInt), "int64", [this.#batch], "encode");
    const renamed = Object.fromEntries(
      Object.entries(fresh).map(([name, tensor]) => [`fresh.${name}`, tensor]),
    );
    const kept = { ...this.#cache, ...this.#hidden, ...renamed };
    const outputs = await this.runner.run(replacement(this.#batch), { rows }, signal, kept);
    disposeAll(this.#cache, this.#hidden);
    const { "hidden.next": hidden, ...present } = outputs;
    this.#cache = pasts(present);
    this.#hidden = { hidden: hidden! };
  }

  async feed(prefixes: readonly (readonly number[])[], signal?: AbortSignal): Promise<void> {
    for (const [i, { targets }] of this.rows.entries())
      assert(
        prefixes[i]?.length === targets.length,
        () => `engine: a prefix of ${prefixes[i]?.length ?? 0} tokens for ${targets.length} target tokens`,
      );
    const hidden = await this.#readWindow(this.rows, prefixes, this.#cache, signal);
    disposeAll(this.#hidden);
    this.#hidden = hidden;
    this.#load();
  }

  async step(rows: readonly StepRow[], signal?: AbortSignal): Promise<StepResult> {
    const settings = settingsOf(rows, this.#batch, this.options);
    await this.#record(this.#steps++);
    const { loss: losses, hits } = await (this.#recorded
      ? (this.#recorded.replays += 1) === CHECKED_REPLAY
        ? this.#playChecked(this.#recorded, settings, signal)
        : this.#play(this.#recorded, settings, signal)
      : this.#feedStep(settings, signal));
    return {
      losses: this.rows.map((_, i) => Number(losses[i])),
      hits: this.rows.map(({ targets }, i) => targets.map((_, t) => Number(hits[i * this.#count + t]) === 1)),
    };
  }

  async #feedStep(settings: Settings, signal: AbortSignal | undefined) {
    const column = (data: Float32Array) => this.runner.floats(data, [this.#batch, 1], "encode");
    const columns = Object.fromEntries(Object.entries(settings).map(([name, data]) => [name, column(data)]));
    const outputs = await freeing(columns, () =>
      this.#session!.run({ ...this.#fed(), ...this.#state, ...columns }, signal),
    );
    const found = { loss: await outputs["loss"]!.read(), hits: await outputs["hits"]!.read() };
    disposeAll(this.#state);
    this.#state = { delta: outputs["delta.next"]!, m: outputs["m.next"]!, v: outputs["v.next"]! };
    for (const name of ["loss", "hits", "gradient"]) outputs[name]!.dispose();
    return found;
  }

  /** A replay that is compared with a fed step from the same state: if they differ, the batch continues with fed steps. */
  async #playChecked(recorded: EncodeSession, settings: Settings, signal: AbortSignal | undefined) {
    const { inputs } = recorded.session;
    const shape = [this.#batch, this.runner.config.dModel];
    const before: Feeds = {};
    for (const name of ["delta", "m", "v"])
      before[name] = this.runner.floats((await inputs[name]!.read()) as Float32Array, shape, "encode");
    this.#state = before;
    const played = await this.#play(recorded, settings, signal);
    const fed = await this.#feedStep(settings, signal);
    const [m, ofFed] = [await inputs["m"]!.read(), await this.#state["m"]!.read()];
    if (isNear(played.loss, fed.loss) && isNear(m, ofFed)) {
      disposeAll(this.#state);
      this.#state = {};
      return played;
    }
    this.#recorded = undefined;
    this.#isRefused = true;
    this.runner.programs.encoding.refuse(recorded);
    return fed;
  }

  async #play({ session }: EncodeSession, settings: Settings, signal: AbortSignal | undefined) {
    for (const [name, { buffer }] of Object.entries(settings))
      session.inputs[name]!.write(0, new Uint8Array(buffer));
    try {
      const { loss, hits } = await session.run(signal);
      return { loss: loss!, hits: hits! };
    } catch (error) {
      this.#spoilt ||= !signal?.aborted;
      throw error;
    }
  }

  #fed(): Feeds {
    const above = onlyLayers(this.#cache, (i) => i > this.options.layer);
    return { ...this.#fixed, ...above, ...this.#hidden };
  }

  /** Switches to a recorded session if one exists for this shape, or if the batch has taken enough steps to justify one. */
  async #record(taken: number): Promise<void> {
    const { fedSteps = FED_STEPS } = this.options;
    if (this.#recorded || this.#isRefused || fedSteps === Infinity) return;
    const columns = { prefix: this.#columns, targets: this.#count };
    const shape = { batch: this.#batch, suffix: this.#suffix, options: this.options, ...columns };
    this.#recorded = await this.runner.programs.encoding.take(shape, taken >= fedSteps);
    this.#load();
  }

  #load(): void {
    if (!this.#recorded) return;
    for (const [name, tensor] of Object.entries({ ...this.#fed(), ...this.#state }))
      this.#recorded.session.copy(tensor, name);
    disposeAll(this.#state);
    this.#state = {};
  }

  async state(): Promise<AdamState[]> {
    const width = this.runner.config.dModel;
    const held = this.#recorded?.session.inputs ?? this.#state;
    const [delta, m, v] = await Promise.all(
      (["delta", "m", "v"] as const).map(async (name) => (await held[name]!.read()) as Float32Array),
    );
    const row = (data: Float32Array, i: number) => data.slice(i * width, (i + 1) * width);
    return this.rows.map((_, i) => ({ delta: row(delta!, i), m: row(m!, i), v: row(v!, i) }));
  }

  dispose(): void {
    disposeAll(this.#cache, this.#fixed, this.#hidden, this.#state);
    this.#cache = this.#fixed = this.#hidden = this.#state = {};
    const { encoding } = this.runner.programs;
    if (this.#recorded) encoding[this.#spoilt ? "drop" : "give"](this.#recorded);
    this.#recorded = undefined;
  }

  /** The cache of the tokens in front of each key token, of all layers; `rows` fill the program. */
  async #readPrefix(rows: readonly EncodeRow[], signal: AbortSignal | undefined): Promise<Feeds> {
    const prompts = rows.map(({ prompt }) => prompt);
    const shape = { columns: this.#columns, length: rows.map(lengthOf) };
    return (await this.runner.readPrefixes(prompts, { ...shape, signal })).cache;
  }

  /** "hidden": the window of each row after λ, behind its prefix in `cache`, whose rows fill a program. */
  async #readWindow(
    rows: readonly EncodeRow[],
    prefixes: readonly (readonly number[])[],
    cache: Feeds,
    signal: AbortSignal | undefined,
  ): Promise<Feeds> {
    const { layer } = this.options;
    const batch = cache["past.0.key"]!.dims[0]!;
    const window = rows.map((row, i) => this.#window(row, prefixes[i]!));
    const feeds = this.runner.tokens(fillRows(window, batch), this.#shapeOf(fillRows(rows, batch)));
    const below = onlyLayers(cache, (i) => i <= layer);
    return this.runner.run(lower(batch, layer), feeds, signal, below);
  }

  /** Uploads the inputs of a step that stay the same until a row gets another fact. */
  #fix(): void {
    const first = new Float32Array(this.#time);
    first[0] = 1;
    const shape = this.#shapeOf(fillRows(this.rows, this.#batch));
    this.#fixed = {
      ...this.runner.attention({ ...shape, time: this.#time }),
      first: this.runner.floats(first, [1, this.#time, 1], "encode"),
      ...this.#targets(),
    };
  }

  /** From the key token on: the end of the prompt, then u without its last token, padded on the right. */
  #window({ prompt }: EncodeRow, prefix: readonly number[]): number[] {
    const ids = [...prompt.ids.slice(prompt.keyPosition), ...prefix.slice(0, -1)];
    return padRight(ids, this.#time);
  }

  #targets(): Feeds {
    const [batch, count] = [this.#batch, this.#count];
    const targets = new Int32Array(batch * count);
    const mask = new Float32Array(batch * count);
    for (const [i, row] of this.rows.entries())
      for (const [t, id] of row.targets.entries()) {
        targets[i * count + t] = id;
        mask[i * count + t] = 1;
      }
    return {
      targets: this.runner.programs.device.upload(targets, "int32", [batch, count], "encode"),
      mask: this.runner.floats(mask, [batch, count], "encode"),
    };
  }

  #initialState(): Feeds {
    const width = this.runner.config.dModel;
    const gather = (name: keyof AdamState): DeviceTensor => {
      const data = new Float32Array(this.#batch * width);
      for (const [i, row] of this.rows.entries()) if (row.state) data.set(row.state[name], i * width);
      return this.runner.floats(data, [this.#batch, width], "encode");
    };
    return { delta: gather("delta"), m: gather("m"), v: gather("v") };
  }
}

const lengthOf = ({ prompt, targets }: EncodeRow): number => prompt.ids.length + targets.length;

const FED_STEPS = 8;
/** Some drivers replay the first steps right and later ones wrong (onnxruntime 29594). */
const CHECKED_REPLAY = 50;

/** Whether two tensors differ by at most a hundredth of the largest value. */
function isNear(a: ArrayLike<number | bigint>, b: ArrayLike<number | bigint>): boolean {
  const [left, right] = [Array.from(a, Number), Array.from(b, Number)];
  const largest = right.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9);
  return left.every((value, i) => Math.abs(value - right[i]!) <= 0.01 * largest);
}

type Settings = Readonly<Record<"rate" | "correction1" | "correction2" | "stop", Float32Array>>;

function settingsOf(
  rows: readonly StepRow[],
  batch: number,
  { beta1, beta2 }: Pick<EncoderOptions, "beta1" | "beta2">,
): Settings {
  const column = (of: (row: StepRow) => number, idle: number) =>
    Float32Array.from({ length: batch }, (_, i) => (rows[i] ? of(rows[i]) : idle));
  return {
    rate: column((row) => row.rate, 0),
    correction1: column((row) => 1 / (1 - beta1 ** row.step), 1),
    correction2: column((row) => 1 / (1 - beta2 ** row.step), 1),
    stop: column((row) => (row.stop ? 1 : 0), 1),
  };
}
