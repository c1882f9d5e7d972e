/** @file The queues of the device: all of onnxruntime-web in a worker takes one job at a time. */

import { turn } from "../lib/eventLoop.ts";
import { createQueue, type Queue } from "../lib/queue.ts";

/** One queue for all of onnxruntime-web in this worker: a second call during a run corrupts its memory (docs/runtime.md, 2). */
const runtimeQueue = createQueue();

/** Runs `job` while no other job of this worker uses onnxruntime. Must not be called from inside a job. */
export const runExclusive = <T>(what: string, job: () => T | Promise<T>): Promise<T> =>
  runtimeQueue.run(what, job);

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
