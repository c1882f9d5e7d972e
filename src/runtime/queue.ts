/** @file One job at a time, in the order of arrival. Waiting jobs can be cancelled. */
import { Cancelled } from "../lib/assert.ts";
import { turn } from "../lib/eventLoop.ts";

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
          reject(new Cancelled(`${what}: cancelled while waiting for the device`));
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

/** One queue for all of onnxruntime-web in this worker: a second call during a run corrupts its memory (docs/runtime.md, 2). */
const runtimeQueue = createQueue();

/** Runs `job` while no other job of this worker uses onnxruntime. Must not be called from inside a job. */
export function runExclusive<T>(what: string, job: () => T | Promise<T>): Promise<T> {
  return runtimeQueue.run(what, job);
}

export function createDeviceQueue(): Queue {
  const own = createQueue();
  return { ...own, run: (what, job, signal) => own.run(what, () => runExclusive(what, job), signal) };
}

/** `queue` with a turn of the event loop every {@link LONGEST_MS}: wasm runs end within their task, and messages would wait. */
export function yieldingQueue(queue: Queue): Queue {
  let last = performance.now();
  return {
    async run(what, job, signal) {
      if (performance.now() - last > LONGEST_MS) {
        await turn();
        last = performance.now();
      }
      return queue.run(what, job, signal);
    },
    close: (error) => queue.close(error),
  };
}

const LONGEST_MS = 30;
