/** @file A memory that learns to write, on the bundled model: parts it has not seen begin nearer to where they end. */

import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { THOROUGH } from "../lib/testing/thorough.ts";
import { type Opened } from "../engine/testing/models.ts";
import { bundled, leavesNothing } from "../engine/testing/useBundled.ts";
import { writtenParts } from "../flow/encodePlan.ts";
import { memorize } from "../flow/testing/memorized.ts";
import { context, documentOf } from "../flow/testing/runs.ts";
import { mean } from "../lib/stats.ts";
import { norm } from "../lib/vector.ts";
import { layerIndex, type FactId } from "../records/ids.ts";
import type { Memory, MemoryEntry } from "../records/memory.ts";
import { PAPER, SHARP, type MethodParams } from "../records/params.ts";
import { LearnedStart } from "./learnedStart.ts";

const PARAMS: MethodParams = {
  ...SHARP,
  anchors: "rules",
  questionsPerFact: 0,
  start: "learned",
  partTokens: 8,
};
const BOOK = new URL("../../data/books/austen_emma.txt.gz", import.meta.url);
const LAYERS = [1, 2].map(layerIndex);

let opened: Opened;
let memory: Memory;
/** The words of its facts, which the run tells. */
const VALUES = new Map<FactId, string>();
beforeAll(async () => {
  if (!THOROUGH) return;
  opened = await bundled();
  const chapter = gunzipSync(await readFile(BOOK)).toString();
  const onSaid = (facts: ReadonlyMap<FactId, string>): void =>
    facts.forEach((value, id) => VALUES.set(id, value));
  const running = context(opened.engine, { params: PARAMS, layers: LAYERS, onSaid });
  memory = (await memorize(running, [documentOf([chapter.slice(4000, 7500)])])).memory;
}, 240_000);
afterAll(async () => {
  if (!THOROUGH) return;
  leavesNothing(opened);
});

const from = (started: string): MemoryEntry[] =>
  memory.entries.filter(({ report }) => report.started === started);

/** Eq. 3 before the first step. */
const firstLoss = (entries: readonly MemoryEntry[]): number =>
  mean(entries.flatMap(({ report, tokens }) => (report.losses[0] ? [report.losses[0] / tokens] : [])));

describe.runIf(THOROUGH)("a memory of a novel's chapter", () => {
  it("is exact, begins at zero, and then at what it has learnt, but for one part in 16", () => {
    expect(memory.entries.every(({ report }) => report.exact)).toBe(true);
    const [zero, learned] = [from("zero"), from("learned")];
    expect(zero.length + learned.length).toBe(memory.entries.length);
    expect(learned.length).toBeGreaterThan(40);
    expect(zero.length).toBeGreaterThan(32 + Math.floor(learned.length / 16) - 1);
    expect(firstLoss(learned)).toBeLessThan(0.7 * firstLoss(zero));
  });

  it("teaches a part it has not seen more, the more it has been taught", async () => {
    const written = await writtenParts(opened.engine, memory.entries, VALUES);
    expect(written).toHaveLength(memory.entries.length);
    const asked = written.filter((_, i) => i % 8 === 7);
    const taught = written.filter((_, i) => i % 8 !== 7);
    const unexplained = async (count: number): Promise<number> => {
      const start = new LearnedStart(opened.engine);
      await start.learnAll(taught.slice(-count));
      const features = await start.read(asked);
      let [rest, all] = [0, 0];
      for (const [i, { layer, residual }] of asked.entries()) {
        const guess = start.next(layer, features[i]!) ?? new Float32Array(residual.length);
        rest += norm(residual.map((x, d) => x - guess[d]!)) ** 2;
        all += norm(residual) ** 2;
      }
      return rest / all;
    };
    const [few, many] = [await unexplained(40), await unexplained(taught.length)];
    expect(many).toBeLessThan(few);
    expect(many).toBeLessThan(0.85);
  });

  it("is learnt from again without its words: what its vectors say", async () => {
    const entries = memory.entries.slice(0, 20);
    const [said, words] = [
      await writtenParts(opened.engine, entries, new Map()),
      await writtenParts(opened.engine, memory.entries, VALUES),
    ];
    for (const { residual, targets } of said)
      expect(targets).toEqual(words.find((part) => part.residual === residual)!.targets);
    expect(said).toHaveLength(20);
  });
});

describe.runIf(THOROUGH)("the start", () => {
  const features = (start: LearnedStart, text: string) =>
    start.read([{ layer: LAYERS[0]!, targets: opened.engine.encode(text) }]).then(([read]) => read!);

  it("is dropped where it saves no steps", async () => {
    const start = new LearnedStart(opened.engine);
    await start.learnAll(await writtenParts(opened.engine, memory.entries, VALUES));
    const asked = await features(start, "the garden of the old house");
    // One part in 16 goes without, for comparison.
    const parts = Array.from({ length: 16 * 13 }, () => Float32Array.from(asked));
    const control = parts.filter((part) => start.next(LAYERS[0]!, part) === null);
    expect(control).toHaveLength(13);
    // Parts that were under way before there was a start are no comparison.
    for (let i = 0; i < 100; i++) start.finished(asked, "zero", 2);
    for (const part of control) start.finished(part, "zero", 10);
    expect(start.pays()).toBe(true);
    for (let i = 0; i < 40; i++) start.finished(asked, "learned", 9);
    expect(start.pays()).toBe(true);
    for (let i = 0; i < 400; i++) start.finished(asked, "learned", 12);
    expect(start.pays()).toBe(false);
    expect(start.next(LAYERS[0]!, asked)).toBeNull();
  });

  it("is zero while little is known, and under the paper's preset; another layer profits from what is known", async () => {
    const start = new LearnedStart(opened.engine);
    const written = await writtenParts(opened.engine, memory.entries, VALUES);
    await start.learnAll(written.slice(0, 20));
    const asked = await features(start, "the garden");
    expect(start.next(LAYERS[0]!, asked)).toBeNull();
    await start.learnAll(written.slice(20));
    const [own, other] = [start.next(LAYERS[0]!, asked)!, start.next(layerIndex(0), asked)!];
    const cosine = own.reduce((sum, x, i) => sum + x * other[i]!, 0) / (norm(own) * norm(other));
    expect(cosine).toBeGreaterThan(0.9);
    expect(PAPER.start).toBe("zero");
  });
});
