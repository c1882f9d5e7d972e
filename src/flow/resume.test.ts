/** @file Interrupted memorising: what is safe, what the next run makes of it, and that the result is the same. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { useBundled } from "../engine/testing/useBundled.ts";
import { Cancelled } from "../lib/assert.ts";
import { openReader } from "../memory/read.ts";
import { countFacts, type Memory } from "../records/memory.ts";
import { inMemoryStore } from "../store/inMemory.ts";
import { memoryFileStore } from "../../tools/node/memoryFile.ts";
import type { Store } from "../store/port.ts";
import { bitsOf } from "../store/testing/memory.ts";
import { onFullDisk } from "../store/testing/memoryFiles.ts";
import { CHECKPOINT_MS } from "./storeMemory.ts";
import { memorize, resume } from "./testing/memorized.ts";
import { context, documentOf, HOOK_MS, QUICK, seeded, STORY, template } from "./testing/runs.ts";

const opened = useBundled();

const params = { ...QUICK, steps: 12, refine: 0 };
/** Bytes that the memory file may take: enough for the index, not for the vectors. */
const ROOM = 10_000;
const byId = ({ entries }: Memory) => entries.toSorted((a, b) => (a.id < b.id ? -1 : 1));

/** The memory of the documents, made in one go. */
async function whole(layers: readonly number[], sentences: readonly string[]): Promise<Memory> {
  const store = await seeded(opened.engine, layers);
  return (await memorize(context(opened.engine, { store, params }), [documentOf(sentences)])).memory;
}

/** `store` whose `nth` batch (from 1) meets `event` before it is written. */
const interrupted = (store: Store, nth: number, event: () => void): Store => ({
  ...store,
  append: (batch) => {
    if (--nth === 0) event();
    return store.append(batch);
  },
});

/** A clock by which every group of finished facts is due to be stored. */
function eager(): () => number {
  let now = 0;
  return () => (now += CHECKPOINT_MS);
}

describe("a run that stops between two layers", () => {
  const layers = [0, 1, 2];
  let expected: Memory;
  beforeAll(async () => {
    expected = await whole(layers, STORY);
  }, HOOK_MS);

  it("by a signal: goes on where it stopped, to the same memory bit for bit", async () => {
    const store = await seeded(opened.engine, layers);
    const stop = new AbortController();
    const stopping = interrupted(store, 2, () => stop.abort());
    const now = eager();
    const running = context(opened.engine, { store: stopping, params, signal: stop.signal, now });
    await expect(memorize(running, [documentOf(STORY)])).rejects.toThrow(Cancelled);
    const left = (await store.load())!;
    // The batch that was under way when the signal came is stored; no other was begun.
    expect(left.entries.length).toBeGreaterThan(0);
    expect(left.entries.length).toBeLessThan(STORY.length);
    const kept = bitsOf(byId(left));
    const resumed = (await resume(context(opened.engine, { store, params })))!.memory;
    // The facts of a layer are encoded together in both runs, so even the residuals are the same.
    expect(bitsOf(byId(resumed))).toEqual(bitsOf(byId(expected)));
    expect(bitsOf(await store.load())).toEqual(bitsOf(resumed));
    expect(bitsOf(byId(resumed).filter(({ id }) => left.entries.some((entry) => entry.id === id)))).toEqual(
      kept,
    );
    expect(bitsOf(resumed.routing)).toEqual(bitsOf(expected.routing));
  });

  it("between two checkpoints: what is finished is stored all the same", async () => {
    const store = await seeded(opened.engine, layers);
    const stop = new AbortController();
    let finished = 0;
    const running = context(opened.engine, {
      store,
      params,
      signal: stop.signal,
      // Nothing is due by time.
      now: () => 0,
      onProgress({ stage, done }) {
        if (stage !== "encode") return;
        finished = done;
        if (done >= 4) stop.abort();
      },
    });
    await expect(memorize(running, [documentOf(STORY)])).rejects.toThrow(Cancelled);
    expect(finished).toBeGreaterThanOrEqual(4);
    const stored = countFacts((await store.load())!.entries);
    expect(stored).toBeGreaterThanOrEqual(finished);
    expect(stored).toBeLessThan(STORY.length);
    const resumed = (await resume(context(opened.engine, { store, params })))!.memory;
    expect(bitsOf(byId(resumed))).toEqual(bitsOf(byId(expected)));
  });

  it("by a store that fails: loses the batch under way, and the next call with the same text makes up for it", async () => {
    const store = await seeded(opened.engine, layers);
    const failing = interrupted(store, 2, () => {
      throw new Error("the disk is gone");
    });
    const run = (to: Store) =>
      memorize(context(opened.engine, { store: to, params, now: eager() }), [documentOf(STORY)]);
    await expect(run(failing)).rejects.toThrow("the disk is gone");
    expect((await store.load())!.entries.length).toBeLessThan(STORY.length);
    const again = await run(store);
    expect(again.plan.known).toEqual(["story"]);
    expect(again.plan.resumed.length).toBeGreaterThan(0);
    expect(bitsOf(byId(again.memory))).toEqual(bitsOf(byId(expected)));
    // Nor is there anything left to do.
    expect(bitsOf((await resume(context(opened.engine, { store, params })))!.memory)).toEqual(
      bitsOf(again.memory),
    );
  });

  it("on a full disk: keeps what was stored, says so, and goes on when there is room", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "palimpsest-resume-"));
    const file = path.join(folder, "memory.zip");
    const open = (): Store => memoryFileStore(file, { pause: 0 });
    const store = open();
    await seeded(opened.engine, layers, store);
    const run = () => memorize(context(opened.engine, { store, params }), [documentOf(STORY)]);
    await expect(onFullDisk(ROOM, run)).rejects.toThrow(/^store: .*: the disk is full .* Nothing was lost/);
    const left = (await open().load())!;
    expect(left.routing.flatMap(({ facts }) => facts)).toHaveLength(STORY.length);
    const resumed = (await resume(context(opened.engine, { store: open(), params })))!.memory;
    expect(bitsOf(byId(resumed))).toEqual(bitsOf(byId(expected)));
    await rm(folder, { recursive: true });
  });

  it("before the first batch: has everything still to be encoded", async () => {
    const store = await seeded(opened.engine, layers);
    const running = context(opened.engine, {
      store: interrupted(store, 1, () => {
        throw new Error("at once");
      }),
      params,
    });
    await expect(memorize(running, [documentOf(STORY)])).rejects.toThrow("at once");
    expect((await store.load())!.entries).toEqual([]);
    const resumed = (await resume(context(opened.engine, { store, params })))!.memory;
    expect(bitsOf(byId(resumed))).toEqual(bitsOf(byId(expected)));
  });

  it("in reading or asking the model: leaves the store as it was", async () => {
    const store = await seeded(opened.engine, layers);
    const before = bitsOf(await store.load());
    const running = context(opened.engine, { store, params, signal: AbortSignal.abort() });
    await expect(memorize(running, [documentOf(STORY)])).rejects.toThrow("flow: reading: cancelled");
    expect(bitsOf(await store.load())).toEqual(before);
  });
});

it("a run that stops within a layer ends with the same keys, exactness and words", async () => {
  // 20 facts of one layer: the first 8 are one checkpoint, the rest is encoded again in a batch of another size,
  // whose kernels sum in another order, so residuals agree closely but not to the bit.
  const facts = template(2).slice(0, 20);
  const expected = await whole([2], facts);
  const store = await seeded(opened.engine, [2]);
  const failing = interrupted(store, 2, () => {
    throw new Error("stop");
  });
  await expect(
    memorize(context(opened.engine, { store: failing, params, now: eager() }), [documentOf(facts)]),
  ).rejects.toThrow("stop");
  expect((await store.load())!.entries).toHaveLength(8);
  const resumed = (await resume(context(opened.engine, { store, params })))!.memory;
  const [a, b] = [byId(expected), byId(resumed)];
  expect(b.map(({ id }) => id)).toEqual(a.map(({ id }) => id));
  expect(bitsOf(b.map(({ key }) => key))).toEqual(bitsOf(a.map(({ key }) => key)));
  const said = async (entries: Memory["entries"]) => {
    const reader = openReader(opened.engine, { entries }, params);
    const recalled = await reader.recall(entries);
    reader.dispose();
    return recalled.map(({ text }) => text);
  };
  const [textA, textB] = [await said(a), await said(b)];
  for (const [i, entry] of a.entries()) {
    expect(b[i]!.report.exact, entry.id).toBe(entry.report.exact);
    if (entry.report.exact) expect(textB[i]).toBe(textA[i]);
  }
  expect(a.filter(({ report }) => report.exact).length).toBeGreaterThan(15);
});

it("resume has nothing to do without a memory", async () => {
  expect(await resume(context(opened.engine, { store: inMemoryStore() }))).toBeNull();
});
