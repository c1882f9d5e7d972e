/** @file The worker's end: answers calls with a service's methods, passes progress on, and cancels on request. */

import { toWire, type Port, type Reply, type Request, type Service } from "./wire.ts";

type Served<S> = S | ((method: string) => Promise<Partial<S>>);

/** Answers requests at `port` until the returned function is called; {@link handOver} marks a transfer list. */
export function serve<S extends Service<S>>(port: Port, served: Served<S>): () => void {
  const running = new Map<number, AbortController>();
  const reply = (message: Reply, transfer: readonly Transferable[] = []): void => {
    port.postMessage(message, [...transfer]);
  };

  async function answer(id: number, method: string, argument: unknown): Promise<void> {
    const controller = new AbortController();
    running.set(id, controller);
    try {
      const service = typeof served === "function" ? await served(method) : served;
      if (!Object.hasOwn(service, method))
        throw new Error(`rpc: there is no method "${method}"; there are ${Object.keys(service).join(", ")}`);
      const value = await service[method as keyof S]!(argument, {
        signal: controller.signal,
        onProgress: (progress: unknown) => {
          if (!controller.signal.aborted) reply({ kind: "progress", id, progress });
        },
      });
      const transfer = handedOver.get(value as object) ?? [];
      reply({ kind: "result", id, value }, transfer);
    } catch (error) {
      reply({ kind: "failure", id, error: toWire(error) });
    } finally {
      running.delete(id);
    }
  }

  const listen = ({ data }: MessageEvent): void => {
    const request = data as Request;
    switch (request.kind) {
      case "call":
        void answer(request.id, request.method, request.argument);
        break;
      case "cancel":
        running.get(request.id)?.abort();
        break;
      default:
        request satisfies never;
    }
  };
  port.addEventListener("message", listen);
  reply({ kind: "ready" });
  return () => {
    port.removeEventListener("message", listen);
    for (const controller of running.values()) controller.abort();
  };
}

const handedOver = new WeakMap<object, readonly Transferable[]>();

/** Marks buffers of a result to be handed over instead of copied; the worker must not use them afterwards. */
export function handOver<T extends object>(value: T, transfer: readonly Transferable[]): T {
  handedOver.set(value, transfer);
  return value;
}
