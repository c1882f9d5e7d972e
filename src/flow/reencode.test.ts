/** @file One fact made anew on the bundled model: what it says afterwards, and that no other fact says anything else. */

import { afterAll, beforeAll, expect, it } from "vitest";
import { type Opened } from "../engine/testing/models.ts";
import { bundled, leavesNothing } from "../engine/testing/useBundled.ts";
import { Cancelled } from "../lib/assert.ts";
import { openReader } from "../memory/read.ts";
import { layerIndex } from "../records/ids.ts";
import type { Memory } from "../records/memory.ts";
import { isValue } from "../records/digest.ts";
import { inMemoryStore } from "../store/inMemory.ts";
import { bitsOf } from "../store/testing/memory.ts";
import { answer, openMemory } from "./answer.ts";
import { memorize } from "./testing/memorized.ts";
import { reencode as reencodeOpened } from "./reencode.ts";
import { reencode } from "./testing/changed.ts";
import { onDemand } from "./testing/onDemand.ts";
import { BY_ANCHORS, context, documentOf, HOOK_MS, QUICK, seeded, STORY } from "./testing/runs.ts";

let opened: Opened;
let memory: Memory;
beforeAll(async () => {
  opened = await bundled();
  const store = await seeded(opened.engine, [1, 2]);
  ({ memory } = await memorize(context(opened.engine, { store }), [documentOf(STORY)]));
}, HOOK_MS);
afterAll(() => leavesNothing(opened));

/** A store of its own with the memory in it. */
async function stored() {
  const store = inMemoryStore();
  await store.save(memory);
  return context(opened.engine, { store });
}

async function texts(of: Memory): Promise<Map<string, string>> {
  const reader = openReader(opened.engine, of, QUICK);
  const recalled = await reader.recall(of.entries);
  reader.dispose();
  return new Map(recalled.map(({ id, text }) => [id, text]));
}

const factOf = (value: string) =>
  memory.routing.flatMap(({ facts }) => facts).find((fact) => isValue(value, fact, memory.salts))!;

it("a new value is what the memory says and answers with; every other fact says what it said", async () => {
  const running = await stored();
  const fact = factOf("Daniel went to the office.");
  const before = await texts(memory);
  const changed = await reencode(running, memory, fact.id, { value: "Daniel went to the garden." });
  expect(changed.entries[0]!.report.exact).toBe(true);
  const after = await texts(changed.memory);
  expect(after.get(fact.id)).toBe("Daniel went to the garden.");
  before.delete(fact.id);
  after.delete(fact.id);
  expect(after).toEqual(before);
  // The store holds just that, in the same order, and nothing of the old value.
  const inStore = (await running.store.load())!;
  expect(bitsOf(inStore)).toEqual(bitsOf(changed.memory));
  expect(JSON.stringify(inStore)).not.toContain(fact.digest);
  expect(JSON.stringify(inStore)).not.toContain("Daniel went");
  const open = openMemory(opened.engine, inStore, { ...QUICK, ...BY_ANCHORS });
  const { recalled } = await answer(open, "Where is Daniel?", { now: () => 0 });
  open.dispose();
  expect(recalled.map(({ text }) => text)).toEqual(["Daniel went to the garden."]);
});

it("a new layer moves key and residual, and leaves routing as it was", async () => {
  const running = await stored();
  const fact = factOf("Daniel went to the office.");
  const old = memory.entries.find(({ id }) => id === fact.id)!;
  const layer = layerIndex(3 - old.layer);
  const {
    entries: [entry],
    memory: moved,
  } = await reencode(running, memory, fact.id, { layer });
  expect(entry!.layer).toBe(layer);
  expect(bitsOf(entry!.key)).not.toEqual(bitsOf(old.key));
  expect(moved.routing).toEqual(memory.routing);
  expect(await texts(moved)).toEqual(await texts(memory));
});

it("without a change it encodes the fact once more, to the same bits", async () => {
  const fact = factOf("Mary moved to the garden.");
  const alone = await reencode(await stored(), memory, fact.id, {});
  const again = await reencode(await stored(), memory, fact.id, {});
  expect(bitsOf(again.entries[0]!)).toEqual(bitsOf(alone.entries[0]!));
});

it("the better of two encodings of the same value at the same layer stays; a change is stored as it comes", async () => {
  const running = await stored();
  const hasty = { ...running, params: { ...QUICK, partTokens: null, steps: 1, refine: 0 } };
  const fact = factOf("Daniel went to the office.");
  const old = memory.entries.find(({ id }) => id === fact.id)!;
  expect(old.report.exact).toBe(true);
  const worse = await reencode(hasty, memory, fact.id, {
    value: " Daniel went to the office. ",
    layer: old.layer,
  });
  expect(worse.entries[0]!.report.exact).toBe(false);
  expect(bitsOf(await running.store.load())).toEqual(bitsOf(memory));
  // Of two inexact ones the fidelity decides.
  const inexact = (fidelity: number): Memory => ({
    ...memory,
    entries: memory.entries.map((entry) =>
      entry === old ? { ...old, report: { ...old.report, exact: false, fidelity } } : entry,
    ),
  });
  const { fidelity } = worse.entries[0]!.report;
  expect((await reencode(hasty, inexact(fidelity + 0.01), fact.id, {})).memory.entries).not.toContainEqual(
    worse.entries[0]!,
  );
  expect(bitsOf(await running.store.load())).toEqual(bitsOf(memory));
  const better = await reencode(running, inexact(0.99), fact.id, {});
  expect(better.memory.entries).toContainEqual(better.entries[0]!);
  const moved = await reencode(hasty, memory, fact.id, { layer: layerIndex(3 - old.layer) });
  expect(moved.entries[0]!.report.exact).toBe(false);
  expect(bitsOf(await running.store.load())).toEqual(bitsOf(moved.memory));
  expect(moved.memory.entries).toContainEqual(moved.entries[0]!);
});

it("half a surrogate pair, which no model says, is stored as what stands for it", async () => {
  const fact = factOf("Mary moved to the garden.");
  const { memory: changed } = await reencode(await stored(), memory, fact.id, {
    value: "Mary went \ud800 out.",
  });
  const facts = changed.routing.flatMap((one) => one.facts);
  expect(facts.filter((one) => isValue("Mary went \ufffd out.", one, changed.salts))).toHaveLength(1);
  expect((await texts(changed)).get(fact.id)).toBe("Mary went \ufffd out.");
});

it("what cannot be done leaves the store as it was", async () => {
  const running = await stored();
  const { id } = factOf("Daniel went to the office.");
  const refuse = (change: Parameters<typeof reencode>[3]) => reencode(running, memory, id, change);
  await expect(refuse({ value: "  " })).rejects.toThrow('the new value of "Daniel (1)" is blank');
  await expect(refuse({ value: "very long ".repeat(1500) })).rejects.toThrow(
    /cannot be stored: [\d,]+ tokens with its recall prompt/,
  );
  await expect(refuse({ layer: layerIndex(99) })).rejects.toThrow("storage layers 99: 99 given");
  const stopped = { ...running, signal: AbortSignal.abort() };
  await expect(reencode(stopped, memory, id, {})).rejects.toThrow(Cancelled);
  expect(bitsOf(await running.store.load())).toEqual(bitsOf(memory));
});

it("of a memory that is opened and not loaded reads its own vectors where no value is given, and stores the same", async () => {
  const [loaded, opening] = [await stored(), await stored()];
  const view = onDemand(opening.store);
  const kept = async () => (await view.store.open())!;
  const whole = async () => (await loaded.store.load())!;
  const { id } = factOf("Daniel went to the office.");
  for (const change of [{ value: "Daniel went to the garden." }, { layer: layerIndex(3) }, {}]) {
    const one = await reencodeOpened({ ...opening, store: view.store }, await kept(), id, change);
    const other = await reencode(loaded, await whole(), id, change);
    expect(bitsOf(one.entries)).toEqual(bitsOf(other.entries));
    expect(one.memory.entries.map((entry) => entry.id)).toEqual(
      other.memory.entries.map((entry) => entry.id),
    );
    expect(bitsOf(await opening.store.load())).toEqual(bitsOf(await whole()));
  }
  expect(view.read).toEqual([memory.entries.find((entry) => entry.id === id)!.layer, 3]);
});
