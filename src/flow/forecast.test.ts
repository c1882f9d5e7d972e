import { describe, expect, it } from "vitest";
import { fakeEngine, fakeValues } from "../engine/testing/fakeEngine.ts";
import { makeDocument } from "../ingest/text.ts";
import { layerIndex } from "../records/ids.ts";
import { SHARP, type MethodParams } from "../records/params.ts";
import { forecast, ruleFacts } from "./forecast.ts";

const TEXT = "Sandra went to the hallway at noon. Mary left the lantern in the north tower at dusk in 1901.";

/** An engine whose tokens are words. */
function wordEngine() {
  const words: string[] = [];
  const idOf = (word: string): number => (words.includes(word) ? words.indexOf(word) : words.push(word) - 1);
  const values = fakeValues({
    encode: (text) => text.split(" ").filter(Boolean).map(idOf),
    decode: (ids) => ids.map((id) => words[id]).join(" "),
  });
  return fakeEngine(values).engine;
}

const engine = wordEngine();
const found = await ruleFacts([makeDocument("a text", TEXT)], SHARP, () => 0);
const foreseen = (params: Partial<MethodParams>, more: Partial<Parameters<typeof forecast>[1]> = {}) =>
  forecast(found, { engine, params: { ...SHARP, ...params }, stored: null, probed: [], ...more });

describe("the forecast before a run", () => {
  it("counts the very parts: 7 words and 12 as 2 + 3 vectors of at most 5, in place of 1 + 1", () => {
    expect(found.facts.length).toBe(2);
    const lengths = (partTokens: number | null) =>
      foreseen({ partTokens })
        .work.parts.flatMap(({ tokens, count }) => Array<number>(count).fill(tokens))
        .sort((a, b) => a - b);
    expect(lengths(null)).toEqual([7, 12]);
    expect(lengths(5)).toHaveLength(5);
    expect(lengths(5).reduce((a, b) => a + b)).toBe(19);
    const { dModel, dFf } = engine.model;
    const bytes = foreseen({ partTokens: 5 }).bytes - foreseen({ partTokens: null }).bytes;
    // Levels of 8 bits with a scale beside them, and float16.
    expect(bytes).toBe(3 * (dFf + 4 + 2 * dModel));
  });

  it("knows the layers that a probe cell gave, and that nothing is probed then", () => {
    const given = [layerIndex(1)];
    const { work, budget } = foreseen({}, { layers: given });
    expect([work.probes, budget.layers]).toEqual([[], 1]);
    expect(new Set(work.parts.map(({ layer }) => layer))).toEqual(new Set(given));
  });

  it("counts the layers that are still to be probed, and those that a full probe chose", () => {
    expect(foreseen({}).work.probes).toEqual([0, 1, 2]);
    const probe = (layer: number, exactRate: number) => ({
      ...{ layer: layerIndex(layer), exactRate, fidelity: exactRate, cost: 1 },
    });
    expect(foreseen({}, { probed: [probe(1, 1)] }).work.probes).toEqual([0, 2]);
    const { work, budget } = foreseen({}, { probed: [probe(0, 1), probe(1, 0.1), probe(2, 0.9)] });
    expect([work.probes, budget.layers]).toEqual([[], 2]);
    expect(work.parts.every(({ layer }) => layer !== 1)).toBe(true);
  });

  it("asks the model for nothing where rules do it", () => {
    expect(foreseen({ anchors: "rules" }).work).toMatchObject({ proposals: 0, questions: 0 });
    expect(foreseen({ anchors: "model" }).work).toMatchObject({ proposals: 2, questions: 2 });
    expect(foreseen({ factVectors: false }).work.embedded).toBe(19);
    expect(foreseen({ factVectors: true }).work.embedded).toBe(38);
    expect(foreseen({ read: "top1" }).work.readBack).toBe(0);
  });

  it("reads back all that is stored then, where the vectors of a layer are mixed", () => {
    const stored = { params: SHARP, layers: [layerIndex(0)], sources: [], facts: 3, vectors: 7 };
    expect(foreseen({ read: "top1" }, { stored }).work.readBack).toBe(0);
    expect(foreseen({ read: "soft", partTokens: 5 }).work.readBack).toBe(5);
    expect(foreseen({ read: "soft", partTokens: 5 }, { stored }).work.readBack).toBe(12);
  });

  it("takes parts to lie at the last layers while a probe is to choose: it prefers them where all recall alike", () => {
    const layersOf = (layers: number) =>
      [...new Set(foreseen({ layers }).work.parts.map(({ layer }) => layer))].toSorted();
    expect(layersOf(1)).toEqual([2]);
    expect(layersOf(2)).toEqual([1, 2]);
  });

  it("tells how many parts will begin at what the memory has learnt", async () => {
    const sentences = Array.from({ length: 90 }, (_, i) => `Mary left lantern ${i} in the north tower.`);
    const many = await ruleFacts([makeDocument("many", sentences.join(" "))], SHARP, () => 0);
    const starts = (params: Partial<MethodParams>, vectors: number | null) => {
      const stored =
        vectors === null
          ? null
          : { params: SHARP, layers: [layerIndex(0)], sources: [], facts: vectors, vectors };
      const all = { ...SHARP, anchors: "rules" as const, depth: 100, ...params };
      const { parts } = forecast(many, { engine, params: all, stored, probed: [] }).work;
      const sum = (of: (part: (typeof parts)[number]) => number): number =>
        parts.reduce((total, part) => total + of(part), 0);
      return { zero: sum(({ count, learned = 0 }) => count - learned), all: sum(({ count }) => count) };
    };
    const fresh = starts({}, null);
    expect(fresh.all).toBeGreaterThan(80);
    // 32 to learn from, those that share a batch with them, and one in 16 of the others.
    expect(fresh.zero).toBeCloseTo(56 + (fresh.all - 56) / 16, 6);
    expect(starts({}, 100).zero).toBeCloseTo(fresh.all / 16, 6);
    expect(starts({ warmStart: "none" }, 100).zero).toBe(fresh.all);
  });
});
