/** @file Pausing: a gate that an engine's work passes between two steps, and a view of the engine that waits there. */

import type { Engine } from "../engine/engine.ts";
import { Cancelled, throwIfCancelled } from "../lib/assert.ts";

export interface Gate {
  /** Resolves at once when the gate is open, else when it opens; rejects with Cancelled when the signal fires. */
  pass(signal: AbortSignal): Promise<void>;
  set(closed: boolean): void;
  readonly closed: boolean;
}

export function createGate(): Gate {
  let closed = false;
  const waiting = new Set<() => void>();

  async function pass(signal: AbortSignal): Promise<void> {
    throwIfCancelled(signal, "engine");
    if (!closed) return;
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        signal.removeEventListener("abort", cancel);
        waiting.delete(leave);
        resolve();
      };
      const cancel = (): void => {
        waiting.delete(leave);
        reject(new Cancelled("engine: cancelled while paused"));
      };
      waiting.add(leave);
      signal.addEventListener("abort", cancel, { once: true });
    });
    return pass(signal);
  }

  return {
    pass,
    set(value) {
      closed = value;
      if (!closed) for (const leave of [...waiting]) leave();
    },
    get closed() {
      return closed;
    },
  };
}

/** `engine` for one run: every call and every step waits at the gate first, and ends with Cancelled on the signal. */
export function gated(engine: Engine, gate: Gate, signal: AbortSignal): Engine {
  const after = async <T>(work: () => Promise<T>): Promise<T> => {
    await gate.pass(signal);
    return work();
  };
  return {
    ...engine,
    generate: (turns, options) => after(() => engine.generate(turns, { signal, ...options })),
    embed: (texts) => after(() => engine.embed(texts)),
    readKeys: (prompts, layers) => after(() => engine.readKeys(prompts, layers)),
    recall: (rows, own) => after(() => engine.recall(rows, own ?? signal)),
    async openEncoder(rows, options) {
      const encoder = await after(() => engine.openEncoder(rows, options));
      return {
        step: (settings) => after(() => encoder.step(settings)),
        feed: (prefixes) => after(() => encoder.feed(prefixes)),
        state: () => encoder.state(),
        dispose: () => encoder.dispose(),
      };
    },
  };
}
