/** @file Memorising and answering: what is kept, what is said, and that the text is not needed any more. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LocalEngine } from "../engine/localEngine.ts";
import { openRandom, type Opened } from "../engine/testing/models.ts";
import { valueTokens, recallPrompt } from "../memory/parts.ts";
import { meanDirection } from "../lib/vector.ts";
import { unitEmbedding } from "../router/dense.ts";
import { storedEmbedding } from "../router/documents.ts";
import { isValue } from "../records/digest.ts";
import { bitsOf } from "../store/testing/memory.ts";
import { answer, openMemory } from "./answer.ts";
import type { MethodParams } from "../records/params.ts";
import type { Progress } from "../records/progress.ts";
import { forget } from "./testing/changed.ts";
import { memorize, resume } from "./testing/memorized.ts";
import {
  BY_ANCHORS,
  context,
  documentOf,
  emptyMemory,
  HOOK_MS,
  QUICK,
  seeded,
  STORY,
  template,
  valuesIn,
} from "./testing/runs.ts";

const LAYERS = [0, 2];
const now = () => performance.now();

let random: Opened;
let engine: LocalEngine;
beforeAll(async () => {
  random = await openRandom("Qwen3ForCausalLM");
  engine = random.engine;
}, HOOK_MS);
afterAll(async () => {
  await engine.dispose();
  expect(random.device.ledger.total).toBe(0);
  await random.device.dispose();
});

describe("questions", () => {
  it("are refused when they are blank or leave no room for a fact", async () => {
    const store = await seeded(engine, LAYERS);
    const { memory } = await memorize(context(engine, { store }), [documentOf(STORY)]);
    const open = openMemory(engine, memory, QUICK);
    await expect(answer(open, " \n", { now })).rejects.toThrow("flow: the question is empty");
    await expect(answer(open, `Where is Mary ${"now ".repeat(400)}?`, { now })).rejects.toThrow(
      /flow: the question \(\d+ tokens\), one fact and an answer of 4 do not fit the model's window of 256 tokens/,
    );
    open.dispose();
  });
});

it("a wrapped sentence is stored with its line end, and put to the model in one line", async () => {
  const turns: string[] = [];
  const listening = {
    ...engine,
    generate: (asked: readonly string[], options: Parameters<LocalEngine["generate"]>[1]) => {
      turns.push(...asked);
      return engine.generate(asked, options);
    },
  };
  const params = { ...QUICK, anchors: "model" as const, steps: 1, refine: 0 };
  const store = await seeded(engine, LAYERS);
  const wrapped = documentOf(["Mary moved\r\n  to the garden.", "Mary went\nto the office."]);
  const { memory } = await memorize(context(listening, { store, params }), [wrapped]);
  const facts = memory.routing.flatMap((one) => one.facts);
  for (const value of ["Mary moved\r\n  to the garden.", "Mary went\nto the office."])
    expect(facts.filter((fact) => isValue(value, fact, memory.salts))).toHaveLength(1);
  const open = openMemory(listening, memory, params);
  const { recalled } = await answer(open, "Where\nis Mary?", { now });
  expect(recalled).toHaveLength(2);
  const asked = turns.at(-1)!.split("\n");
  expect(asked.slice(1, -1).every((line) => line.startsWith("["))).toBe(true);
  expect(asked.at(-1)).toBe("Question: Where is Mary?");
  expect(turns.join("\n")).not.toMatch(/moved\s*\n|went\n/);
  open.dispose();
});

describe("what is retained", () => {
  /** A handful of steps: how much is kept is the question here, not how well. */
  // A random model says nothing exactly: its facts are not cut.
  const params = { ...QUICK, partTokens: null, steps: 2, refine: 0 };
  const filler = (n: number) => `Peter Nolan ${n} walked along river ${n} with basket ${n}.`;

  it("follows the budget, not the length of the source", async () => {
    const facts = template(1);
    const long = facts.flatMap((fact, i) => [
      fact,
      ...Array.from({ length: 9 }, (_, n) => filler(i * 9 + n)),
    ]);
    const keep = async (sentences: readonly string[]) => {
      const bound = { ...params, depth: 2, capacity: 4 };
      const { memory, plan } = await memorize(
        context(engine, { store: await seeded(engine, LAYERS), params: bound }),
        [documentOf(sentences)],
      );
      const numbers = memory.entries.reduce((n, e) => n + e.key.length + e.residual.length, 0);
      const documents = memory.routing.length;
      return {
        bound: plan.budget.bound,
        facts: plan.budget.facts,
        retained: plan.retained.length,
        numbers,
        documents,
        text: sentences.join(" ").length,
      };
    };
    const { text, ...short } = await keep(facts);
    const { text: length, ...kept } = await keep(long);
    expect(length).toBeGreaterThan(10 * text);
    expect(kept).toEqual(short);
    expect(short).toMatchObject({ bound: "capacity", facts: 8, retained: 8, documents: 8 });
  });

  it("never passes K C, however many documents come, and a full memory says so and stays", async () => {
    const store = await seeded(engine, [0, 1, 2]);
    const small = context(engine, { store, params: { ...params, capacity: 3 } });
    const first = await memorize(small, [documentOf(template(1).slice(0, 7))]);
    expect(first.memory.entries).toHaveLength(7);
    // With other parameters: what is there keeps its own.
    const other = { ...small, params: { ...small.params, steps: 3 } };
    const second = await memorize(other, [documentOf(STORY, "second")]);
    expect(second.memory).toMatchObject({ params: { steps: 3 }, earlier: [{ steps: 2 }] });
    const places = second.memory.entries.map((entry) => entry.params);
    expect(places).toEqual([...Array<number>(7).fill(0), undefined, undefined]);
    expect(second.plan.budget).toMatchObject({ facts: 2, stored: 7 });
    expect(second.memory.entries).toHaveLength(9);
    const before = bitsOf(await store.load());
    await expect(memorize(small, [documentOf(["Lily went to the office."], "third")])).rejects.toThrow(
      "flow: memory is full: 9 vectors, K C = 3 × 3; delete some facts, or set a larger capacity (C)",
    );
    expect(bitsOf(await store.load())).toEqual(before);
  });
});

describe("texts that cannot be stored as they are", () => {
  // A random model says nothing exactly: its facts are not cut.
  const params = { ...QUICK, partTokens: null, steps: 2, refine: 0 };
  const long = `Mary carried the boxes ${Array.from({ length: 35 }, (_, n) => `QX-${7919 * (n + 13)}`).join(" ")}.`;

  it("skips and names a fact longer than the window; the others are stored", async () => {
    const store = await seeded(engine, LAYERS);
    const report = await memorize(context(engine, { store, params }), [documentOf([...STORY, long])]);
    expect(report.plan.skipped).toEqual([
      { value: long, why: expect.stringMatching(/^\d+ tokens .* window holds 256/) },
    ]);
    expect(report.memory.entries).toHaveLength(6);
    const values = valuesIn([...STORY, long]);
    expect(
      report.memory.routing.flatMap(({ facts }) => facts.map(({ id }) => values.get(id))).toSorted(),
    ).toEqual(STORY.toSorted());
    expect((await resume(context(engine, { store, params })))!.memory).toEqual(report.memory);
  });

  it("stores and recalls a fact that just fits, in company of short ones", async () => {
    const fitting = (n: number) => `Mary ${"saw the milk and ".repeat(n)}left.`;
    const key = { anchor: "Mary", index: 1 };
    const prompt = recallPrompt(engine, key);
    const tokens = (n: number) => prompt.ids.length + valueTokens(engine, key, prompt, fitting(n)).length;
    let n = 1;
    while (tokens(n + 1) + 8 <= engine.model.window) n++;
    const text = [fitting(n), "Mary Magdalena Nowakowska of Petrozavodsk went to the hallway."];
    const store = await seeded(engine, [1]);
    const { memory, plan } = await memorize(context(engine, { store, params }), [documentOf(text)]);
    expect(plan.skipped).toEqual([]);
    const open = openMemory(engine, memory, params);
    const recalled = await open.reader.recall(memory.entries);
    expect(recalled.map((r) => r.tokens.length)).toEqual(memory.entries.map((entry) => entry.tokens));
    open.dispose();
  });

  it("refuses a text of nothing but too long facts, and stores nothing", async () => {
    const store = await seeded(engine, LAYERS);
    await expect(memorize(context(engine, { store, params }), [documentOf([long])])).rejects.toThrow(
      /none of 1 fact can be stored: "Mary carried the boxes.*the window holds/,
    );
    expect(await store.load()).toEqual(emptyMemory(engine, LAYERS));
  });

  it("refuses a text without a candidate, by the title and with what was looked for", async () => {
    const store = await seeded(engine, LAYERS);
    await expect(
      memorize(context(engine, { store, params: { ...params, candidateFilter: "wide" } }), [
        documentOf(STORY),
        documentOf(["hm, well, so it goes."], "sigh"),
      ]),
    ).rejects.toThrow('flow: "sigh" has 1 sentence, but none with a name, a number or an identifier');
    expect(await store.load()).toEqual(emptyMemory(engine, LAYERS));
    await expect(memorize(context(engine, { store, params }), [])).rejects.toThrow(
      "no documents to memorise",
    );
  });

  it("falls back to the rules where the model's anchor is not in the sentence", async () => {
    const replies = ["1. Napoleon\n2. hallway\n3. Sandra"];
    const proposing = { ...engine, generate: async () => [replies.shift() ?? ""] };
    const store = await seeded(engine, LAYERS);
    const { memory } = await memorize(
      context(proposing, { store, params: { ...params, anchors: "model", questionsPerFact: 0 } }),
      [documentOf(STORY.slice(0, 3))],
    );
    expect(memory.routing.map(({ anchor }) => anchor)).toEqual(["Mary", "hallway", "Sandra"]);
  });
});

describe("reading several texts", () => {
  it("counts the sentences of all of them, says their candidates at the end, and counts the index's vectors", async () => {
    const seen: Progress[] = [];
    const store = await seeded(engine, LAYERS);
    // A random model says nothing exactly: its facts are not cut.
    const params: MethodParams = {
      ...{ ...QUICK, ...BY_ANCHORS, partTokens: null },
      ...{ candidateFilter: "wide", steps: 1, refine: 0, depth: 1 },
    };
    const plain = Array.from({ length: 1100 }, () => "It was so.");
    const texts = [[...plain.slice(0, 450), STORY[0]!], [...plain.slice(450), STORY[1]!], [STORY[2]!]];
    const running = context(engine, { store, params, onProgress: (progress) => seen.push(progress) });
    await memorize(
      running,
      texts.map((text, i) => documentOf(text, `text ${i}`)),
    );
    expect(seen.filter(({ stage }) => stage === "read")).toEqual([
      { stage: "read", done: 500, total: null },
      { stage: "read", done: 1000, total: null },
      { stage: "read", done: 1103, total: 1103, note: "3 candidates" },
    ]);
    // A vector for each anchor, and one for each fact.
    expect(seen.filter(({ stage }) => stage === "routing")).toEqual([
      { stage: "routing", done: 3, total: 6 },
      { stage: "routing", done: 6, total: 6 },
    ]);
  });
});

describe("a second document", () => {
  // A random model says nothing exactly: its facts are not cut.
  const quick = { depth: 14, partTokens: null, steps: 2, refine: 0 } as const;
  const params = { ...QUICK, ...quick, layersFrom: "order" } as const;
  const more = ["Sandra moved to the office.", "Lily went to the garden.", "Mary's apple is in the kitchen."];

  it("continues the anchors and their count, and leaves old entries as they are, bit for bit", async () => {
    const store = await seeded(engine, LAYERS);
    const seen: Progress[] = [];
    const running = context(engine, { store, params, onProgress: (progress) => seen.push(progress) });
    const first = await memorize(running, [documentOf(STORY)]);
    const second = await memorize(running, [documentOf(more, "more")]);
    expect(second.plan.layerPlan).toBeNull();
    expect(second.memory.layers).toEqual(LAYERS);
    const old = new Set(first.memory.entries.map(({ id }) => id));
    const { entries, routing, sources } = (await store.load())!;
    expect(bitsOf(entries.filter(({ id }) => old.has(id)))).toEqual(bitsOf(first.memory.entries));
    expect(
      entries.filter(({ id }) => !old.has(id)).map(({ anchor, index, layer }) => [anchor, index, layer]),
    ).toEqual(
      expect.arrayContaining([
        ["Sandra", 3, LAYERS[(2 + 2) % 2]],
        ["Lily", 1, LAYERS[(4 + 0) % 2]],
        ["Mary", 3, LAYERS[(0 + 2) % 2]],
      ]),
    );
    expect(routing.map(({ anchor, order }) => [anchor, order])).toEqual([
      ["Mary", 0],
      ["John", 1],
      ["Sandra", 2],
      ["Daniel", 3],
      ["Lily", 4],
    ]);
    expect(sources.map(({ title }) => title)).toEqual(["story", "more"]);
    expect(seen.at(-1)).toEqual({ stage: "encode", done: 3, total: 3 });
    expect(seen.find(({ stage }) => stage === "budget")).toEqual({
      stage: "budget",
      done: 6,
      total: 6,
      note: "facts are kept (B = 56, bound by information), layers 0 2",
    });
    // The vector of a joined anchor is the mean of both, by their facts.
    const mary = routing[0]!;
    expect(mary.facts).toHaveLength(3);
    const [made] = await engine.embed([`Mary\n${more[2]!}`]);
    const added = storedEmbedding(unitEmbedding(made!), params);
    const mean = meanDirection(first.memory.routing[0]!.vector, 2, added, 1);
    expect(mary.vector).toEqual(storedEmbedding(mean, params));
  });

  it("is memorised once, in one call or in two, and said to be known", async () => {
    const store = await seeded(engine, LAYERS);
    const running = context(engine, { store, params });
    const first = await memorize(running, [documentOf(STORY), documentOf(STORY, "copy")]);
    expect(first.memory.entries).toHaveLength(6);
    expect(first.plan.known).toEqual(["copy"]);
    const before = bitsOf(await store.load());
    const again = await memorize(running, [documentOf(STORY)]);
    expect(again.plan.known).toEqual(["story"]);
    expect(again.plan.sources).toEqual([]);
    expect(bitsOf(again.memory)).toEqual(before);
    expect(bitsOf(await store.load())).toEqual(before);
  });

  it("is refused for another model or embedder, with the store untouched", async () => {
    const store = await seeded(engine, LAYERS);
    const first = await memorize(context(engine, { store, params }), [documentOf(STORY)]);
    const before = bitsOf(await store.load());
    const other = await openRandom("LlamaForCausalLM");
    const run = (engine: LocalEngine) => memorize(context(engine, { store, params }), [documentOf(more)]);
    await expect(run(other.engine)).rejects.toThrow(
      /flow: the stored memory belongs to folder@[0-9a-f]{8}, the model is folder@[0-9a-f]{8}; use that model.*memorise the text again/,
    );
    await expect(resume(context(other.engine, { store, params }))).rejects.toThrow("belongs to folder");
    expect(() => openMemory(other.engine, first.memory, params)).toThrow("belongs to folder");
    await expect(run({ ...engine, embedder: "another" })).rejects.toThrow(
      'flow: the stored memory was indexed by "mean-pooled hidden states", now "another" is set; use the former',
    );
    const routed = { ...params, ...BY_ANCHORS };
    const open = openMemory({ ...engine, embedder: "another" }, first.memory, routed);
    await expect(answer(open, "Where is Mary?", { now: () => 0 })).rejects.toMatchObject({
      name: "WrongEmbedder",
    });
    open.dispose();
    const [fact] = first.memory.entries;
    await expect(
      forget(
        { engine: { ...engine, embedder: "another" }, store, params },
        first.memory,
        new Set([fact!.id]),
      ),
    ).rejects.toThrow(/under "Text embedder" in the memorise cell/);
    expect(bitsOf(await store.load())).toEqual(before);
    await other.engine.dispose();
    await other.device.dispose();
  });
});
