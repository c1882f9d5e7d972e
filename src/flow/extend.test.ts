/** @file How texts join a memory: what each anchor keeps of all of them, and how anchors are counted. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRandom, type Opened } from "../engine/testing/models.ts";
import type { Memory } from "../records/memory.ts";
import { PAPER } from "../records/params.ts";
import { layerIndex } from "../records/ids.ts";
import { bitsOf } from "../store/testing/memory.ts";
import { checkModel } from "./extend.ts";
import { memorize } from "./testing/memorized.ts";
import { context, documentOf, QUICK, seeded, valuesIn } from "./testing/runs.ts";

const IDENTITY = {
  architecture: "Qwen3ForCausalLM",
  layers: 8,
  dModel: 256,
  dFf: 768,
  vocabulary: 4096,
  window: 2048,
};
const LAYERS = [0, 2].map(layerIndex);
// A random model says nothing exactly: its facts are not cut.
const params = { ...QUICK, depth: PAPER.depth, partTokens: null, steps: 2, refine: 0 };

describe("a text that joins a memory", () => {
  let opened: Opened;
  let engine: Opened["engine"];
  beforeAll(async () => {
    opened = await openRandom("Qwen3ForCausalLM");
    ({ engine } = opened);
  });
  afterAll(async () => {
    await engine.dispose();
    await opened.device.dispose();
  });

  it("under the paper's preset an anchor keeps m̂ facts in all, the latest, and the oldest make room", async () => {
    const store = await seeded(engine, LAYERS);
    const depth = { ...params, preset: "paper", depthOver: "memory" } as const;
    const about = (name: string, from: number) =>
      Array.from({ length: 20 }, (_, i) => `${name} took the apple number ${from + i} to the kitchen.`);
    const read = (sentences: readonly string[], title: string, given: typeof params | typeof depth) =>
      memorize(context(engine, { store, params: given }), [documentOf(sentences, title)]);
    await read([...about("Sandra", 0), "Daniel went to the office."], "first", depth);
    const { plan, memory } = await read(about("Sandra", 20), "second", depth);
    expect(plan.evicted.size).toBe(14);
    const kept = memory.routing.find(({ anchor }) => anchor === "Sandra")!.facts;
    const values = valuesIn(about("Sandra", 20));
    expect(kept.map(({ id }) => values.get(id))).toEqual(about("Sandra", 20).slice(6));
    expect(kept.map(({ index }) => index)).toEqual(Array.from({ length: 14 }, (_, i) => 15 + i));
    expect(memory.entries).toHaveLength(15);
    expect(memory.sources.map(({ title }) => title)).toEqual(["first", "second"]);
    expect(bitsOf(await store.load())).toEqual(bitsOf(memory));
    // What is left of the first text is Daniel's: once nothing is, the text can be memorised again.
    await read(
      Array.from({ length: 14 }, (_, i) => `Daniel took the apple number ${i} to the office.`),
      "third",
      depth,
    );
    expect((await store.load())!.sources.map(({ title }) => title)).toEqual(["second", "third"]);
    // Where depth holds over a run, what is stored stays.
    const { memory: more } = await read(about("Sandra", 40), "fourth", params);
    expect(more.routing.find(({ anchor }) => anchor === "Sandra")!.facts).toHaveLength(28);
  });

  it("facts that make room for others of their anchor leave it to them in a full memory", async () => {
    const store = await seeded(engine, LAYERS);
    const full = { ...params, preset: "paper", depthOver: "memory", depth: 3, capacity: 2 } as const;
    const about = (name: string, from: number, count = 3) =>
      Array.from({ length: count }, (_, i) => `${name} took the apple number ${from + i} to the kitchen.`);
    const read = (sentences: readonly string[], title: string) =>
      memorize(context(engine, { store, params: full }), [documentOf(sentences, title)]);
    const third = [...about("Sandra", 6, 2), "Emily went to the cellar."];
    const known = valuesIn(about("Sandra", 3), ["Daniel went to the office."], third);
    const values = (memory: Memory) =>
      memory.routing.flatMap(({ facts }) => facts.map(({ id }) => known.get(id)));
    await read(about("Sandra", 0), "first");
    await read(["Daniel went to the office."], "of Daniel");
    // K C = 2 × 2 vectors are taken: only what an anchor's own facts leave is room.
    const second = await read(about("Sandra", 3), "second");
    expect(second.plan.evicted.size).toBe(3);
    expect(second.plan.budget).toMatchObject({ facts: 3, stored: 1 });
    expect(values(second.memory)).toEqual([...about("Sandra", 3), "Daniel went to the office."]);
    // Emily has nothing that could make room for her, and gets none of what Sandra's facts leave to Sandra's.
    const { memory } = await read(third, "third");
    expect(values(memory)).toEqual([
      ...about("Sandra", 4, 2),
      "Sandra took the apple number 7 to the kitchen.",
      "Daniel went to the office.",
    ]);
    const kept = bitsOf(await store.load());
    await expect(read(["Emily went to the cellar."], "fourth")).rejects.toThrow(
      /is full: 4 vectors, K C = 2 × 2/,
    );
    expect(bitsOf(await store.load())).toEqual(kept);
  });

  it("gives anchors their ι in extraction order, also of those whose facts come late or not at all", async () => {
    const store = await seeded(engine, [0, 1, 2, 3]);
    const text = [
      "Mary moved to the garden.",
      "John went to the hallway.",
      "Mary left.",
      "Mary went to the office.",
    ];
    const few = { ...params, layersFrom: "order", depth: 1 } as const;
    const { memory } = await memorize(context(engine, { store, params: few }), [documentOf(text)]);
    expect(memory.routing.map(({ anchor, order }) => [anchor, order])).toEqual([
      ["Mary", 0],
      ["John", 1],
    ]);
    expect(Object.fromEntries(memory.entries.map(({ anchor, layer }) => [anchor, layer]))).toEqual({
      Mary: 0,
      John: 1,
    });
  });
});

describe("a memory of another model", () => {
  const of = (name: string, sha256: string) => ({ model: { ...IDENTITY, name, sha256 } });
  const refusal = (made: string, open: string): string => {
    try {
      checkModel(of(made, "a".repeat(64)), of(open, "b".repeat(64)));
    } catch (error) {
      return (error as Error).message;
    }
    throw new Error(`a memory of ${made} was taken for one of ${open}`);
  };

  it("says how to go on where the bundled model was replaced by a later edition", () => {
    const said = refusal("palimpsest-6m", "palimpsest-7m");
    expect(said).toContain("belongs to palimpsest-6m@aaaaaaaa, the model is palimpsest-7m@bbbbbbbb");
    expect(said).toContain("an earlier one. To recall from the memory, carry it over to this model");
    expect(said).toContain("memorise the text again");
    expect(said).toContain("public/models/palimpsest-6m of the version of the app that made it");
    expect(refusal("palimpsest-7m", "palimpsest-7m")).toContain("Both have one name");
  });

  it("says no more than that it is another where neither took the other's place", () => {
    for (const [made, open] of [
      ["palimpsest-7m", "Qwen3-0.6B"],
      ["Qwen3-0.6B", "palimpsest-7m"],
      ["a", "b"],
    ] as const)
      expect(refusal(made, open)).toMatch(/use that model, or another store$/);
  });
});
