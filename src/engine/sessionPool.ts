/**
 * @file Recorded sessions kept for reuse, within a limit of bytes; the least recently used is released first. A
 * session has one user at a time. The owner of the pool decides what is recorded, and for which shapes.
 */

import type { FixedSession } from "../runtime/device.ts";

/** A session and its owner's data. */
export interface Pooled {
  readonly session: Pick<FixedSession, "release">;
}

/** A place that is held from the moment on at which its session begins to be made. */
interface Place<T> {
  readonly bytes: number;
  readonly pooled: T | undefined;
}

export class SessionPool<T extends Pooled> {
  /** By key; the one that was used last is at the end. */
  readonly #kept = new Map<string, Place<T>>();
  /** Keys that somebody has, each with those who wait for it. */
  readonly #taken = new Map<string, (() => void)[]>();

  /** @param most bytes that may be held in all */
  constructor(private readonly most: number) {}

  /** Whether somebody has `key`. */
  isTaken(key: string): boolean {
    return this.#taken.has(key);
  }

  /** Whether a session is kept. */
  has(key: string): boolean {
    return this.#kept.get(key)?.pooled !== undefined;
  }

  /** Resolves when `key` is reserved for the caller, until {@link give} or {@link drop}; at once if it is free. */
  async turn(key: string): Promise<void> {
    const line = this.#taken.get(key);
    if (line) await new Promise<void>((resolve) => void line.push(resolve));
    else this.#taken.set(key, []);
  }

  /** The session that is kept for `key`, which is the caller's. */
  kept(key: string): T | undefined {
    const place = this.#kept.get(key);
    if (!place) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, place);
    return place.pooled;
  }

  /**
   * Makes room of `bytes` for the caller's `key`, and a session in it, which is kept. Undefined, and nothing is made, where
   * those that others have leave no room. Rejects as `make` does.
   */
  async open(key: string, bytes: number, make: () => Promise<T>): Promise<T | undefined> {
    this.#kept.set(key, { bytes, pooled: undefined });
    try {
      if (!(await this.#makeRoom())) {
        this.#kept.delete(key);
        return undefined;
      }
      const pooled = await make();
      this.#kept.set(key, { bytes, pooled });
      return pooled;
    } catch (error) {
      this.#kept.delete(key);
      throw error;
    }
  }

  /** Gives the caller's `key` to whom it is next. */
  give(key: string): void {
    const next = this.#taken.get(key)?.shift();
    if (next) next();
    else this.#taken.delete(key);
  }

  /** {@link give} without the session, which goes. */
  drop(key: string): void {
    const place = this.#kept.get(key);
    this.#kept.delete(key);
    void place?.pooled?.session.release();
    this.give(key);
  }

  /** Releases all sessions that are not reserved. Returns whether there was one. */
  async releaseIdle(): Promise<boolean> {
    const idle = this.#idle();
    for (const key of idle) await this.#release(key);
    return idle.length > 0;
  }

  async #makeRoom(): Promise<boolean> {
    for (const key of this.#idle()) {
      if (this.#held <= this.most) break;
      await this.#release(key);
    }
    return this.#held <= this.most;
  }

  #idle(): string[] {
    return [...this.#kept.keys()].filter((key) => !this.#taken.has(key));
  }

  async #release(key: string): Promise<void> {
    // Somebody may have taken it while another was released.
    if (this.#taken.has(key)) return;
    const place = this.#kept.get(key);
    this.#kept.delete(key);
    await place?.pooled?.session.release();
  }

  get #held(): number {
    return [...this.#kept.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }
}
