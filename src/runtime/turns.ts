/**
 * @file Turns on onnxruntime-web, of whose builds a worker has one each, whatever the number of devices. The WebGPU
 * build's wasm is suspended while it waits for the GPU, and a second call into it meanwhile corrupts its memory
 * (docs/runtime.md, 2); a run of the plain build awaits while its arguments lie on the wasm stack.
 */
import { createQueue, type Queue } from "./queue.ts";

const turns = createQueue();

/**
 * Runs `job` while nothing else of this worker runs on onnxruntime. Not to be called from inside a job.
 */
export function inTurn<T>(what: string, job: () => T | Promise<T>): Promise<T> {
  return turns.run(what, job);
}

/** A queue of its own for one device, whose jobs take turns with those of all others. */
export function createTurnQueue(): Queue {
  const own = createQueue();
  return {
    run: (what, job, signal) => own.run(what, () => inTurn(what, job), signal),
    close: own.close,
    get waiting() {
      return own.waiting;
    },
  };
}
