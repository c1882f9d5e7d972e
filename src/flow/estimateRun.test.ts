import { describe, expect, it } from "vitest";
import { fakeEngine, fakeValues } from "../engine/testing/fakeEngine.ts";
import { makeDocument } from "../ingest/text.ts";
import { layerIndex } from "../records/ids.ts";
import type { MemoryHead } from "../records/memory.ts";
import { SHARP, type MethodParams } from "../records/params.ts";
import type { FlowContext } from "./context.ts";
import { estimateRun, ruleFacts } from "./estimateRun.ts";
import { context } from "./testing/runs.ts";

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
const found = await ruleFacts([makeDocument("a text", TEXT)], SHARP);
const estimated = (
  params: Partial<MethodParams>,
  more: Partial<FlowContext> = {},
  stored: Pick<MemoryHead, "params" | "layers" | "vectors"> | null = null,
) => estimateRun(context(engine, { params: { ...SHARP, ...params }, ...more }), found, stored, {});

describe("the estimate before a run", () => {
  it("counts the very parts: 7 words and 12 as 2 + 3 vectors of at most 5, in place of 1 + 1", async () => {
    expect(found.facts.length).toBe(2);
    const { dModel, dFf } = engine.model;
    const [cut, whole] = [await estimated({ partTokens: 5 }), await estimated({ partTokens: null })];
    // Levels of 8 bits with a scale, and float16.
    expect(cut.bytes - whole.bytes).toBe(3 * (dFf + 4 + 2 * dModel));
    expect(cut.work.encode).toBeCloseTo(whole.work.encode!, 6);
  });

  it("takes the given layers, which are not probed", async () => {
    const given = [layerIndex(1)];
    const { work, budget, planned } = await estimated({}, { layers: given });
    expect([work.layers, budget.layers]).toEqual([0, 1]);
    expect(new Set(planned.map(({ layer }) => layer))).toEqual(new Set(given));
  });

  it("counts the layers that are still to be probed, and takes those that a full probe chose", async () => {
    const probe = (layer: number, exactRate: number) => ({
      ...{ layer: layerIndex(layer), exactRate, fidelity: exactRate, cost: 1 },
    });
    const [all, two] = [await estimated({}), await estimated({}, { probed: [probe(1, 1)] })];
    expect(two.work.layers).toBeGreaterThan(0);
    expect(two.work.layers).toBeLessThan(all.work.layers!);
    const { work, budget, planned } = await estimated(
      {},
      { probed: [probe(0, 1), probe(1, 0.1), probe(2, 0.9)] },
    );
    expect([work.layers, budget.layers]).toEqual([0, 2]);
    expect(planned.every(({ layer }) => layer !== 1)).toBe(true);
  });

  it("asks the model for nothing that rules do", async () => {
    expect((await estimated({ anchors: "rules" })).work).toMatchObject({ anchors: 0, questions: 0 });
    const asking = { anchors: "model", questionsPerFact: 3 } as const;
    expect((await estimated(asking)).work).toMatchObject({ anchors: 2, questions: 2 });
    expect((await estimated({ anchors: "model" })).work).toMatchObject({ anchors: 2, questions: 0 });
    expect((await estimated({ factVectors: false })).work.routing).toBe(0);
    expect((await estimated({ routing: "fused" })).work.routing).toBe(19);
    expect((await estimated({ factVectors: true })).work.routing).toBe(38);
    expect((await estimated({ read: "top1" })).work.readBack).toBe(0);
  });

  it("reads back all vectors at the end under the soft read", async () => {
    const stored = { params: SHARP, layers: [layerIndex(0)], sources: [], facts: 3, vectors: 7 };
    expect((await estimated({ read: "top1" }, {}, stored)).work.readBack).toBe(0);
    expect((await estimated({ read: "soft", partTokens: 5 })).work.readBack).toBe(5);
    expect((await estimated({ read: "soft", partTokens: 5 }, {}, stored)).work.readBack).toBe(12);
  });

  it("takes the last layers until a probe has chosen: a probe prefers them if all recall alike", async () => {
    const layersOf = async (layers: number) =>
      [...new Set((await estimated({ layers })).planned.map(({ layer }) => layer))].toSorted();
    expect(await layersOf(1)).toEqual([2]);
    expect(await layersOf(2)).toEqual([1, 2]);
  });
});
