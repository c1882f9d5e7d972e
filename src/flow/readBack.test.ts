/** @file The soft read's verdicts after a change: of every fact at the layers touched, made anew before anything is stored. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Opened } from "../engine/testing/models.ts";
import { bundled, leavesNothing } from "../engine/testing/useBundled.ts";
import { Cancelled } from "../lib/assert.ts";
import { softVerdicts } from "./sayFacts.ts";
import { layerIndex, type FactId } from "../records/ids.ts";
import { renamedEntry, type Memory, type MemoryEntry } from "../records/memory.ts";
import type { MethodParams } from "../records/params.ts";
import type { DeletionProgress, Progress } from "../records/progress.ts";
import { inMemoryStore } from "../store/inMemory.ts";
import { bitsOf } from "../store/testing/memory.ts";
import type { FlowContext } from "./context.ts";
import { findKey } from "../../tools/findKey.ts";
import { forget, reencode } from "./testing/changed.ts";
import { memorize } from "./testing/memorized.ts";
import { context, documentOf, HOOK_MS, QUICK, seeded, STORY } from "./testing/runs.ts";

/** A read that mixes: with so small a β every fact of a layer has a share in what it says. */
const SOFT: MethodParams = { ...QUICK, read: "soft", beta: 2, theta: 0.2, steps: 12, refine: 0 };
const LAYERS = [3];

let opened: Opened;
let memory: Memory;
beforeAll(async () => {
  opened = await bundled();
  const memorized = async (params: MethodParams): Promise<Memory> => {
    const running = context(opened.engine, { store: await seeded(opened.engine, LAYERS), params });
    return (await memorize(running, [documentOf(STORY)])).memory;
  };
  memory = await memorized(SOFT);
}, HOOK_MS);
afterAll(() => leavesNothing(opened));

/** A store of its own with a memory in it. */
async function running(of: Memory, over: Partial<FlowContext> = {}): Promise<FlowContext> {
  const store = inMemoryStore();
  await store.save(of);
  return context(opened.engine, { store, params: of.params, ...over });
}

const idOf = (key: string): FactId => findKey(memory, key).id;
const verdicts = (entries: readonly MemoryEntry[]) =>
  new Map(entries.map(({ id, part, report: { soft } }) => [`${id} ${part}`, soft]));
/** What the soft read says of the memory now. */
const now = async (of: Memory) => verdicts(await softVerdicts({ engine: opened.engine }, of, SOFT));
/** Parts of which it says another thing than before. */
const turned = (after: Memory, renamed: ReadonlyMap<FactId, FactId> = new Map()): number => {
  const before = memory.entries.map((entry) => renamedEntry(entry, renamed));
  const [was, is] = [verdicts(before), verdicts(after.entries)];
  return [...is].filter(
    ([part, soft]) => was.has(part) && JSON.stringify(was.get(part)) !== JSON.stringify(soft),
  ).length;
};

describe("what the soft read is said to say of each fact is what it says", () => {
  it("after a deletion", async () => {
    const run = await running(memory);
    const told: DeletionProgress[] = [];
    const given = {
      ...run,
      onAsked: (line: DeletionProgress) => void (line.stage === "others" && told.push(line)),
    };
    const { memory: left, renamed } = await forget(given, memory, new Set([idOf("Mary (1)")]));
    expect(verdicts(left.entries)).toEqual(await now(left));
    expect(bitsOf(await run.store.load())).toEqual(bitsOf(left));
    expect(turned(left, renamed)).toBeGreaterThan(0);
    expect(told.at(-1)).toMatchObject({ done: told.length, total: told.length });
  });

  it("after an edit, and after a move to another layer", async () => {
    const run = await running(memory);
    const edited = await reencode(run, memory, idOf("Daniel (1)"), { value: "Daniel went to the garden." });
    expect(verdicts(edited.memory.entries)).toEqual(await now(edited.memory));
    expect(turned(edited.memory)).toBeGreaterThan(1);
    const moved = await reencode(run, edited.memory, idOf("John (1)"), { layer: layerIndex(1) });
    expect(verdicts(moved.memory.entries)).toEqual(await now(moved.memory));
    expect(moved.entries).toEqual(moved.memory.entries.filter(({ id }) => id === idOf("John (1)")));
    expect(bitsOf(await run.store.load())).toEqual(bitsOf(moved.memory));
  });

  it("and no recalled word is kept", async () => {
    const run = await running(memory);
    const { memory: left } = await forget(run, memory, new Set([idOf("Mary (1)")]));
    expect(verdicts(left.entries)).toEqual(await now(left));
    // A run that finds nothing to do reads back as well.
    const { memory: again } = await memorize(run, [documentOf(STORY)]);
    const kept = (await run.store.load())!;
    for (const { report } of [...again.entries, ...kept.entries]) expect(report.soft!.recalled).toBeNull();
  });
});

it("who cancels while the soft read is asked has the memory as it was", async () => {
  for (const change of ["deletion", "edit"] as const) {
    const stop = new AbortController();
    const onProgress = ({ stage }: Progress): void => void (stage === "readBack" && stop.abort());
    const onAsked = ({ stage }: DeletionProgress): void => void (stage === "others" && stop.abort());
    const run = await running(memory, { signal: stop.signal, onProgress });
    const changing =
      change === "edit"
        ? reencode(run, memory, idOf("Daniel (1)"), { value: "Daniel went to the garden." })
        : forget({ ...run, onAsked }, memory, new Set([idOf("Mary (1)")]));
    await expect(changing).rejects.toThrow(Cancelled);
    expect(bitsOf(await run.store.load())).toEqual(bitsOf(memory));
  }
});
