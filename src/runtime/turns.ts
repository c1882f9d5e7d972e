/**
 * @file Turns on onnxruntime-web's WebGPU build, of which a worker has one, whatever the number of devices: its wasm
 * is suspended while it waits for the GPU, and a second call into it meanwhile corrupts its memory (docs/runtime.md, 2).
 */
import { createQueue, type Queue } from "./queue.ts";

const turns = createQueue();

/**
 * Runs `job` while nothing else of this worker runs on that build. For code that drives the same build by itself
 * (transformers.js shares it); not to be called from inside a job.
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
