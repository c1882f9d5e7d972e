import { expect, it } from "vitest";
import { Cancelled } from "../lib/assert.ts";
import { turn } from "../lib/eventLoop.ts";
import { withTurns } from "./eventLoop.ts";
import { createQueue } from "./queue.ts";

/** Computes without ever waiting, as a run on wasm does. */
function compute(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

it("gives way to a message that has come", async () => {
  const { port1, port2 } = new MessageChannel();
  const order: string[] = [];
  port1.onmessage = () => order.push("message");
  port2.postMessage(null);
  await turn();
  order.push("after the turn");
  port1.close();
  expect(order).toEqual(["message", "after the turn"]);
});

it("a cancel by message is heard between jobs that never wait", async () => {
  const queue = withTurns(createQueue());
  const stop = new AbortController();
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => stop.abort();
  port2.postMessage("stop");
  let done = 0;
  const work = async () => {
    while (done < 200) {
      await queue.run("job", () => compute(5), stop.signal);
      done++;
    }
  };
  await expect(work()).rejects.toThrow(Cancelled);
  port1.close();
  expect(done).toBeLessThan(50);
});

it("keeps the order, the results and the failures of its jobs", async () => {
  const queue = withTurns(createQueue());
  compute(40); // so that a turn is due
  const order: number[] = [];
  const job = (n: number) => queue.run(String(n), () => order.push(n));
  await Promise.all([
    job(1),
    queue.run("fails", () => Promise.reject(new Error("no"))).catch(() => 0),
    job(2),
  ]);
  expect(order.toSorted()).toEqual([1, 2]);
  await job(3);
  expect(order.at(-1)).toBe(3);
});
