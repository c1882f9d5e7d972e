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
  /** Rejects what waits with Cancelled and terminates the worker. */
  close(): void;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: ((progress: never) => void) | undefined;
}

/** A worker, or a port whose other end is served in this thread (tests). */
export interface WorkerPort extends Port {
  addEventListener(type: "message", listener: (event: MessageEvent) => void): void;
  addEventListener(type: "error" | "messageerror", listener: (event: Event) => void): void;
  terminate?(): void;
}

export function connect<S extends Service<S>>(worker: WorkerPort, name: string): Connection<S> {
  const calls = new Calls(worker, name);
  const service = new Proxy({} as S, {
    // Not a promise: `await connection.service` must not call a method "then".
    get: (_, method: string) =>
      method === "then"
        ? undefined
        : (argument: unknown, options: Call = {}) => calls.call(method, argument, options),
  });
  return { service, ready: calls.ready, crashed: calls.crashed, close: () => calls.close() };
}

class Calls {
  readonly ready: Promise<void>;
  readonly crashed: Promise<WorkerCrashed>;
  readonly #worker: WorkerPort;
  readonly #name: string;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #over: Error | undefined;
  #overdue: ReturnType<typeof setTimeout> | undefined;
  #onReady = (): void => undefined;
  #onCrash: (error: WorkerCrashed) => void = () => undefined;

  constructor(worker: WorkerPort, name: string) {
    this.#worker = worker;
    this.#name = name;
    this.ready = new Promise((resolve) => (this.#onReady = resolve));
    this.crashed = new Promise((resolve) => (this.#onCrash = resolve));
    worker.addEventListener("message", ({ data }: MessageEvent) => this.#hear(data as Reply));
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.#crash((event as ErrorEvent).message || "it could not be loaded");
    });
    worker.addEventListener("messageerror", () => this.#crash("a message could not be read"));
  }

  async call(method: string, argument: unknown, { signal, onProgress, transfer }: Call): Promise<unknown> {
    if (this.#over) throw this.#over;
    if (signal?.aborted) throw new Cancelled(`rpc: ${method}: cancelled`);
    const id = ++this.#last;
    const cancel = (): void => {
      if (this.#waiting.has(id)) this.#worker.postMessage({ kind: "cancel", id });
    };
    signal?.addEventListener("abort", cancel);
    try {
      return await new Promise((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject, onProgress });
        this.#send(id, method, argument, transfer);
      });
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  close(): void {
    this.#end(new Cancelled(`rpc: the ${this.#name} worker was closed`));
    this.#worker.terminate?.();
  }

  #send(id: number, method: string, argument: unknown, transfer: Call["transfer"] = []): void {
    try {
      this.#worker.postMessage({ kind: "call", id, method, argument }, [...transfer]);
    } catch (cause) {
      const what = `rpc: the argument of ${method} cannot be sent to the ${this.#name} worker`;
      this.#take(id)?.reject(new Error(what, { cause }));
    }
  }

  #hear(reply: Reply): void {
    if (this.#over) return;
    switch (reply.kind) {
      case "ready":
        return this.#onReady();
      case "busy":
        return this.#expect(reply);
      case "free":
        return clearTimeout(this.#overdue);
      case "progress":
        return this.#waiting.get(reply.id)?.onProgress?.(reply.progress as never);
      case "result":
        return this.#take(reply.id)?.resolve(reply.value);
      case "failure":
        return this.#take(reply.id)?.reject(revive(reply.error));
      default:
        reply satisfies never;
    }
  }

  #take(id: number): Waiting | undefined {
    const call = this.#waiting.get(id);
    this.#waiting.delete(id);
    return call;
  }

  /** Stops the worker at its deadline; where this side was held up itself, what it missed is heard first. */
  #expect({ what, milliseconds }: Extract<Reply, { kind: "busy" }>): void {
    const late = (): void =>
      this.#crash(`${what} did not come to an end within ${Math.round(milliseconds / 1000)} s`);
    clearTimeout(this.#overdue);
    this.#overdue = setTimeout(() => (this.#overdue = setTimeout(late, GRACE_MS)), milliseconds);
  }

  #crash(why: string): void {
    if (this.#over) return;
    const error = new WorkerCrashed(
      `rpc: the ${this.#name} worker stopped: ${why}. Start it again; stored data is safe.`,
    );
    this.#end(error);
    this.#worker.terminate?.();
    this.#onCrash(error);
  }

  #end(error: Error): void {
    this.#over ??= error;
    clearTimeout(this.#overdue);
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

const GRACE_MS = 200;

/** A cancelled call rejects with the class that callers test for. */
function revive(error: Parameters<typeof fromWire>[0]): Error {
  const revived = fromWire(error);
  if (revived.name !== "Cancelled") return revived;
  return new Cancelled(revived.message);
}
