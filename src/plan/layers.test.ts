import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Fact } from "../records/fact.ts";
import { charOffset, factId, layerIndex, type DocumentId, type LayerIndex } from "../records/ids.ts";
import { assignLayers, chooseLayers } from "./layers.ts";
import { PAPER } from "../records/params.ts";
import type { LayerProbe } from "../records/plan.ts";

const fact = (anchorOrder: number, index: number): Fact => {
  const documentId = "d" as DocumentId;
  const offset = charOffset(anchorOrder * 1000 + index);
  const anchor = `a${anchorOrder}`;
  return {
    id: factId(documentId, offset),
    documentId,
    anchor,
    anchorOrder,
    index,
    value: "v",
    offset,
  };
};
const tuple = (count: number): LayerIndex[] => Array.from({ length: count }, (_, i) => layerIndex(i * 2 + 1));
const loads = (layers: readonly LayerIndex[], used: readonly LayerIndex[]): number[] =>
  layers.map((layer) => used.filter((other) => other === layer).length);

describe("Eq. 2", () => {
  test("the first fact of anchor ι goes to λ at ι mod K, the next one layer further", () => {
    const planned = assignLayers(
      [fact(0, 1), fact(1, 1), fact(1, 2), fact(2, 1), fact(2, 2)],
      tuple(3),
      PAPER,
    );
    expect(planned.map(({ layer }) => layer)).toEqual([1, 3, 5, 5, 1]);
  });

  test("equals the formula with zero-based j", () => {
    const pair = fc.tuple(fc.nat(50), fc.integer({ min: 1, max: 30 }));
    fc.assert(
      fc.property(fc.array(pair), fc.integer({ min: 1, max: 12 }), (pairs, count) => {
        const layers = tuple(count);
        const planned = assignLayers(
          pairs.map(([order, index]) => fact(order, index)),
          layers,
          PAPER,
        );
        expect(planned.map(({ layer }) => layer)).toEqual(
          pairs.map(([iota, shown]) => layers[(iota + (shown - 1)) % count]),
        );
      }),
      { seed: 1 },
    );
  });

  test("spreads evenly: each anchor by itself, and anchors of equal depth together", () => {
    const size = fc.integer({ min: 1, max: 12 });
    fc.assert(
      fc.property(size, size, size, (count, anchors, depth) => {
        const layers = tuple(count);
        const all = Array.from({ length: anchors }, (_, a) =>
          Array.from({ length: depth }, (_, j) => fact(a, j + 1)),
        );
        for (const group of all) {
          const load = loads(
            layers,
            assignLayers(group, layers, PAPER).map(({ layer }) => layer),
          );
          expect(Math.max(...load) - Math.min(...load)).toBeLessThanOrEqual(1);
        }
        const load = loads(
          layers,
          assignLayers(all.flat(), layers, PAPER).map(({ layer }) => layer),
        );
        // The sum of `anchors` staggered windows of `depth` is even to within the shorter of the two remainders.
        const slack = Math.min(
          anchors % count,
          depth % count,
          count - (anchors % count),
          count - (depth % count),
        );
        expect(Math.max(...load) - Math.min(...load)).toBeLessThanOrEqual(Math.max(slack, 0));
      }),
      { numRuns: 300, seed: 2 },
    );
  });

  test("by the anchors' words: an anchor that is found before others moves none of their facts, and layers fill alike", () => {
    const layers = tuple(3);
    const byWords = { layersFrom: "words" } as const;
    const facts = Array.from({ length: 600 }, (_, a) => [1, 2].map((index) => fact(a, index))).flat();
    const placed = assignLayers(facts, layers, byWords);
    const later = facts.map((one) => ({ ...one, anchorOrder: one.anchorOrder + 1 }));
    expect(assignLayers(later, layers, byWords).map(({ layer }) => layer)).toEqual(
      placed.map(({ layer }) => layer),
    );
    expect(assignLayers(later, layers, PAPER)[0]!.layer).not.toBe(
      assignLayers(facts, layers, PAPER)[0]!.layer,
    );
    for (let i = 0; i < facts.length; i += 2)
      expect(layers.indexOf(placed[i + 1]!.layer)).toBe((layers.indexOf(placed[i]!.layer) + 1) % 3);
    // 600 anchors over three layers: 200 ± 12 is what chance gives.
    const load = loads(
      layers,
      placed.filter((_, i) => i % 2 === 0).map(({ layer }) => layer),
    );
    for (const facts of load) expect(Math.abs(facts - 200)).toBeLessThan(50);
  });

  test("needs a layer only where there are facts", () => {
    expect(assignLayers([], [], PAPER)).toEqual([]);
    expect(() => assignLayers([fact(0, 1)], [], PAPER)).toThrow(/1 facts and no storage layer/);
  });
});

describe("choosing layers", () => {
  const probe = (layer: number, exactRate: number, fidelity = exactRate, cost = 1): LayerProbe => ({
    layer: layerIndex(layer),
    exactRate,
    fidelity,
    cost,
  });

  test("by exact rate, then fidelity, then layer, whatever it cost; the tuple ascends", () => {
    const plan = chooseLayers(
      [probe(0, 0.2), probe(1, 0.9, 0.95, 8), probe(2, 0.9, 0.95, 2), probe(3, 0.9, 0.99, 9), probe(4, 0.5)],
      3,
    );
    expect(plan.choices.map(({ layer }) => layer)).toEqual([3, 1, 2, 4, 0]);
    expect(plan.layers).toEqual([1, 2, 3]);
  });

  test("among equals by what encoding works there", () => {
    const worked = (layer: number, work: number): LayerProbe => ({ ...probe(layer, 1), work });
    const plan = chooseLayers([worked(0, 36), worked(1, 20), worked(2, 9), worked(3, 9), probe(4, 0.9)], 3);
    expect(plan.choices.map(({ layer }) => layer)).toEqual([2, 3, 1, 0, 4]);
    expect(plan.choices[0]!.why).toBe(
      "rank 1 of K = 3: exact 100 % of 8, fidelity 100 %, 9 layers run a fact",
    );
    expect(plan.layers).toEqual([1, 2, 3]);
  });

  test("says why for each layer", () => {
    const plan = chooseLayers(
      [probe(5, 1, 1, 0.1234), probe(6, 0.5), probe(7, 0, 0.4), probe(8, Number.NaN)],
      1,
    );
    expect(plan.choices.map(({ why }) => why)).toEqual([
      "rank 1 of K = 1: exact 100 % of 8, fidelity 100 %, cost 0.123",
      "left out: rank 2, beyond K = 1; exact 50 % of 8, fidelity 50 %, cost 1",
      "left out: rank 3, beyond K = 1; exact 0 % of 8, fidelity 40 %, cost 1",
      "left out: the probe gave no number here",
    ]);
  });

  test("a layer that reproduced nothing is left out while another did", () => {
    const plan = chooseLayers([probe(0, 0.1), probe(1, 0, 0.9)], 2);
    expect(plan.layers).toEqual([0]);
    expect(plan.choices[1]!.why).toMatch(/no probe fact was exact/);
  });

  test("with no exact layer the nearest stand in, and the plan says so", () => {
    const plan = chooseLayers([probe(0, 0, 0.1), probe(1, 0, 0.9), probe(2, 0, Number.NaN)], 2);
    expect(plan.layers).toEqual([0, 1]);
    expect(plan.choices[0]!.why).toMatch(/no layer was exact/);
  });

  test("with a share, layers far below the best are left out, with the number they missed", () => {
    const plan = chooseLayers([probe(0, 0.8), probe(1, 0.7), probe(2, 0.5)], 3, 0.75);
    expect(plan.layers).toEqual([0, 1]);
    expect(plan.choices[2]!.why).toMatch(/^left out: rank 3, below the 60 % that this preset asks for/);
  });

  test("refuses what makes no choice", () => {
    expect(() => chooseLayers([], 1)).toThrow(/no layer was probed/);
    expect(() => chooseLayers([probe(0, 1), probe(0, 1)], 1)).toThrow(/layer 0 was probed twice/);
    expect(() => chooseLayers([probe(0, 1)], 0)).toThrow(/K is 0/);
    expect(() => chooseLayers([probe(0, Number.NaN)], 1)).toThrow(/no usable number/);
  });
});
