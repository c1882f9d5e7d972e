/** @file Facts that go over to another model, and facts of a memory file whose keys are taken here. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BUNDLED, open, type Opened } from "../engine/testing/models.ts";
import { useBundled } from "../engine/testing/useBundled.ts";
import { byFact, countFacts } from "../records/memory.ts";
import { exportMemory, importMemory } from "../store/archive.ts";
import { inMemoryStore } from "../store/inMemory.ts";
import { nodeModelFiles } from "../../tools/node/nodeFile.ts";
import { answer, openMemory } from "./answer.ts";
import { sayMemory } from "./carry.ts";
import { memorize, memorizeSaid, resume } from "./memorize.ts";
import { sayFacts } from "./sayFacts.ts";
import type { Engine } from "../engine/engine.ts";
import { layerIndex } from "../records/ids.ts";
import { context, documentOf, HOOK_MS, valuesIn } from "./testing/runs.ts";

const FIRST = [
  "Ada Lovelace wrote the first notes on the engine in 1843.",
  "The invoice of 14 March over €2,450.00 was paid by Tom.",
  "Mary moved to the garden.",
  "Mary took the blue lamp to the cellar and left it there, since nobody had asked for it that week.",
];
const SECOND = [
  "Mary went back to the kitchen.",
  "Mary journeyed to the hallway.",
  "John saw the ferry leave.",
];

describe("a memory that is carried over", () => {
  const opened = useBundled();
  let other: Opened; // the same weights in 8 bits: another model as far as vectors go
  beforeAll(async () => {
    other = await open(await nodeModelFiles(BUNDLED), 1, "q8");
  }, HOOK_MS);
  afterAll(async () => {
    await other.engine.dispose();
    await other.device.dispose();
  });
  const run = (engine: Engine, store = inMemoryStore()) =>
    context(engine, { store, layers: [layerIndex(3), layerIndex(5)] });
  const words = async ({ engine, store }: ReturnType<typeof run>): Promise<ReadonlyMap<string, string>> =>
    sayFacts(engine, (await store.load())!.entries);

  it("belongs to the open model afterwards, with every fact word for word and the former answers", async () => {
    const former = run(other.engine);
    await memorize(former, [documentOf(FIRST)]);
    const before = (await former.store.open())!;
    expect(before.model.precision).toBe("q8");
    await expect(sayMemory(opened.engine, before)).rejects.toThrow(/was made with .* in q8/);
    const said = await sayMemory(other.engine, before);
    expect(said.inexact).toEqual([]);
    const now = run(opened.engine, former.store);
    const report = await memorizeSaid(now, said, null);
    expect(report.memory.model.precision).toBe("f32");
    const memory = (await now.store.load())!;
    expect(memory.waiting).toEqual([]);
    expect(memory.sources).toEqual(before.sources);
    expect(memory.entries.every((entry) => entry.report.exact)).toBe(true);
    expect(new Map(await words(now))).toEqual(new Map(valuesIn(FIRST)));
    const reader = openMemory(opened.engine, memory, memory.params);
    const reply = await answer(reader, "Who paid the invoice of 14 March?", { now: now.now });
    expect(reply.recalled.map(({ text }) => text)).toContain(FIRST[1]);
    reader.dispose();
  });

  it("keeps its words until they are written, so that a stopped run goes on", async () => {
    const former = run(other.engine);
    await memorize(former, [documentOf(FIRST)]);
    const said = await sayMemory(other.engine, (await former.store.open())!);
    const killed = { ...former.store, append: () => Promise.reject(new Error("test: killed")) };
    const now = run(opened.engine, killed);
    await expect(memorizeSaid(now, said, null)).rejects.toThrow(/killed/);
    expect((await now.store.open())!.waiting.map(({ value }) => value).sort()).toEqual(FIRST.toSorted());
    await resume(run(opened.engine, former.store));
    expect(new Map(await words(now))).toEqual(new Map(valuesIn(FIRST)));
  });

  it("names what the former model does not say word for word, and keeps the words that it says", async () => {
    const former = run(other.engine);
    await memorize(former, [documentOf(FIRST)]);
    const memory = (await former.store.open())!;
    const routing = memory.routing.map((document) => ({
      ...document,
      facts: document.facts.map((fact) => ({
        ...fact,
        digest: document.anchor === "Mary" ? "0" : fact.digest,
      })),
    }));
    const said = await sayMemory(other.engine, { ...memory, routing });
    expect(said.inexact).toEqual(["Mary (1)", "Mary (2)"]);
    expect(said.anchors).toHaveLength(FIRST.length);
  });

  it("gives facts of a memory file whose keys are taken a free number", async () => {
    const here = run(opened.engine);
    const there = run(opened.engine);
    await memorize(here, [documentOf(FIRST)]);
    await memorize(there, [documentOf(SECOND, "second")]);
    const archive = await exportMemory(there.store, "1");
    const merged = await importMemory(here.store, archive, { name: "second.zip", mode: "merge" });
    expect([merged.added, merged.left.length]).toEqual([1, 2]);
    const file = inMemoryStore();
    await importMemory(file, archive, { name: "second.zip", mode: "replace" });
    const said = await sayMemory(opened.engine, (await file.open())!, new Set(merged.left));
    await memorizeSaid(here, said, (await here.store.open())!);
    const memory = (await here.store.load())!;
    expect(countFacts(memory.entries)).toBe(FIRST.length + SECOND.length);
    expect(memory.sources.map(({ title }) => title)).toEqual(["story", "second"]);
    const mary = byFact(memory.entries).filter(([part]) => part!.anchor === "Mary");
    expect(mary.map(([part]) => part!.index).sort()).toEqual([1, 2, 3, 4]);
    expect(new Map(await words(here))).toEqual(new Map(valuesIn(FIRST, SECOND)));
  });
});
