/** @file The page's end: a service in a worker as an object with the same methods. A crash rejects all waiting calls. */

import { Cancelled } from "../lib/assert.ts";
import { fromWire, type Call, type Port, type Reply, type Service } from "./wire.ts";

/** The worker died, or never started; a caller offers to start it again. */
export class WorkerCrashed extends Error {
  override name = "WorkerCrashed";
}

export interface Connection<S> {
  readonly service: S;
  readonly ready: Promise<void>;
  /** Resolves, with the reason, when the worker crashed; not when it was closed. */
  readonly crashed: Promise<WorkerCrashed>;
  close(): void;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: ((progress: never) => void) | undefined;
}

export interface WorkerPort extends Port {
  addEventListener(type: "message", listener: (event: MessageEvent) => void): void;
  addEventListener(type: "error" | "messageerror", listener: (event: Event) => void): void;
  terminate?(): void;
}

export function connect<S extends Service<S>>(worker: WorkerPort, name: string): Connection<S> {
  const waiting = new Map<number, Waiting>();
  let last = 0;
  let over: Error | undefined;
  let overdue: ReturnType<typeof setTimeout> | undefined;
  let onReady = (): void => undefined;
  let onCrash: (error: WorkerCrashed) => void = () => undefined;
  const ready = new Promise<void>((resolve) => (onReady = resolve));
  const crashed = new Promise<WorkerCrashed>((resolve) => (onCrash = resolve));

  function take(id: number): Waiting | undefined {
    const call = waiting.get(id);
    waiting.delete(id);
    return call;
  }

  function end(error: Error): void {
    over ??= error;
    clearTimeout(overdue);
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    worker.terminate?.();
  }

  function crash(why: string): void {
    if (over) return;
    const error = new WorkerCrashed(
      `rpc: the ${name} worker stopped: ${why}. Start it again; stored data is safe.`,
    );
    end(error);
    onCrash(error);
  }

  function send(id: number, method: string, argument: unknown, transfer: Call["transfer"] = []): void {
    try {
      worker.postMessage({ kind: "call", id, method, argument }, [...transfer]);
    } catch (cause) {
      const what = `rpc: the argument of ${method} cannot be sent to the ${name} worker`;
      take(id)?.reject(new Error(what, { cause }));
    }
  }

  async function call(method: string, argument: unknown, { signal, onProgress, transfer }: Call = {}) {
    if (over) throw over;
    if (signal?.aborted) throw new Cancelled(`rpc: ${method}: cancelled`);
    const id = ++last;
    const cancel = (): void => {
      if (waiting.has(id)) worker.postMessage({ kind: "cancel", id });
    };
    signal?.addEventListener("abort", cancel);
    try {
      return await new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject, onProgress });
        send(id, method, argument, transfer);
      });
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  /** Stops the worker at its deadline. If this thread was blocked, it reads the waiting messages first. */
  function expect({ what, milliseconds }: Extract<Reply, { kind: "busy" }>): void {
    const late = (): void =>
      crash(`${what} did not come to an end within ${Math.round(milliseconds / 1000)} s`);
    clearTimeout(overdue);
    overdue = setTimeout(() => (overdue = setTimeout(late, GRACE_MS)), milliseconds);
  }

  function hear(reply: Reply): void {
    if (over) return;
    switch (reply.kind) {
      case "ready":
        return onReady();
      case "busy":
        return expect(reply);
      case "free":
        return clearTimeout(overdue);
      case "progress":
        return waiting.get(reply.id)?.onProgress?.(reply.progress as never);
      case "result":
        return take(reply.id)?.resolve(reply.value);
      case "failure":
        return take(reply.id)?.reject(revive(reply.error));
      default:
        reply satisfies never;
    }
  }

  worker.addEventListener("message", ({ data }: MessageEvent) => hear(data as Reply));
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    crash((event as ErrorEvent).message || "it could not be loaded");
  });
  worker.addEventListener("messageerror", () => crash("a message could not be read"));
  const service = new Proxy({} as S, {
    // Not a promise: `await connection.service` must not call a method "then".
    get: (_, method: string) =>
      method === "then" ? undefined : (argument: unknown, options?: Call) => call(method, argument, options),
  });
  return { service, ready, crashed, close: () => end(new Cancelled(`rpc: the ${name} worker was closed`)) };
}

const GRACE_MS = 200;

function revive(error: Parameters<typeof fromWire>[0]): Error {
  const revived = fromWire(error);
  if (revived.name !== "Cancelled") return revived;
  return new Cancelled(revived.message);
}
