import { expect, it } from "vitest";
import { Cancelled } from "../lib/assert.ts";
import { turn } from "../lib/eventLoop.ts";
import { createQueue } from "../lib/queue.ts";
import { createDeviceQueue, runExclusive, yieldingQueue } from "./queue.ts";

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

it("runs one job at a time in the order of arrival", async () => {
  const queue = createQueue();
  const log: string[] = [];
  const job = (name: string, ms: number) =>
    queue.run(name, async () => {
      log.push(`${name} starts`);
      await pause(ms);
      log.push(`${name} ends`);
      return name;
    });
  expect(await Promise.all([job("a", 5), job("b", 0), job("c", 1)])).toEqual(["a", "b", "c"]);
  expect(log).toEqual(["a starts", "a ends", "b starts", "b ends", "c starts", "c ends"]);
});

it("starts a job at once when it is idle", () => {
  const queue = createQueue();
  let started = false;
  void queue.run("now", () => (started = true));
  expect(started).toBe(true);
});

it("goes on after jobs that reject and jobs that throw", async () => {
  const queue = createQueue();
  const rejects = queue.run("rejects", () => Promise.reject(new Error("no")));
  const throws = queue.run("throws", () => {
    throw new Error("never");
  });
  const works = queue.run("works", () => 3);
  await expect(rejects).rejects.toThrow("no");
  await expect(throws).rejects.toThrow("never");
  expect(await works).toBe(3);
});

it("takes a cancelled job out of the line, and lets a running one finish", async () => {
  const queue = createQueue();
  const running = new AbortController();
  const waiting = new AbortController();
  const first = queue.run("first", () => pause(5).then(() => "done"), running.signal);
  let ran = false;
  const second = queue.run("second", () => (ran = true), waiting.signal);
  const third = queue.run("third", () => "third");
  waiting.abort();
  running.abort();
  await expect(second).rejects.toThrow(new Cancelled("second: cancelled while waiting"));
  expect(await first).toBe("done");
  expect(await third).toBe("third");
  expect(ran).toBe(false);
  await expect(queue.run("late", () => 1, waiting.signal)).rejects.toThrow(Cancelled);
});

it("rejects what runs, waits and comes later once it is closed", async () => {
  const queue = createQueue();
  const running = queue.run("running", () => new Promise(() => undefined));
  const waiting = queue.run("waiting", () => 1);
  queue.close(new Error("the device is gone"));
  queue.close(new Error("a second reason changes nothing"));
  for (const promise of [running, waiting, queue.run("later", () => 1)])
    await expect(promise).rejects.toThrow("the device is gone");
});

it("lets two devices and a stranger run one at a time, and closes them apart", async () => {
  let inside = 0;
  let most = 0;
  const job = async () => {
    most = Math.max(most, ++inside);
    await new Promise((resolve) => setTimeout(resolve, 1));
    inside--;
    return "done";
  };
  const [one, two] = [createDeviceQueue(), createDeviceQueue()];
  const jobs = [one, two, one, two].map((queue) => queue.run("job", job));
  expect(await Promise.all([...jobs, runExclusive("stranger", job)])).toEqual(new Array(5).fill("done"));
  expect(most).toBe(1);
  one.close(new Error("lost"));
  await expect(one.run("job", job)).rejects.toThrow("lost");
  expect(await two.run("job", job)).toBe("done");
});

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
  const queue = yieldingQueue(createQueue());
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
  const queue = yieldingQueue(createQueue());
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
