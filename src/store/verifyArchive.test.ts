/** @file A memory file proves what it holds: every changed bit is found and its place named. */

import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { rounds } from "../lib/testing/thorough.ts";
import { seeded } from "../lib/rng.ts";
import { readZip } from "../lib/zip.ts";
import { rootOf, withNonce } from "../records/proof.ts";
import { leavesOf } from "../records/testing/leaves.ts";
import { keptMemory } from "../records/vectors.ts";
import type { DeletionRecord, Memory } from "../records/memory.ts";
import { packMemory } from "./archiveFormat.ts";
import { piecesOf } from "./pieces.ts";
import { isSigned, makeSigningKey, sign } from "./signing.ts";
import { makeMemory, upTo } from "./testing/memory.ts";
import { changedArchive } from "./testing/archives.ts";
import { verifyArchive } from "./verifyArchive.ts";

const plain = makeMemory(upTo(30));
const WHOLE: Memory = { ...plain, entries: plain.entries.map(withNonce) };
const GONE = new Set(WHOLE.entries.slice(3, 6));

const rootsOf = async (memory: Memory): Promise<string> =>
  rootOf((await leavesOf(keptMemory(memory))).values());

/** WHOLE without three of its entries, with the record of their deletion. */
async function afterDeletion(): Promise<Memory> {
  const leaves = await leavesOf(keptMemory(WHOLE));
  const left = { ...WHOLE, entries: WHOLE.entries.filter((entry) => !GONE.has(entry)) };
  const removed = [...GONE].map((entry) => leaves.get(entry)!);
  const roots = { before: await rootsOf(WHOLE), after: await rootsOf(left) };
  const deletion = { at: "2026-11-26", facts: 3, ...roots, removed, gaps: 0 };
  return { ...left, deletions: [deletion] };
}

const statements = (found: readonly { holds: boolean | null; text: string }[]): string =>
  found.map(({ holds, text }) => `${holds} ${text}`).join("\n");

describe("the root", () => {
  it("does not depend on the order of the entries, and on each of them", async () => {
    const root = await rootsOf(WHOLE);
    expect(await rootsOf({ ...WHOLE, entries: WHOLE.entries.toReversed() })).toBe(root);
    expect(await rootsOf({ ...WHOLE, entries: WHOLE.entries.slice(1) })).not.toBe(root);
    const renewed = WHOLE.entries.map((entry, i) => (i === 7 ? withNonce(entry) : entry));
    expect(await rootsOf({ ...WHOLE, entries: renewed })).not.toBe(root);
  });

  it("of one leaf is the leaf, of three leaves has the third on the second level", () => {
    const [a, b, c] = ["0a", "0b", "0c"].map((hex) => hex.repeat(32));
    const node = (left: string, right: string): string =>
      createHash("sha256")
        .update(Buffer.from(`01${left}${right}`, "hex"))
        .digest("hex");
    expect(rootOf([a!])).toBe(a);
    expect(rootOf([c!, b!, a!])).toBe(node(node(a!, b!), c!));
  });
});

describe("a memory file", () => {
  it("holds in every statement, and says who signed it", async () => {
    const key = await makeSigningKey();
    const file = await packMemory(piecesOf(await afterDeletion()), "1", key);
    const found = await verifyArchive(file, "m.zip", key.key);
    expect(found.map(({ holds }) => holds)).toEqual([true, true, true, true, true]);
    expect(statements(found)).toMatch(/1 deletion of 1 led to this root/);
    const other = await makeSigningKey();
    expect(statements(await verifyArchive(file, "m.zip", other.key))).toMatch(/false .* another key/);
  });

  it("shows a deletion whose fact is still stored, and one that names too few or came before other changes", async () => {
    const memory = await afterDeletion();
    const [deletion] = memory.deletions!;
    const found = async (change: Partial<DeletionRecord>, more: readonly DeletionRecord[] = []) => {
      const deletions = [...more, { ...deletion!, ...change }];
      return statements(
        await verifyArchive(await packMemory(piecesOf({ ...memory, deletions }), "1"), "m.zip"),
      );
    };
    const [stored] = (await leavesOf(keptMemory(memory))).values();
    const names = (removed: string[]) => found({ removed });
    expect(await names([...deletion!.removed.slice(1), stored!])).toMatch(
      /false .*memory\.deletions.* is stored/,
    );
    expect(await names(deletion!.removed.slice(1))).toMatch(/false .*memory\.deletions.* names 2/);
    expect(await found({ after: stored! })).toMatch(/null 1 deletion came before other changes/);
    const first = { ...deletion!, before: stored!, after: deletion!.before };
    expect(await found({}, [first])).toMatch(/true 2 deletions of 2 led/);
    expect(await found({}, [{ ...first, after: stored! }])).toMatch(
      /true 1 deletion of 2 led.*\nnull 1 deletion came/,
    );
  });

  it("shows an entry that was changed together with its checksums", async () => {
    const bytes = await changedArchive(
      WHOLE,
      "facts/000000.jsonl",
      (text) => text.replace(/"tokens":\d+/, '"tokens":2'),
      true,
    );
    expect(statements(await verifyArchive(new Blob([new Uint8Array(bytes)]), "m.zip"))).toMatch(
      /false .*root/,
    );
  });

  it("shows each of some random bits that change, and names the place", async () => {
    const key = await makeSigningKey();
    const file = await packMemory(piecesOf(await afterDeletion()), "1", key);
    const bytes = new Uint8Array(await file.arrayBuffer());
    const names = [...(await readZip(file, "m.zip")).keys()];
    const random = seeded(36);
    const missed: number[] = [];
    const unnamed: string[] = [];
    for (let i = 0; i < rounds(60, 200); i++) {
      const at = Math.floor(random() * bytes.length * 8);
      const changed = bytes.slice();
      changed[at >> 3]! ^= 1 << (at & 7);
      const found = await verifyArchive(new Blob([changed]), "m.zip", key.key);
      const wrong = found.filter(({ holds }) => holds === false);
      if (wrong.length === 0) missed.push(at);
      const said = statements(wrong);
      if (![...names, "directory", "zip archive"].some((name) => said.includes(name))) unnamed.push(said);
    }
    expect(missed).toEqual([]);
    expect(unnamed).toEqual([]);
  });
});

describe("a signature", () => {
  it("holds for its text alone", async () => {
    const key = await makeSigningKey();
    const signature = await sign(key, "abc");
    expect(await isSigned(signature, "abc")).toBe(true);
    expect(await isSigned(signature, "abd")).toBe(false);
    expect(await isSigned({ ...signature, value: "no hex" }, "abc")).toBe(false);
  });
});
