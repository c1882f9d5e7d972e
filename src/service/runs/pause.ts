/** @file Pausing and stopping runs: a switch that the work of runs waits at, and views of the engine that use it. */

import { intercept } from "../../engine/intercept.ts";
import type { Engine } from "../../engine/engine.ts";
import { Cancelled, throwIfCancelled } from "../../lib/assert.ts";

export type Pause = ReturnType<typeof createPause>;

export function createPause(now: () => number) {
  let paused = false;
  let [since, before] = [0, 0];
  const waiting = new Set<() => void>();
  return {
    /** Resolves when runs are not paused; rejects with Cancelled when the signal fires. */
    async over(signal: AbortSignal): Promise<void> {
      throwIfCancelled(signal, "engine");
      while (paused)
        await new Promise<void>((resolve, reject) => {
          const leave = (): void => {
            signal.removeEventListener("abort", leave);
            waiting.delete(leave);
            if (signal.aborted) reject(new Cancelled("engine: cancelled while paused"));
            else resolve();
          };
          waiting.add(leave);
          signal.addEventListener("abort", leave);
        });
    },
    /** Milliseconds that runs were paused in all. */
    held: (): number => before + (paused ? now() - since : 0),
    set(value: boolean): void {
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

/** `engine` for work that continues while runs are paused: every call on the device ends with Cancelled on the signal. */
export function stoppable(engine: Engine, signal: AbortSignal): Engine {
  return intercept(engine, async (_, call) => {
    throwIfCancelled(signal, "engine");
    return call(signal);
  });
}
