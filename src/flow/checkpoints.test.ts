/** @file When finished facts are written: at once at first, then together, by number or by time, and all in the end. */

import { expect, it } from "vitest";
import type { MemoryEntry } from "../records/memory.ts";
import { makeEntry } from "../store/testing/memory.ts";
import { CHECKPOINT_ENTRIES, CHECKPOINT_MS, Checkpoints } from "./storeMemory.ts";

function recorded() {
  const clock = { now: 0 };
  const written: number[] = [];
  const all: MemoryEntry[] = [];
  const checkpoints = new Checkpoints(
    () => clock.now,
    async (entries) => {
      written.push(entries.length);
      all.push(...entries);
    },
  );
  return { clock, written, all, checkpoints };
}

it("the first group is written at once, the next when so many entries or so much time came together", async () => {
  const { clock, written, all, checkpoints } = recorded();
  const entries = Array.from({ length: 4 + CHECKPOINT_ENTRIES + 6 }, (_, n) => makeEntry(n));
  await checkpoints.add(entries.slice(0, 4));
  expect(written).toEqual([4]);
  for (let n = 4; n < 4 + CHECKPOINT_ENTRIES; n += 4) await checkpoints.add(entries.slice(n, n + 4));
  expect(written).toEqual([4, CHECKPOINT_ENTRIES]);
  await checkpoints.add(entries.slice(-6, -3));
  clock.now = CHECKPOINT_MS;
  await checkpoints.add(entries.slice(-3));
  expect(written).toEqual([4, CHECKPOINT_ENTRIES, 6]);
  await checkpoints.flush();
  expect(written).toHaveLength(3);
  expect(all).toEqual(entries);
});

it("writes of a long run are as many as its entries ask for, not as the groups that they come in", async () => {
  const { written, checkpoints } = recorded();
  const one = [makeEntry(1)];
  for (let n = 0; n < 100 * CHECKPOINT_ENTRIES; n++) await checkpoints.add(one);
  await checkpoints.flush();
  expect(written.length).toBe(101);
});

it("what could not be written is told once, and does not come again with what follows", async () => {
  const seen: number[] = [];
  const checkpoints = new Checkpoints(
    () => 0,
    async (entries) => {
      seen.push(entries.length);
      if (seen.length === 1) throw new Error("full");
    },
  );
  await expect(checkpoints.add([makeEntry(1), makeEntry(2)])).rejects.toThrow("full");
  await checkpoints.flush();
  expect(seen).toEqual([2]);
});
