/** @file A deadline for work on foreign files. A worker announces it before and after; the page (connect.ts) stops the worker. */

import type { Port, Reply } from "./wire.ts";

export interface Deadline {
  /** Runs `work`, which does not wait for anything, within {@link AT_ONCE_MS}. */
  run<T>(what: string, work: () => T): T;
  /** Watches `work`, which returns to the event loop or calls `alive` at least once per {@link STEP_MS}. */
  follow<T>(what: string, work: (alive: () => void) => Promise<T>): Promise<T>;
}

export function deadlineOver(port: Pick<Port, "postMessage">): Deadline {
  const say = (reply: Reply): void => port.postMessage(reply);
  /** Watched work. When other work ends, the last of it is announced again, since it may block at once. */
  const followed = new Set<Reply>();
  const ended = (): void => say([...followed].at(-1) ?? { kind: "free" });
  let depth = 0;
  return {
    run(what, work) {
      // The outermost counts: what runs inside it is part of it.
      if (depth === 0) say({ kind: "busy", what, milliseconds: AT_ONCE_MS });
      depth += 1;
      try {
        return work();
      } finally {
        depth -= 1;
        if (depth === 0) ended();
      }
    },
    async follow(what, work) {
      const busy: Reply = { kind: "busy", what, milliseconds: STEP_MS };
      const alive = (): void => say(busy);
      followed.add(busy);
      alive();
      const beat = setInterval(alive, BEAT_MS);
      try {
        return await work(alive);
      } finally {
        clearInterval(beat);
        followed.delete(busy);
        ended();
      }
    },
  };
}

/** A tokenizer of 256,000 words is ready in about a second; no text takes longer. */
export const AT_ONCE_MS = 8000;
export const STEP_MS = 60_000;
const BEAT_MS = 2000;
