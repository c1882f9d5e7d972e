import { expect, it } from "vitest";
import { Cancelled } from "../lib/assert.ts";
import { createQueue } from "./queue.ts";

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
  expect(queue.waiting).toBe(2);
  waiting.abort();
  running.abort();
  await expect(second).rejects.toThrow(new Cancelled("second: cancelled while waiting for the device"));
  expect(queue.waiting).toBe(1);
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
