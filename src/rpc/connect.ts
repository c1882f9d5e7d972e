/**
 * @file The page's end: a service in a worker as an object with the same methods. A worker that crashed rejects all
 * that waited with {@link WorkerCrashed}; what arrives for a call that is over is dropped.
 */

import { Cancelled } from "../lib/assert.ts";
import { fromWire, type Call, type Port, type Reply, type Service } from "./wire.ts";

/** The worker died, or never started; a caller offers to start it again. */
export class WorkerCrashed extends Error {
  override name = "WorkerCrashed";
}

/** A service in a worker, and the way to end it. */
export interface Connection<S> {
  readonly service: S;
  /** Resolves when the worker has answered for the first time. */
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

/** Connects to the service that `worker` serves; `name` is for messages. */
export function connect<S extends Service<S>>(worker: WorkerPort, name: string): Connection<S> {
  const waiting = new Map<number, Waiting>();
  let overdue: ReturnType<typeof setTimeout> | undefined;
  let last = 0;
  let over: Error | undefined;
  let onReady = (): void => undefined;
  let onCrash: (error: WorkerCrashed) => void = () => undefined;
  const ready = new Promise<void>((resolve) => (onReady = resolve));
  const crashed = new Promise<WorkerCrashed>((resolve) => (onCrash = resolve));

  function end(error: Error): void {
    over ??= error;
    clearTimeout(overdue);
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  }

  function crash(why: string): void {
    if (over) return;
    const error = new WorkerCrashed(
      `rpc: the ${name} worker stopped: ${why}. Start it again; stored data is safe.`,
    );
    end(error);
    worker.terminate?.();
    onCrash(error);
  }

  /** Stops the worker at its deadline; where this side was held up itself, what it missed is heard first. */
  function expect({ what, milliseconds }: Extract<Reply, { kind: "busy" }>): void {
    const late = (): void =>
      crash(`${what} did not come to an end within ${Math.round(milliseconds / 1000)} s`);
    clearTimeout(overdue);
    overdue = setTimeout(() => (overdue = setTimeout(late, GRACE_MS)), milliseconds);
  }

  worker.addEventListener("message", ({ data }: MessageEvent) => {
    const reply = data as Reply;
    if (over) return;
    if (reply.kind === "ready") {
      onReady();
      return;
    }
    if (reply.kind === "busy") {
      expect(reply);
      return;
    }
    if (reply.kind === "free") {
      clearTimeout(overdue);
      return;
    }
    const call = waiting.get(reply.id);
    if (!call) return; // stale: the call was cancelled
    if (reply.kind === "progress") {
      call.onProgress?.(reply.progress as never);
      return;
    }
    waiting.delete(reply.id);
    if (reply.kind === "result") call.resolve(reply.value);
    else call.reject(revive(reply.error));
  });
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    crash((event as ErrorEvent).message || "it could not be loaded");
  });
  worker.addEventListener("messageerror", () => {
    crash("a message could not be read");
  });

  function call(method: string, argument: unknown, { signal, onProgress, transfer }: Call): Promise<unknown> {
    if (over) return Promise.reject(over);
    if (signal?.aborted) return Promise.reject(new Cancelled(`rpc: ${method}: cancelled`));
    const id = ++last;
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        if (waiting.has(id)) worker.postMessage({ kind: "cancel", id });
      };
      const settled = (): void => {
        signal?.removeEventListener("abort", cancel);
      };
      waiting.set(id, {
        resolve: (value) => {
          settled();
          resolve(value);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
        onProgress,
      });
      signal?.addEventListener("abort", cancel);
      try {
        worker.postMessage({ kind: "call", id, method, argument }, [...(transfer ?? [])]);
      } catch (error) {
        waiting.delete(id);
        settled();
        reject(
          new Error(`rpc: the argument of ${method} cannot be sent to the ${name} worker`, { cause: error }),
        );
      }
    });
  }

  const service = new Proxy({} as S, {
    // Not a promise: `await connection.service` must not call a method "then".
    get: (_, method: string) =>
      method === "then"
        ? undefined
        : (argument: unknown, options: Call = {}) => call(method, argument, options),
  });
  return {
    service,
    ready,
    crashed,
    close() {
      end(new Cancelled(`rpc: the ${name} worker was closed`));
      worker.terminate?.();
    },
  };
}

const GRACE_MS = 200;

/** A cancelled call rejects with the class that callers test for. */
function revive(error: Parameters<typeof fromWire>[0]): Error {
  const revived = fromWire(error);
  if (revived.name !== "Cancelled") return revived;
  return new Cancelled(revived.message);
}
