/** @file A text that joins a memory is stored as what it adds; what changes the memory itself is stored whole. */

import { afterAll, beforeAll, expect, it } from "vitest";
import { openRandom, type Opened } from "../engine/testing/models.ts";
import { inMemoryStore } from "../store/inMemory.ts";
import { bitsOf } from "../store/testing/memory.ts";
import { memorize } from "./testing/memorized.ts";
import { context, documentOf, HOOK_MS, QUICK, seeded, STORY } from "./testing/runs.ts";

let opened: Opened;
beforeAll(async () => {
  opened = await openRandom("Qwen3ForCausalLM");
}, HOOK_MS);
afterAll(async () => {
  await opened.engine.dispose();
  await opened.device.dispose();
});

// A random model says nothing exactly: its facts are not cut.
const params = { ...QUICK, partTokens: null, steps: 1, refine: 0 };
const MORE = ["Sandra moved to the office.", "Lily went to the garden.", "Mary's apple is in the kitchen."];

/** A memory of a story, and how often the store is written whole from then on. */
async function begun(over: Partial<typeof params> = {}) {
  const inner = await seeded(opened.engine, [0, 2], inMemoryStore());
  const counts = { saved: 0 };
  const store = {
    ...inner,
    save: (memory: Parameters<typeof inner.save>[0]) => (counts.saved++, inner.save(memory)),
    take: (pieces: Parameters<typeof inner.take>[0]) => (counts.saved++, inner.take(pieces)),
  };
  const running = context(opened.engine, { store, params: { ...params, ...over } });
  await memorize(running, [documentOf(STORY)]);
  counts.saved = 0;
  return { store, counts, running };
}

it("another text adds its documents and its source, and nothing is written anew", async () => {
  const { store, counts, running } = await begun();
  const first = (await store.load())!;
  for (const [i, sentence] of MORE.entries()) {
    const { memory } = await memorize(running, [documentOf([sentence], `more ${i}`)]);
    expect(bitsOf(await store.load())).toEqual(bitsOf(memory));
  }
  expect(counts.saved).toBe(0);
  const whole = (await store.load())!;
  expect(whole.sources.map(({ title }) => title)).toEqual(["story", "more 0", "more 1", "more 2"]);
  expect(whole.routing.find(({ anchor }) => anchor === "Mary")!.facts).toHaveLength(3);
  expect(bitsOf(whole.entries.slice(0, first.entries.length))).toEqual(bitsOf(first.entries));
});

it("other parameters, and facts that make room for others, are written whole", async () => {
  const other = await begun();
  const changed = { ...other.running, params: { ...params, steps: 2 } };
  const { memory } = await memorize(changed, [documentOf(MORE)]);
  expect(other.counts.saved).toBe(1);
  expect(bitsOf(await other.store.load())).toEqual(bitsOf(memory));
  const full = await begun({ depth: 2, depthOver: "memory" });
  const evicting = await memorize(full.running, [documentOf(MORE)]);
  expect(evicting.plan.evicted.size).toBeGreaterThan(0);
  expect(full.counts.saved).toBe(1);
  expect(bitsOf(await full.store.load())).toEqual(bitsOf(evicting.memory));
});
