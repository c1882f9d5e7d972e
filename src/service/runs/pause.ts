/** @file Pausing and stopping runs: a switch that a run's work waits at, and views of the engine that heed it. */

import { intercept } from "../../engine/intercept.ts";
import type { Engine } from "../../engine/engine.ts";
import { Cancelled, throwIfCancelled } from "../../lib/assert.ts";

/** The switch by which all runs are held, and let go on. */
export interface Pause {
  /** Resolves when runs are not paused; rejects with Cancelled when the signal fires. */
  over(signal: AbortSignal): Promise<void>;
  set(paused: boolean): void;
  /** Milliseconds that runs were held in all. */
  held(): number;
}

export function createPause(now: () => number): Pause {
  let paused = false;
  let [since, before] = [0, 0];
  const waiting = new Set<() => void>();

  async function over(signal: AbortSignal): Promise<void> {
    throwIfCancelled(signal, "engine");
    if (!paused) return;
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
    return over(signal);
  }

  return {
    over,
    held: () => before + (paused ? now() - since : 0),
    set(value) {
      if (value && !paused) since = now();
      if (!value && paused) before += now() - since;
      paused = value;
      if (!paused) for (const leave of [...waiting]) leave();
    },
  };
}

/** `engine` for one run: every call on the device waits while runs are paused, and ends with Cancelled on the signal. */
export function pausable(engine: Engine, pause: Pause, signal: AbortSignal): Engine {
  return intercept(engine, async (_, call) => {
    await pause.over(signal);
    return call(signal);
  });
}

/**
 * `engine` for work that continues while runs are paused: every call on the device ends with Cancelled on the signal.
 */
export function stoppable(engine: Engine, signal: AbortSignal): Engine {
  return intercept(engine, async (_, call) => {
    throwIfCancelled(signal, "engine");
    return call(signal);
  });
}
