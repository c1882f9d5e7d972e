/** @file Centres of keys on the bundled model: what they make of the soft read, and that they stay as they were. */

import { afterAll, beforeAll, expect, it } from "vitest";
import { THOROUGH } from "../lib/testing/thorough.ts";
import { type Opened } from "../engine/testing/models.ts";
import { bundled, leavesNothing } from "../engine/testing/useBundled.ts";
import { openReader } from "../memory/read.ts";
import { layerIndex } from "../records/ids.ts";
import { rowOf } from "../records/factRow.ts";
import type { Progress } from "../records/progress.ts";
import { byFact, type Memory } from "../records/memory.ts";
import { keptMemory } from "../records/vectors.ts";
import { inMemoryStore } from "../store/inMemory.ts";
import { bitsOf } from "../store/testing/memory.ts";
import { estimateRun, ruleFacts } from "./estimateRun.ts";
import { forget, reencode } from "./testing/changed.ts";
import { traceFact } from "./inspect.ts";
import { memorize } from "./testing/memorized.ts";
import { context, documentOf, HOOK_MS, QUICK, STORY, template, valuesIn } from "./testing/runs.ts";

/** So blunt a softmax that every key counts which shares much with the one asked for. */
const CENTRED = { ...QUICK, keyCentre: "store", partTokens: null, beta: 7 } as const;

let opened: Opened;
let memory: Memory;
const store = inMemoryStore();
const running = () => context(opened.engine, { store, params: CENTRED, layers: [layerIndex(1)] });

beforeAll(async () => {
  opened = await bundled();
  ({ memory } = await memorize(running(), [documentOf(template(2))]));
}, HOOK_MS);
afterAll(() => leavesNothing(opened));

async function saidSoftly(of: Memory): Promise<number> {
  const reader = openReader(opened.engine, of, { ...CENTRED, read: "soft" });
  const recalled = await reader.recall(byFact(of.entries));
  reader.dispose();
  return recalled.filter(({ id, text }) => text === valuesIn(template(2)).get(id)).length;
}

it("the soft read says behind a centre what it mixes up without one", async () => {
  const plain = await memorize(
    context(opened.engine, { params: { ...CENTRED, keyCentre: "none" }, layers: [layerIndex(1)] }),
    [documentOf(template(2))],
  );
  expect(plain.memory.centres).toBeUndefined();
  expect(memory.centres).toHaveLength(1);
  expect(memory.keyToken).toBe(")");
  expect(await saidSoftly(plain.memory)).toBeLessThan(10);
  expect(await saidSoftly(memory)).toBeGreaterThanOrEqual(20);
});

it("is what a trace measures with: the fact's own key has similarity 1 at its key token", async () => {
  const { id } = memory.entries[5]!;
  const trace = await traceFact(opened.engine, keptMemory(memory), id, CENTRED);
  const start = trace.keyPosition * trace.store.length;
  const row = Array.from(trace.soft.similarity).slice(start, start + trace.store.length);
  // The soft read does not round its query as the key was rounded.
  expect(row[trace.store.findIndex((one) => one.id === id)]).toBeCloseTo(1, 3);
  const others = [...row].filter((_, i) => trace.store[i]!.id !== id);
  expect(Math.max(...others)).toBeLessThan(0.99);
});

it.runIf(THOROUGH)(
  "a memory of the soft read is reported as that read says, after all facts are in",
  async () => {
    const read = { ...CENTRED, keyCentre: "none", read: "soft", beta: 2 } as const;
    const own = inMemoryStore();
    const soft = context(opened.engine, { store: own, params: read, layers: [layerIndex(1)] });
    const { memory: first } = await memorize(soft, [documentOf(["Mary went to the office."])]);
    expect(first.entries.map(({ report }) => [report.exact, report.soft!.exact])).toEqual([[true, true]]);
    const more = documentOf(template(2), "more");
    const head = { ...first, facts: 1, vectors: 1 };
    const rates = { encode: { seconds: 1, units: 100 }, readBack: { seconds: 1, units: 100 } };
    const { work, seconds } = await estimateRun(soft, await ruleFacts([more], read), head, rates);
    expect(work.readBack).toBe(33);
    expect(seconds.readBack).toBeGreaterThan(0);
    const lines: Progress[] = [];
    const onProgress = (line: Progress): void => void lines.push(line);
    const { memory: mixed } = await memorize({ ...soft, estimate: { seconds, rates }, onProgress }, [more]);
    // Reading back is a separate stage: no fact is encoded a second time, and the bar does not fall back.
    const encoding = lines.filter(({ stage }) => stage === "encode");
    expect(encoding.map(({ done }) => done)).toEqual(
      encoding.map(({ done }) => done).toSorted((a, b) => a - b),
    );
    const reading = lines.slice(lines.indexOf(encoding.at(-1)!) + 1);
    expect(reading.map(({ stage, done, total }) => [stage, done, total])).toEqual(
      Array.from({ length: 33 }, (_, i) => ["readBack", i + 1, 33]),
    );
    const left = reading.map(({ run }) => run!.secondsLeft!);
    expect(left.at(-1)).toBe(0);
    expect(encoding.at(-1)!.run!.secondsLeft).toBeGreaterThan(0);
    expect(mixed.entries.every(({ report }) => report.exact)).toBe(true);
    expect(mixed.entries.some(({ report }) => report.soft!.exact)).toBe(false);
    const [row] = byFact(mixed.entries).map(rowOf);
    expect(row).toMatchObject({ exact: false, fidelity: mixed.entries[0]!.report.soft!.fidelity });
    expect(bitsOf(await own.load())).toEqual(bitsOf(mixed));
    // Read by the top key again, each vector says its own.
    const top = { ...soft, params: { ...read, read: "top1" } as const };
    const { memory: again } = await memorize(top, [documentOf(["Sandra went to the garden."], "last")]);
    expect(byFact(again.entries).every((parts) => rowOf(parts).exact)).toBe(true);
  },
);

it("stays when more is memorised and when facts are deleted; another layer gets its own", async () => {
  const { centres } = memory;
  const { memory: more } = await memorize(running(), [documentOf(STORY, "another")]);
  expect(bitsOf(more.centres)).toEqual(bitsOf(centres));
  const gone = new Set(more.entries.slice(0, 6).map(({ id }) => id));
  const { memory: left } = await forget({ engine: opened.engine, store, params: CENTRED }, more, gone);
  expect(bitsOf(left.centres)).toEqual(bitsOf(centres));
  const moved = await reencode(running(), left, left.entries[0]!.id, { layer: layerIndex(2) });
  expect(moved.memory.centres!.map(({ layer }) => layer)).toEqual([1, 2]);
  expect(bitsOf(moved.memory.centres![0])).toEqual(bitsOf(centres![0]));
  expect(bitsOf((await store.load())!.centres)).toEqual(bitsOf(moved.memory.centres));
  expect(Math.hypot(...moved.entries[0]!.key)).toBeCloseTo(1, 5);
});
