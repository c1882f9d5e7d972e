/** @file Memorising with an encoding cache: what it spares, what it must not change, and that deletion reaches into it. */

import { beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "../engine/engine.ts";
import { useBundled } from "../engine/testing/useBundled.ts";
import { keyText } from "../records/fact.ts";
import type { Memory, MemoryHead } from "../records/memory.ts";
import { inMemoryStore } from "../store/inMemory.ts";
import { encodingCache } from "../store/cacheRows.ts";
import type { EncodingCache } from "../store/encodingCache.ts";
import { inMemoryRows } from "../store/testing/cacheRows.ts";
import { bitsOf } from "../store/testing/memory.ts";
import { findKey } from "../../tools/findKey.ts";
import { forget, reencode } from "./testing/changed.ts";
import { estimateRun, ruleFacts } from "./estimateRun.ts";
import { CHECKPOINT_MS } from "./storeMemory.ts";
import { memorize, resume, type WholeReport } from "./testing/memorized.ts";
import { planLayers } from "./layerProbe.ts";
import { layerIndex } from "../records/ids.ts";
import type { Progress } from "../records/progress.ts";
import { Cancelled } from "../lib/assert.ts";
import type { MethodParams } from "../records/params.ts";
import { context, documentOf, FULL_INDEX, HOOK_MS, QUICK, seeded, template } from "./testing/runs.ts";
import type { FlowContext } from "./context.ts";

const LONG =
  "Ada Lovelace wrote the first notes on the engine in 1843, and nobody in the house read them that year.";
const SENTENCES = [...template(1).slice(0, 8), LONG];
const LAYERS = [3, 4];
const params = { ...QUICK, ...FULL_INDEX, anchors: "model", steps: 20 } as const;

const opened = useBundled();

/** What an engine was asked for. */
interface Asked {
  readonly encoded: string[];
  turns: number;
  texts: number;
}

function watched(): { readonly engine: Engine; readonly asked: Asked } {
  const { engine } = opened;
  const asked: Asked = { encoded: [], turns: 0, texts: 0 };
  const encoded = (rows: readonly { readonly targets: readonly number[] }[]): void => {
    asked.encoded.push(...rows.map(({ targets }) => engine.decode(targets).trim()));
  };
  const watching: Engine = {
    ...engine,
    openEncoder: (rows, options, signal) => {
      encoded(rows);
      return engine.openEncoder(rows, options, signal);
    },
    write: (parts, signal) => {
      encoded(parts);
      return engine.write(parts, signal);
    },
    generate: (turns, options, signal) => {
      asked.turns += turns.length;
      return engine.generate(turns, options, signal);
    },
    embed: (texts, signal) => {
      asked.texts += texts.length;
      return engine.embed(texts, signal);
    },
  };
  return { engine: watching, asked };
}

interface Run extends WholeReport {
  readonly asked: Asked;
}

async function run(
  cache: EncodingCache | undefined,
  sentences: readonly string[] = SENTENCES,
  over: Partial<FlowContext> = {},
): Promise<Run> {
  const { engine, asked } = watched();
  const store = await seeded(opened.engine, LAYERS);
  const running = context(engine, { store, params, ...(cache ? { cache } : {}), ...over });
  return { ...(await memorize(running, [documentOf(sentences)])), asked };
}

const emptyCache = () => {
  const rows = inMemoryRows();
  return { rows: rows.rows, cache: encodingCache(rows) };
};

/** A memory without what it says of when it was made. */
const bits = (memory: Memory): unknown => bitsOf({ ...memory, sources: [] });

describe("a text that is memorised again", () => {
  const { cache, rows } = emptyCache();
  let plain: Run;
  let first: Run;
  beforeAll(async () => {
    plain = await run(undefined);
    first = await run(cache);
  }, HOOK_MS);

  it("is the first time as it is without a cache, to the bit", () => {
    expect(bits(first.memory)).toEqual(bits(plain.memory));
    expect(first.cached).toBe(0);
    expect(first.memory.entries.length).toBeGreaterThan(SENTENCES.length);
  });

  it("asks nothing of the model, and is the same memory to the bit", async () => {
    const again = await run(cache);
    expect(again.asked).toEqual({ encoded: [], turns: 0, texts: 0 });
    expect(again.cached).toBe(SENTENCES.length);
    expect(bits(again.memory)).toEqual(bits(first.memory));
    // What the cache gave says nothing of what a run takes.
    expect(again.rates).toEqual({});
  });

  it("encodes one changed sentence alone", async () => {
    const changed = SENTENCES.with(3, SENTENCES[3]!.replace("bathroom", "kitchen"));
    expect(changed[3]).not.toBe(SENTENCES[3]);
    const again = await run(cache, changed);
    expect(again.cached).toBe(SENTENCES.length - 1);
    expect([...new Set(again.asked.encoded)]).toEqual([changed[3]]);
    const made = new Map(first.memory.entries.map((entry) => [keyText(entry), entry]));
    const others = again.memory.entries.filter(({ anchor }) => !changed[3]!.includes(anchor));
    expect(others.length).toBeGreaterThan(SENTENCES.length);
    for (const entry of others) {
      const { key, residual, report } = made.get(keyText(entry))!;
      expect(bitsOf([entry.key, entry.residual, entry.report])).toEqual(bitsOf([key, residual, report]));
    }
  });

  it.each(["words", "order"] as const)(
    "and an added one, where layers follow the anchors' %s",
    async (layersFrom) => {
      const { cache } = emptyCache();
      const over = { params: { ...params, anchors: "rules", layersFrom } } as const;
      await run(cache, SENTENCES, over);
      const longer = ["Zebulon sold the harbour clock.", ...SENTENCES];
      const again = await run(cache, longer, over);
      // By their places all others move on by one of the two layers.
      expect(again.cached).toBe(layersFrom === "words" ? SENTENCES.length : 0);
      expect(again.memory.entries.every(({ report }) => report.exact)).toBe(true);
    },
  );

  it("is not found under other parameters, another layer, another model or another backend", async () => {
    const small = SENTENCES.slice(0, 2);
    const others: Partial<FlowContext>[] = [
      { params: { ...params, steps: 19 } },
      { store: await seeded(opened.engine, [1, 2]) },
    ];
    for (const over of others) expect((await run(cache, small, over)).cached).toBe(0);
    const { model, capabilities } = opened.engine;
    for (const other of [
      { model: { ...model, sha256: "0".repeat(64) } },
      { model: { ...model, precision: "q8" as const } },
      { capabilities: { ...capabilities, description: "another processor" } },
    ]) {
      const engine = { ...opened.engine, ...other };
      const store = inMemoryStore();
      await store.save({ ...(await (await seeded(opened.engine, LAYERS)).load())!, model: engine.model });
      const report = await memorize(context(engine, { store, params, cache }), [documentOf(small)]);
      expect(report.cached).toBe(0);
    }
  });

  /** Estimated work to encode, and of all other stages but reading. */
  async function estimated(
    given: EncodingCache | undefined,
    sentences: readonly string[],
    layers: readonly number[] = LAYERS,
    stored: Pick<MemoryHead, "params" | "layers" | "vectors"> | null = null,
  ) {
    const { engine } = opened;
    const over = { params, layers: layers.map(layerIndex), ...(given ? { cache: given } : {}) };
    const found = await ruleFacts([documentOf(sentences)], params);
    const { work, planned } = await estimateRun(context(engine, over), found, stored, {});
    const { read = 0, encode = 0, ...rest } = work;
    expect(read).toBeGreaterThan(0);
    return {
      encode,
      rest: Object.values(rest).reduce((sum, units) => sum + units, 0),
      facts: planned.length,
    };
  }

  it("is estimated without what the cache has", async () => {
    const [known, unknown] = [await estimated(cache, SENTENCES), await estimated(undefined, SENTENCES)];
    expect(known).toEqual({ encode: 0, rest: 0, facts: unknown.facts });
    expect(unknown.encode).toBeGreaterThan(0);
  });

  it("is not taken for known at other layers, under another count, or where a memory counts on", async () => {
    const two = [SENTENCES[0]!, "Mary sat in the attic."];
    for (const one of two) await run(cache, [one]);
    expect((await estimated(cache, [two[1]!])).encode).toBe(0);
    // Together the second is Mary (2), which nobody has encoded.
    expect((await estimated(cache, two)).encode).toBeGreaterThan(0);
    expect((await estimated(cache, [two[1]!], [1, 2])).encode).toBeGreaterThan(0);
    const head = { params, layers: LAYERS.map(layerIndex), sources: [], facts: 1, vectors: 1 };
    expect((await estimated(cache, [two[1]!], LAYERS, head)).encode).toBeGreaterThan(0);
  });

  it("leaves no words in the keys and marks of the cache", () => {
    const heads = JSON.stringify([...rows.values()].map(({ key, marks }) => ({ key, marks })));
    for (const word of SENTENCES.join(" ")
      .split(" ")
      .filter(({ length }) => length > 5))
      expect(heads.includes(word), word).toBe(false);
  });

  it("is encoded anew where the cache is damaged, to what the model says exactly", async () => {
    for (const [key, row] of rows) {
      const bytes = row.bytes.map((byte, i) => (i === 20 ? byte ^ 4 : byte));
      rows.set(key, { ...row, bytes });
    }
    const again = await run(cache);
    expect(again.cached).toBe(0);
    expect(bits(again.memory)).toEqual(bits(first.memory));
    expect((await run(cache)).cached).toBe(SENTENCES.length);
  });
});

describe("a long text that is wholly in the cache", () => {
  const LONG_TEXT = template(5);
  const quick = { params: { ...params, anchors: "rules" } } as const;
  const { cache } = emptyCache();
  beforeAll(async () => void (await run(cache, LONG_TEXT, quick)), HOOK_MS);

  it("comes turn by turn, each stored and told", async () => {
    const told: (readonly [done: number, total: number | null])[] = [];
    const onProgress = ({ stage, done, total }: Progress) =>
      void (stage === "encode" && told.push([done, total]));
    const { cached } = await run(cache, LONG_TEXT, { ...quick, onProgress });
    expect(cached).toBe(LONG_TEXT.length);
    expect(told).toEqual([
      [64, 80],
      [80, 80],
      [80, 80],
    ]);
  });

  it("can be cancelled in between: what came is kept, the rest is taken up again", async () => {
    const stop = new AbortController();
    const store = await seeded(opened.engine, LAYERS);
    const onProgress = ({ stage }: Progress) => void (stage === "encode" && stop.abort());
    const stopped = run(cache, LONG_TEXT, { ...quick, store, onProgress, signal: stop.signal });
    await expect(stopped).rejects.toThrow(Cancelled);
    expect((await store.load())!.entries).toHaveLength(64);
    const rest = await resume(context(opened.engine, { store, ...quick, cache }));
    expect(rest!.cached).toBe(16);
    expect(rest!.memory.entries).toHaveLength(80);
  });
});

it("keeps what a probe found of the layers", async () => {
  const { cache } = emptyCache();
  const { engine, asked } = watched();
  const quick = context(engine, { params: { ...params, steps: 2 }, cache });
  const layers = LAYERS.map(layerIndex);
  const plan = await planLayers(quick, layers);
  expect(asked.encoded.length).toBeGreaterThan(0);
  asked.encoded.length = 0;
  expect(await planLayers(quick, layers)).toEqual(plan);
  expect(asked.encoded).toEqual([]);
});

it("goes on after an interruption as without a cache, and takes from it what is there", async () => {
  const { cache } = emptyCache();
  const whole = await run(cache);
  const store = await seeded(opened.engine, LAYERS);
  const stop = new AbortController();
  let left = 1;
  const stopping = {
    ...store,
    append: (batch: Parameters<typeof store.append>[0]) => {
      if (left-- === 0) stop.abort();
      return store.append(batch);
    },
  };
  let now = 0;
  const running = context(opened.engine, {
    ...{ store: stopping, params, signal: stop.signal },
    now: () => (now += CHECKPOINT_MS),
  });
  await memorize(running, [documentOf(SENTENCES)]).catch(() => undefined);
  const rest = await resume(context(opened.engine, { store, params, cache }));
  const byKey = ({ entries }: Memory) => entries.toSorted((a, b) => (keyText(a) < keyText(b) ? -1 : 1));
  expect(rest!.memory.entries.every(({ report }) => report.exact)).toBe(true);
  expect(byKey(rest!.memory).map(keyText)).toEqual(byKey(whole.memory).map(keyText));
});

describe("a fact that is deleted", () => {
  it("leaves the cache too, with proof: its sentence, prompt and vectors are not found, and it is encoded anew", async () => {
    const { cache, rows } = emptyCache();
    const { memory } = await run(cache);
    const store = inMemoryStore();
    await store.save(memory);
    const { anchor, index } = memory.entries.find(({ part }) => part === 2)!;
    const { id } = findKey(memory, `${anchor} (${index})`);
    const before = rows.size;
    const running = context(opened.engine, { store, params, cache });
    const { certificate } = await forget(running, memory, new Set([id]));
    const { removed, left } = certificate.cached!;
    expect(left).toBe(0);
    // The fact, its questions, its vector, that of its anchor, and the anchors that were asked for with it.
    expect(removed).toBeGreaterThanOrEqual(4);
    expect(rows.size).toBe(before - removed);
    const again = await run(cache);
    expect(again.cached).toBe(SENTENCES.length - 1);
    expect(again.asked.encoded.every((part) => LONG.includes(part))).toBe(true);
  });

  it("leaves it with what it said before it was edited", async () => {
    const { cache } = emptyCache();
    const { memory } = await run(cache, SENTENCES.slice(0, 3));
    const store = inMemoryStore();
    await store.save(memory);
    const running = context(opened.engine, { store, params, cache });
    const [{ id }] = [memory.entries[0]!];
    const edited = await reencode(running, memory, id, { value: "Nobody went to the cellar." });
    await forget(running, edited.memory, new Set([id]));
    expect((await run(cache, SENTENCES.slice(0, 3))).cached).toBe(2);
  });

  it("stays where the cache cannot be cleaned, in memory and store", async () => {
    const { cache } = emptyCache();
    const { memory } = await run(cache, SENTENCES.slice(0, 2));
    const store = inMemoryStore();
    await store.save(memory);
    const broken: EncodingCache = { ...cache, remove: () => Promise.reject(new Error("the disk is gone")) };
    const running = context(opened.engine, { store, params, cache: broken });
    await expect(forget(running, memory, new Set([memory.entries[0]!.id]))).rejects.toThrow(
      "the disk is gone",
    );
    expect(bitsOf(await store.load())).toEqual(bitsOf(memory));
  });
});

it("ends no run when it can be neither read nor written", async () => {
  const fails = () => Promise.reject(new Error("no room"));
  const { memory } = await run(
    { held: fails, get: fails, put: fails, known: fails, remove: fails },
    SENTENCES.slice(0, 2),
  );
  expect(memory.entries.map(({ report }) => report.exact)).toEqual([true, true]);
});

it("gives back facts without their words, and a deletion reaches into the cache as well", async () => {
  const { cache } = emptyCache();
  const sentences = SENTENCES.slice(0, 3);
  const given = { params };
  await run(cache, sentences, given);
  const { memory, cached } = await run(cache, sentences, given);
  expect(cached).toBe(3);
  expect(JSON.stringify(memory.routing)).not.toContain("went");
  const store = inMemoryStore();
  await store.save(memory);
  const running = context(opened.engine, { store, ...given, cache });
  const { certificate } = await forget(running, memory, new Set([memory.entries[0]!.id]));
  expect(certificate.cached).toMatchObject({ left: 0 });
  expect((await run(cache, sentences, given)).cached).toBe(2);
});

describe("a fact whose read says something else", () => {
  /** Deletes the fact of the first sentence, which the memory does not keep, though its rows were made of it. */
  async function deleted(sentences: readonly string[], over: Partial<MethodParams>) {
    const { cache } = emptyCache();
    const given = { params: { ...params, ...over } as const };
    const { memory } = await run(cache, sentences, given);
    expect(await cache.known(sentences)).toEqual(sentences.map(() => true));
    const store = inMemoryStore();
    await store.save(memory);
    const entry = memory.entries.find(({ offset }) => offset === 0)!;
    const running = context(opened.engine, { store, ...given, cache });
    const { certificate } = await forget(running, memory, new Set([entry.id]));
    expect(certificate.cached).toMatchObject({ left: 0 });
    expect(await cache.known(sentences)).toEqual(sentences.map((_, i) => i > 0));
    return { entry, read: certificate.before[0]!.read! };
  }

  it("leaves the cache with all its rows where the gate stays shut", async () => {
    expect((await deleted(SENTENCES.slice(0, 3), { theta: 1 })).read.gateOpen).toBe(false);
  });

  it("and where not even its own vectors say it", async () => {
    // What no vector of the model says.
    const sentences = ["Mary wrote ばらばら on the wall of the garden.", ...SENTENCES.slice(1, 3)];
    const { entry } = await deleted(sentences, { steps: 1, partTokens: null });
    expect(entry.report.exact).toBe(false);
  });
});
