/** @file Entries that go by are what an outline says of them, in its places, with the vectors and losses they had. */

import { expect, it } from "vitest";
import { makeMemory, upTo } from "../store/testing/memory.ts";
import { saidOf, type MemoryEntry } from "./memory.ts";
import { retold, type EntryBatches } from "./updatedEntries.ts";

const ENTRIES = makeMemory(upTo(6)).entries;

async function* batches(entries: readonly MemoryEntry[]): EntryBatches {
  for (const [place, item] of entries.entries()) yield [{ item, place }];
}

async function told(...given: Parameters<typeof retold>) {
  const found: { readonly item: MemoryEntry; readonly place: number }[] = [];
  for await (const batch of retold(...given)) found.push(...batch);
  return found;
}

it("says anew what is said, leaves out what is not named, and numbers the others by the outline", async () => {
  const [, second, third, , fifth] = ENTRIES as [
    MemoryEntry,
    MemoryEntry,
    MemoryEntry,
    MemoryEntry,
    MemoryEntry,
  ];
  const judged = { exact: true, fidelity: 1, recalled: null };
  const soft = { ...second, params: 3, report: { ...second.report, soft: judged } };
  const outline = [saidOf(fifth), saidOf(second), { ...saidOf(third), params: 1 }];
  expect(await told(batches([soft, third, fifth]), outline, 10)).toEqual([
    { item: second, place: 11 },
    { item: { ...third, params: 1 }, place: 12 },
    { item: fifth, place: 10 },
  ]);
  expect(await told(batches(ENTRIES), [])).toEqual([]);
  expect(await told(batches([second]), [saidOf(soft)])).toEqual([{ item: soft, place: 0 }]);
});

it("rejects where what is named did not go by: nothing is lost in silence", async () => {
  const gone = told(batches(ENTRIES.slice(2)), ENTRIES.map(saidOf));
  await expect(gone).rejects.toThrow(/memory: 2 vectors, the first of ".* 1", are not there any more/);
});
