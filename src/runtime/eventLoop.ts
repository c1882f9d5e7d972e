/**
 * @file Turns for the event loop between two runs. A run on wasm ends within the task that began it, so that a worker that computes one
 * run after another never comes to its messages: a pause, a cancel or a question would wait for the end of everything.
 */
import { turn } from "../lib/eventLoop.ts";
import type { Queue } from "./queue.ts";

/** `queue` for jobs that never wait: before one is put in the line, messages get their turn, often enough for a person. */
export function withTurns(queue: Queue): Queue {
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
    get waiting() {
      return queue.waiting;
    },
  };
}

const LONGEST_MS = 30;
