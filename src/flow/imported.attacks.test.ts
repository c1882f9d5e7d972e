/** @file Archives that are taken: what they bring may not keep stored facts from being said, added to or deleted. */

import { beforeAll, expect } from "vitest";
import { useBundled } from "../engine/testing/useBundled.ts";
import { attacks, refused, type Stakes } from "../lib/testing/attacks.ts";
import { openReader } from "../memory/read.ts";
import { layerIndex } from "../records/ids.ts";
import { byFact, type Memory, type MemoryEntry } from "../records/memory.ts";
import { importMemory } from "../store/archive.ts";
import { packMemory } from "../store/archiveFormat.ts";
import { inMemoryStore } from "../store/inMemory.ts";
import { piecesOf } from "../store/pieces.ts";
import { forget } from "./testing/changed.ts";
import { memorize } from "./testing/memorized.ts";
import { context, documentOf, HOOK_MS, QUICK, seeded } from "./testing/runs.ts";

const opened = useBundled();
const PARAMS = { ...QUICK, steps: 20 };
const OWN = ["Mary moved to the garden.", "John went to the hallway."];
const OTHERS = ["Sandra went to the kitchen.", "Daniel went to the office."];

async function memoryOf(lines: readonly string[], title: string): Promise<Memory> {
  const store = await seeded(opened.engine, [3, 4]);
  const { memory } = await memorize(context(opened.engine, { store, params: PARAMS }), [
    documentOf(lines, title),
  ]);
  return memory;
}

let own: Memory;
let other: Memory;
beforeAll(async () => {
  own = await memoryOf(OWN, "own");
  other = await memoryOf(OTHERS, "other");
}, HOOK_MS);

async function said(memory: Memory): Promise<string[]> {
  const reader = openReader(opened.engine, memory, PARAMS);
  const facts = byFact(memory.entries.filter(({ id }) => own.entries.some((one) => one.id === id)));
  const texts = (await reader.recall(facts)).map(({ text }) => text);
  reader.dispose();
  return texts.toSorted();
}

/** An archive with `change` may not come in, in either mode, and what is stored stays. */
async function notTaken(change: (memory: Memory) => Memory, message: RegExp): Promise<Stakes> {
  const archive = await packMemory(piecesOf(change(other)), "1");
  const store = inMemoryStore();
  await store.save(own);
  for (const mode of ["merge", "replace"] as const)
    await refused(importMemory(store, archive, { name: "m.zip", mode }), message);
  expect(await store.load()).toEqual(own);
  return { facts: OWN.length, lost: 0 };
}

/** With what an older build took in beside them, own facts are said, and every fact can be deleted. */
async function deletable(change: (memory: Memory) => Memory): Promise<Stakes> {
  const { engine } = opened;
  const { entries, routing } = change(other);
  const store = inMemoryStore();
  await store.save(own);
  await store.append({ entries, routing: routing.map((one) => ({ ...one, order: one.order + 2 })) });
  expect(await said((await store.load())!)).toEqual(OWN.toSorted());
  for (const [n, id] of [own.entries[0]!.id, entries[0]!.id].entries()) {
    const left = (await store.load())!;
    const { certificate } = await forget({ engine, store, params: PARAMS }, left, new Set([id]));
    // First beside the other three, of which one cannot be asked for; then that one, beside two.
    expect(certificate).toMatchObject({
      compared: 2,
      retained: 3 - n,
      changed: 0,
      after: [{ gateOpen: false }],
    });
    expect((await store.load())!.entries.some((one) => one.id === id)).toBe(false);
  }
  return { facts: OWN.length, lost: 0 };
}

/** The first entry changed. */
const first =
  (change: (entry: MemoryEntry) => Partial<MemoryEntry>) =>
  (memory: Memory): Memory => ({
    ...memory,
    entries: memory.entries.map((entry, i) => (i === 0 ? { ...entry, ...change(entry) } : entry)),
  });

const narrow = (memory: Memory): Memory => ({
  ...memory,
  centres: [2, 4].map((layer) => ({ layer: layerIndex(layer), vector: new Float32Array(3) })),
});

const windowful = first(() => ({ tokens: 2 ** 53 - 1 }));
const longAnchor = first(() => ({ anchor: "word ".repeat(1500) }));

attacks("archives", {
  "an archive with nothing wrong": async () => {
    const store = inMemoryStore();
    await store.save(own);
    await importMemory(store, await packMemory(piecesOf(other), "1"), { name: "m.zip", mode: "merge" });
    expect(await said((await store.load())!)).toEqual(OWN.toSorted());
  },
  "a fact of more tokens than the model's window": {
    fault:
      "was merged: no fact of the memory could be deleted any more, nor that one, and a question that met it was refused",
    attack: () => notTaken(windowful, /tokens is 9007199254740991; a whole number from 1 to/),
  },
  "a fact of more tokens than the window, of a model that is said to hold them": {
    fault: "the same",
    attack: async () => {
      const memory = { ...first(() => ({ tokens: 5000 }))(other), model: { ...other.model, window: 9000 } };
      const archive = await packMemory(piecesOf(memory), "1");
      const store = inMemoryStore();
      await store.save(own);
      await refused(
        importMemory(store, archive, { name: "m.zip", mode: "merge" }),
        /has 5000 tokens at layer/,
      );
    },
  },
  "the deletion beside a fact of more tokens than the window, that was taken in before": () =>
    deletable(windowful),
  "the deletion beside an anchor past the window, that was taken in before": () => deletable(longAnchor),
  "the deletion beside a fact of no tokens, that was taken in before": () =>
    deletable(first(() => ({ tokens: 0 }))),
  "an anchor of nearly as many tokens as the model's window": {
    fault:
      "was merged: every question and deletion that met it read all prompts of its batch at that length, 7 s at 1,000 words, minutes beyond",
    attack: () => notTaken(longAnchor, /anchor is "word .*text of at most 1000 characters/),
  },
  "a fact of no tokens": {
    fault: "was merged: nothing could be memorised any more (engine: a row without tokens has no states)",
    attack: () =>
      notTaken(
        first(() => ({ tokens: 0 })),
        /tokens is 0; a whole number from 1 to/,
      ),
  },
  "a part that begins at 2^53 - 1": {
    fault: "the same",
    attack: () =>
      notTaken(
        first(() => ({ start: 2 ** 53 - 1 })),
        /begin at tokens 9007199254740991; each/,
      ),
  },
  "a key of length 1e36": {
    fault:
      "was merged: facts of its layer, stored as exact, lost to it; so did those added later, reported exact, and certificates of deletion say similarity 1",
    attack: () =>
      notTaken(
        first(({ key }) => ({ key: key.map((x) => x * 1e36) })),
        /length (?:9\.99\d*e\+35|1\S*e\+36); a unit vector/,
      ),
  },
  "centres of another width than keys": {
    fault:
      "was taken: of keys in 8 bits every gate of the layer stayed shut, without a word, and nothing could be memorised there",
    attack: () => notTaken(narrow, /key centre of layer 2 has 3 values/),
  },
  "a fact made with parameters that are not there": {
    fault: "was taken in place of the memory, to which nothing could be added then",
    attack: () =>
      notTaken(
        first(() => ({ params: 7 })),
        /names earlier parameters 7, 0 sets/,
      ),
  },
});
