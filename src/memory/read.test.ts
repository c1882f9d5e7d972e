/** @file Eq. 4 on the host and in the graph against the formulas written out. */

import { afterAll, describe, expect, it } from "vitest";
import { parseConfig } from "../graph/models/config.ts";
import { similarityProgram } from "../graph/programs/gatedRead.ts";
import { compile, endCpu, f32 } from "../graph/testing/run.ts";
import { randomConfig, vector } from "../engine/testing/models.ts";
import { charOffset, documentId, factId } from "../records/ids.ts";
import { tracedRead } from "./read.ts";

afterAll(endCpu);

const ids = Array.from({ length: 300 }, (_, i) => ({ id: factId(documentId("d"), charOffset(i)), part: 1 }));

/** Eq. 4b as it stands, in float64. */
function weightsOf(similarity: Float32Array, beta: number): number[] {
  const exp = Array.from(similarity, (s) => Math.exp(beta * s));
  const sum = exp.reduce((a, b) => a + b, 0);
  return exp.map((e) => e / sum);
}

describe("the trace of a read", () => {
  it("takes a key that has no cosine for the farthest: the others' gate opens as without it", () => {
    const read = tracedRead(
      ids.slice(0, 2),
      new Float32Array([NaN, 0.9]),
      { read: "top1", theta: 0.6, beta: 50 },
      [7],
    );
    expect(read).toMatchObject({ winner: ids[1]!.id, gateOpen: true, openPositions: [7] });
    expect(read.similarity).toBeCloseTo(0.9);
    expect(read.competitors[1]).toMatchObject({ id: ids[0]!.id, similarity: -1 });
  });

  it.each([
    [1, 50],
    [3, 50],
    [300, 50],
    [300, 5],
  ])("of %s entries at beta %s names the strongest five with the weights of Eq. 4b", (count, beta) => {
    const similarity = vector(count, count);
    const entries = ids.slice(0, count);
    const read = tracedRead(entries, similarity, { read: "top1", theta: 0.6, beta }, [7]);
    const weights = weightsOf(similarity, beta);
    const order = [...entries.keys()].sort((a, b) => similarity[b]! - similarity[a]! || a - b).slice(0, 5);
    expect(read.competitors.map(({ id }) => id)).toEqual(order.map((i) => entries[i]!.id));
    for (const [n, i] of order.entries()) {
      expect(read.competitors[n]!.similarity).toBe(similarity[i]);
      expect(read.competitors[n]!.weight).toBeCloseTo(weights[i]!, 10);
    }
    const best = Math.max(...similarity);
    expect(read).toMatchObject({ similarity: best, winner: entries[order[0]!]!.id, gateOpen: best > 0.6 });
    expect(read.openPositions).toEqual(best > 0.6 ? [7] : []);
  });

  it("opens above theta and not at it, and the first of equals wins", () => {
    const at = (...s: number[]) =>
      tracedRead(ids, Float32Array.from(s), { read: "top1", theta: 0.5, beta: 50 }, [1]);
    expect(at(0.5, 0.25).gateOpen).toBe(false);
    expect(at(0.25, 0.5000001).gateOpen).toBe(true);
    expect(at(0.75, 0.75, 0.75).winner).toBe(ids[0]!.id);
    expect(at(0.75, 0.75).competitors.map(({ weight }) => weight)).toEqual([0.5, 0.5]);
  });

  it("stays finite where the plain formula overflows", () => {
    const read = tracedRead(ids, Float32Array.of(1, 0.5), { read: "soft", theta: 0.6, beta: 5000 }, []);
    expect(read.competitors.map(({ weight }) => weight)).toEqual([1, 0]);
  });

  it("keeps the gate closed for an activation that is not a number", () => {
    expect(
      tracedRead(ids, Float32Array.of(NaN, NaN), { read: "top1", theta: 0.6, beta: 50 }, [1]),
    ).toMatchObject({ gateOpen: false, openPositions: [] });
  });
});

describe("the similarity program", () => {
  it("is the cosine of what lies behind the centre to unit keys, and 0 for the centre itself", async () => {
    const config = parseConfig(randomConfig("Qwen3ForCausalLM"));
    const [batch, entries, width] = [3, 40, config.dFf];
    const queries = vector(batch * width, 1, 30);
    const middle = vector(width, 3);
    queries.set(middle, 2 * width);
    const keys = vector(entries * width, 2);
    for (let i = 0; i < entries; i++) {
      const row = keys.subarray(i * width, (i + 1) * width);
      const norm = Math.hypot(...row);
      row.forEach((v, j) => (row[j] = v / norm));
    }
    const run = await compile(similarityProgram(config, batch));
    const centre = f32([1, width], middle);
    const { similarity } = await run({
      queries: f32([batch, width], queries),
      keys: f32([entries, width], keys),
      centre,
    });
    for (let q = 0; q < batch; q++)
      for (let e = 0; e < entries; e++) {
        const [x, k] = [
          queries.slice(q * width, (q + 1) * width).map((v, j) => v - middle[j]!),
          keys.subarray(e * width, (e + 1) * width),
        ];
        const dot = x.reduce((sum, v, j) => sum + v * k[j]!, 0);
        const expected = q === 2 ? 0 : dot / (Math.hypot(...x) * Math.hypot(...k));
        expect(Number(similarity!.data[q * entries + e])).toBeCloseTo(expected, 5);
      }
  });
});
