/** @file Runs forward programs on plain arrays: feeds what they need, and frees it afterwards. */

import type { DecoderConfig } from "../graph/models/config.ts";
import { forward } from "../graph/programs/forward.ts";
import type { DeviceTensor, Purpose, Session, WritableTensor } from "../runtime/device.ts";
import { assert } from "../lib/assert.ts";
import { chunks } from "../lib/group.ts";
import { once } from "../lib/promises.ts";
import { rawBytes } from "../lib/bytes.ts";
import { createQueue } from "../lib/queue.ts";
import { countOf, unpackRows, type Rows } from "../lib/vectorForms.ts";
import type { RecallPrompt } from "./engine.ts";
import type { Programs } from "./programs.ts";
import { prefix, prefixBehind, READ_OPENING, type ForwardRole, type Program } from "./roles.ts";
import { ropeTables } from "../graph/models/rope.ts";

export type Feeds = Record<string, DeviceTensor>;

export function disposeAll(...feeds: readonly Feeds[]): void {
  for (const tensors of feeds) for (const tensor of Object.values(tensors)) tensor.dispose();
}

/** Runs `body` and frees `feeds` after it, also when it fails or is cancelled. */
export async function freeing<T>(feeds: Feeds, body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } finally {
    disposeAll(feeds);
  }
}

export const pasts = (outputs: Feeds): Feeds =>
  Object.fromEntries(
    Object.entries(outputs).flatMap(([k, t]) =>
      k.startsWith("present.") ? [[k.replace("present", "past"), t]] : [],
    ),
  );

export const onlyLayers = (cache: Feeds, keep: (layer: number) => boolean): Feeds =>
  Object.fromEntries(Object.entries(cache).filter(([name]) => keep(Number(name.split(".")[1]))));

export class Runner {
  readonly config: DecoderConfig;
  readonly prefixes = new KeptPrefixes();
  #unpacked: { readonly tensor: WritableTensor; readonly values: Float32Array } | undefined;
  readonly #unpacking = createQueue();
  /** Caches of the tokens that begin prompts, by number of rows and tokens. */
  readonly #openings = new Map<string, Promise<Feeds>>();
  #disposed = false;

  constructor(readonly programs: Programs) {
    this.config = programs.decoder.config;
  }

  get logitRows(): number {
    const { backend } = this.programs.device;
    return Math.max(1, Math.floor(LOGITS_PER_BATCH[backend] / this.config.vocabulary));
  }

  floats(data: Float32Array, dims: readonly number[], purpose: Purpose = "activation"): DeviceTensor {
    return this.programs.device.upload(data, "float32", dims, purpose);
  }

  /** Runs `work` on packed keys, unpacked in the memory of those before: new memory for each block takes longer than the work. */
  unpacked<T>(keys: Rows, columns: number, work: (keys: DeviceTensor) => Promise<T>): Promise<T> {
    return this.#unpacking.run("engine: unpacking keys", () => {
      const size = countOf(keys);
      if (this.#unpacked?.values.length !== size) {
        this.#unpacked?.tensor.dispose();
        const tensor = this.programs.device.allocate("float32", [size / columns, columns], "vectors");
        this.#unpacked = { tensor, values: new Float32Array(size) };
      }
      const { tensor, values } = this.#unpacked;
      tensor.write(0, rawBytes(unpackRows(keys, columns, values)));
      return work(tensor);
    });
  }

  freeUnpacked(): void {
    void this.#unpacking.run("engine: freeing keys", () => {
      this.#unpacked?.tensor.dispose();
      this.#unpacked = undefined;
    });
  }

  ids(rows: readonly (readonly number[])[]): DeviceTensor {
    const dims = [rows.length, rows[0]!.length];
    return this.programs.device.upload(BigInt64Array.from(rows.flat(), BigInt), "int64", dims, "activation");
  }

  attention(shape: RunShape): Feeds {
    const { cos, sin, bias } = attentionInputs(this.config, shape);
    const { pads, past, time } = shape;
    const table = [pads.length, 1, time, this.config.headDim];
    return {
      cos: this.floats(cos, table),
      sin: this.floats(sin, table),
      bias: this.floats(bias, [pads.length, 1, time, past + time]),
    };
  }

  /** "ids" and the attention inputs for rows of tokens that follow `past` columns. */
  tokens(rows: readonly (readonly number[])[], shape: Omit<RunShape, "time">): Feeds {
    return { ids: this.ids(rows), ...this.attention({ ...shape, time: rows[0]!.length }) };
  }

  /** "ids" and the attention inputs of rows that begin a sequence, padded on the left and filled up to `count` rows. */
  wholeRows(rows: readonly (readonly number[])[], count: number) {
    const length = fillRows(rows, count).map((row) => row.length);
    const columns = Math.max(1, ...length);
    const { rows: padded, pads } = padLeft(fillRows(rows, count), columns);
    return { feeds: this.tokens(padded, { pads, past: 0, length }), pads, columns };
  }

  /** "delta" and "at": each row's residual at its layer, at `position` of a window of `time` tokens. */
  injections(
    rows: readonly ({ readonly layer: number; readonly residual: Float32Array } | null)[],
    time: number,
    position = 0,
  ): Feeds {
    const { dModel, layers } = this.config;
    const delta = new Float32Array(rows.length * dModel);
    const at = new Float32Array(rows.length * time * layers);
    for (const [row, injection] of rows.entries())
      if (injection) {
        delta.set(injection.residual, row * dModel);
        at[(row * time + position) * layers + injection.layer] = 1;
      }
    return {
      delta: this.floats(delta, [rows.length, dModel]),
      at: this.floats(at, [rows.length, time, layers]),
    };
  }

  /** The session of a program; its name must contain everything that the program depends on. */
  async session(role: Program | ForwardRole): Promise<Session> {
    assert(!this.#disposed, () => "engine: the model was disposed; open it again");
    const { decoder } = this.programs;
    const build = () => ("build" in role ? role.build(decoder) : forward(decoder, role));
    return this.programs.session(role.name, build, role);
  }

  async forward(role: Program | ForwardRole, feeds: Feeds, signal?: AbortSignal): Promise<Feeds> {
    return (await this.session(role)).run(feeds, signal);
  }

  /** Runs a program on `feeds`, which are freed, and on `kept` tensors. */
  run(role: Program | ForwardRole, feeds: Feeds, signal?: AbortSignal, kept: Feeds = {}): Promise<Feeds> {
    return freeing(feeds, () => this.forward(role, { ...feeds, ...kept }, signal));
  }

  /** One output of {@link run} as floats. */
  async read(
    role: Program | ForwardRole,
    output: string,
    ...run: [feeds: Feeds, signal?: AbortSignal, kept?: Feeds]
  ): Promise<Float32Array> {
    const outputs = await this.run(role, ...run);
    const data = (await outputs[output]!.read()) as Float32Array;
    disposeAll(outputs);
    return data;
  }

  /** Reads the tokens in front of each prompt's key token into a cache; the prompts fill the program. */
  async readPrefixes(
    prompts: readonly RecallPrompt[],
    { columns, length, until, opening = 0, signal }: PrefixOptions,
  ): Promise<{ cache: Feeds; pads: number[] }> {
    const prefixes = prompts.map(({ ids, keyPosition }) => ids.slice(opening, keyPosition));
    const { rows, pads } = padLeft(prefixes, columns - opening);
    const before = opening > 0 ? await this.#opening(prompts[0]!.ids.slice(0, opening), rows.length) : {};
    const feeds = this.tokens(rows, { pads, past: opening, opening, length });
    const role = (opening > 0 ? prefixBehind : prefix)(rows.length, until);
    const read = until === undefined ? before : onlyLayers(before, (layer) => layer <= until);
    const outputs = await this.run(role, feeds, signal, read);
    outputs["hidden"]?.dispose();
    return { cache: pasts(outputs), pads };
  }

  /** Read in one row, so that its bits do not depend on the number of rows it serves. */
  #opening(ids: readonly number[], rows: number): Promise<Feeds> {
    return once(this.#openings, `${rows} ${ids.join()}`, async () => {
      const shape = { pads: [0], past: 0, length: ids.length };
      const read = pasts(await this.run(READ_OPENING, this.tokens([ids], shape)));
      return freeing(read, async () => {
        const repeated: Feeds = {};
        for (const [name, tensor] of Object.entries(read)) {
          const row = (await tensor.read()) as Float32Array;
          const all = new Float32Array(rows * row.length);
          for (let i = 0; i < rows; i++) all.set(row, i * row.length);
          repeated[name] = this.floats(all, [rows, ...tensor.dims.slice(1)], "weights");
        }
        return repeated;
      });
    });
  }

  async dispose(): Promise<void> {
    // A running call would otherwise open sessions and caches again.
    this.#disposed = true;
    this.prefixes.clear();
    for (const read of this.#openings.values()) disposeAll(await read.catch(() => ({})));
    this.#openings.clear();
  }
}

/** Logits of one encoding batch: a training step holds about ten tensors of this size, and the arena keeps them per layer. */
export const LOGITS_PER_BATCH = { cpu: 2 ** 22, wasm: 2 ** 21, webgpu: 2 ** 24 } as const;

interface PrefixOptions {
  /** Columns that every prefix is padded to on the left. */
  readonly columns: number;
  readonly length: readonly number[];
  readonly until?: number;
  /** Tokens that all prompts begin with, among the columns. */
  readonly opening?: number;
  readonly signal: AbortSignal | undefined;
}

export async function byLength<R extends { readonly length: number }, T>(
  rows: readonly R[],
  size: number,
  read: (group: readonly R[]) => Promise<readonly T[]>,
): Promise<T[]> {
  const found = new Array<T>(rows.length);
  const order = [...rows.keys()].sort((a, b) => rows[a]!.length - rows[b]!.length);
  for (const group of chunks(order, size))
    for (const [k, one] of (await read(group.map((i) => rows[i]!))).entries()) found[group[k]!] = one;
  return found;
}

/** Rows padded on the left to `columns`, with the pads. The padding token is never seen by any other. */
export function padLeft(
  rows: readonly (readonly number[])[],
  columns: number,
): { rows: number[][]; pads: number[] } {
  const pads = rows.map((row) => columns - row.length);
  return { rows: rows.map((row, i) => [...new Array<number>(pads[i]!).fill(0), ...row]), pads };
}

/** A row padded on the right to `columns`; none of its tokens sees the padding. */
export const padRight = (row: readonly number[], columns: number): number[] => [
  ...row,
  ...new Array<number>(columns - row.length).fill(0),
];

/** `rows` repeated from the front until there are `count`: programs have a fixed number of rows. */
export const fillRows = <T>(rows: readonly T[], count: number): T[] =>
  Array.from({ length: count }, (_, i) => rows[i] ?? rows[0]!);

export const numbers = async (tensor: DeviceTensor): Promise<number[]> =>
  Array.from(await tensor.read(), Number);

interface PrefixCache {
  readonly cache: Record<string, DeviceTensor>;
  readonly pads: number[];
}

/** A batch of prompts whose rows fill the program, with the final number of tokens of each row. */
interface PrefixBatch {
  readonly prompts: readonly RecallPrompt[];
  readonly columns: number;
  readonly length: readonly number[];
}

const KEPT_BYTES = 2 ** 28;

class KeptPrefixes {
  readonly #kept = new Map<string, PrefixCache>();

  hasRoom(bytes: number): boolean {
    const kept = [...this.#kept.values()].flatMap(({ cache }) => Object.values(cache));
    return kept.reduce((sum, tensor) => sum + tensor.bytes, bytes) <= KEPT_BYTES;
  }

  keep(batch: PrefixBatch, read: PrefixCache): void {
    this.#drop(keyOf(batch));
    this.#kept.set(keyOf(batch), read);
  }

  take(batch: PrefixBatch): PrefixCache | undefined {
    const found = this.#kept.get(keyOf(batch));
    this.#kept.delete(keyOf(batch));
    return found;
  }

  clear(): void {
    for (const key of [...this.#kept.keys()]) this.#drop(key);
  }

  #drop(key: string): void {
    for (const tensor of Object.values(this.#kept.get(key)?.cache ?? {})) tensor.dispose();
    this.#kept.delete(key);
  }
}

/** The tokens before the keys, and everything that decides their positions. */
const keyOf = ({ prompts, columns, length }: PrefixBatch): string =>
  `${columns} ${length.join()} ${prompts.map(({ ids, keyPosition }) => ids.slice(0, keyPosition).join()).join(" ")}`;

export interface RunShape {
  /** Padding columns in front of each row's first token, or behind its opening. */
  readonly pads: readonly number[];
  /** Columns in front of the padding. */
  readonly opening?: number;
  readonly past: number;
  readonly time: number;
  /** Final number of tokens per row: longrope chooses its factors by it. */
  readonly length: number | readonly number[];
}

/** Added to the scores of columns a query may not see; large enough that their weight is exactly 0. */
const BLOCKED = -1e9;

/**
 * "cos", "sin" [batch, 1, time, headDim] and "bias" [batch, 1, time, past + time]: column c of row r sees the opening, and
 * those from its padding up to c.
 */
export function attentionInputs(config: DecoderConfig, { pads, opening = 0, past, time, length }: RunShape) {
  const columns = Array.from({ length: time }, (_, t) => past + t);
  // Padding columns get position 0: their values are never read, but must stay finite.
  const positions = pads.map((pad) => columns.map((column) => Math.max(column - pad, 0)));
  const total = past + time;
  const bias = new Float32Array(pads.length * time * total).fill(BLOCKED);
  for (const [row, pad] of pads.entries())
    for (const [t, column] of columns.entries()) {
      const [from, first] = [(row * time + t) * total, opening + pad];
      if (column < first) continue;
      bias.fill(0, from, from + opening);
      bias.fill(0, from + first, from + column + 1);
    }
  return { ...ropeTables(config, positions, lengthsOf({ pads, length })), bias };
}

/**
 * Inputs of a step at column `past` of a fixed cache: "cos", "sin" [rows, headDim / 2], "seen" [rows], "total" []. Column c of
 * row r is its (c - pads[r])th.
 */
export function fixedStepInputs(config: DecoderConfig, { pads, length, past }: Omit<RunShape, "time">) {
  const { headDim } = config;
  const seen = Int32Array.from(pads, (pad) => past - pad);
  const tables = ropeTables(config, chunks([...seen], 1), lengthsOf({ pads, length }));
  // Both halves of a table have the angles once; the first of sin has them negated.
  const half = (table: Float32Array, begin: number) =>
    Float32Array.from({ length: table.length / 2 }, (_, i) => {
      const [row, at] = [Math.floor((2 * i) / headDim), i % (headDim / 2)];
      return table[row * headDim + begin + at]!;
    });
  return {
    cos: half(tables.cos, 0),
    sin: half(tables.sin, headDim / 2),
    seen,
    total: Int32Array.of(Math.max(...seen) + 1),
  };
}

const lengthsOf = ({ pads, length }: Pick<RunShape, "pads" | "length">): readonly number[] =>
  typeof length === "number" ? pads.map(() => length) : length;
