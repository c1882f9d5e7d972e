/** @file Adding to a large memory in the browser's database: of its vectors no more is read than the run needs, and held than a block. */

import "fake-indexeddb/auto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRandom, type Opened } from "../engine/testing/models.ts";
import { rounds } from "../lib/testing/thorough.ts";
import { unit } from "../lib/vector.ts";
import { keyToken, recallPrompt } from "../memory/parts.ts";
import { charOffset, documentId, factId, layerIndex } from "../records/ids.ts";
import type { Memory, MemoryEntry, RoutingDocument } from "../records/memory.ts";
import type { MethodParams } from "../records/params.ts";
import { openIndexedDbStore } from "../store/indexedDb.ts";
import { inMemoryStore } from "../store/inMemory.ts";
import type { Store } from "../store/port.ts";
import { allBytes, freshDatabase, fullAt } from "../store/testing/database.ts";
import { bitsOf } from "../store/testing/memory.ts";
import { watched } from "../store/testing/watched.ts";
import { memorize, resume } from "./memorize.ts";
import { context, documentOf, emptyMemory, HOOK_MS, QUICK, STORY } from "./testing/runs.ts";

// A random model says nothing exactly: its facts are not cut.
const PARAMS: MethodParams = { ...QUICK, partTokens: null, steps: 1, refine: 0 };
const BLOCK = 256;
/** More than the learned start learns from. */
const FACTS = 7 * BLOCK;
const OF_AN_ANCHOR = 32;
const MORE = documentOf(["Sandra moved to the office.", "Lily went to the garden."], "more");

let opened: Opened;
let large: Memory;
beforeAll(async () => {
  opened = await openRandom("Qwen3ForCausalLM");
  large = await largeMemory();
}, HOOK_MS);
afterAll(async () => {
  await opened.engine.dispose();
  await opened.device.dispose();
});

/** Facts of one layer; the latest block's are inexact, and nothing was learnt from them. */
async function largeMemory(): Promise<Memory> {
  const { engine } = opened;
  const { dFf, dModel } = engine.model;
  const [vector] = await engine.embed(["ledger"]);
  const document = documentId("0123456789abcdef0123");
  const anchorOf = (n: number): string =>
    n < OF_AN_ANCHOR ? "Sandra" : `Ledger ${Math.floor(n / OF_AN_ANCHOR)}`;
  const fact = (n: number) => ({
    id: factId(document, charOffset(100 * n)),
    anchor: anchorOf(n),
    index: (n % OF_AN_ANCHOR) + 1,
  });
  const entry = (n: number): MemoryEntry => ({
    ...fact(n),
    ...{ documentId: document, offset: charOffset(100 * n), part: 1, start: 0, tokens: 4 },
    layer: layerIndex(0),
    key: unit(Float32Array.from({ length: dFf }, (_, i) => Math.sin(7.3 * n + i * i + 1))),
    residual: Float32Array.from({ length: dModel }, (_, i) => Math.cos(n + i * i)),
    report: {
      ...{ steps: n, exact: n < FACTS - BLOCK, fidelity: 0.5, deltaNorm: 1, margin: 1, losses: [n, n / 2] },
      recalled: n < FACTS - BLOCK ? null : `vault number ${n}`,
    },
  });
  const numbers = Array.from({ length: FACTS }, (_, n) => n);
  const routing = numbers
    .filter((n) => n % OF_AN_ANCHOR === 0)
    .map((first, order): RoutingDocument => {
      const facts = numbers.slice(first, first + OF_AN_ANCHOR).map((n) => {
        const { id, index } = fact(n);
        return { id, index, terms: `AAAAAA${n % 10}AAAAA::0`, digest: "" };
      });
      return { anchor: anchorOf(first), order, facts, vector: vector! };
    });
  const source = {
    id: document,
    title: "ledgers",
    characters: 9,
    sentences: 3,
    candidates: 2,
    memorizedAt: "",
  };
  return {
    ...emptyMemory(engine, [0]),
    params: PARAMS,
    keyToken: keyToken(engine, recallPrompt(engine, { anchor: "Sandra", index: 1 })),
    sources: [source],
    entries: numbers.map(entry),
    routing,
  };
}

/** A database with the large memory in it, and how that is looked at. */
async function begun(memory: Memory = large) {
  const database = await freshDatabase();
  const inner = openIndexedDbStore(database, "large");
  await inner.save(memory);
  return { database, inner, ...watched(inner) };
}
const running = (store: Store, over: Partial<MethodParams> = {}) =>
  context(opened.engine, { store, params: { ...PARAMS, ...over } });

/** The stored memory, and its entries of before the run. */
async function after(store: Store) {
  const memory = (await store.load())!;
  return { ...memory, old: memory.entries.slice(0, -2), added: memory.entries.slice(-2) };
}

describe("reads the blocks of the latest 1,024 exact vectors", () => {
  const latest = [BLOCK, BLOCK, BLOCK, BLOCK];

  it("where a text is added, and no others", async () => {
    const { inner, store, read, passed } = await begun();
    const report = await memorize(running(store), [MORE]);
    expect([read, passed]).toEqual([latest, []]);
    const { old, added } = await after(inner);
    expect(bitsOf(old)).toEqual(bitsOf(large.entries));
    expect(added.map(({ anchor, index }) => [anchor, index])).toEqual([
      ["Sandra", 33],
      ["Lily", 1],
    ]);
    expect(report.memory.entries.map(({ id }) => id)).toEqual([...old, ...added].map(({ id }) => id));
    expect(report.before).toBe(FACTS);
  });

  it("where an interrupted run is taken up", async () => {
    const entries = large.entries.slice(0, -BLOCK);
    const waiting = large.entries.slice(-BLOCK).map(({ id, offset }) => ({ id, value: `Ledger ${offset}.` }));
    const { inner, store, read, passed } = await begun({ ...large, entries, waiting });
    const stop = new AbortController();
    const onProgress = (): void => stop.abort();
    await expect(resume({ ...running(store), signal: stop.signal, onProgress })).rejects.toThrow("cancelled");
    expect([read, passed]).toEqual([latest, []]);
    expect(bitsOf((await inner.load())!.entries.slice(0, entries.length))).toEqual(bitsOf(entries));
  });

  it("and none where no start is learnt, or nothing is new", async () => {
    const { inner, store, read, passed } = await begun();
    await memorize(running(store, { start: "zero" }), [MORE]);
    read.length = passed.length = 0;
    await memorize(running(store, { start: "zero" }), [MORE]);
    await resume(running(store));
    expect([read, passed]).toEqual([[], []]);
    expect((await after(inner)).entries).toHaveLength(FACTS + 2);
  });
});

describe("lets the memory go by in blocks, once, where all of it changes", () => {
  const whole = Array.from({ length: FACTS / BLOCK }, () => BLOCK);

  it("under other parameters: the older vectors keep theirs", async () => {
    const { inner, store, passed } = await begun();
    await memorize(running(store, { steps: 2 }), [MORE]);
    expect(passed).toEqual(whole);
    const { old, added, params, earlier } = await after(inner);
    expect([params.steps, earlier]).toEqual([2, [large.params]]);
    expect(bitsOf(old)).toEqual(bitsOf(large.entries.map((entry) => ({ ...entry, params: 0 }))));
    expect(added.map((entry) => entry.params)).toEqual([undefined, undefined]);
  });

  it("where facts make room: the others stay what and where they were", async () => {
    const { inner, store, passed } = await begun();
    const { plan } = await memorize(running(store, { depth: 20, depthOver: "memory" }), [MORE]);
    expect(plan.evicted.size).toBe(OF_AN_ANCHOR + 1 - 20);
    expect(passed).toEqual(whole);
    const stay = large.entries.filter(({ id }) => !plan.evicted.has(id));
    expect(bitsOf((await after(inner)).old)).toEqual(bitsOf(stay.map((entry) => ({ ...entry, params: 0 }))));
  });

  it("and leaves it as it was where there is no room for that", async () => {
    const { database, store } = await begun();
    const before = await allBytes(database);
    for (const row of rounds([0, 42], [0, 10, 30, 42])) {
      const error = await fullAt(row, "request", () => memorize(running(store, { steps: 2 }), [MORE]));
      expect(error, String(row)).toHaveProperty("name", "StoreFull");
      expect((await allBytes(database)).equals(before)).toBe(true);
    }
  });
});

it("the soft read takes each layer once, and once more earlier vectors alone; its verdicts are those of a loaded memory", async () => {
  const soft = { read: "soft", beta: 2, theta: 0.2 } as const;
  const stored: Memory[] = [];
  for (const inner of [openIndexedDbStore(await freshDatabase(), "soft"), inMemoryStore()]) {
    await inner.save({ ...emptyMemory(opened.engine, [0, 2]), params: PARAMS });
    await memorize(running(inner, soft), [documentOf(STORY)]);
    const { store, read } = watched(inner);
    const blocks = (await inner.open())!.blocks.length;
    await memorize(running(store, { ...soft, start: "zero" }), [MORE]);
    expect(read.length).toBeLessThanOrEqual(2 * blocks + 2);
    stored.push((await inner.load())!);
  }
  expect(stored[0]!.entries.every(({ report }) => report.soft)).toBe(true);
  expect(bitsOf(stored[0])).toEqual(bitsOf(stored[1]));
});
