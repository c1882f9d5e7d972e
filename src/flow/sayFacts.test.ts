/** @file No sentence is stored: nothing of the text in any file, and everything that needs words is said by the model. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import "fake-indexeddb/auto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Opened } from "../engine/testing/models.ts";
import { bundled, leavesNothing } from "../engine/testing/useBundled.ts";
import { rounds } from "../lib/testing/thorough.ts";
import { layerIndex, type FactId } from "../records/ids.ts";
import { openReader, type MemoryReader } from "../memory/read.ts";
import { byFact, type Memory } from "../records/memory.ts";
import { SHARP } from "../records/params.ts";
import { keptMemory } from "../records/vectors.ts";
import { digestOf } from "../records/digest.ts";
import { exportMemory } from "../store/archive.ts";
import { memoryFileStore } from "../../tools/node/memoryFile.ts";
import { openIndexedDbStore } from "../store/indexedDb.ts";
import { cacheSize, openIndexedDbCache } from "../store/indexedDbCache.ts";
import { inMemoryStore } from "../store/inMemory.ts";
import type { Pieces } from "../store/pieces.ts";
import type { Store } from "../store/port.ts";
import { allBytes, freshDatabase } from "../store/testing/database.ts";
import { contentOf } from "../store/testing/memoryFiles.ts";
import { readZip } from "../lib/zip.ts";
import { answer, openMemory } from "./answer.ts";
import { forget, reencode } from "./testing/changed.ts";
import { traceFact } from "./inspect.ts";
import { memorize, resume } from "./testing/memorized.ts";
import {
  context,
  documentOf,
  FULL_INDEX,
  HOOK_MS,
  QUICK,
  seeded,
  template,
  valuesIn,
} from "./testing/runs.ts";
import { saidFacts, sayFacts } from "./sayFacts.ts";

const LAYERS = [3, 4];
const PARAMS = { ...QUICK, ...FULL_INDEX };
const now = () => performance.now();

/** Sentences of every kind: short, with a comma, of relations, and one that is stored in parts. */
const SENTENCES = [
  ...template(1).slice(0, 10),
  "The office is north of the kitchen.",
  "Fred gave the football to Jeff.",
  "Ada Lovelace wrote the first notes on the engine in 1843, and nobody in the house read them that year.",
];
const TEXT = SENTENCES.join(" ");

const QUESTIONS = [
  ...rounds(
    ["Mary", "Fred"],
    ["Mary", "John", "Sandra", "Daniel", "Fred", "Bill", "Jeff", "Julie", "Jason", "Emily"],
  ).map((name) => `Where is ${name}?`),
  "What is north of the kitchen?",
  "Where is the office?",
  "Who gave the football to Jeff?",
  "Who received the football?",
  "Who wrote the notes on the engine?",
  "When did Lovelace write?",
  "Who is in the garden?",
  "Who went to the hallway?",
  "Did Bill or Julie go to the office?",
  "Why do volcanoes erupt?",
];

/** Every five words in a row of the text, as they would stand in a file. */
const fives = (text: string): string[] => {
  const words = text.split(" ");
  return words.slice(4).map((_, i) => words.slice(i, i + 5).join(" "));
};

/** Five words of the text that stand in `bytes`, read as UTF-8, UTF-16 in both orders, or JSON. */
function leaks(bytes: Uint8Array): string[] {
  const utf8 = Buffer.from(bytes).toString("utf8");
  const utf16 = ["utf-16le", "utf-16be"].flatMap((encoding) =>
    [bytes, bytes.subarray(1)].map((from) => new TextDecoder(encoding).decode(from)),
  );
  const readings = [utf8, ...utf16].map((text) => text.replace(/\\n|\s+/g, " "));
  return fives(TEXT).flatMap((five) => {
    const forms = [five, JSON.stringify(five).slice(1, -1)];
    return forms.filter((form) => readings.some((reading) => reading.includes(form)));
  });
}

let opened: Opened;
let folder: string;
let memory: Memory;
const said = new Map<FactId, string>();
const VALUES = valuesIn(SENTENCES);
beforeAll(async () => {
  opened = await bundled();
  folder = await mkdtemp(path.join(tmpdir(), "palimpsest-sealed-"));
  const document = documentOf(SENTENCES);
  const { engine } = opened;
  const store = await seeded(engine, LAYERS, memoryFileStore(path.join(folder, "memory.zip")));
  const onSaid = (facts: ReadonlyMap<FactId, string>): void =>
    facts.forEach((text, id) => said.set(id, text));
  ({ memory } = await memorize(context(engine, { store, params: PARAMS, onSaid }), [document]));
}, HOOK_MS);
afterAll(async () => {
  leavesNothing(opened);
  await rm(folder, { recursive: true });
});

const loaded = async (): Promise<Memory> => (await memoryFileStore(path.join(folder, "memory.zip")).load())!;
/** A store with a memory that a test may change. */
async function storeOf(made: Memory): Promise<Store> {
  const store = inMemoryStore();
  await store.save(made);
  return store;
}

describe("what is kept", () => {
  it("no five words in a row of the text are in any file, or in an archive", async () => {
    expect(leaks(Buffer.from(TEXT)).length).toBeGreaterThan(20);
    for (const bytes of await contentOf(folder)) expect(leaks(bytes)).toEqual([]);
    const archive = await exportMemory(memoryFileStore(path.join(folder, "memory.zip")), "1");
    for (const entry of (await readZip(archive, "m.zip")).values())
      expect(leaks(await entry.read())).toEqual([]);
    expect(leaks(Buffer.from(JSON.stringify(memory)))).toEqual([]);
  });

  it("with default settings no five words in a row are in any row of the browser's database, the cache included", async () => {
    const database = await freshDatabase();
    const given = {
      store: openIndexedDbStore(database, "m"),
      cache: openIndexedDbCache(async () => database),
      params: SHARP,
    };
    const made = await memorize(context(opened.engine, given), [documentOf(SENTENCES)]);
    expect(made.memory.entries.length).toBeGreaterThanOrEqual(SENTENCES.length);
    expect(leaks(await allBytes(database))).toEqual([]);
    expect((await cacheSize(database)).rows).toBeGreaterThanOrEqual(SENTENCES.length);
    database.close();
  });

  it("hashes of terms, a digest of the value and vectors are kept, and nothing waits", async () => {
    const kept = await loaded();
    expect(kept.salts).toEqual([expect.stringMatching(/^[0-9a-f]{4,32}$/)]);
    expect(kept.waiting).toEqual([]);
    for (const { id, terms, digest, vector } of kept.routing.flatMap(({ facts }) => facts)) {
      expect(terms).toMatch(/^([\w-]{6})+:([\w-]{6})*:\d+(:[\w+/]+=*)?$/);
      expect(digest).toBe(digestOf(VALUES.get(id)!, kept.salts[0]!));
      expect(vector).toBeDefined();
    }
    expect(kept.entries.every(({ report }) => report.recalled === null)).toBe(true);
  });

  it("every memory has another salt", async () => {
    const stores = [inMemoryStore(), inMemoryStore()];
    const { engine } = opened;
    for (const store of stores)
      await memorize(context(engine, { store, params: PARAMS, layers: LAYERS.map(layerIndex) }), [
        documentOf(["Mary went to the office."]),
      ]);
    const salts = await Promise.all(stores.map(async (store) => (await store.load())!.salts[0]!));
    expect(salts[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(salts[0]).not.toBe(salts[1]);
  });
});

describe("what the model says", () => {
  it("a question is answered from sentences that are checked word for word by their digests", async () => {
    const open = openMemory(opened.engine, await loaded(), QUICK);
    for (const question of QUESTIONS) {
      const { recalled } = await answer(open, question, { now });
      for (const { id, text, exact, read } of recalled)
        expect(exact, question).toBe(read.openPositions.length > 0 && text === VALUES.get(id));
    }
    open.dispose();
  });

  it("the vectors say every exact fact again, parts joined, and the run told the same words", async () => {
    const now = await sayFacts(opened.engine, memory.entries);
    const inexact = new Set(memory.entries.filter(({ report }) => !report.exact).map(({ id }) => id));
    for (const [id, value] of VALUES)
      if (!inexact.has(id)) expect([now.get(id), said.get(id)]).toEqual([value, value]);
    expect(inexact.size).toBeLessThan(2);
    expect(said.size).toBe(VALUES.size - inexact.size);
    expect(new Set(memory.entries.map(({ part }) => part)).size).toBeGreaterThan(1);
    const facts = await saidFacts(opened.engine, keptMemory(memory));
    expect(new Map(facts.map(({ id, value }) => [id, value]))).toEqual(now);
  });

  it("several at once say the same as one after another", async () => {
    const readers = [0, 1, 2].map(() => openReader(opened.engine, memory, QUICK));
    const facts = byFact(memory.entries);
    const textsOf = async (reader: MemoryReader) => (await reader.recall(facts)).map(({ text }) => text);
    const [first, ...others] = await Promise.all(readers.map(textsOf));
    expect(others).toEqual([first, first]);
    expect(await textsOf(readers[0]!)).toEqual(first);
    for (const reader of readers) reader.dispose();
  });

  it("a trace compares an exact fact with what its vectors say", async () => {
    const { id } = memory.entries.find(({ report }) => report.exact)!;
    const { value } = await traceFact(opened.engine, keptMemory(memory), id, QUICK);
    expect(
      value!
        .map(({ text }) => text)
        .join("")
        .trim(),
    ).toBe(VALUES.get(id));
  });
});

describe("what changes it", () => {
  it("a deletion renews the anchor's vector from what the other facts say", async () => {
    const { engine } = opened;
    const more = documentOf(["Mary journeyed to the kitchen."], "more");
    const both = await storeOf(await loaded());
    const grown = await memorize(context(engine, { store: both, params: PARAMS }), [more]);
    const last = grown.memory.entries.at(-1)!;
    const { memory: left, certificate } = await forget(
      { engine, store: both, params: PARAMS },
      grown.memory,
      new Set([last.id]),
    );
    const mary = (from: Memory) => from.routing.find(({ anchor }) => anchor === "Mary")!;
    expect(mary(left).facts).toHaveLength(1);
    expect([...mary(left).vector]).toEqual([...mary(memory).vector]);
    expect(certificate).toMatchObject({ keys: ["Mary (2)"], changed: 0 });
    expect(certificate.before[0]!.text).toBe("Mary journeyed to the kitchen.");
    expect(certificate.after[0]!.text).not.toBe(certificate.before[0]!.text);
  });

  it("a fact is encoded again from what it says, or with a value that goes as the others went", async () => {
    const { engine } = opened;
    const store = await storeOf(await loaded());
    const [{ id }] = memory.entries as [Memory["entries"][number]];
    const run = context(engine, { store, params: PARAMS });
    const moved = await reencode(run, memory, id, { layer: layerIndex(1) });
    expect(moved.entries.map(({ layer }) => layer)).toEqual([1]);
    const value = "Mary gave the milk to Sandra.";
    const { memory: edited } = await reencode(run, moved.memory, id, { value });
    expect(JSON.stringify(await store.load())).not.toContain("gave the milk");
    expect(
      (
        await sayFacts(
          engine,
          edited.entries.filter((entry) => entry.id === id),
        )
      ).get(id),
    ).toBe(value);
    const open = openMemory(engine, (await store.load())!, QUICK);
    expect((await answer(open, "Who gave the milk?", { now })).route.facts).toContain(id);
    open.dispose();
    // What it said before brings back what it was, as the page's undo does.
    const factIn = ({ routing }: Memory) =>
      routing.flatMap(({ facts }) => facts).find((fact) => fact.id === id)!;
    const first = VALUES.get(id)!;
    const back = await reencode(run, edited, id, { value: first });
    expect(factIn(back.memory).terms).toBe(factIn(memory).terms);
    const own = back.memory.entries.filter((entry) => entry.id === id);
    expect((await sayFacts(engine, own)).get(id)).toBe(first);
  });
});

describe("a run that was stopped", () => {
  it.each(["cancelled", "killed"])(
    "keeps the words of facts that wait, and of no other, until it is taken up: %s",
    async (how) => {
      const { engine } = opened;
      const at = await mkdtemp(path.join(tmpdir(), "palimpsest-stop-"));
      const disk = memoryFileStore(path.join(at, "memory.zip"));
      await seeded(engine, LAYERS, disk);
      let batches = 0;
      const stop = new AbortController();
      const { append, save, take } = disk;
      const dead = (): boolean => how === "killed" && batches > 0;
      const store = Object.assign(disk, {
        async append(batch: Parameters<Store["append"]>[0]) {
          await append(batch);
          if (++batches === 1) stop.abort();
        },
        // A process that was killed writes nothing any more.
        save: (made: Memory) => (dead() ? Promise.reject(new Error("dead")) : save(made)),
        take: (pieces: Pieces) => (dead() ? Promise.reject(new Error("dead")) : take(pieces)),
      });
      const run = context(engine, { store, params: { ...PARAMS, encodeBatch: 4 }, signal: stop.signal });
      await expect(memorize(run, [documentOf(SENTENCES)])).rejects.toThrow(/cancelled/);
      const left = (await memoryFileStore(path.join(at, "memory.zip")).load())!;
      const encoded = new Set(left.entries.map(({ id }) => id));
      expect(encoded.size).toBeGreaterThan(0);
      expect(encoded.size).toBeLessThan(SENTENCES.length);
      const waiting = [...VALUES].filter(([id]) => !encoded.has(id)).map(([id, value]) => ({ id, value }));
      expect(new Set(left.waiting)).toEqual(new Set(waiting));
      const gone = [...VALUES].flatMap(([id, value]) => (encoded.has(id) ? value : []));
      for (const bytes of await contentOf(at))
        for (const value of gone) expect(Buffer.from(bytes).includes(value), value).toBe(false);
      await resume(context(engine, { store: memoryFileStore(path.join(at, "memory.zip")), params: PARAMS }));
      const whole = (await memoryFileStore(path.join(at, "memory.zip")).load())!;
      expect(whole.entries).toHaveLength(memory.entries.length);
      expect(whole.waiting).toEqual([]);
      for (const bytes of await contentOf(at)) expect(leaks(bytes)).toEqual([]);
      await rm(at, { recursive: true });
    },
  );
});
