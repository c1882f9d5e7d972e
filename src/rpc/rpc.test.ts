/** @file Both ends of the wire over a real message channel: results, progress, cancelling, errors and crashes. */

import { afterEach, describe, expect, it } from "vitest";
import { Cancelled } from "../lib/assert.ts";
import { connect, WorkerCrashed, type WorkerPort } from "./connect.ts";
import { handOver, serve } from "./serve.ts";
import type { Call, Port } from "./wire.ts";

interface Example {
  double(argument: number): Promise<number>;
  count(argument: { readonly to: number }, call?: Call<number>): Promise<string>;
  fail(argument: null): Promise<void>;
  vector(argument: { readonly values: Float32Array }): Promise<Float32Array>;
  uncloneable(argument: null): Promise<unknown>;
  wait(argument: null, call?: Call): Promise<string>;
}

class Refused extends Error {
  override name = "Refused";
}

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

/** Messages come in order: once a call is answered, all that either side sent before has arrived. */
const arrived = async (service: Example): Promise<void> => expect(await service.double(1)).toBe(2);

function start() {
  const { port1, port2 } = new MessageChannel();
  const seen = { late: undefined as ((n: number) => void) | undefined, aborted: 0 };
  const stop = serve<Example>(port1 as unknown as Port, {
    double: async (n) => 2 * n,
    async count({ to }, { signal, onProgress } = {}) {
      seen.late = onProgress;
      for (let i = 1; i <= to; i++) {
        if (signal?.aborted) throw new Cancelled("count: cancelled");
        onProgress?.(i);
        await tick();
      }
      return "done";
    },
    fail: () => Promise.reject(new Refused("example: no; do something else")),
    vector: async ({ values }) => {
      const doubled = values.map((x) => 2 * x);
      return handOver(doubled, [doubled.buffer]);
    },
    uncloneable: async () => () => 1,
    wait: (_, { signal } = {}) =>
      new Promise((resolve) => {
        signal?.addEventListener("abort", () => {
          seen.aborted++;
          resolve("ended by the signal");
        });
      }),
  });
  port1.start();
  const connection = connect<Example>(port2 as unknown as WorkerPort, "example");
  port2.start();
  ends.push(() => {
    stop();
    port1.close();
    port2.close();
  });
  return { ...connection, seen, stop, port1, port2 };
}

describe("a call", () => {
  it("answers with the method's result, several at a time", async () => {
    const { service, ready } = start();
    await ready;
    expect(await Promise.all([service.double(1), service.double(2), service.double(3)])).toEqual([2, 4, 6]);
    expect(await service.vector({ values: new Float32Array([1, 2]) })).toEqual(new Float32Array([2, 4]));
  });

  it("hands over buffers of the argument that are named", async () => {
    const { service } = start();
    const values = new Float32Array([1, 2, 3]);
    const doubled = await (
      service as unknown as { vector(a: unknown, c: Call): Promise<Float32Array> }
    ).vector({ values }, { transfer: [values.buffer] });
    expect(doubled).toEqual(new Float32Array([2, 4, 6]));
    expect(values.length).toBe(0);
  });

  it("passes progress on in order, before the result", async () => {
    const { service } = start();
    const seen: (number | string)[] = [];
    seen.push(await service.count({ to: 3 }, { onProgress: (n) => seen.push(n) }));
    expect(seen).toEqual([1, 2, 3, "done"]);
  });

  it("rejects with the worker's error: its name, its message, its stack", async () => {
    const { service } = start();
    const error = (await service.fail(null).catch((e: unknown) => e)) as Error;
    expect([error.name, error.message]).toEqual(["Refused", "example: no; do something else"]);
    expect(error.stack).toMatch(/rpc\.test\.ts/);
  });

  it("says what is wrong with an unknown method, an argument or a result that cannot cross", async () => {
    const { service } = start();
    const unknown = service as unknown as { triple(n: number): Promise<number> };
    await expect(unknown.triple(1)).rejects.toThrow('no method "triple"; there are double, count');
    const argument = { to: 1, oops: () => 1 };
    await expect(service.count(argument)).rejects.toThrow("the argument of count cannot be sent");
    await expect(service.uncloneable(null)).rejects.toThrow(/could not be cloned/);
    expect(await service.double(4)).toBe(8);
  });
});

describe("cancelling", () => {
  it("reaches the method, and the call rejects with Cancelled", async () => {
    const { service } = start();
    const stop = new AbortController();
    const seen: number[] = [];
    const counting = service.count(
      { to: 1000 },
      {
        signal: stop.signal,
        onProgress: (n) => {
          seen.push(n);
          if (n === 2) stop.abort();
        },
      },
    );
    await expect(counting).rejects.toThrow(Cancelled);
    expect(seen.length).toBeLessThan(5);
  });

  it("before the call is sent costs no message", async () => {
    const { service } = start();
    await expect(service.count({ to: 1 }, { signal: AbortSignal.abort() })).rejects.toThrow(Cancelled);
  });

  it("leaves the result of a method that ends in good order", async () => {
    const { service, seen } = start();
    const stop = new AbortController();
    const waiting = service.wait(null, { signal: stop.signal });
    await arrived(service);
    stop.abort();
    expect(await waiting).toBe("ended by the signal");
    expect(seen.aborted).toBe(1);
  });

  it("drops what a call reports after it is over", async () => {
    const { service, seen } = start();
    const heard: number[] = [];
    await service.count({ to: 1 }, { onProgress: (n) => heard.push(n) });
    seen.late!(99);
    await arrived(service);
    expect(heard).toEqual([1]);
  });
});

describe("the end of a worker", () => {
  it("by a crash rejects all that waits and all that comes, and is told", async () => {
    const { service, crashed, port2 } = start();
    const waiting = [service.wait(null), service.count({ to: 1000 })];
    const failures = Promise.all(waiting.map((call) => call.catch((e: unknown) => e)));
    const event = Object.assign(new Event("error"), { message: "out of memory" });
    port2.dispatchEvent(event);
    for (const failure of await failures) expect(failure).toBeInstanceOf(WorkerCrashed);
    expect((await crashed).message).toMatch(/example worker stopped: out of memory\. Start it again/);
    await expect(service.double(1)).rejects.toThrow(WorkerCrashed);
  });

  it("by closing it rejects what waits with Cancelled", async () => {
    const { service, close } = start();
    const waiting = service.wait(null).catch((e: unknown) => e);
    close();
    expect(await waiting).toBeInstanceOf(Cancelled);
    await expect(service.double(1)).rejects.toThrow(Cancelled);
  });

  it("on its own side aborts the methods that run", async () => {
    const { service, seen, stop } = start();
    void service.wait(null).catch(() => undefined);
    await arrived(service);
    stop();
    expect(seen.aborted).toBe(1);
  });
});

it("a service that is fetched on demand answers, is asked again after it could not be fetched, and can be cancelled", async () => {
  const { port1, port2 } = new MessageChannel();
  const fetched: string[] = [];
  const stop = serve<Example>(port1 as unknown as Port, async (method) => {
    fetched.push(method);
    await tick();
    if (fetched.length === 1) throw new Error("no network");
    return {
      double: async (n) => 2 * n,
      wait: async (_, { signal } = {}) => (signal?.aborted ? "ended before it began" : "ended"),
    };
  });
  port1.start();
  const { service } = connect<Example>(port2 as unknown as WorkerPort, "example");
  port2.start();
  ends.push(
    stop,
    () => port1.close(),
    () => port2.close(),
  );
  await expect(service.double(4)).rejects.toThrow("no network");
  expect(await service.double(4)).toBe(8);
  await expect(service.fail(null)).rejects.toThrow('rpc: there is no method "fail"; there are double, wait');
  const cancel = new AbortController();
  const waiting = service.wait(null, { signal: cancel.signal });
  cancel.abort();
  expect(await waiting).toBe("ended before it began");
  expect(fetched).toEqual(["double", "double", "fail", "wait"]);
});
