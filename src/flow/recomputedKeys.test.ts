/** @file Memories without keys: what a store gets of them, and that they are asked, added to, changed and deleted from as others are. */

import { afterAll, beforeAll, expect, it } from "vitest";
import { bundled, type Opened } from "../engine/testing/models.ts";
import { Cancelled } from "../lib/assert.ts";
import { dot } from "../lib/vector.ts";
import { bytesOf } from "../records/bytes.ts";
import { layerIndex } from "../records/ids.ts";
import { byFact, type Memory } from "../records/memory.ts";
import type { KeyProgress } from "../records/progress.ts";
import { withVectors } from "../records/vectors.ts";
import { exportMemory, importMemory } from "../store/archive.ts";
import { inMemoryStore } from "../store/inMemory.ts";
import type { Store } from "../store/port.ts";
import { recallPrompt } from "../memory/prompt.ts";
import { openMemory } from "./answer.ts";
import { forget } from "./forget.ts";
import { traceFact, valueOf } from "./inspect.ts";
import { memorize } from "./testing/memorized.ts";
import { loadedWithKeys } from "./recomputedKeys.ts";
import { reencode } from "./reencode.ts";
import { onDemand } from "./testing/onDemand.ts";
import { context, documentOf, HOOK_MS, QUICK, STORY, template } from "./testing/runs.ts";

const BARE = { ...QUICK, keys: "recomputed" } as const;
const MORE = documentOf(["Fred moved to the attic.", "Mary took the milk."], "more");

let opened: Opened;
/** The same facts with their keys. */
let keyed: Memory;

const running = (store: Store, params: typeof QUICK = BARE) =>
  context(opened.engine, { store, params, layers: [layerIndex(1), layerIndex(2)] });

beforeAll(async () => {
  opened = await bundled();
  ({ memory: keyed } = await memorize(running(inMemoryStore(), QUICK), [documentOf(STORY)]));
}, HOOK_MS);
afterAll(async () => {
  await opened.engine.dispose();
  await opened.device.dispose();
});

const keyLengths = async (store: Store): Promise<Set<number>> =>
  new Set((await store.load())!.entries.map(({ key }) => key.length));

/** What the memory in `store` says of each of its facts, opened as a page opens it. */
async function said(store: Store, params = BARE) {
  const memory = (await store.open())!;
  const open = openMemory(opened.engine, memory, params);
  const recalled = await open.reader.recall(byFact([...memory.entries]));
  open.dispose();
  return recalled;
}

it("keeps no key, says what one with keys says, and stays so when it grows, changes and forgets", async () => {
  const store = inMemoryStore();
  await memorize(running(store), [documentOf(STORY)]);
  expect(await keyLengths(store)).toEqual(new Set([0]));
  const stored = (await store.load())!;
  expect(bytesOf(stored).vectors).toBe(stored.entries.length * 2 * opened.engine.model.dModel);
  expect(bytesOf(stored).vectors).toBeLessThan(0.45 * bytesOf(keyed).vectors);

  const recalled = await said(store);
  expect(recalled.map(({ id, text }) => text === valueOf(stored, id))).toEqual(recalled.map(() => true));
  for (const { read } of recalled) expect(read.similarity).toBeGreaterThan(0.999);

  await memorize(running(store), [MORE]);
  expect(await keyLengths(store)).toEqual(new Set([0]));
  const grown = (await store.load())!;
  const [first, second] = byFact(grown.entries).map(([part]) => part!.id);
  await reencode(running(store), grown, first!, { value: "Mary moved to the cellar." });
  const { certificate } = await forget(running(store), (await store.load())!, new Set([second!]));
  expect(certificate.before[0]!.read).toMatchObject({ gateOpen: true, own: true });
  expect(certificate.after[0]!.read!.own).toBe(false);
  expect(certificate.changed).toBe(0);
  expect(await keyLengths(store)).toEqual(new Set([0]));
  const left = (await store.load())!;
  const after = await said(store);
  expect(after).toHaveLength(STORY.length + 1);
  expect(after.every(({ id, text }) => text === valueOf(left, id))).toBe(true);
  expect(after.some(({ text }) => text === "Mary moved to the cellar.")).toBe(true);
});

it("goes through an archive without keys, and has them again where a later run says so", async () => {
  const store = inMemoryStore();
  await memorize(running(store), [documentOf(STORY)]);
  const archive = await exportMemory(store, "test");
  await store.clear();
  await importMemory(store, archive, { name: "bare.zip", mode: "replace", model: opened.engine.model });
  expect(await keyLengths(store)).toEqual(new Set([0]));
  expect((await said(store)).every(({ id, text }) => text === valueOf(keyed, id))).toBe(true);
  await memorize(running(store, QUICK), [MORE]);
  const again = (await store.load())!;
  expect(await keyLengths(store)).toEqual(new Set([opened.engine.model.dFf]));
  for (const [i, { key }] of keyed.entries.entries())
    expect(dot(again.entries[i]!.key, key)).toBeGreaterThan(0.9999);
});

it("gives keys to the soft read, to traces and to figures, and does not read them twice while they lie on the device", async () => {
  const store = inMemoryStore();
  await memorize(running(store), [documentOf(STORY)]);
  let read = 0;
  const engine = {
    ...opened.engine,
    // As one that was just opened, which has made no key yet.
    model: { ...opened.engine.model },
    readKeys: (...args: Parameters<typeof opened.engine.readKeys>) => {
      read += args[0].length;
      return opened.engine.readKeys(...args);
    },
  };
  const kept = (await store.open())!;
  const open = openMemory(engine, kept, BARE);
  const facts = byFact([...kept.entries]);
  await open.reader.recall(facts);
  const asked = kept.entries.length;
  expect(read).toBe(2 * asked);
  await open.reader.recall(facts);
  expect(read).toBe(3 * asked);
  // Nor where the memory is opened anew, as it is after every change.
  const again = openMemory(engine, (await store.open())!, BARE);
  await again.reader.recall(facts);
  again.dispose();
  expect(read).toBe(4 * asked);
  const { id } = kept.entries[0]!;
  const [soft] = await open.reader.recall([facts[0]!], { ...BARE, read: "soft" });
  expect(soft!.read.similarity).toBeGreaterThan(0.999);
  const vectors = await withVectors(open.memory, open.memory.entries);
  expect(vectors.map(({ key }) => key)).toEqual(keyed.entries.map(({ key }) => key));
  open.dispose();
  const trace = await traceFact(engine, kept, id, BARE);
  const own = Array.from(trace.top1.similarity).slice(trace.keyPosition * trace.store.length);
  expect(Math.max(...own.slice(0, trace.store.length))).toBeGreaterThan(0.999);
});

it("keeps no key of a memory that a merge brought together with one that keeps none, and says so", async () => {
  const bare = inMemoryStore();
  await memorize(running(bare), [documentOf(STORY)]);
  const full = inMemoryStore();
  await memorize(running(full, QUICK), [MORE]);
  const [bareArchive, fullArchive] = [await exportMemory(bare, "test"), await exportMemory(full, "test")];
  for (const [into, archive, which] of [
    [bare, fullArchive, "the added facts"],
    [full, bareArchive, "all facts"],
  ] as const) {
    const { notes } = await importMemory(into, archive, { name: "other.zip", mode: "merge" });
    expect(notes.join(" ")).toContain(
      `keeps no keys (Stored keys: made again), and so the whole does not: the model reads them again for ${which}.`,
    );
    expect(await keyLengths(into)).toEqual(new Set([0]));
    const merged = (await into.load())!;
    expect(merged.params.keys).toBe("recomputed");
    expect((await said(into)).every(({ id, text }) => text === valueOf(merged, id))).toBe(true);
  }
});

it("goes by what a memory was begun with where nothing new comes", async () => {
  const store = inMemoryStore();
  const { memory } = await memorize(running(store, QUICK), [documentOf(STORY)]);
  await store.save({ ...memory, entries: memory.entries.slice(0, 2) });
  await memorize(running(store), [documentOf(STORY)]);
  const whole = (await store.load())!;
  expect([whole.params.keys, await keyLengths(store)]).toEqual([
    "stored",
    new Set([opened.engine.model.dFf]),
  ]);
});

it("refuses a memory in another precision before any key is read, and passes over parts that nobody can ask for", async () => {
  const store = inMemoryStore();
  await memorize(running(store), [documentOf(STORY)]);
  let read = 0;
  const counting = {
    ...opened.engine,
    readKeys: (...args: Parameters<typeof opened.engine.readKeys>) => {
      read++;
      return opened.engine.readKeys(...args);
    },
  };
  const other = { ...counting, model: { ...opened.engine.model, precision: "q8" as const } };
  await expect(memorize({ ...running(store, QUICK), engine: other }, [MORE])).rejects.toThrow(
    /open in q8 now/,
  );
  expect(read).toBe(0);

  const memory = (await store.load())!;
  const [first, ...others] = memory.entries;
  const odd = { ...memory, entries: [{ ...first!, tokens: opened.engine.model.window }, ...others] };
  const fresh = { ...opened.engine, model: { ...opened.engine.model } };
  const filled = await loadedWithKeys({ engine: fresh }, odd);
  expect(filled.entries.map(({ key }) => key.length === 0)).toEqual(odd.entries.map((_, i) => i === 0));
  // As in an archive that somebody made: the centre of the layer is the activation of one of its keys.
  const [read0] = await fresh.readKeys([recallPrompt(fresh, others[0]!)], [others[0]!.layer]);
  const centred = { ...memory, centres: [{ layer: others[0]!.layer, vector: read0![0]!.activation }] };
  const without = (await loadedWithKeys({ engine: fresh }, centred)).entries.filter(
    ({ key }) => key.length === 0,
  );
  expect(without.map(({ id }) => id)).toEqual([others[0]!.id]);
});

it("stops while it reads keys", async () => {
  const store = inMemoryStore();
  await memorize(running(store), [documentOf(STORY)]);
  const memory = (await store.load())!;
  const { engine } = opened;
  const fresh = { ...engine, model: { ...engine.model } };
  await expect(loadedWithKeys({ engine: fresh, signal: AbortSignal.abort() }, memory)).rejects.toThrow(
    /cancelled/,
  );
  expect((await loadedWithKeys({ engine }, memory)).entries.every(({ key }) => key.length > 0)).toBe(true);
});

it("stops a question while keys are read for it, lets others go on, and keeps what was read whole", async () => {
  const store = inMemoryStore();
  await memorize(running(store), [documentOf(STORY)]);
  const stop = new AbortController();
  let read = 0;
  const engine = {
    ...opened.engine,
    model: { ...opened.engine.model },
    readKeys: async (...args: Parameters<typeof opened.engine.readKeys>) => {
      // The question's own activations come first, then those of a block of its layer.
      if (++read === 3) stop.abort();
      return opened.engine.readKeys(...args);
    },
  };
  const kept = (await onDemand(store).store.open())!;
  const open = openMemory(engine, kept, BARE);
  const facts = byFact([...kept.entries]);
  const told: KeyProgress[] = [];
  const stopped = open.reader.recall(facts, BARE, { signal: stop.signal, onKeys: (one) => told.push(one) });
  const waiting = new AbortController();
  const waits = open.reader.recall(facts, BARE, { signal: waiting.signal });
  waiting.abort();
  const others = open.reader.recall(facts, BARE);
  await expect(stopped).rejects.toThrow(Cancelled);
  await expect(waits).rejects.toThrow(Cancelled);
  const right = (await others).map(({ id, text }) => text === valueOf(keyed, id));
  expect(right).toEqual(facts.map(() => true));
  const ofLayer = (layer: number) => kept.entries.filter((entry) => entry.layer === layer).length;
  for (const { layer, done, total } of told) {
    expect(total).toBe(ofLayer(layer));
    expect(done).toBeLessThanOrEqual(total);
  }
  open.dispose();
});

it("is told how far the keys of a layer are, block after block", async () => {
  const store = inMemoryStore();
  await memorize(running(store), [documentOf(template(1))]);
  const engine = { ...opened.engine, model: { ...opened.engine.model } };
  const kept = (await onDemand(store).store.open())!;
  const open = openMemory(engine, kept, BARE);
  const [first] = byFact([...kept.entries]);
  const { layer } = first![0]!;
  const told: KeyProgress[] = [];
  await open.reader.recall([first!], BARE, { onKeys: (one) => told.push(one) });
  const total = kept.entries.filter((entry) => entry.layer === layer).length;
  const sizes = kept.blocks.filter((block) => block.layer === layer).map(({ entries }) => entries.length);
  let done = 0;
  expect(told).toEqual(sizes.map((size) => ({ layer, done: (done += size), total })));
  open.dispose();
});
