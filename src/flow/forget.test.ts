/** @file Deletion: what is gone, what is unchanged, and that the files hold no trace of it. */

import { omit } from "../lib/omit.ts";
import { rootOf } from "../records/proof.ts";
import { leavesOf } from "../records/testing/leaves.ts";
import { keptMemory } from "../records/vectors.ts";
import { formOf, packRows } from "../lib/vectorForms.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generate } from "../engine/greedy.ts";
import { useBundled } from "../engine/testing/useBundled.ts";
import { recallPrompt } from "../memory/parts.ts";
import { openReader } from "../memory/read.ts";
import type { DeletionCertificate } from "../records/answer.ts";
import type { DeletionProgress } from "../records/progress.ts";
import { Cancelled } from "../lib/assert.ts";
import { offsetOf, type FactId } from "../records/ids.ts";
import { byFact, type EntryMeta, type Memory } from "../records/memory.ts";
import { memoryFileStore } from "../../tools/node/memoryFile.ts";
import { inMemoryStore } from "../store/inMemory.ts";
import { bitsOf } from "../store/testing/memory.ts";
import { contentOf } from "../store/testing/memoryFiles.ts";
import { answer, openMemory } from "./answer.ts";
import { findKey } from "../../tools/findKey.ts";
import { forget as forgetOpened } from "./forget.ts";
import { forget } from "./testing/changed.ts";
import { memorize } from "./testing/memorized.ts";
import { onDemand } from "./testing/onDemand.ts";
import {
  context,
  documentOf,
  FULL_INDEX,
  HOOK_MS,
  QUICK,
  seeded,
  STORY,
  template,
  valuesIn,
} from "./testing/runs.ts";
import { keyText } from "../records/fact.ts";

const params = { ...QUICK, ...FULL_INDEX, steps: 12, refine: 0 };
const FACTS = template(4);
const opened = useBundled();

const ids = (memory: Memory, keys: readonly string[]): Set<FactId> =>
  new Set(keys.map((key) => findKey(memory, key).id));

describe("8 of 64 facts", () => {
  // All of one anchor, one of several, the last of one.
  const KEYS = [
    "Mary (1)",
    "Mary (2)",
    "Mary (3)",
    "Mary (4)",
    "John (2)",
    "Daniel (1)",
    "Emily (4)",
    "Yann (3)",
  ];
  let folder: string;
  let before: Memory;
  let left: Memory;
  let certificate: DeletionCertificate;
  let renamed: ReadonlyMap<FactId, FactId>;
  let deleted: Memory["entries"];
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "palimpsest-forget-"));
    const store = await seeded(opened.engine, [3, 4], memoryFileStore(path.join(folder, "memory.zip")));
    const running = context(opened.engine, { store, params });
    before = (await memorize(running, [documentOf(FACTS)])).memory;
    deleted = KEYS.map((key) => findKey(before, key));
    ({ memory: left, certificate, renamed } = await forget(running, before, ids(before, KEYS)));
  }, HOOK_MS);
  afterAll(() => rm(folder, { recursive: true }));

  it("are certified: their recall is gone, 56 outputs are compared and none has changed", () => {
    expect(before.entries).toHaveLength(64);
    expect(certificate).toMatchObject({ compared: 56, retained: 56, changed: 0 });
    expect(certificate.keys.toSorted()).toEqual(KEYS.toSorted());
    const values = valuesIn(FACTS);
    const exact = before.entries.filter(({ report }) => report.exact);
    expect(exact.length).toBeGreaterThan(56);
    for (const entry of deleted) {
      const of = (said: readonly { key: string; text: string }[]) =>
        said.find(({ key }) => key === keyText(entry))!;
      if (entry.report.exact) expect(of(certificate.before).text).toBe(values.get(entry.id));
      expect(of(certificate.after).text).not.toBe(values.get(entry.id));
    }
  });

  it("are certified with the key on which the gate opened: their own before, that of a retained fact after", () => {
    const gone = new Set(deleted.map(({ id }) => id));
    const retained = new Set(before.entries.filter(({ id }) => !gone.has(id)).map(keyText));
    for (const { read } of certificate.before) {
      expect(read).toMatchObject({ gateOpen: true, own: true });
      expect(read!.similarity).toBeGreaterThan(0.999);
    }
    for (const { read, gateOpen } of certificate.after) {
      expect(read).toMatchObject({ gateOpen, own: false });
      expect(retained.has(read!.nearest!)).toBe(true);
      expect(read!.similarity > params.theta).toBe(gateOpen);
    }
  });

  it("leave no trace: not in routing documents, not in any file, neither hashes nor vectors", async () => {
    const all = Buffer.concat(await contentOf(folder));
    const facts = before.routing.flatMap((document) => document.facts);
    const gone = new Set(deleted.map(({ id }) => id));
    const kept = JSON.stringify(left.routing);
    for (const { id, digest, terms, vector } of facts) {
      const here = gone.has(id);
      const value = valuesIn(FACTS).get(id)!;
      expect(all.includes(value), value).toBe(false);
      for (const hashes of [digest, terms]) {
        expect(all.includes(hashes), value).toBe(!here);
        expect(kept.includes(hashes), value).toBe(!here);
      }
      expect(all.includes(storedBytes(vector!)), value).toBe(!here);
      const entry = before.entries.find((e) => e.id === id)!;
      const now = left.entries.find((e) => e.id === renamed.get(id));
      const moved = now !== undefined && now.index !== entry.index;
      expect(all.includes(storedBytes(entry.residual)), value).toBe(!here && !moved);
      // Another fact may have taken the key.
      const taken = left.entries.some((e) => keyText(e) === keyText(entry));
      expect(all.includes(storedBytes(entry.key)), value).toBe(taken);
    }
    expect(all.includes('"Mary"')).toBe(false);
    // The anchor documents of what shares an anchor with a deleted fact are embedded anew.
    for (const { anchor, vector } of before.routing.filter(({ anchor }) =>
      ["John", "Daniel", "Mary"].includes(anchor),
    ))
      expect(all.includes(storedBytes(vector)), anchor).toBe(false);
  });

  it("leave everything else bit for bit as it was, also when loaded", async () => {
    const loaded = (await memoryFileStore(path.join(folder, "memory.zip")).load())!;
    expect(bitsOf(loaded)).toEqual(bitsOf(left));
    const gone = new Set(deleted.map(({ id }) => id));
    const touched = new Set(deleted.map(({ anchor }) => anchor));
    const others = (memory: Memory) =>
      memory.entries.filter(({ id, anchor }) => !gone.has(id) && !touched.has(anchor));
    const placeless = (entries: Memory["entries"]) =>
      new Map(
        entries.map((entry) => [renamed.get(entry.id) ?? entry.id, bitsOf(omit(entry, "id", "offset"))]),
      );
    expect(placeless(others(left))).toEqual(placeless(others(before)));
    const routed = ({ routing }: Memory) =>
      routing
        .filter(({ anchor }) => !KEYS.some((key) => key.startsWith(anchor)))
        .map(({ anchor, vector, facts }) => [
          anchor,
          bitsOf([vector, facts.map((fact) => omit(fact, "id"))]),
        ]);
    expect(Object.fromEntries(routed(left))).toEqual(Object.fromEntries(routed(before)));
  });

  it("leave no gap in the text: it is the one without their sentences, in which the entries are in order", () => {
    const values = valuesIn(FACTS);
    const gone = new Set(deleted.map(({ id }) => values.get(id)));
    const rest = FACTS.filter((sentence) => !gone.has(sentence));
    const offsets = [...valuesIn(rest).keys()].map(offsetOf);
    expect(left.entries.map(({ offset }) => offset)).toEqual(offsets);
    expect(left.entries.map(({ id }) => offsetOf(id))).toEqual(offsets);
    const { length } = rest.join(" ");
    const counts = { characters: length, bytes: length, sentences: 56, candidates: 56 };
    expect(left.sources).toEqual([{ ...before.sources[0], ...counts }]);
    // The id of a deleted fact, or one that a fact had before, is never given again.
    expect(before.entries.filter(({ id }) => left.entries.some((entry) => entry.id === id))).toEqual([]);
    expect(left.routing.map(({ order }) => order)).toEqual([...left.routing.keys()]);
    const order = new Map(left.routing.map(({ anchor, order }) => [anchor, order]));
    expect([...new Set(left.entries.map(({ anchor }) => order.get(anchor)))]).toEqual([...order.values()]);
  });

  it("leave no gap: the other facts of their anchors are numbered on, at the layers of these numbers", () => {
    const indices = (anchor: string) =>
      left.entries
        .filter((entry) => entry.anchor === anchor)
        .map(({ index, layer }) => [index, layer] as const);
    const layers = (anchor: string) =>
      before.entries
        .filter((entry) => entry.anchor === anchor)
        .map(({ index, layer }) => [index, layer] as const);
    const ascending = (rows: readonly (readonly [number, number])[]) => rows.toSorted(([a], [b]) => a - b);
    for (const anchor of ["John", "Daniel", "Emily", "Yann"])
      expect(ascending(indices(anchor))).toEqual(ascending(layers(anchor)).slice(0, 3));
    expect(certificate).toMatchObject({ moved: 2 + 3 + 1, gaps: 0 });
  });

  it("are recorded in the memory by the roots and their leaves, and by no word and nothing of other facts", async () => {
    const [record] = left.deletions!;
    const leaves = await leavesOf(keptMemory(before));
    const removed = deleted.map((entry) => leaves.get(entry)!).sort();
    const after = rootOf((await leavesOf(keptMemory(left))).values());
    const roots = { before: rootOf(leaves.values()), after };
    expect(record).toEqual({ at: "2026-01-01", facts: 8, gaps: 0, ...roots, removed });
  });

  it("are not found by a question any more", async () => {
    const open = openMemory(opened.engine, left, params);
    const { recalled, route } = await answer(open, "Where is Mary?", { now: () => 0 });
    expect(route.anchors.map(({ anchor }) => anchor)).not.toContain("Mary");
    expect(recalled.map(({ key }) => key).filter((key) => KEYS.includes(key))).toEqual([]);
    open.dispose();
  });

  it("cannot be deleted twice; nothing changes then", async () => {
    const store = memoryFileStore(path.join(folder, "memory.zip"));
    const running = context(opened.engine, { store, params });
    await expect(forget(running, left, new Set(deleted.map(({ id }) => id)))).rejects.toThrow(
      "flow: 8 facts to delete, but 0 are stored; reload the list",
    );
    expect(() => findKey(left, "Mary (1)")).toThrow(
      /^flow: no fact has the key "Mary \(1\)"; similar keys: /,
    );
    expect(bitsOf(await store.load())).toEqual(bitsOf(left));
  });
});

/** Facts that one step leaves inexact, and that are not cut until they are exact: here it only counts that they are there. */
const quick = { ...params, steps: 1, partTokens: null };

describe("a deletion that takes long", () => {
  it("tells how many facts it has asked, and ends without a trace until the first change", async () => {
    const store = await seeded(opened.engine, [3, 4]);
    const running = context(opened.engine, { store, params: quick });
    const { memory } = await memorize(running, [documentOf(template(2))]);
    const gone = ids(memory, ["Mary (1)"]);
    const before = bitsOf(await store.load());
    const seen: DeletionProgress[] = [];
    const stop = new AbortController();
    const { engine } = opened;
    const stopped = forget(
      {
        engine,
        store,
        params,
        signal: stop.signal,
        onAsked: (one) => void (seen.push(one) > 2 && stop.abort()),
      },
      memory,
      gone,
    );
    await expect(stopped).rejects.toThrow(Cancelled);
    // A layer has half of the facts. One moved to the layer of the deleted one.
    const told = (stage: string, done: number) => ({ stage, done, total: 32 });
    expect(seen).toEqual([told("before", 16), told("before", 32), told("after", 17)]);
    expect(bitsOf(await store.load())).toEqual(before);
    // After the last answer as well: what is deleted, and what is told of it, go together.
    const last = new AbortController();
    const late = {
      signal: last.signal,
      onAsked({ stage, done }: DeletionProgress) {
        if (stage === "after" && done === 32) last.abort();
      },
    };
    await expect(forget({ engine, store, params, ...late }, memory, gone)).rejects.toThrow(Cancelled);
    expect(bitsOf(await store.load())).toEqual(before);
    const { certificate } = await forget({ engine, store, params, compareAtMost: 4 }, memory, gone);
    expect(certificate).toMatchObject({ compared: 4, retained: 31, changed: 0 });
  });
});

describe("of a memory that is opened and not loaded", () => {
  it("is certified as of one that is loaded, and reads the layers of what is asked", async () => {
    const { engine } = opened;
    const store = await seeded(engine, [3, 4]);
    const running = context(engine, { store, params: quick });
    await memorize(running, [documentOf(template(2))]);
    const memory = (await store.load())!;
    const layersOf = (of: Memory) => new Map(byFact(of.entries).map(([one]) => [one!.id, one!.layer]));
    const [id, layer] = [...layersOf(memory)][5]!;
    const { anchor } = memory.entries.find((entry) => entry.id === id)!;
    const ofAnchor = memory.entries.filter((entry) => entry.anchor === anchor);
    const copy = inMemoryStore();
    await copy.save(memory);

    // Nothing else is asked than what goes, and what else its anchor has: their layers alone are read.
    const alone = onDemand(copy);
    const stop = new AbortController();
    const onAsked = ({ stage }: DeletionProgress): void => void (stage === "after" && stop.abort());
    const stopped = { engine, params, store: alone.store, compareAtMost: 0, signal: stop.signal, onAsked };
    await expect(forgetOpened(stopped, (await alone.store.open())!, new Set([id]))).rejects.toThrow(
      Cancelled,
    );
    expect(new Set(alone.read)).toEqual(new Set([layer, ...ofAnchor.map((entry) => entry.layer)]));

    const whole = onDemand(copy);
    const given = { engine, params };
    const kept = await forgetOpened(
      { ...given, store: whole.store },
      (await whole.store.open())!,
      new Set([id]),
    );
    const loaded = await forget({ ...given, store }, memory, new Set([id]));
    const { roots, ...rest } = kept.certificate;
    expect(rest).toEqual(omit(loaded.certificate, "roots"));
    expect(roots!.before).toBe(loaded.certificate.roots!.before);
    const named = (of: Memory<EntryMeta>) =>
      of.entries.map(({ anchor, index, offset }) => [anchor, index, offset]);
    expect(named((await copy.load())!)).toEqual(named(loaded.memory));
    // Each block before, after and for its leaves, and one twice for the words of the other fact of its anchor, which moves.
    expect(whole.read).toHaveLength((3 * memory.entries.length) / 4 + 2);
    const [a, b] = [await copy.load(), await store.load()];
    const unnamed = (memory: Memory) =>
      JSON.stringify(bitsOf(omit(memory, "deletions"))).replaceAll(/~[0-9a-f]{8}/g, "~");
    expect(unnamed(a!)).toEqual(unnamed(b!));
  });

  it("reads a layer with more keys than stay on the device once before and once after", async () => {
    const { engine } = opened;
    const store = await seeded(engine, [3, 4]);
    await memorize(context(engine, { store, params: quick }), [documentOf(template(2))]);
    const { entries } = (await store.load())!;
    const one = new Set([entries[5]!.id]);
    const copy = inMemoryStore();
    await copy.save((await store.load())!);
    const small = onDemand(copy);
    const given = { engine, params, deviceBytes: 1 };
    const kept = (await small.store.open())!;
    const bound = await forgetOpened({ ...given, store: small.store }, kept, one);
    const free = await forget({ engine, params, store }, (await store.load())!, one);
    expect(omit(bound.certificate, "roots")).toEqual(omit(free.certificate, "roots"));
    expect(entries.length).toBe(32);
    expect(kept.blocks.length).toBeGreaterThanOrEqual(32 / 4);
    // And each block for its leaves, and one twice for the words of the other fact of its anchor, which moves.
    expect(small.read).toHaveLength(3 * kept.blocks.length + 2);
  });
});

describe("keys and failures", () => {
  it("a key is found in any case and spacing; an unknown one lists near ones", async () => {
    const store = await seeded(opened.engine, [4]);
    const { memory } = await memorize(context(opened.engine, { store, params: quick }), [documentOf(STORY)]);
    expect(keyText(findKey(memory, "  mary  (2) "))).toBe("Mary (2)");
    expect(() => findKey(memory, "Sandra")).toThrow(/similar keys: Sandra \(1\), Sandra \(2\), /);
    expect(() => findKey(memory, "Sandar (2)")).toThrow(/similar keys: Sandra \(1\), Sandra \(2\)/);
    expect(() => findKey({ ...memory, entries: [] }, "Mary (1)")).toThrow("the memory is empty");
  });

  it("a failure while certifying or saving deletes nothing", async () => {
    const kept = await seeded(opened.engine, [4]);
    const { memory } = await memorize(context(opened.engine, { store: kept, params: quick }), [
      documentOf(STORY),
    ]);
    const before = bitsOf(await kept.load());
    let recalls = 0;
    const engine = {
      ...opened.engine,
      recall: (...args: Parameters<typeof opened.engine.recall>) => {
        if (++recalls === 2) throw new Error("the device is lost");
        return opened.engine.recall(...args);
      },
    };
    const asked = ids(memory, ["Mary (1)"]);
    await expect(forget({ engine, store: kept, params }, memory, asked)).rejects.toThrow(
      "the device is lost",
    );
    expect(bitsOf(await kept.load())).toEqual(before);
    const full = { ...kept, remove: () => Promise.reject(new Error("the disk is full")) };
    await expect(forget({ engine: opened.engine, store: full, params }, memory, asked)).rejects.toThrow(
      "the disk is full",
    );
    expect(bitsOf(await kept.load())).toEqual(before);
  });
});

it("forgetting everything leaves an empty memory that recalls as the plain model speaks, and learns again", async () => {
  const store = await seeded(opened.engine, [4], inMemoryStore());
  const running = context(opened.engine, { store, params });
  const first = await memorize(running, [documentOf(STORY)]);
  const { memory, certificate } = await forget(
    running,
    first.memory,
    new Set(first.memory.entries.map(({ id }) => id)),
  );
  expect(certificate).toMatchObject({ compared: 0, retained: 0, changed: 0 });
  expect(certificate.after.every(({ gateOpen }) => !gateOpen)).toBe(true);
  expect(memory).toMatchObject({ entries: [], routing: [], sources: [], layers: [4] });
  expect(await store.load()).toEqual(memory);

  for (const read of ["top1", "soft"] as const) {
    const reader = openReader(opened.engine, memory, { ...params, read });
    const recalled = await reader.recall(first.memory.entries);
    for (const [i, entry] of first.memory.entries.entries()) {
      const { ids: prompt } = recallPrompt(opened.engine, entry);
      const [plain] = await generate(opened.engine.runner, [prompt], {
        maxTokens: entry.tokens,
        endTokens: new Set(),
      });
      expect(recalled[i]!.tokens, `${read} ${keyText(entry)}`).toEqual(plain);
      expect(certificate.after.find(({ key }) => key === keyText(entry))!.text).toBe(recalled[i]!.text);
    }
    reader.dispose();
  }

  const open = openMemory(opened.engine, memory, params);
  expect(await answer(open, "Where is Mary?", { now: () => 0 })).toMatchObject({
    text: "Nothing in memory comes near this question.",
    recalled: [],
  });
  open.dispose();
  const again = await memorize(running, [documentOf(STORY)]);
  expect(bitsOf(again.memory.entries)).toEqual(bitsOf(first.memory.entries));
});

/** The numbers of a vector as they lie in a file. */
function storedBytes(vector: Float32Array): Buffer {
  const rows = packRows([vector], formOf(vector));
  const { buffer } = rows instanceof Float32Array ? rows : "bits" in rows ? rows.bits : rows.levels;
  return Buffer.from(buffer);
}

it("in parts are certified by the part that a key is nearest to: one open gate is an open gate", async () => {
  const { engine } = opened;
  const running = context(engine, {
    store: await seeded(engine, [3]),
    params: { ...params, partTokens: 3, steps: 2 },
  });
  const { memory } = await memorize(running, [documentOf(STORY)]);
  const doomed = byFact(memory.entries).find((parts) => parts.length > 1)!;
  const { memory: left, certificate } = await forget(running, memory, new Set([doomed[0]!.id]));
  const reader = openReader(engine, left, params);
  const [asked] = await reader.recall([doomed]);
  reader.dispose();
  const similarities = asked!.parts!.map(({ read }) => read.similarity);
  expect(Math.max(...similarities)).toBeGreaterThan(Math.min(...similarities));
  expect(certificate.after[0]!.read!.similarity).toBe(Math.max(...similarities));
});
