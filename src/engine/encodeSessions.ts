/** @file The recorded encoding sessions of one model. Columns are rounded up, so that batches share sessions. */

import type { FixedSession } from "../runtime/device.ts";
import type { EncoderOptions } from "./engine.ts";
import { encode, type ModelSessions } from "./roles.ts";
import { SessionPool } from "./sessionPool.ts";

interface EncodeColumns {
  readonly prefix: number;
  readonly targets: number;
}

/** Everything besides the model that a batch's graph depends on. */
export interface EncodeShape extends EncodeColumns {
  readonly batch: number;
  readonly suffix: number;
  readonly options: EncoderOptions;
}

export interface EncodeSession {
  readonly key: string;
  readonly session: FixedSession;
  replays: number;
}

export class EncodeSessions {
  readonly #pool = new SessionPool<EncodeSession>(KEPT_BYTES);
  readonly #refused = new Set<string>();

  constructor(private readonly programs: ModelSessions) {}

  /** The columns of a batch that needs `columns`: rounded up if its steps may be recorded, with the padding masked. */
  columns(batch: number, { prefix, targets }: EncodeColumns): EncodeColumns {
    if (!this.#records(batch * targets)) return { prefix, targets };
    const wide = roundedUp(targets, LEAST_TARGETS);
    return {
      prefix: roundedUp(prefix, LEAST_PREFIX),
      targets: this.#records(batch * wide) ? wide : targets,
    };
  }

  /** The session of a shape, the caller's until {@link give} or {@link drop}; undefined without a matching one. */
  async take(shape: EncodeShape, making: boolean): Promise<EncodeSession | undefined> {
    if (!this.#records(shape.batch * shape.targets)) return undefined;
    const { name: key } = programOf(shape);
    if (this.#refused.has(key) || this.#pool.isTaken(key)) return undefined;
    if (!making && !this.#pool.has(key)) return undefined;
    await this.#pool.turn(key);
    const kept = this.#pool.kept(key) ?? (await this.#open(key, shape));
    if (!kept) this.#pool.give(key);
    return kept;
  }

  give({ key }: EncodeSession): void {
    this.#pool.give(key);
  }

  drop({ key }: EncodeSession): void {
    this.#pool.drop(key);
  }

  /** Drops a session that gives other numbers than a fed step, and records no other of its shape. */
  refuse(session: EncodeSession): void {
    this.#refused.add(session.key);
    this.drop(session);
  }

  #records(rows: number): boolean {
    const { device, recordsSteps, decoder } = this.programs;
    const logits = rows * decoder.config.vocabulary;
    return device.createFixedSession !== undefined && recordsSteps && logits <= RECORDED_LOGITS;
  }

  async #open(key: string, shape: EncodeShape): Promise<EncodeSession | undefined> {
    const open = () => this.#pool.open(key, this.#bytesOf(shape), () => this.#record(key, shape));
    try {
      // The other sessions may have taken the memory that it lacked.
      return await open().catch(async (error: unknown) => {
        if (await this.#pool.releaseIdle()) return open();
        throw error;
      });
    } catch {
      this.#refused.add(key);
      return undefined;
    }
  }

  async #record(key: string, shape: EncodeShape): Promise<EncodeSession> {
    const graph = programOf(shape).build(this.programs.decoder);
    const back = { "delta.next": "delta", "m.next": "m", "v.next": "v" };
    const read = ["loss", "hits"];
    const session = await this.programs.recorded(graph, { back, read, purpose: "encode" });
    return { key, session, replays: 0 };
  }

  #bytesOf({ batch, prefix, targets, options }: EncodeShape): number {
    const { config } = this.programs.decoder;
    const { layers, kvHeads, headDim, vocabulary } = config;
    const cache = 2 * (layers - 1 - options.layer) * kvHeads * headDim * batch * prefix;
    const floats = cache + RECORDED_TENSORS * batch * targets * vocabulary;
    return Math.min(KEPT_BYTES, floats * Float32Array.BYTES_PER_ELEMENT);
  }
}

const programOf = ({ batch, suffix, options, prefix, targets }: EncodeShape) =>
  encode(batch, suffix, options, { time: suffix - 1 + targets, past: prefix });

/** The least 2^k or 3 * 2^k that holds `count`, from `least` on. */
function roundedUp(count: number, least: number): number {
  const power = 2 ** Math.ceil(Math.log2(Math.max(count, least)));
  return (3 / 4) * power >= Math.max(count, least) ? (3 / 4) * power : power;
}

const LEAST_TARGETS = 4;
const LEAST_PREFIX = 16;

/** Logits of a batch that is recorded, as many as LOGITS_PER_BATCH. Some fifteen tensors of this size stay allocated. */
const RECORDED_LOGITS = 2 ** 24;
export const RECORDED_TENSORS = 15;

const KEPT_BYTES = RECORDED_LOGITS * RECORDED_TENSORS * Float32Array.BYTES_PER_ELEMENT;
