/** @file Recorded sessions kept for reuse within a limit of bytes; the least recently used is released first. */

import type { FixedSession } from "../runtime/device.ts";

export interface Pooled {
  readonly session: Pick<FixedSession, "release">;
}

interface Place<T> {
  readonly bytes: number;
  readonly pooled: T | undefined;
}

export class SessionPool<T extends Pooled> {
  readonly #kept = new Map<string, Place<T>>();
  readonly #taken = new Map<string, (() => void)[]>();

  constructor(private readonly most: number) {}

  isTaken(key: string): boolean {
    return this.#taken.has(key);
  }

  has(key: string): boolean {
    return this.#kept.get(key)?.pooled !== undefined;
  }

  /** Resolves when `key` is reserved for the caller, until {@link give} or {@link drop}; at once if it is free. */
  async turn(key: string): Promise<void> {
    const line = this.#taken.get(key);
    if (line) await new Promise<void>((resolve) => void line.push(resolve));
    else this.#taken.set(key, []);
  }

  kept(key: string): T | undefined {
    const place = this.#kept.get(key);
    if (!place) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, place);
    return place.pooled;
  }

  /** Makes room of `bytes` and a session in it. Undefined if the sessions of others leave no room. Rejects as `make` does. */
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

  give(key: string): void {
    const next = this.#taken.get(key)?.shift();
    if (next) next();
    else this.#taken.delete(key);
  }

  drop(key: string): void {
    const place = this.#kept.get(key);
    this.#kept.delete(key);
    void place?.pooled?.session.release();
    this.give(key);
  }

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
