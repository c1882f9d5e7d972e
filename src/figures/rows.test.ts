/** @file The numbers of every figure agree with the records they are drawn from. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assignLayers } from "../plan/layers.ts";
import { charOffset, documentId, factId, layerIndex } from "../records/ids.ts";
import type { PartRow } from "../records/notebook.ts";
import { PAPER } from "../records/params.ts";
import type { AnchorVerdict, LensTrace, RecallTrace, SentenceVerdict, TracePass } from "../records/trace.ts";
import { curvesOf, lossCurves, stepsHistogram, factsPerLayer, roundRobin } from "./layers.ts";
import { extractionReasons } from "./extraction.ts";
import type { Source } from "./figure.ts";
import { competitorWeights, gateStrip, regate, lensGrid, tokenLogits } from "./gates.ts";

const SOURCE: Source = { at: "2026-01-01T00:00:00Z", backend: "cpu", model: "m@0", app: "0", run: "test" };
const sum = <T>(items: readonly T[], of: (item: T) => number) => items.reduce((n, item) => n + of(item), 0);

const factRow = fc.record({
  layer: fc.nat(6).map(layerIndex),
  exact: fc.boolean(),
  fidelity: fc.double({ min: 0, max: 1, noNaN: true }),
  steps: fc.nat(60),
  tokens: fc.integer({ min: 1, max: 40 }),
});
const factRows = fc.array(factRow, { maxLength: 80 });

describe("figures of facts", () => {
  it("every fact is counted once", () => {
    fc.assert(
      fc.property(factRows, fc.integer({ min: 1, max: 20 }), (facts, bins) => {
        const steps = stepsHistogram({ facts, bins }, SOURCE).rows;
        expect(sum(steps, ({ exact, inexact }) => exact + inexact)).toBe(facts.length);
        expect(sum(steps, ({ exact }) => exact)).toBe(facts.filter(({ exact }) => exact).length);
        for (const { steps: taken } of facts)
          expect(steps.filter(({ from, to }) => taken >= from && taken <= to)).toHaveLength(1);
        const layers = factsPerLayer({ facts, layers: [layerIndex(0)], capacity: 16 }, SOURCE).rows;
        expect(sum(layers, (row) => row.facts)).toBe(facts.length);
        expect(sum(layers, (row) => row.vectors)).toBe(facts.length);
      }),
    );
  });

  it("round-robin marks are where Eq. 2 puts the facts, and say so where one was moved", () => {
    const layers = [1, 3, 4].map(layerIndex);
    const document = documentId("00");
    const facts = Array.from({ length: 40 }, (_, i) => ({
      id: factId(document, charOffset(i)),
      documentId: document,
      anchor: `A${i % 7}`,
      anchorOrder: i % 7,
      index: Math.floor(i / 7) + 1,
      value: "",
      offset: charOffset(i),
    }));
    const placed = assignLayers(facts, layers, PAPER).map(({ fact, layer }) => ({ ...fact, layer }));
    const { rows } = roundRobin({ facts: placed, layers, limit: 100 }, SOURCE);
    expect(rows).toHaveLength(40);
    expect(rows.every(({ byEquation }) => byEquation)).toBe(true);
    const moved = placed.map((fact, i) => (i === 5 ? { ...fact, layer: layerIndex(9) } : fact));
    expect(
      roundRobin({ facts: moved, layers, limit: 100 }, SOURCE).rows.filter(({ byEquation }) => !byEquation),
    ).toHaveLength(1);
  });

  it("loss curves hold every loss, the band the facts of each step", () => {
    const losses = fc.array(fc.array(fc.double({ min: 0, max: 99, noNaN: true }), { maxLength: 20 }), {
      maxLength: 9,
    });
    fc.assert(
      fc.property(losses, (lists) => {
        const curves = lists.map((l, i) => ({
          id: factId(documentId("00"), charOffset(i)),
          key: `k${i}`,
          tokens: 4,
          losses: l,
        }));
        const rows = lossCurves({ curves, guided: 8, limit: Infinity }, SOURCE).rows;
        expect(rows).toHaveLength(sum(lists, (l) => l.length));
        expect(rows.filter(({ phase }) => phase === "guided").every(({ step }) => step <= 8)).toBe(true);
      }),
    );
  });

  it("a value in parts has a curve for each of its vectors, and each counts at its layer, under the part's key", () => {
    const [id, layer] = [factId(documentId("00"), charOffset(0)), layerIndex(2)];
    const part = (part: number, tokens: number, losses: number[]) => ({ part, tokens, losses });
    const parts = [part(1, 4, [8, 4]), part(3, 2, [6]), part(2, 1, [])];
    const curves = curvesOf([{ id, anchor: "Emma", index: 2 }], [parts]);
    expect(curves.map(({ key, tokens }) => [key, tokens])).toEqual([
      ["Emma (2)", 4],
      ["Emma (2.3)", 2],
      ["Emma (2.2)", 1],
    ]);
    const { rows, caption } = lossCurves({ curves, guided: 8 }, SOURCE);
    expect(rows.map(({ key, step, loss }) => [key, step, loss])).toEqual([
      ["Emma (2)", 1, 2],
      ["Emma (2)", 2, 1],
      ["Emma (2.3)", 1, 3],
    ]);
    expect(caption).toContain("3 of 3 vectors of 1 fact");
    const row = (layer: number): PartRow => ({
      part: 1,
      layer: layerIndex(layer),
      tokens: 1,
      steps: 1,
      exact: true,
      fidelity: 1,
      deltaNorm: 1,
      margin: 1,
    });
    const facts = [
      { layer, exact: true, parts: [row(2), row(2), row(4)] },
      { layer, exact: true },
    ];
    const layers = [2, 4].map(layerIndex);
    const counted = factsPerLayer({ facts, layers, capacity: 16 }, SOURCE).rows;
    expect(counted.map(({ layer, vectors }) => [layer, vectors])).toEqual([
      [2, 3],
      [4, 1],
    ]);
  });
});

describe("figures of a source", () => {
  const trace = fc
    .array(
      fc.tuple(fc.integer({ min: 5, max: 90 }), fc.constantFrom("entity", "numeral", "drop"), fc.boolean()),
      { maxLength: 60 },
    )
    .map((parts) => {
      let at = 0;
      const sentences: SentenceVerdict[] = [];
      const anchors: AnchorVerdict[] = [];
      for (const [length, kind, rejected] of parts) {
        const start = charOffset(at);
        at += length;
        const kept = kind !== "drop";
        sentences.push({
          start,
          end: charOffset(at - 1),
          reasons: kept ? [kind as "entity"] : [],
          dropped: kept ? null : "no factual signal",
          sample: `s${at}`,
        });
        const outcome = rejected ? "rejected" : "model";
        const proposal = rejected ? "x" : null;
        if (kept)
          anchors.push({
            start,
            anchor: "e",
            outcome,
            proposal,
            why: rejected ? "not in the sentence" : null,
            sample: "",
          });
      }
      return { title: "t", characters: at, sentences, anchors };
    });

  it("verdicts and proposals add up", () => {
    fc.assert(
      fc.property(trace, (t) => {
        const { rows } = extractionReasons(t, SOURCE);
        const total = (decided: string) =>
          sum(
            rows.filter((row) => row.decided === decided),
            (row) => row.count,
          );
        // One reason each here, so that the counts add up to all sentences.
        expect(total("candidates")).toBe(t.sentences.length);
        expect(total("anchors")).toBe(t.anchors.length);
      }),
    );
  });
});

const token = (id: number) => ({ id, text: ` t${id}` });

describe("gates from saved similarities", () => {
  // −0 is the same similarity as 0, but not to toBe, which would tell apart the two maxima of a row that holds both.
  const similarityValue = fc.double({ min: -1, max: 1, noNaN: true }).map((x) => x + 0);
  const madeTrace = fc.integer({ min: 1, max: 9 }).chain((n) =>
    fc.array(similarityValue, { minLength: 5 * n, maxLength: 5 * n }).map((similarity): RecallTrace => {
      const pass: TracePass = {
        fed: [0, 1, 2, 3, 4].map(token),
        similarity,
        decoded: [token(4), token(5)],
        text: "t4 t5",
        openPositions: [],
      };
      const store = Array.from({ length: n }, (_, i) => ({
        id: factId(documentId("0"), charOffset(i)),
        key: `k${i}`,
      }));
      return {
        id: store[0]!.id,
        key: "k0",
        layer: layerIndex(1),
        theta: 0.6,
        beta: 50,
        promptTokens: 4,
        keyPosition: 2,
        store,
        value: [token(4), token(6)],
        soft: pass,
        top1: pass,
      };
    }),
  );
  const gate = fc.record({
    theta: fc.double({ min: -1, max: 1, noNaN: true }),
    beta: fc.double({ min: 0.1, max: 100, noNaN: true }),
  });

  it("is Eq. 4, written out plainly", () => {
    fc.assert(
      fc.property(madeTrace, gate, (trace, { theta, beta }) => {
        const n = trace.store.length;
        const readings = regate(trace, trace.soft, { theta, beta }, n);
        for (const { position, best, open, competitors } of readings) {
          const row = Array.from({ length: n }, (_, i) => trace.soft.similarity[position * n + i]!);
          expect(best).toBe(Math.max(...row));
          expect(open).toBe(Math.max(...row) > theta);
          expect(sum(competitors, ({ weight }) => weight)).toBeCloseTo(1, 9);
          const total = row.reduce((s, x) => s + Math.exp(beta * x), 0);
          for (const { key, weight, similarity } of competitors) {
            expect(similarity).toBe(row[Number(key.slice(1))]);
            expect(weight).toBeCloseTo(Math.exp(beta * similarity) / total, 9);
          }
        }
      }),
    );
  });

  it("closing the gate closes positions, never opens one", () => {
    fc.assert(
      fc.property(madeTrace, gate, fc.double({ min: 0, max: 1, noNaN: true }), (trace, low, more) => {
        const open = (theta: number) =>
          gateStrip({ trace, read: "soft", gate: { ...low, theta } }, SOURCE)
            .rows.filter((row) => row.open)
            .map((row) => row.position);
        const few = open(low.theta + more);
        expect(open(low.theta)).toEqual(expect.arrayContaining(few));
        expect(
          gateStrip({ trace, read: "top1", gate: low }, SOURCE).rows.filter((row) => row.injected),
        ).toHaveLength(0);
      }),
    );
  });

  it("competitors are all keys, one of them the fact's own", () => {
    fc.assert(
      fc.property(madeTrace, (trace) => {
        const { rows } = competitorWeights(
          { trace, read: "soft", position: 2, gate: trace, count: 99 },
          SOURCE,
        );
        expect(rows.filter(({ own }) => own)).toHaveLength(1);
        expect(rows).toHaveLength(trace.store.length);
      }),
    );
  });
});

describe("reconstructions", () => {
  it("logits with δ come from the last layer with δ", () => {
    const standing = (logit: number, rank: number) => ({ logit, logProbability: -rank, rank });
    const layer = (i: number, logit: number, rank: number) => ({
      layer: layerIndex(i),
      right: standing(logit, rank),
      chosen: standing(9, 1),
      top: [{ ...token(1), logProbability: -0.1 }],
    });
    const step = {
      right: token(1),
      chosen: token(2),
      withDelta: [layer(0, 1, 9), layer(1, 7, 2)],
      withoutDelta: [layer(0, 1, 9), layer(1, -3, 40)],
    };
    const trace: LensTrace = {
      id: factId(documentId("0"), charOffset(0)),
      key: "k",
      layer: layerIndex(0),
      steps: [step],
    };
    expect(tokenLogits(trace, SOURCE).rows).toMatchObject([
      { exact: false, rightWith: 7, rightWithout: -3, rankWith: 2, rankWithout: 40, chosenWith: 9 },
    ]);
    expect(lensGrid({ lens: trace, withDelta: false }, SOURCE).rows.map(({ rank }) => rank)).toEqual([9, 40]);
  });
});
