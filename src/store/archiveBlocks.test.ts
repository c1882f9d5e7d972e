/** @file Archives in blocks: every bit comes back, one block is held at a time, and a bad one changes nothing. */

import "fake-indexeddb/auto";
import { afterAll, describe, expect, test } from "vitest";
import type { MemoryEntry } from "../records/memory.ts";
import { exportMemory, importMemory, inspectArchive } from "./archive.ts";
import { packMemory, writeMemory } from "./archiveFormat.ts";
import { unpackMemory } from "./archiveRead.ts";
import { comingTo, putEntries } from "./blocks.ts";
import { openIndexedDbStore } from "./indexedDb.ts";
import { removeNotebook } from "./notebooks.ts";
import { fromJson, toJson } from "./json.ts";
import { piecesOf, type Pieces } from "./pieces.ts";
import type { Store } from "./port.ts";
import { archiveOf, filesOf } from "./testing/archives.ts";
import { allBytes, freshDatabase } from "./testing/database.ts";
import { bitsOf, makeCompact, makeEntry, makeMemory, removalOf, upTo } from "./testing/memory.ts";

const database = await freshDatabase();
afterAll(() => database.close());
let count = 0;
const newStore = () => openIndexedDbStore(database, `memory ${count++}`);

const packed = (pieces: Pieces): Promise<Uint8Array> =>
  packMemory(pieces, "1.0.0").then(async (blob) => new Uint8Array(await blob.arrayBuffer()));
const compact = makeCompact(upTo(600));

/** An archive with the lines of a block changed, and its checksums made to fit. */
async function withLines(
  block: string,
  change: (lines: Record<string, unknown>[]) => readonly object[],
): Promise<Uint8Array> {
  const files = await filesOf(await packed(piecesOf(compact)));
  const name = `facts/${block}.jsonl`;
  const lines = new TextDecoder().decode(files.get(name)).split("\n").slice(0, -1);
  const changed = change(lines.map((line) => fromJson(line) as Record<string, unknown>));
  files.set(name, new TextEncoder().encode(changed.map((line) => `${toJson(line)}\n`).join("")));
  return archiveOf(files, true);
}

describe("an archive", () => {
  test("brings back every bit in any form, of encoded and of pending facts, and is the same each time", async () => {
    const pending = makeMemory(upTo(12), 5);
    for (const memory of [compact, makeMemory(upTo(12)), makeMemory([]), pending]) {
      const archive = await packed(piecesOf(memory));
      expect(bitsOf(await unpackMemory(archive, "m.zip"))).toStrictEqual(bitsOf(memory));
      expect(Buffer.from(archive).equals(await packed(piecesOf(memory)))).toBe(true);
      const pieces: Uint8Array[] = [];
      await writeMemory(piecesOf(memory), "1.0.0", async (bytes) => pieces.push(bytes.slice()));
      expect(Buffer.concat(pieces).equals(archive)).toBe(true);
    }
  });

  test("has files of lines and of vectors for whole blocks, however many steps the memory was made in", async () => {
    const store = newStore();
    await store.save({ ...compact, entries: [] });
    for (let at = 0; at < 600; at += 12) await store.append({ entries: compact.entries.slice(at, at + 12) });
    const archive = await exportMemory(store, "1.0.0");
    const names = [...(await filesOf(new Uint8Array(await archive.arrayBuffer()))).keys()];
    // Three layers of 200; the two facts in float32 lie apart.
    expect(names.filter((name) => name.startsWith("facts/"))).toHaveLength(5);
    expect(names.filter((name) => name.startsWith("vectors/"))).toHaveLength(5);
    const to = newStore();
    await importMemory(to, archive, { name: "m.zip", mode: "merge" });
    expect(bitsOf(await to.load())).toStrictEqual(bitsOf(compact));
    expect((await to.open())!.blocks.map(({ entries }) => entries.length).sort()).toEqual([
      1, 1, 199, 199, 200,
    ]);
  });

  test("of a memory whose facts in parts were encoded again comes back, alone and beside others", async () => {
    const inParts = (n: number, count: number): MemoryEntry[] =>
      Array.from({ length: count }, (_, i) => ({ ...makeEntry(n), part: i + 1, start: 4 * i, tokens: 4 }));
    const entries = upTo(6).flatMap((n) => (n === 2 || n === 4 ? inParts(n, 5) : [makeEntry(n)]));
    const store = newStore();
    await store.save({ ...makeMemory(upTo(6)), entries });
    // As encoding again stores them: one in as many parts, one in fewer.
    await store.append({ entries: [...inParts(4, 5), ...inParts(2, 3)] });
    const stored = (await store.load())!;
    expect(stored.entries.map(({ id }) => id)).toEqual([
      ...entries.slice(0, 5).map(({ id }) => id),
      ...entries.slice(7).map(({ id }) => id),
    ]);
    const archive = await exportMemory(store, "1.0.0");
    for (const mode of ["replace", "merge"] as const) {
      const to = newStore();
      await importMemory(to, archive, { name: "m.zip", mode });
      expect(bitsOf(await to.load())).toStrictEqual(bitsOf(stored));
    }
    const beside = newStore();
    await beside.save(makeMemory([0, 1]));
    await importMemory(beside, archive, { name: "m.zip", mode: "merge" });
    const ids = (await beside.load())!.entries.map(({ id, part }) => `${id} ${part}`);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(stored.entries.map(({ id, part }) => `${id} ${part}`).sort());
  });

  test("is taken in block by block: each is written before the next is asked for", async () => {
    const [log, pieces, store]: [string[], Pieces, Store] = [[], piecesOf(compact), newStore()];
    const blocks = () =>
      database.read(["vectors"], (transaction) => transaction.objectStore("vectors").count());
    const before = await blocks();
    async function* batches() {
      for await (const batch of pieces.batches()) {
        log.push(`${batch.length} behind ${(await blocks()) - before}`);
        yield batch;
      }
    }
    await store.take({ ...pieces, batches });
    expect(log).toEqual(["1 behind 0", "1 behind 1", "200 behind 2", "199 behind 3", "199 behind 4"]);
    expect(bitsOf(await store.load())).toStrictEqual(bitsOf(compact));
  });
});

describe("what is wrong in any block changes nothing that is stored", () => {
  const bad: Readonly<Record<string, () => Promise<readonly [Uint8Array, RegExp]>>> = {
    "a byte of its vectors": async () => {
      const files = await filesOf(await packed(piecesOf(compact)));
      const last = files.get("vectors/000004.safetensors")!;
      files.set("vectors/000004.safetensors", last.with(last.length - 1, last.at(-1)! ^ 1));
      return [await archiveOf(files, false), /vectors\/000004\.safetensors does not match its checksum/];
    },
    "a file that is missing": async () => {
      const files = await filesOf(await packed(piecesOf(compact)));
      files.delete("vectors/000003.safetensors");
      return [await archiveOf(files, false), /vectors\/000003\.safetensors is missing/];
    },
    "a fact that stands in two blocks": async () => [
      await withLines("000004", (lines) => lines.with(0, { ...lines[0], id: compact.entries[0]!.id })),
      /part 1 of fact ".*" occurs twice/,
    ],
    "two facts at one place": async () => [
      await withLines("000004", (lines) => lines.with(0, { ...lines[0], place: 0 })),
      /both stand at place 0/,
    ],
    "fewer lines than vectors": async () => [
      await withLines("000004", (lines) => lines.slice(1)),
      /"keys" has the shape \[199, 10\], \[198, 10\] expected/,
    ],
    "a layer that the model has not": async () => [
      await withLines("000002", (lines) => lines.with(5, { ...lines[5], layer: 9 })),
      /facts\/000002\.jsonl, line 6: layer is 9; a layer below 4 is expected/,
    ],
    "a key that is no number": async () => {
      const entries = compact.entries.with(0, {
        ...compact.entries[0]!,
        key: new Float32Array(10).fill(NaN),
      });
      return [await packed(piecesOf({ ...compact, entries })), /the key of fact ".*" holds NaN or infinity/];
    },
  };
  test.each(Object.entries(bad))("%s", async (_, make) => {
    const [archive, message] = await make();
    const store = newStore();
    await store.save(makeMemory(upTo(5)));
    const before = await allBytes(database);
    await expect(inspectArchive(archive, "m.zip")).rejects.toThrow(message);
    for (const mode of ["replace", "merge"] as const)
      await expect(importMemory(store, archive, { name: "m.zip", mode })).rejects.toThrow(message);
    expect((await allBytes(database)).equals(before)).toBe(true);
  });
});

test("what an import left that died is gone with the next deletion, and when the memory is removed", async () => {
  const secret: MemoryEntry = { ...makeEntry(3), anchor: "left behind" };
  for (const cleaning of ["remove", "removeNotebook", "save", "take"] as const) {
    const id = `memory ${count++}`;
    const store = openIndexedDbStore(database, id);
    const memory = makeMemory(upTo(5));
    await store.save(memory);
    await database.write(["entries", "curves", "vectors"], (transaction) =>
      putEntries(transaction, comingTo(id), 0, [{ item: secret, place: 0 }], memory.model),
    );
    expect((await allBytes(database)).includes("left behind")).toBe(true);
    if (cleaning === "remove") await store.remove(removalOf(memory, [1]));
    else if (cleaning === "removeNotebook") await removeNotebook(database, id);
    else if (cleaning === "save") await store.save(memory);
    else await store.take(piecesOf(memory));
    expect((await allBytes(database)).includes("left behind"), cleaning).toBe(false);
  }
});
