/** @file The recorded decoding sessions of one model, one for each number of rows and length of cache. */

import type { DecoderConfig } from "../graph/models/config.ts";
import { messageOf } from "../lib/assert.ts";
import type { DeviceTensor, FixedSession, FixedSessionOptions } from "../runtime/device.ts";
import { CACHE_COLUMNS, decodeFixed, emptyFixed, PART_ROWS, type ModelSessions } from "./roles.ts";
import { SessionPool } from "./sessionPool.ts";

const HEAD_MULTIPLE = 8;

/** Bytes of one token of one row in the cache: key and value of every layer, in float32. */
export const cacheBytes = ({ layers, kvHeads, headDim }: DecoderConfig): number =>
  2 * layers * kvHeads * headDim * Float32Array.BYTES_PER_ELEMENT;

/** Limit for the caches of all kept sessions: at least those of a recall and of an answer. */
export const keptBytes = (config: DecoderConfig): number =>
  Math.max(2 ** 30, cacheBytes(config) * (PART_ROWS.few * RECALL_COLUMNS + ANSWER_COLUMNS));

const [RECALL_COLUMNS, ANSWER_COLUMNS] = [128, 512];

type InPlace = NonNullable<FixedSessionOptions["inPlace"]>[string];

export interface FixedStep {
  readonly session: FixedSession;
  readonly rows: number;
  readonly columns: number;
  checked: boolean;
}

export class FixedSessions {
  readonly #pool: SessionPool<FixedStep>;
  #refused: string | undefined;

  constructor(private readonly programs: ModelSessions) {
    const { config } = programs.decoder;
    const { headDim, rotaryDim } = config;
    this.#pool = new SessionPool(keptBytes(config));
    if (programs.device.software) this.#refused = "recorded steps cost a software GPU more than they save";
    else if (headDim % HEAD_MULTIPLE !== 0)
      this.#refused = `heads of ${headDim} numbers are not recorded, only multiples of ${HEAD_MULTIPLE}`;
    else if (rotaryDim < headDim)
      this.#refused = `heads with ${rotaryDim} of ${headDim} numbers rotated are not recorded`;
  }

  /** Why this model is decoded the portable way on a device that records, behind "since"; undefined while it is not. */
  get refused(): string | undefined {
    return this.#refused;
  }

  /**
   * The session for `rows` whose cache holds at least `columns`, the caller's until {@link give}; undefined without one.
   */
  async take(rows: number, columns: number): Promise<FixedStep | undefined> {
    const length = CACHE_COLUMNS.find((holds) => holds >= columns);
    if (!this.programs.device.createFixedSession || length === undefined) return undefined;
    const key = keyOf({ rows, columns: length });
    await this.#pool.turn(key);
    const step =
      this.#refused === undefined ? (this.#pool.kept(key) ?? (await this.#open(rows, length))) : undefined;
    if (!step) this.#pool.give(key);
    return step;
  }

  give(step: FixedStep): void {
    if (this.#refused === undefined) this.#pool.give(keyOf(step));
    else this.#pool.drop(keyOf(step));
  }

  async refuse(reason: string): Promise<void> {
    this.#refused = reason;
    await this.#pool.releaseIdle();
  }

  async #open(rows: number, columns: number): Promise<FixedStep | undefined> {
    const shape = { rows, columns };
    try {
      return await this.#pool.open(keyOf(shape), this.#bytesOf(shape), () => this.#record(shape));
    } catch (error) {
      await this.refuse(`none could be recorded (${messageOf(error)})`);
      return undefined;
    }
  }

  async #record(shape: Pick<FixedStep, "rows" | "columns">): Promise<FixedStep> {
    const graph = decodeFixed(shape.rows, shape.columns).build(this.programs.decoder);
    const caches: Record<string, InPlace> = {};
    try {
      for (const { name } of graph.outputs)
        if (name.startsWith("present."))
          caches[name] = { input: name.replace("present", "past"), tensor: await this.#emptyCache(shape) };
      const session = await this.programs.recorded(graph, {
        back: { next: "ids" },
        inPlace: caches,
        read: ["next"],
        purpose: "cache",
      });
      return { ...shape, session, checked: false };
    } catch (error) {
      for (const { tensor } of Object.values(caches)) tensor.dispose();
      throw error;
    }
  }

  /** A cache of half a layer that the device made, since no output of a recorded session can lie in another. */
  async #emptyCache({ rows, columns }: Pick<FixedStep, "rows" | "columns">): Promise<DeviceTensor> {
    const { device, decoder } = this.programs;
    const { name, build } = emptyFixed(rows, columns);
    const session = await this.programs.session(name, () => build(decoder), { keptFor: "cache" });
    const zero = device.upload(new Float32Array(1), "float32", [1, 1, 1, 1], "activation");
    try {
      return (await session.run({ zero }))["empty"]!;
    } finally {
      zero.dispose();
    }
  }

  #bytesOf({ rows, columns }: Pick<FixedStep, "rows" | "columns">): number {
    return cacheBytes(this.programs.decoder.config) * rows * columns;
  }
}

const keyOf = ({ rows, columns }: Pick<FixedStep, "rows" | "columns">): string => `${rows}.${columns}`;
