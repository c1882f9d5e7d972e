import { describe, expect, test } from "vitest";
import { omit } from "../lib/omit.ts";
import { parseFile } from "../lib/safetensors.ts";
import { writeZip } from "../lib/zip.ts";
import { documentId } from "../records/ids.ts";
import type { Memory } from "../records/memory.ts";
import { exportMemory, importMemory } from "./archive.ts";
import { unpackMemory } from "./archiveRead.ts";
import { inMemoryStore } from "./inMemory.ts";
import { fromJson, toJson } from "./json.ts";
import { StoreVersion } from "./port.ts";
import { factOf } from "../flow/facts.ts";
import { factHasher } from "../router/documents.ts";
import { buildIndex } from "../router/routerIndex.ts";
import { isValue } from "../records/digest.ts";
import { searchWords } from "../router/termHashes.ts";
import { bitsOf, makeEntry, makeMemory, digestFor, termsOf, upTo, without } from "./testing/memory.ts";
import { changedArchive, filesOf, packed } from "./testing/archives.ts";

const memory = makeMemory(upTo(12));
const options = { name: "m.zip", mode: "replace" } as const;

const changed = (file: string, change: (text: string) => string, sign: boolean): Promise<Uint8Array> =>
  changedArchive(memory, file, change, sign);

const textOf = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);
const linesOf = (bytes: Uint8Array | undefined): unknown[] =>
  textOf(bytes).split("\n").slice(0, -1).map(fromJson);

describe("an archive", () => {
  test("brings back every bit, of encoded and of pending facts", async () => {
    for (const made of [memory, makeMemory([]), makeMemory(upTo(12), 5)]) {
      const bytes = await packed(made);
      expect(bitsOf(await unpackMemory(bytes, "m.zip"))).toStrictEqual(bitsOf(made));
      expect(Buffer.from(bytes).equals(Buffer.from(await packed(made)))).toBe(true);
    }
  });

  test("goes from store to store", async () => {
    const from = inMemoryStore("first");
    await expect(exportMemory(from, "1.0.0")).rejects.toThrow(/first holds no memory to export/);
    await from.save(memory);
    const to = inMemoryStore();
    const result = await importMemory(to, await exportMemory(from, "1.0.0"), options);
    expect(result).toEqual({ added: 12, skipped: 0, left: [], notes: [] });
    expect(bitsOf(await to.load())).toStrictEqual(bitsOf(memory));
  });

  test("is lines of facts, safetensors files and a manifest that anybody can read", async () => {
    const files = await filesOf(await packed(memory));
    expect([...files.keys()].sort()).toEqual([
      "facts/000000.jsonl",
      "facts/000001.jsonl",
      "facts/000002.jsonl",
      "manifest.json",
      "routing.jsonl",
      "routing.safetensors",
      "vectors/000000.safetensors",
      "vectors/000001.safetensors",
      "vectors/000002.safetensors",
      "waiting.jsonl",
    ]);
    // A block for each of the three layers.
    const facts = linesOf(files.get("facts/000001.jsonl"));
    expect(facts).toHaveLength(4);
    expect(facts[2]).toEqual({ ...omit(memory.entries[7]!, "key", "residual"), place: 7 });
    const [routed] = linesOf(files.get("routing.jsonl")) as { readonly facts: readonly object[] }[];
    expect(routed!.facts[0]).toEqual({
      id: memory.entries[0]!.id,
      index: 1,
      terms: termsOf(0),
      digest: digestFor(0),
      vector: 0,
    });
    const tensorsOf = (name: string) =>
      parseFile(files.get(name)!, name).tensors.map(({ name: of, dtype, shape }) => [of, dtype, ...shape]);
    expect(tensorsOf("vectors/000000.safetensors")).toEqual([
      ["keys", "F32", 4, 10],
      ["residuals", "F32", 4, 6],
    ]);
    expect(tensorsOf("routing.safetensors")).toEqual([
      ["documents", "F32", 4, 5],
      ["facts", "F32", 6, 5],
    ]);
    expect(fromJson(textOf(files.get("manifest.json")))).toMatchObject({
      format: "palimpsest-archive",
      version: 1,
      app: "1.0.0",
      memory: { model: memory.model, params: memory.params, embedder: "model:mean", layers: [0, 1, 2] },
      facts: 12,
      documents: 4,
    });
  });
});

describe("a bad archive is refused by name, and what is stored stays", () => {
  const replace =
    (from: string | RegExp, to: string) =>
    (text: string): string => {
      expect(text).toMatch(from);
      return text.replace(from, to);
    };
  const whole = () => packed(memory);
  const cases: [string, () => Promise<Uint8Array>, RegExp][] = [
    ["no zip", async () => new TextEncoder().encode("not a zip at all"), /"m.zip".*is not a zip archive/],
    ["cut short", async () => (await whole()).slice(0, -300), /zip: "m.zip"/],
    [
      "another zip",
      () => writeZip([{ name: "a.txt", bytes: new Uint8Array(3) }]),
      /manifest.json is missing/,
    ],
    [
      "a changed fact",
      () => changed("routing.jsonl", replace(digestFor(0), digestFor(1)), false),
      /routing.jsonl does not match its checksum/,
    ],
    [
      "a shortened file",
      () => changed("facts/000000.jsonl", (text) => text.slice(0, -9), false),
      /facts\/000000.jsonl has \d+ bytes, \d+ expected/,
    ],
    [
      "a changed manifest",
      () => changed("manifest.json", replace('"facts": 12', '"facts": 11'), false),
      /manifest.json does not match its own checksum/,
    ],
    ["a manifest that is no JSON", () => changed("manifest.json", (text) => text.slice(1), false), /JSON/],
    [
      "a manifest of another program",
      () => changed("manifest.json", () => "{}", false),
      /is it of another program/,
    ],
    [
      "a layer the model lacks",
      () => changed("facts/000002.jsonl", replace('"layer":2', '"layer":9'), true),
      /facts\/000002.jsonl, line 1: layer is 9; a layer below 4 is expected/,
    ],
    [
      "a number for a text",
      () => changed("routing.jsonl", replace(/"terms":"[^"]*"/, '"terms":7'), true),
      /line 1: facts\[0\]\.terms is 7; text is expected/,
    ],
    [
      "a report without losses",
      () => changed("facts/000000.jsonl", replace('"losses"', '"lost"'), true),
      /line 1: report.losses is missing; a value is expected/,
    ],
    [
      "one fact twice",
      () => changed("facts/000000.jsonl", replace(":300", ":600"), true),
      /part 1 of fact ".*:600" occurs twice/,
    ],
    [
      "a fact too few",
      () => changed("facts/000000.jsonl", (text) => text.slice(text.indexOf("\n") + 1), true),
      /"keys" has the shape \[4, 10\], \[3, 10\] expected/,
    ],
    [
      "a vector that is not there",
      () => changed("routing.jsonl", replace('"vector":5', '"vector":6'), true),
      /"facts" has 6 rows, but row 6 is asked for/,
    ],
    [
      "a line that is no JSON",
      () => changed("facts/000000.jsonl", replace('{"anchor"', '"anchor"'), true),
      /JSON/,
    ],
    [
      "a read that no version has",
      () => changed("manifest.json", replace('"read": "top1"', '"read": "banana"'), true),
      /memory.params.read must be one of: top1, soft; found "banana"/,
    ],
    [
      "parameters of another kind",
      () => changed("manifest.json", replace('"theta": 0.6', '"theta": "0.6"'), true),
      /params\.theta must be a number; found "0.6"/,
    ],
  ];

  test.each(cases)("%s", async (_, make, message) => {
    const store = inMemoryStore();
    const stored = makeMemory([1, 2]);
    await store.save(stored);
    const bytes = await make();
    for (const mode of ["replace", "merge"] as const)
      await expect(importMemory(store, bytes, { name: "m.zip", mode })).rejects.toThrow(message);
    expect(bitsOf(await store.load())).toStrictEqual(bitsOf(stored));
  });

  test("a format of another version", async () => {
    const bytes = await changed("manifest.json", replace('"version": 1', '"version": 6'), true);
    const error = await unpackMemory(bytes, "m.zip").catch((e: unknown) => e as Error);
    expect(error).toBeInstanceOf(StoreVersion);
    expect((error as Error).message).toBe(
      'archive: "m.zip" has format 6; this version of Palimpsest reads format 1. Nothing was changed. Open it with Palimpsest 1.0.0, which wrote it, or memorise its sources again.',
    );
  });
});

describe("importing into a memory", () => {
  test("merge skips what is stored and adds the rest", async () => {
    const store = inMemoryStore();
    await store.save(without(memory, [1, 2, 3, 7]));
    const result = await importMemory(store, await packed(memory), { ...options, mode: "merge" });
    expect(result).toMatchObject({ added: 4, skipped: 8 });
    const loaded = (await store.load())!;
    const sorted = [...loaded.entries].sort((a, b) => a.offset - b.offset);
    expect(bitsOf(sorted)).toStrictEqual(bitsOf(memory.entries));
    for (const document of loaded.routing) {
      const whole = memory.routing.find(({ anchor }) => anchor === document.anchor)!;
      expect(new Set(document.facts.map(({ id }) => id))).toEqual(new Set(whole.facts.map(({ id }) => id)));
    }
    expect(loaded.sources).toEqual(memory.sources);
    const again = await importMemory(store, await packed(memory), { ...options, mode: "merge" });
    expect(again).toEqual({ added: 0, skipped: 12, left: [], notes: [] });
    expect(bitsOf(await store.load())).toStrictEqual(bitsOf(loaded));
  });

  test("merge: an encoded fact whose key is taken is left, a fact that waits gets a free index", async () => {
    const other = elsewhere(makeMemory([0, 1, 6, 8], 3));
    const store = inMemoryStore();
    await store.save(makeMemory(upTo(12)));
    const result = await importMemory(store, await packed(other), { ...options, mode: "merge" });
    const loaded = (await store.load())!;
    expect(result).toEqual({
      added: 0,
      skipped: 0,
      left: other.entries.map(({ id }) => id),
      notes: ["1 anchor now with facts of both memories, found by the mean of both vectors."],
    });
    expect(bitsOf(loaded.entries)).toStrictEqual(bitsOf(memory.entries));
    expect(loaded.waiting).toEqual(other.waiting);
    const [{ facts }] = loaded.routing as [Memory["routing"][number]];
    expect(facts.map(({ index }) => index)).toEqual([1, 2, 3, 4]);
    expect(facts.at(-1)!.id).toBe(other.waiting[0]!.id);
    expect(loaded.sources.map(({ title }) => title)).toEqual(["Ledgers", "Elsewhere"]);
  });

  test("merge: a fact whose key uses another centre is left", async () => {
    const store = inMemoryStore();
    await store.save(makeMemory([0, 1]));
    const [first, last] = memory.centres!;
    const other = {
      ...makeMemory([2, 3, 7]),
      centres: [{ ...first!, vector: first!.vector.map((x) => x + 1) }, last!],
    };
    const { added, left } = await importMemory(store, await packed(other), {
      ...options,
      mode: "merge",
    });
    expect(added).toBe(2);
    expect(left).toHaveLength(1);
    const loaded = (await store.load())!;
    expect(bitsOf(loaded.centres)).toStrictEqual(bitsOf(memory.centres));
    expect(loaded.entries.map(({ offset }) => offset)).toEqual([0, 100, 200, 700]);
    expect(loaded.routing.flatMap(({ facts }) => facts)).toHaveLength(4);
  });

  test("merge: a memory with another salt joins, and its words are found", async () => {
    const store = inMemoryStore();
    await store.save(makeMemory([0, 1]));
    const hashed = factHasher("other");
    const fact = {
      ...factOf({ anchor: "anchor 2", order: 0 }, { id: makeEntry(2).id, index: 1, value: "A key." }),
    };
    const other = makeMemory([2]);
    const [document] = other.routing as [Memory["routing"][number]];
    const routing = [{ ...document, facts: [hashed({ fact, questions: [] })] }];
    await importMemory(store, await packed({ ...other, routing, salts: ["other"] }), {
      ...options,
      mode: "merge",
    });
    const loaded = (await store.load())!;
    expect(loaded.salts).toEqual(["5a17", "other"]);
    const index = buildIndex(loaded.routing, loaded.salts);
    const found = (word: string) => index.holding(word).map((at) => index.facts[at]!.fact.id);
    expect(found("key")).toEqual([makeEntry(2).id]);
    expect(found("ledger")).toEqual([makeEntry(0).id, makeEntry(1).id]);
    const both = loaded.routing.flatMap(({ facts }) => facts);
    expect(searchWords("A key", loaded.routing, loaded.salts)).toEqual([makeEntry(2).id]);
    expect(searchWords("key 2", loaded.routing, loaded.salts)).toEqual([makeEntry(2).id]);
    expect(searchWords("key 1", loaded.routing, loaded.salts)).toEqual([]);
    expect(both.filter((one) => isValue("A key.", one, loaded.salts)).map(({ id }) => id)).toEqual([
      makeEntry(2).id,
    ]);
  });

  test("merge refuses more salts than an archive can have, so that what it stores can be imported again", async () => {
    const store = inMemoryStore();
    const salts = Array.from({ length: 63 }, (_, i) => `salt ${i}`);
    await store.save({ ...makeMemory([0, 1]), salts });
    const merge = async (added: Memory) =>
      importMemory(store, await packed(added), { ...options, mode: "merge" });
    await merge({ ...elsewhere(makeMemory([2])), salts: ["one more", "salt 5"] });
    const before = await store.load();
    expect(before!.salts).toHaveLength(64);
    await importMemory(inMemoryStore(), await exportMemory(store, "1"), { ...options, mode: "replace" });
    await expect(merge({ ...elsewhere(makeMemory([3])), salts: ["too many"] })).rejects.toThrow(
      /cannot be merged: the two memories have 65 different salts, expected at most 64\. .* new notebook/,
    );
    expect(bitsOf(await store.load())).toStrictEqual(bitsOf(before));
  });

  test("merge: new anchors come after those that are stored", async () => {
    const store = inMemoryStore();
    await store.save(makeMemory([0, 1]));
    await importMemory(store, await packed(elsewhere(makeMemory([3, 2]))), {
      ...options,
      mode: "merge",
    });
    const loaded = (await store.load())!;
    expect(loaded.routing.map(({ anchor, order }) => [anchor, order])).toEqual([
      ["anchor 0", 0],
      ["anchor 1", 1],
      ["anchor 3", 2],
      ["anchor 2", 3],
    ]);
    expect(loaded.entries).toHaveLength(4);
  });

  test("merge refuses another model or embedder, and changes nothing", async () => {
    const store = inMemoryStore();
    await store.save(memory);
    const others: [Memory, RegExp][] = [
      [{ ...memory, model: { ...memory.model, sha256: "cd".repeat(32) } }, /its model is tiny@cdcdcdcd/],
      [{ ...memory, embedder: "bge" }, /its embedder is bge, that of the stored memory is model:mean/],
    ];
    for (const [other, message] of others)
      await expect(importMemory(store, await packed(other), { ...options, mode: "merge" })).rejects.toThrow(
        message,
      );
    expect(bitsOf(await store.load())).toStrictEqual(bitsOf(memory));
  });

  test("merge into nothing is an import", async () => {
    const store = inMemoryStore();
    await importMemory(store, await packed(memory), { ...options, mode: "merge" });
    expect(bitsOf(await store.load())).toStrictEqual(bitsOf(memory));
  });
});

/** The same facts from another document. */
function elsewhere(made: Memory): Memory {
  const document = documentId("fedcba9876543210");
  const text = toJson(made.sources).replaceAll(made.sources[0]!.id, document).replace("Ledgers", "Elsewhere");
  const moved = <T extends { readonly id: string }>(item: T): T => ({
    ...item,
    id: item.id.replace(/^\w+/, document),
  });
  return {
    ...made,
    sources: fromJson(text) as Memory["sources"],
    entries: made.entries.map((entry) => ({ ...moved(entry), documentId: document })),
    routing: made.routing.map((one) => ({ ...one, facts: one.facts.map(moved) })),
    waiting: made.waiting.map(moved),
  };
}
