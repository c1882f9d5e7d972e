/** @file The method on the bundled model: what was exact when encoded is exact when read, whatever else is stored. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { vector, type Opened } from "../engine/testing/models.ts";
import { bundled, leavesNothing } from "../engine/testing/useBundled.ts";
import { rounds } from "../lib/testing/thorough.ts";
import { charOffset, factId } from "../records/ids.ts";
import type { MemoryEntry } from "../records/memory.ts";
import { PAPER, SHARP } from "../records/params.ts";
import { formOf } from "../lib/vectorForms.ts";
import { recallPrompt, valueTokens } from "./parts.ts";
import { openReader, type MemoryReader, type ReadParams } from "./read.ts";
import { encodeAll, facts } from "./testing/facts.ts";

const LAYERS = [0, 1, 2, 3];
const PLANNED = facts(LAYERS, 16);
/** Of one layer. */
const KEYS = rounds(512, 2048);

let opened: Opened;
/** 64 facts, 16 at each of four layers. */
let entries: MemoryEntry[];
beforeAll(async () => {
  opened = await bundled();
  entries = await encodeAll(opened.engine, PLANNED, SHARP);
});
afterAll(() => leavesNothing(opened));

async function reading<T>(
  stored: readonly MemoryEntry[],
  body: (reader: MemoryReader) => Promise<T>,
  params: ReadParams = SHARP,
): Promise<T> {
  const reader = openReader(opened.engine, { entries: stored }, params);
  try {
    return await body(reader);
  } finally {
    reader.dispose();
  }
}

/** The value's own tokens, from the text. */
const valueOf = (i: number): number[] => {
  const { fact } = PLANNED[i]!;
  return valueTokens(opened.engine, fact, recallPrompt(opened.engine, fact), fact.value);
};

describe("encoding", () => {
  it("makes 64 short facts exact at four layers, and reports what a reader then finds", async () => {
    expect(entries.every(({ report }) => report.exact)).toBe(true);
    for (const [i, { report, key, residual, tokens, layer }] of entries.entries()) {
      expect([layer, tokens]).toEqual([PLANNED[i]!.layer, valueOf(i).length]);
      expect(report.fidelity).toBe(1);
      expect(report.steps).toBeLessThanOrEqual(SHARP.steps + SHARP.refine);
      expect(report.losses).toHaveLength(report.steps);
      // A learnt start may be nearer already than where Adam's first steps lead.
      if (report.started === "zero") expect(report.losses.at(-1)).toBeLessThanOrEqual(report.losses[0]!);
      expect(Math.hypot(...key)).toBeCloseTo(1, 5);
      expect([formOf(key), formOf(residual)]).toEqual(["levels", "float16"]);
      expect(report.deltaNorm).toBeCloseTo(Math.hypot(...residual), 5);
    }
  });
});

it("a fact that stays inexact is reported with the words the model then says; an exact one with none", async () => {
  const rushed = await encodeAll(opened.engine, PLANNED.slice(0, 4), {
    ...{ ...SHARP, steps: 1, refine: 0 },
    // Not cut until it is exact.
    partTokens: null,
  });
  const said = await reading(rushed, (reader) => reader.recall(rushed));
  expect(rushed.map(({ report }) => report.exact)).toContain(false);
  for (const [i, { report }] of rushed.entries())
    expect(report.recalled).toBe(report.exact ? null : said[i]!.text);
  expect(entries.map(({ report }) => report.recalled)).toEqual(PLANNED.map(() => null));
});

describe("the top-1 read", () => {
  it("recalls every fact exactly with 16 facts at each layer", async () => {
    const recalled = await reading(entries, (reader) => reader.recall(entries));
    for (const [i, { id, tokens, text, read }] of recalled.entries()) {
      expect(id).toBe(entries[i]!.id);
      expect(tokens).toEqual(valueOf(i));
      expect(text).toBe(PLANNED[i]!.fact.value);
      expect(read).toMatchObject({ winner: id, gateOpen: true });
      // The stored key is in levels of eight bits, the one it is asked with is not.
      expect(Math.abs(read.similarity - 1)).toBeLessThan(1e-5);
      expect(read.competitors[0]!.weight).toBeGreaterThanOrEqual(read.competitors[1]!.weight);
    }
  });

  it("recalls a fact alone, with others, and twice to the same tokens", async () => {
    await reading(entries, async (reader) => {
      const chosen = [3, 17, 30, 44, 58].map((i) => entries[i]!);
      const together = await reader.recall(
        entries
          .filter((_, i) => i % 3 === 0)
          .slice(0, 19)
          .concat(chosen),
      );
      for (const [n, entry] of chosen.entries())
        expect(await reader.recall([entry])).toEqual([together[19 + n]]);
      expect(await reader.recall(chosen)).toEqual(together.slice(19));
    });
  });

  it(`recalls exactly with ${KEYS} keys at one layer, all but 16 of them of other prompts`, async () => {
    const layer = 1;
    const own = entries.filter((entry) => entry.layer === layer);
    const others = await strangers(KEYS - own.length, layer);
    const store = [...others.slice(0, KEYS / 2), ...own, ...others.slice(KEYS / 2)];
    const recalled = await reading(store, (reader) => reader.recall(own));
    for (const [i, { tokens, read }] of recalled.entries()) {
      expect(read.winner).toBe(own[i]!.id);
      expect(tokens).toEqual(valueOf(entries.indexOf(own[i]!)));
      // Somebody else's key comes close: the competition is a real one.
      expect(read.competitors[1]!.similarity).toBeGreaterThan(0.6);
      expect(read.competitors[1]!.similarity).toBeLessThan(read.similarity);
    }
  });

  it("keeps the gate closed below theta, and says what the plain model says", async () => {
    const stranger = { ...entries[0]!, anchor: "Project Larch", index: 99 };
    const params = { ...SHARP, theta: 0.9999 };
    const [found] = await reading(entries, (reader) => reader.recall([stranger]), params);
    expect(found!.read.gateOpen).toBe(false);
    expect(found!.read.openPositions).toEqual([]);
    const prompt = recallPrompt(opened.engine, stranger);
    const [plain] = await opened.engine.recall([{ prompt, injection: null, tokens: stranger.tokens }]);
    expect(found!.tokens).toEqual(plain);
    // Its own facts still pass.
    const [own] = await reading(entries, (reader) => reader.recall([entries[0]!]), params);
    expect(own!.tokens).toEqual(valueOf(0));
  });

  it("reads nothing from an empty store, or from a layer that holds nothing", async () => {
    for (const stored of [[], entries.filter(({ layer }) => layer !== 0)]) {
      const [found] = await reading(stored, (reader) => reader.recall([entries[0]!]));
      expect(found!.read).toEqual({
        similarity: 0,
        gateOpen: false,
        winner: null,
        competitors: [],
        openPositions: [],
      });
      expect(found!.tokens).not.toEqual(valueOf(0));
    }
  });
});

/** Keys of other prompts at `layer`, with residuals as long as real ones. */
async function strangers(count: number, layer: number): Promise<MemoryEntry[]> {
  const first = [
    "Anna",
    "Boris",
    "Clara",
    "Dmitri",
    "Edwin",
    "Fiona",
    "George",
    "Harriet",
    "Ivan",
    "Jane",
    "Kate",
    "Leo",
    "Maria",
    "Nora",
    "Oscar",
    "Paul",
  ];
  const last = ["Smith", "Karenin", "Stone", "of York", "Hill", "Rostov", "Baker", "the younger"];
  const keys = Array.from({ length: count }, (_, i) => ({
    anchor: `${first[i % 16]!} ${last[Math.floor(i / 16) % 8]!}`,
    index: Math.floor(i / 128) + 1,
  }));
  const readings = await opened.engine.readKeys(
    keys.map((key) => recallPrompt(opened.engine, key)),
    [layer],
  );
  const like = entries.find((entry) => entry.layer === layer)!;
  return keys.map((key, i) => {
    const { activation } = readings[i]![0]!;
    const norm = Math.hypot(...activation);
    const random = vector(like.residual.length, i + 1);
    const scale = like.report.deltaNorm / Math.hypot(...random);
    return {
      ...like,
      ...key,
      id: factId(like.documentId, charOffset(1_000_000 + i)),
      key: activation.map((a) => a / norm),
      residual: random.map((r) => r * scale),
    };
  });
}

describe("deleting 8 of 64", () => {
  it("leaves the 56 others as they were, and nothing of the 8", async () => {
    const deleted = entries.filter((_, i) => i % 8 === 5);
    const retained = entries.filter((_, i) => i % 8 !== 5);
    const before = await reading(entries, (reader) => reader.recall(entries));
    const after = await reading(retained, (reader) => reader.recall(entries));
    for (const [i, entry] of entries.entries())
      if (retained.includes(entry)) expect(after[i]!.tokens).toEqual(before[i]!.tokens);
      else {
        expect(after[i]!.tokens).not.toEqual(before[i]!.tokens);
        expect(after[i]!.text).not.toBe(PLANNED[i]!.fact.value);
        const named = [after[i]!.read.winner, ...after[i]!.read.competitors.map(({ id }) => id)];
        for (const { id } of deleted) expect(named).not.toContain(id);
      }
  });
});

describe("the soft read of the paper", () => {
  it("recalls facts from a small store, each in its own pass, and the same twice", async () => {
    const small = entries.filter(({ layer }) => layer === 2).slice(0, 2);
    const indices = small.map((entry) => entries.indexOf(entry));
    const prompts = small.map((entry) => recallPrompt(opened.engine, entry));
    const found = await reading(small, (reader) => reader.recall(small), PAPER);
    for (const [n, { read, tokens }] of found.entries()) {
      expect(read.winner).toBe(small[n]!.id);
      expect(read.openPositions).toContain(prompts[n]!.keyPosition);
      expect(tokens).toHaveLength(small[n]!.tokens);
      // The weights are Eq. 4b over all entries.
      expect(read.competitors.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 5);
    }
    expect(await reading(small, (reader) => reader.recall(small), PAPER)).toEqual(found);
    // Read only at the key and of one key alone, the soft read is the hard one.
    // Its query is not rounded as the key is, and so they differ in the fourth digit.
    const alone = { ...PAPER, theta: 0.998 };
    const [hard] = await reading([small[0]!], (reader) => reader.recall([small[0]!]), alone);
    expect(hard!.read.openPositions).toEqual([prompts[0]!.keyPosition]);
    expect(hard!.tokens).toEqual(valueOf(indices[0]!));
  });

  it("changes nothing where no position passes the gate", async () => {
    const [found] = await reading(entries, (reader) => reader.recall([entries[0]!]), {
      ...PAPER,
      theta: 1.1,
    });
    const prompt = recallPrompt(opened.engine, entries[0]!);
    const [plain] = await opened.engine.recall([{ prompt, injection: null, tokens: entries[0]!.tokens }]);
    expect([found!.read.openPositions, found!.tokens]).toEqual([[], plain]);
  });
});

it("encoding can be cancelled between groups and leaves nothing behind", async () => {
  const before = opened.device.ledger.bytes;
  const controller = new AbortController();
  const run = async () => {
    const { encodeFacts } = await import("./encode.ts");
    for await (const _ of encodeFacts(
      opened.engine,
      PLANNED.slice(0, 8),
      { ...SHARP, encodeBatch: 4 },
      { signal: controller.signal, onProgress: () => controller.abort() },
    ))
      expect(_).toBeDefined();
  };
  await expect(run()).rejects.toThrow("memory: encoding: cancelled");
  expect({ ...opened.device.ledger.bytes, weights: 0 }).toEqual({ ...before, weights: 0 });
});
