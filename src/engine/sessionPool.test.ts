/** @file Who has a kept session, and which go. */

import { beforeEach, expect, it } from "vitest";
import { SessionPool, type Pooled } from "./sessionPool.ts";

let released: string[];
beforeEach(() => void (released = []));

const made =
  (name: string, ready: Promise<unknown> = Promise.resolve()) =>
  async (): Promise<Pooled> => {
    await ready;
    return { session: { release: async () => void released.push(name) } };
  };

async function openAll(pool: SessionPool<Pooled>, keys: readonly string[], bytes = 10): Promise<void> {
  for (const key of keys) {
    await pool.turn(key);
    await pool.open(key, bytes, made(key));
    pool.give(key);
  }
}

it("lets the session go that was used longest ago, and none that somebody has", async () => {
  const pool = new SessionPool<Pooled>(30);
  await openAll(pool, ["a", "b", "c"]);
  expect(released).toEqual([]);
  pool.kept("a");
  await openAll(pool, ["d"]);
  expect(released).toEqual(["b"]);
  await pool.turn("c");
  await openAll(pool, ["e"], 20);
  expect(released).toEqual(["b", "a", "d"]);
  expect(["a", "b", "c", "d", "e"].filter((key) => pool.has(key))).toEqual(["c", "e"]);
  // Nothing is made where those in use leave no room.
  await pool.turn("f");
  expect(await pool.open("f", 30, made("f"))).toBeUndefined();
  pool.give("f");
  expect([released, pool.has("f"), pool.has("c")]).toEqual([["b", "a", "d", "e"], false, true]);
});

it("counts a session from the beginning of its making, and not once that failed", async () => {
  const pool = new SessionPool<Pooled>(10);
  let finish!: () => void;
  const ready = new Promise<void>((resolve) => (finish = resolve));
  await pool.turn("a");
  const first = pool.open("a", 10, made("a", ready));
  await pool.turn("b");
  expect(await pool.open("b", 10, made("b"))).toBeUndefined();
  expect(pool.has("a")).toBe(false);
  finish();
  await first;
  expect(pool.has("a")).toBe(true);
  pool.drop("a");
  await expect(pool.open("b", 10, made("b", Promise.reject(new Error("no memory"))))).rejects.toThrow(
    "no memory",
  );
  await expect(pool.open("b", 10, made("b"))).resolves.toBeDefined();
  expect(released).toEqual(["a"]);
});

it("gives a key to one at a time, in the order of asking", async () => {
  const pool = new SessionPool<Pooled>(10);
  const order: string[] = [];
  await pool.turn("a");
  const others = ["second", "third"].map(async (name) => {
    await pool.turn("a");
    order.push(name);
    pool.give("a");
  });
  expect(pool.isTaken("a")).toBe(true);
  pool.give("a");
  await Promise.all(others);
  expect([order, pool.isTaken("a")]).toEqual([["second", "third"], false]);
});
