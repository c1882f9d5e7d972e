/** @file One job at a time, in the order of arrival. Waiting jobs can be cancelled. */
import { Cancelled } from "./assert.ts";

export interface Queue {
  /** Runs `job` when all earlier ones are done. An aborted `signal` takes it out of the line while it waits. */
  run<T>(what: string, job: () => T | Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Rejects the running job's promise, the waiting jobs and every later one with `error`. */
  close(error: Error): void;
}

interface Entry {
  readonly start: () => Promise<void>;
  readonly reject: (error: unknown) => void;
}

export function createQueue(): Queue {
  const line: Entry[] = [];
  let running: Entry | undefined;
  let closed: Error | undefined;

  async function pump(): Promise<void> {
    if (running) return;
    while ((running = line.shift())) await running.start();
  }

  return {
    run<T>(what: string, job: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
      if (closed) return Promise.reject(closed);
      if (signal?.aborted) return Promise.reject(new Cancelled(`${what}: cancelled`));
      return new Promise<T>((resolve, reject) => {
        const leave = (): void => {
          const place = line.indexOf(entry);
          if (place < 0) return;
          line.splice(place, 1);
          reject(new Cancelled(`${what}: cancelled while waiting`));
        };
        const entry: Entry = {
          reject,
          start: async () => {
            signal?.removeEventListener("abort", leave);
            try {
              resolve(await job());
            } catch (error) {
              reject(error as Error);
            }
          },
        };
        signal?.addEventListener("abort", leave);
        line.push(entry);
        void pump();
      });
    },

    close(error) {
      closed ??= error;
      running?.reject(closed);
      for (const entry of line.splice(0)) entry.reject(closed);
    },
  };
}
