import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ExtractedFact } from "../records/fact.ts";
import { charOffset, factId, type DocumentId } from "../records/ids.ts";
import { allocate, planBudget } from "./budget.ts";

const DOCUMENT = "d" as DocumentId;

/** Facts in source order from a list of anchor names; a trailing "+" marks a model-validated one. */
function facts(names: readonly string[]): ExtractedFact[] {
  const orders = new Map<string, number>();
  const counts = new Map<string, number>();
  return names.map((name, i) => {
    const anchor = name.replace("+", "");
    if (!orders.has(anchor)) orders.set(anchor, orders.size);
    counts.set(anchor, (counts.get(anchor) ?? 0) + 1);
    const offset = charOffset(i * 10);
    return {
      id: factId(DOCUMENT, offset),
      documentId: DOCUMENT,
      anchor,
      anchorOrder: orders.get(anchor)!,
      index: counts.get(anchor)!,
      value: `${anchor} ${i}`,
      offset,
      validated: name.endsWith("+"),
    };
  });
}

const kept = (names: readonly string[], depth: number, layers: number, capacity: number): string[] =>
  allocate(facts(names), { depth, layers, capacity }).facts.map(
    (fact) => `${fact.anchor}${fact.index}@${fact.offset / 10}`,
  );

/** The paper's paragraph, sentence by sentence, as slowly as it can be said: offsets that stay. */
function oracle(all: readonly ExtractedFact[], depth: number, layers: number, capacity: number): number[] {
  const anchors = [...new Set(all.map((fact) => fact.anchor))];
  const budget = Math.min(depth * anchors.length, layers * capacity);
  const of = (anchor: string): ExtractedFact[] => all.filter((fact) => fact.anchor === anchor);
  const latest = (anchor: string, n: number): ExtractedFact[] => {
    const sorted = [...of(anchor)].sort((a, b) => b.offset - a.offset);
    return sorted.slice(0, n);
  };
  if (anchors.length === 0) return [];
  if (anchors.length <= budget) {
    const share = Math.floor(budget / anchors.length);
    return anchors.flatMap((anchor) => latest(anchor, share)).map((fact) => fact.offset);
  }
  const remaining = [...anchors];
  const chosen: number[] = [];
  for (let n = 0; n < budget; n += 1) {
    const validated = (anchor: string): number => of(anchor).filter((fact) => fact.validated).length;
    let best = remaining[0]!;
    for (const anchor of remaining) {
      if (validated(anchor) > validated(best)) best = anchor;
      else if (validated(anchor) === validated(best) && of(anchor).length > of(best).length) best = anchor;
    }
    chosen.push(latest(best, 1)[0]!.offset);
    remaining.splice(remaining.indexOf(best), 1);
  }
  return chosen;
}

describe("Eq. 1", () => {
  test.each([
    [
      { anchors: 10, depth: 14, layers: 12, capacity: 4096 },
      { facts: 140, bound: "information", perAnchor: 14 },
    ],
    [
      { anchors: 10, depth: 14, layers: 2, capacity: 20 },
      { facts: 40, bound: "capacity", perAnchor: 4 },
    ],
    [
      { anchors: 10, depth: 14, layers: 2, capacity: 70, stored: 40, vectorsPerFact: 2.5 },
      { facts: 40, bound: "capacity", perAnchor: 4 },
    ],
    [
      { anchors: 10, depth: 14, layers: 2, capacity: 7 },
      { facts: 14, bound: "capacity", perAnchor: 1 },
    ],
    [
      { anchors: 10, depth: 14, layers: 1, capacity: 3 },
      { facts: 3, bound: "capacity", perAnchor: 1 },
    ],
    [
      { anchors: 0, depth: 14, layers: 12, capacity: 4096 },
      { facts: 0, bound: "information", perAnchor: 0 },
    ],
  ])("%j", ({ anchors, ...inputs }, expected) => {
    expect(planBudget(anchors, inputs)).toEqual({ anchors, ...inputs, ...expected });
  });

  test("refuses numbers that make no budget, by name", () => {
    expect(() => planBudget(3, { depth: 0, layers: 1, capacity: 1 })).toThrow(/retention depth \(m̂\) is 0/);
    expect(() => planBudget(3, { depth: 1, layers: 1.5, capacity: 1 })).toThrow(
      /storage layers \(K\) is 1.5/,
    );
    expect(() => planBudget(3, { depth: 1, layers: 1, capacity: Number.NaN })).toThrow(
      /capacity \(C\) is NaN/,
    );
  });
});

describe("allocation", () => {
  test("every anchor fits: the latest facts stay, counted anew in source order", () => {
    expect(kept(["a", "b", "a", "a", "b"], 2, 12, 4096)).toEqual(["b1@1", "a1@2", "a2@3", "b2@4"]);
  });

  test("the share of one anchor is not given to another", () => {
    // B = min(3 * 2, 5) = 5, m = 2: "b" has one fact, and "a" still keeps two.
    expect(kept(["a", "a", "a", "b"], 3, 1, 5)).toEqual(["a1@1", "a2@2", "b1@3"]);
  });

  test("too many anchors: validated facts rank first, then all facts, then extraction order", () => {
    expect(kept(["a", "b", "b", "c+", "d", "d"], 14, 1, 1)).toEqual(["c1@3"]);
    expect(kept(["a", "b", "b", "c+", "d", "d"], 14, 1, 2)).toEqual(["b1@2", "c1@3"]);
    expect(kept(["a", "b", "b", "c+", "d", "d"], 14, 1, 3)).toEqual(["b1@2", "c1@3", "d1@5"]);
  });

  test("kept anchors keep ι of the extraction", () => {
    const { facts: left } = allocate(facts(["a", "b", "b", "c+", "d", "d"]), {
      depth: 14,
      layers: 1,
      capacity: 3,
    });
    expect(left.map((fact) => [fact.anchor, fact.anchorOrder])).toEqual([
      ["b", 1],
      ["c", 2],
      ["d", 3],
    ]);
  });

  test("an empty extraction set produces empty memory", () => {
    expect(allocate([], { depth: 14, layers: 12, capacity: 4096 }).facts).toEqual([]);
  });

  test("equals the slow oracle, never passes B, keeps source order and dense indices", () => {
    const names = fc.array(fc.constantFrom("a", "b", "c", "d", "e", "a+", "b+", "d+", "e+"), {
      maxLength: 40,
    });
    const small = fc.integer({ min: 1, max: 6 });
    fc.assert(
      fc.property(names, small, small, small, (list, depth, layers, capacity) => {
        const all = facts(list);
        const { budget, facts: left } = allocate(all, { depth, layers, capacity });
        const offsets = left.map((fact) => fact.offset as number);
        expect(offsets).toEqual(oracle(all, depth, layers, capacity).toSorted((a, b) => a - b));
        expect(left.length).toBeLessThanOrEqual(budget.facts);
        expect(budget.perAnchor).toBeLessThanOrEqual(depth);
        for (const { anchor } of left) {
          const indices = left.filter((fact) => fact.anchor === anchor).map((fact) => fact.index);
          expect(indices).toEqual(indices.map((_, i) => i + 1));
        }
      }),
      { numRuns: 500, seed: 11 },
    );
  });

  test("spare room is given on: as many facts of every anchor as fit, and all where all do", () => {
    const names = [..."aaaaaabbbcd"];
    const perAnchor = (capacity: number, depth: number, spareRoom = true): number =>
      allocate(facts(names), { depth, layers: 1, capacity, spareRoom }).budget.perAnchor;
    // Eleven facts of four anchors: equal shares of nine places are two each, of which c and d take one.
    expect(perAnchor(9, 6, false)).toBe(2);
    expect(perAnchor(8, 6)).toBe(3);
    expect(perAnchor(9, 6)).toBe(4);
    expect(perAnchor(10, 6)).toBe(5);
    expect(perAnchor(11, 6)).toBe(6);
    expect(perAnchor(11, 14)).toBe(14);
    expect(perAnchor(10, 4)).toBe(4);
    expect(perAnchor(3, 6)).toBe(perAnchor(3, 6, false));
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(..."abcdef"), { maxLength: 40 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 60 }),
        (some, depth, capacity) => {
          const all = facts(some);
          const [equal, given] = [false, true].map((spareRoom) =>
            allocate(all, { depth, layers: 1, capacity, spareRoom }),
          );
          expect(given!.facts.length).toBeLessThanOrEqual(capacity);
          const ids = new Set(given!.facts.map(({ id }) => id));
          for (const { id } of equal!.facts) expect(ids.has(id)).toBe(true);
          // One more of every anchor does not fit, or is not there, or m̂ forbids it.
          const { perAnchor, facts: B, anchors } = given!.budget;
          const sizes = [...new Set(some)].map((anchor) => some.filter((one) => one === anchor).length);
          const more = sizes.reduce((sum, size) => sum + Math.min(size, perAnchor + 1), 0);
          if (anchors <= B && perAnchor < depth && more > given!.facts.length)
            expect(more).toBeGreaterThan(B);
        },
      ),
    );
  });
});
