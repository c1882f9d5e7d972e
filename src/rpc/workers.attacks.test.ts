/** @file Workers that do not come back, that die, or that say what nobody asked for. */

import { expect, vi } from "vitest";
import { attacks, refused } from "../lib/testing/attacks.ts";
import { connect, WorkerCrashed, type WorkerPort } from "./connect.ts";
import { AT_ONCE_MS, deadlineOver, STEP_MS } from "./deadline.ts";
import { serve } from "./serve.ts";
import type { Port, Reply } from "./wire.ts";

interface Example {
  double(argument: number): Promise<number>;
  wait(argument: null): Promise<void>;
}

/** A worker of this thread: what it says is put into `say`, and every message arrives at once. */
function played() {
  const listeners = new Map<string, ((event: never) => void)[]>();
  const sent: unknown[] = [];
  const ended = vi.fn();
  const worker = {
    postMessage: (message: unknown) => sent.push(message),
    addEventListener: (type: string, listener: (event: never) => void) =>
      void listeners.set(type, [...(listeners.get(type) ?? []), listener]),
    removeEventListener: () => undefined,
    terminate: ended,
  } as unknown as WorkerPort;
  const connection = connect<Example>(worker, "example");
  const tell = (type: string, event: object): void => {
    for (const listener of listeners.get(type) ?? []) listener(event as never);
  };
  const say = (data: unknown): void => tell("message", { data });
  const port = { postMessage: say } as Pick<Port, "postMessage">;
  return { ...connection, say, tell, sent, ended, deadline: deadlineOver(port) };
}

/** With a clock of its own: nobody waits for the deadlines. */
async function timed(work: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  try {
    await work();
  } finally {
    vi.useRealTimers();
  }
}
const crashOf = (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error);

attacks("workers", {
  "an expression that takes exponential time": {
    fault: "the engine never answered again, and nobody was told",
    attack: () =>
      timed(async () => {
        const { service, say, ended } = played();
        const waiting = crashOf(service.wait(null));
        say({ kind: "busy", what: "the tokenizer of evil", milliseconds: AT_ONCE_MS } satisfies Reply);
        await vi.advanceTimersByTimeAsync(AT_ONCE_MS - 1);
        expect(ended).not.toHaveBeenCalled();
        await vi.advanceTimersByTimeAsync(1000);
        const error = await waiting;
        expect(error).toBeInstanceOf(WorkerCrashed);
        await refused(
          Promise.reject(error as Error),
          /the tokenizer of evil did not come to an end within 8 s\. Start it again/,
        );
        expect(ended).toHaveBeenCalled();
      }),
  },
  "a file that keeps its reader busy for ever": {
    fault: "the library never answered again, and no notebook was saved any more",
    attack: () =>
      timed(async () => {
        const { service, say, ended } = played();
        const waiting = crashOf(service.wait(null));
        say({ kind: "busy", what: 'reading "evil.md"', milliseconds: STEP_MS } satisfies Reply);
        await vi.advanceTimersByTimeAsync(STEP_MS + 1000);
        expect(await waiting).toBeInstanceOf(WorkerCrashed);
        expect(ended).toHaveBeenCalled();
      }),
  },
  "a file that takes an hour and lets others have their turn": () =>
    timed(async () => {
      const { deadline, ended } = played();
      const reading = deadline.follow(
        "reading",
        () => new Promise((resolve) => setTimeout(resolve, 3_600_000)),
      );
      await vi.advanceTimersByTimeAsync(3_600_000);
      await reading;
      await vi.advanceTimersByTimeAsync(2 * STEP_MS);
      expect(ended).not.toHaveBeenCalled();
    }),
  "work that ends in time, a thousand times": () =>
    timed(async () => {
      const { deadline, ended } = played();
      for (let i = 0; i < 1000; i++) expect(deadline.run("x", () => deadline.run("y", () => i))).toBe(i);
      await vi.advanceTimersByTimeAsync(10 * AT_ONCE_MS);
      expect(ended).not.toHaveBeenCalled();
    }),
  "a tokenizer that blocks after a template has ended inside it": {
    fault: "what ended inside it ended its deadline, so it was never stopped",
    attack: async () => {
      const said: Reply[] = [];
      const deadline = deadlineOver({ postMessage: (reply) => void said.push(reply as Reply) });
      await deadline.follow("the embedder", async () => {
        deadline.run("a template", () => 1);
        expect(said.at(-1)).toEqual({ kind: "busy", what: "the embedder", milliseconds: STEP_MS });
        await deadline.follow("a book", () => Promise.resolve());
        expect(said.at(-1)).toEqual({ kind: "busy", what: "the embedder", milliseconds: STEP_MS });
      });
      expect(said.at(-1)).toEqual({ kind: "free" });
    },
  },
  "work that fails ends its deadline too": () =>
    timed(async () => {
      const { deadline, ended } = played();
      expect(() =>
        deadline.run("x", () => {
          throw new Error("rpc: no");
        }),
      ).toThrow("rpc: no");
      await expect(deadline.follow("x", () => Promise.reject(new Error("rpc: no")))).rejects.toThrow(
        "rpc: no",
      );
      await vi.advanceTimersByTimeAsync(10 * STEP_MS);
      expect(ended).not.toHaveBeenCalled();
    }),
  "a page that was held up itself hears first what it missed": () =>
    timed(async () => {
      const { say, ended } = played();
      say({ kind: "busy", what: "x", milliseconds: AT_ONCE_MS });
      vi.advanceTimersByTime(AT_ONCE_MS);
      say({ kind: "free" });
      await vi.advanceTimersByTimeAsync(10 * AT_ONCE_MS);
      expect(ended).not.toHaveBeenCalled();
    }),
  "a worker that runs out of memory": async () => {
    const { service, tell, crashed, ended } = played();
    const waiting = [crashOf(service.wait(null)), crashOf(service.double(1))];
    tell("error", { message: "out of memory", preventDefault: () => undefined });
    for (const error of await Promise.all(waiting)) expect(error).toBeInstanceOf(WorkerCrashed);
    await refused(
      Promise.reject(await crashed),
      /stopped: out of memory\. Start it again; stored data is safe/,
    );
    await refused(service.double(1), /stopped/);
    expect(ended).toHaveBeenCalled();
  },
  "a worker that never starts": async () => {
    const { service, tell } = played();
    const waiting = service.double(1);
    tell("error", { message: "", preventDefault: () => undefined });
    await refused(waiting, /it could not be loaded/);
  },
  "a message that cannot be read": async () => {
    const { service, tell } = played();
    const waiting = service.double(1);
    tell("messageerror", {});
    await refused(waiting, /a message could not be read/);
  },
  "answers to calls that nobody made": async () => {
    const { service, say, sent } = played();
    const waiting = service.double(1);
    for (const id of [0, -1, 99, Number.NaN]) say({ kind: "result", id, value: "evil" });
    say({ kind: "progress", id: 99, progress: 1 });
    say({ kind: "result", id: (sent[0] as { id: number }).id, value: 2 });
    expect(await waiting).toBe(2);
  },
  "methods of every object": async () => {
    const replies: Reply[] = [];
    const listeners: ((event: MessageEvent) => void)[] = [];
    const stop = serve<Example>(
      {
        postMessage: (message) => replies.push(message as Reply),
        addEventListener: (_, listener) => listeners.push(listener),
        removeEventListener: () => undefined,
      },
      { double: (n) => Promise.resolve(2 * n), wait: () => Promise.resolve() },
    );
    for (const [id, method] of ["constructor", "__proto__", "toString", "hasOwnProperty"].entries())
      listeners[0]!({ data: { kind: "call", id, method, argument: null } } as MessageEvent);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const failures = replies.filter((reply) => reply.kind === "failure");
    expect(failures).toHaveLength(4);
    for (const { error } of failures) expect(error.message).toMatch(/^rpc: there is no method/);
    stop();
  },
});
