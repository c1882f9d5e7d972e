/** @file A memory without words: nothing of the text in any file, the same answers, and all that needs words after all. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Opened } from "../engine/testing/models.ts";
import { bundled } from "../engine/testing/useBundled.ts";
import { rounds } from "../lib/testing/thorough.ts";
import { layerIndex } from "../records/ids.ts";
import type { Memory } from "../records/memory.ts";
import { exportMemory, importMemory } from "../store/archive.ts";
import { memoryFileStore } from "../../tools/node/memoryFile.ts";
import { inMemoryStore } from "../store/inMemory.ts";
import type { Pieces } from "../store/pieces.ts";
import type { Store } from "../store/port.ts";
import { contentOf } from "../store/testing/memoryFiles.ts";
import { readZip } from "../lib/zip.ts";
import { answer, openMemory } from "./answer.ts";
import { forget } from "./forget.ts";
import { traceFact, tokenPairs } from "./inspect.ts";
import { memorize, resume } from "./testing/memorized.ts";
import { reencode } from "./reencode.ts";
import { context, documentOf, FULL_INDEX, HOOK_MS, QUICK, seeded, template } from "./testing/runs.ts";
import { holdsWords, sayFacts } from "./wordless.ts";

const LAYERS = [3, 4];
const PARAMS = { ...QUICK, ...FULL_INDEX };
const WORDLESS = { ...PARAMS, index: "wordless" } as const;
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

/** Every six words in a row of the text, as they would stand in a file. */
const sixes = (text: string): string[] => {
  const words = text.split(" ");
  return words.slice(5).map((_, i) => words.slice(i, i + 6).join(" "));
};

/** Six words of the text that stand in `bytes`, read as UTF-8, UTF-16 in both orders, or JSON. */
function leaks(bytes: Uint8Array): string[] {
  const utf8 = Buffer.from(bytes).toString("utf8");
  const utf16 = ["utf-16le", "utf-16be"].flatMap((encoding) =>
    [bytes, bytes.subarray(1)].map((from) => new TextDecoder(encoding).decode(from)),
  );
  const readings = [utf8, ...utf16].map((text) => text.replace(/\\n|\s+/g, " "));
  return sixes(TEXT).flatMap((six) => {
    const forms = [six, JSON.stringify(six).slice(1, -1)];
    return forms.filter((form) => readings.some((reading) => reading.includes(form)));
  });
}

let opened: Opened;
let folder: string;
let words: Memory;
let wordless: Memory;
beforeAll(async () => {
  opened = await bundled();
  folder = await mkdtemp(path.join(tmpdir(), "palimpsest-wordless-"));
  const document = documentOf(SENTENCES);
  const { engine } = opened;
  words = (
    await memorize(context(engine, { store: await seeded(engine, LAYERS), params: PARAMS }), [document])
  ).memory;
  const store = await seeded(engine, LAYERS, memoryFileStore(path.join(folder, "memory.zip")));
  wordless = (await memorize(context(engine, { store, params: WORDLESS }), [document])).memory;
}, HOOK_MS);
afterAll(async () => {
  await opened.engine.dispose();
  await opened.device.dispose();
  await rm(folder, { recursive: true });
});

const loaded = async (): Promise<Memory> => (await memoryFileStore(path.join(folder, "memory.zip")).load())!;
/** A store with the wordless memory that a test may change. */
async function storeOf(memory: Memory): Promise<Store> {
  const store = inMemoryStore();
  await store.save(memory);
  return store;
}

describe("what is kept", () => {
  it("no six words in a row of the text stand in any file, or in an archive", async () => {
    expect(leaks(Buffer.from(JSON.stringify(words.routing))).length).toBeGreaterThan(20);
    for (const bytes of await contentOf(folder)) expect(leaks(bytes)).toEqual([]);
    const archive = await exportMemory(memoryFileStore(path.join(folder, "memory.zip")), "1");
    for (const entry of (await readZip(archive, "m.zip")).values())
      expect(leaks(await entry.read())).toEqual([]);
    expect(leaks(Buffer.from(JSON.stringify(wordless)))).toEqual([]);
  });

  it("values, questions and recalled words go; key, vectors and hashes stay", async () => {
    const memory = await loaded();
    expect(memory.params.index).toBe("wordless");
    expect(memory.salt).toMatch(/^[0-9a-f]{32}$/);
    expect(holdsWords(memory)).toBe(false);
    expect(memory.entries.map(({ id }) => id)).toEqual(words.entries.map(({ id }) => id));
    for (const { value, questions, terms, vector } of memory.routing.flatMap(({ facts }) => facts)) {
      expect([value, questions]).toEqual([null, []]);
      expect(terms).toMatch(/^([\w-]{6})+:([\w-]{6})*:\d+$/);
      expect(vector).toBeDefined();
    }
    expect(memory.entries.every(({ report }) => report.recalled === null)).toBe(true);
  });

  it("an archive comes back as it was, and joins no memory of another salt", async () => {
    const archive = await exportMemory(memoryFileStore(path.join(folder, "memory.zip")), "1");
    const store = inMemoryStore();
    await importMemory(store, archive, { name: "m.zip", mode: "replace" });
    expect((await store.load())!.routing).toEqual((await loaded()).routing);
    const other = await storeOf(words);
    await expect(importMemory(other, archive, { name: "m.zip", mode: "merge" })).rejects.toThrow(
      /its routing index is wordless, with its own salt, that of the stored memory is in words/,
    );
  });
});

describe("what it says", () => {
  it("questions of every kind are routed and answered as with words", async () => {
    const [kept, hashed] = [words, await loaded()].map((memory) => openMemory(opened.engine, memory, QUICK));
    for (const question of QUESTIONS) {
      const [a, b] = [await answer(kept!, question, { now }), await answer(hashed!, question, { now })];
      expect(b.route, question).toEqual(a.route);
      expect([b.text, b.cited, b.asked], question).toEqual([a.text, a.cited, a.asked]);
      expect([a.wordless, b.wordless]).toEqual([undefined, true]);
    }
    kept!.dispose();
    hashed!.dispose();
  });

  it("the vectors say every exact fact again, parts joined", async () => {
    const said = await sayFacts(opened.engine, wordless.entries);
    const inexact = new Set(wordless.entries.filter(({ report }) => !report.exact).map(({ id }) => id));
    for (const { id, value } of words.routing.flatMap(({ facts }) => facts))
      if (!inexact.has(id)) expect(said.get(id)).toBe(value);
    expect(inexact.size).toBeLessThan(2);
    expect(new Set(wordless.entries.map(({ part }) => part)).size).toBeGreaterThan(1);
  });

  it("is looked into without its words", async () => {
    const { id } = wordless.entries[0]!;
    expect((await traceFact(opened.engine, wordless, id, QUICK)).value).toBeNull();
    expect(await tokenPairs(opened.engine, wordless, [id])).toEqual([]);
  });
});

describe("what changes it", () => {
  it("a deletion renews the anchor's vector from what the other facts say, and certifies with digests", async () => {
    const { engine } = opened;
    const more = documentOf(["Mary journeyed to the kitchen."], "more");
    const both = await storeOf(await loaded());
    const grown = await memorize(context(engine, { store: both, params: WORDLESS }), [more]);
    const last = grown.memory.entries.at(-1)!;
    const { memory, certificate } = await forget(
      { engine, store: both, params: PARAMS },
      grown.memory,
      new Set([last.id]),
    );
    const mary = (from: Memory) => from.routing.find(({ anchor }) => anchor === "Mary")!;
    expect(mary(memory).facts).toHaveLength(1);
    expect([...mary(memory).vector]).toEqual([...mary(words).vector]);
    expect(certificate).toMatchObject({ keys: ["Mary (2)"], changed: 0 });
    expect(certificate.before[0]!.text).toMatch(/^\[5 words, not kept; digest [0-9a-f]{12}\]$/);
    expect(certificate.after[0]!.text).not.toBe(certificate.before[0]!.text);
    expect(JSON.stringify(certificate)).not.toContain("kitchen");
  });

  it("a fact is encoded again from what it says, or with a value that goes as the others went", async () => {
    const { engine } = opened;
    const store = await storeOf(await loaded());
    const [{ id }] = wordless.entries as [Memory["entries"][number]];
    const run = context(engine, { store, params: WORDLESS });
    const moved = await reencode(run, wordless, id, { layer: layerIndex(1) });
    expect(moved.entries.map(({ layer }) => layer)).toEqual([1]);
    const value = "Mary gave the milk to Sandra.";
    const { memory } = await reencode(run, moved.memory, id, { value });
    expect(JSON.stringify(await store.load())).not.toContain("gave the milk");
    expect(
      (
        await sayFacts(
          engine,
          memory.entries.filter((entry) => entry.id === id),
        )
      ).get(id),
    ).toBe(value);
    const open = openMemory(engine, (await store.load())!, QUICK);
    expect((await answer(open, "Who gave the milk?", { now })).route.facts).toContain(id);
    open.dispose();
    // What it said before brings back what it was, as the page's undo does.
    const factIn = ({ routing }: Memory) =>
      routing.flatMap(({ facts }) => facts).find((fact) => fact.id === id)!;
    const first = factIn(words).value!;
    const back = await reencode(run, memory, id, { value: first });
    expect(factIn(back.memory).terms).toBe(factIn(wordless).terms);
    const own = back.memory.entries.filter((entry) => entry.id === id);
    expect((await sayFacts(engine, own)).get(id)).toBe(first);
  });

  it("a memory with words loses them in a wordless run", async () => {
    const store = await storeOf(words);
    const run = context(opened.engine, { store, params: WORDLESS });
    await memorize(run, [documentOf(["Sandra got the apple there."], "more")]);
    const memory = (await store.load())!;
    expect(holdsWords(memory)).toBe(false);
    expect(leaks(Buffer.from(JSON.stringify(memory)))).toEqual([]);
  });
});

describe("a run that was stopped", () => {
  it("when all was encoded loses its words as it is taken up", async () => {
    const store = await storeOf({ ...words, params: WORDLESS, salt: wordless.salt! });
    expect(holdsWords((await store.load())!)).toBe(true);
    const taken = (await resume(context(opened.engine, { store, params: WORDLESS })))!;
    expect(taken.memory.entries.length).toBe(taken.before);
    expect(holdsWords((await store.load())!)).toBe(false);
  });

  it.each(["cancelled", "killed"])("keeps the words of what waits until it is taken up: %s", async (how) => {
    const { engine } = opened;
    const at = await mkdtemp(path.join(tmpdir(), "palimpsest-wordless-stop-"));
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
      save: (memory: Memory) => (dead() ? Promise.reject(new Error("dead")) : save(memory)),
      take: (pieces: Pieces) => (dead() ? Promise.reject(new Error("dead")) : take(pieces)),
    });
    const run = context(engine, { store, params: { ...WORDLESS, encodeBatch: 4 }, signal: stop.signal });
    await expect(memorize(run, [documentOf(SENTENCES)])).rejects.toThrow(/cancelled/);
    const left = (await memoryFileStore(path.join(at, "memory.zip")).load())!;
    const encoded = new Set(left.entries.map(({ id }) => id));
    expect(encoded.size).toBeGreaterThan(0);
    expect(encoded.size).toBeLessThan(SENTENCES.length);
    expect(holdsWords(left)).toBe(how === "killed");
    for (const { id, value } of left.routing.flatMap(({ facts }) => facts))
      if (!encoded.has(id)) expect(value).not.toBeNull();
    await resume(context(engine, { store: memoryFileStore(path.join(at, "memory.zip")), params: WORDLESS }));
    const memory = (await memoryFileStore(path.join(at, "memory.zip")).load())!;
    expect(memory.entries).toHaveLength(wordless.entries.length);
    expect(holdsWords(memory)).toBe(false);
    for (const bytes of await contentOf(at)) expect(leaks(bytes)).toEqual([]);
    await rm(at, { recursive: true });
  });
});
