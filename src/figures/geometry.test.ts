/** @file Geometry against slow, independent recomputation. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unit } from "../lib/vector.ts";
import { seeded } from "../lib/rng.ts";
import { charOffset, documentId, factId, layerIndex } from "../records/ids.ts";
import type { MemoryEntry, ModelIdentity } from "../records/memory.ts";
import { loadedBlocks, type VectorBlock } from "../records/vectors.ts";
import { margins, nearest, similarityMatrix, mapSet, umap, vectorMaps, pca2 } from "./map.ts";
import type { MapRequest } from "../records/geometry.ts";
import { quantile } from "../lib/stats.ts";
import { spreadIndices, wholeBins } from "./figure.ts";

const DOCUMENT = documentId("00112233445566778899");
const gauss = (random: () => number) =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** Made entries on two layers, keys of width d. */
function made(count: number, d = 12, seed = 1): MemoryEntry[] {
  const random = seeded(seed);
  const vector = (n: number) => Float32Array.from({ length: n }, () => gauss(random));
  return Array.from({ length: count }, (_, i) => ({
    id: factId(DOCUMENT, charOffset(i)),
    documentId: DOCUMENT,
    anchor: `A${i % 5}`,
    index: Math.floor(i / 5) + 1,
    offset: charOffset(i),
    part: 1,
    start: 0,
    layer: layerIndex(i % 2),
    tokens: 5,
    key: unit(vector(d)),
    residual: vector(7),
    report: { steps: 2, exact: true, fidelity: 1, recalled: null, deltaNorm: 1, margin: 1, losses: [1, 0.5] },
  }));
}

const cosine = (a: Float32Array, b: Float32Array) =>
  a.reduce((s, x, i) => s + x * b[i]!, 0) / Math.hypot(...a) / Math.hypot(...b);

describe("keys of a layer", () => {
  const entries = made(31);
  const layer1 = entries.filter(({ layer }) => layer === 1);

  it("similarity matrix holds every cosine", () => {
    const { keys, similarity, stored } = similarityMatrix(entries, 1, 100);
    expect(stored).toBe(15);
    for (const [i, a] of layer1.entries())
      for (const [j, b] of layer1.entries())
        expect(similarity[i * keys.length + j]).toBeCloseTo(cosine(a.key, b.key), 5);
  });

  it("is bounded by a spread sample that keeps both ends", () => {
    const { keys, stored } = similarityMatrix(entries, 1, 4);
    expect(stored).toBe(15);
    expect(keys).toHaveLength(4);
    expect(keys[0]).toBe(`${layer1[0]!.anchor} (${layer1[0]!.index})`);
    expect(keys[3]).toBe(`${layer1[14]!.anchor} (${layer1[14]!.index})`);
  });

  it("margins are one minus the nearest other key's cosine", () => {
    for (const { id, margin } of margins(entries, 1)) {
      const own = layer1.find((entry) => entry.id === id)!;
      const others = layer1.filter((entry) => entry !== own).map((entry) => cosine(own.key, entry.key));
      expect(margin).toBeCloseTo(1 - Math.max(...others), 5);
    }
    expect(margins(made(1), 0)).toMatchObject([{ rival: null, margin: null }]);
  });

  it("nearest facts: by key within the layer, by residual everywhere, a block at a time", async () => {
    const own = entries[4]!;
    const read: number[] = [];
    const blocks = loadedBlocks(entries).flatMap((block) =>
      [...block.entries.keys()].map((i): VectorBlock => ({
        layer: block.layer,
        entries: [block.entries[i]!],
        async read() {
          read.push(block.layer);
          return loadedBlocks(entries.filter((entry) => entry === block.entries[i]))[0]!.read();
        },
      })),
    );
    const kept = {
      entries,
      blocks,
      model: { dFf: own.key.length, dModel: own.residual.length } as ModelIdentity,
    };
    const byKey = await nearest(kept, own.id, "key", 3);
    expect(byKey.every(({ layer }) => layer === own.layer)).toBe(true);
    // Its own block once more.
    const sameLayer = entries.filter(({ layer }) => layer === own.layer);
    expect(read).toEqual(new Array(sameLayer.length + 1).fill(own.layer));
    const cosines = (by: "key" | "residual", among: readonly MemoryEntry[]) =>
      among
        .filter((entry) => entry !== own)
        .map((entry) => cosine(own[by], entry[by]))
        .sort((a, b) => b - a);
    const byResidual = await nearest(kept, own.id, "residual", 3);
    for (const [found, all] of [
      [byKey, cosines("key", sameLayer)],
      [byResidual, cosines("residual", entries)],
    ] as const) {
      expect(found).toHaveLength(3);
      for (const [i, { cosine }] of found.entries()) expect(cosine).toBeCloseTo(all[i]!, 5);
    }
    await expect(nearest({ ...kept, entries: [] }, own.id, "key", 3)).rejects.toThrow(/no fact/);
  });
});

describe("PCA", () => {
  it("agrees with the eigenvectors of the whole covariance matrix", () => {
    const random = seeded(4);
    // Close leading variances, which one vector at a time separates slowly.
    const scales = [5, 4.9, 4.6, 1, 1, 0.5, 0.1, 0.1, 0.1, 0.1];
    const rows = Array.from({ length: 80 }, () => scales.map((scale) => scale * gauss(random) + 3));
    const means = scales.map((_, i) => rows.reduce((sum, row) => sum + row[i]!, 0) / rows.length);
    const covariance = scales.map((_, i) =>
      scales.map((_, j) => rows.reduce((sum, row) => sum + (row[i]! - means[i]!) * (row[j]! - means[j]!), 0)),
    );
    const { explained, axes } = pca2(rows);
    const total = covariance.reduce((sum, row, i) => sum + row[i]!, 0);
    const times = (v: ArrayLike<number>) =>
      covariance.map((row) => row.reduce((sum, c, j) => sum + c * v[j]!, 0));
    // Power iteration, without the first direction for the second: slow, and sure.
    const largest = (without: readonly number[]): { lambda: number; v: number[] } => {
      let v = covariance.map((_, i) => 1 / (i + 1));
      for (let round = 0; round < 20_000; round++) {
        const away = without.reduce((sum, one, i) => sum + one * v[i]!, 0);
        const next = times(v.map((one, i) => one - away * (without[i] ?? 0)));
        const norm = Math.hypot(...next);
        v = next.map((one) => one / norm);
      }
      return { lambda: times(v).reduce((sum, one, i) => sum + one * v[i]!, 0), v };
    };
    const one = largest([]);
    const [first, second] = [one.lambda, largest(one.v).lambda];
    expect(explained[0]).toBeCloseTo(first / total, 8);
    expect(explained[1]).toBeCloseTo(second / total, 8);
    // C v = λ v, checked on the matrix itself, whoever found v.
    for (const [v, lambda] of [
      [axes[0], first],
      [axes[1], second],
    ] as const)
      for (const [i, row] of covariance.entries())
        expect(row.reduce((sum, c, j) => sum + c * v[j]!, 0)).toBeCloseTo(lambda * v[i]!, 3);
  });

  it("finds two planted directions in many dimensions", () => {
    const random = seeded(9);
    const d = 200;
    const rows = Array.from({ length: 40 }, () => {
      const row = new Float32Array(d).map(() => 0.01 * gauss(random));
      row[17]! += 10 * gauss(random);
      row[120]! += 3 * gauss(random);
      return row;
    });
    const { axes, points, explained } = pca2(rows);
    expect(Math.abs(axes[0][17]!)).toBeGreaterThan(0.99);
    expect(Math.abs(axes[1][120]!)).toBeGreaterThan(0.99);
    expect(explained[0] + explained[1]).toBeGreaterThan(0.99);
    expect(points).toHaveLength(40);
  });

  it.each([
    [[]],
    [[[1, 2, 3]]],
    [
      [
        [1, 2],
        [1, 2],
        [1, 2],
      ],
    ],
  ])("has an answer for %j", (rows) => {
    expect(pca2(rows).points).toEqual(rows.map(() => [0, 0]));
  });
});

describe("UMAP", () => {
  it("is the same for a seed, keeps two clusters apart, and reports", async () => {
    const random = seeded(2);
    const rows = Array.from({ length: 30 }, (_, i) =>
      Float32Array.from({ length: 16 }, (_, j) => (j === (i < 15 ? 0 : 1) ? 10 : gauss(random))),
    );
    const shares: number[] = [];
    const once = await umap(rows, 5, { onProgress: (share) => shares.push(share) });
    expect(await umap(rows, 5)).toEqual(once);
    expect(shares.at(-1)).toBe(1);
    const distance = (i: number, j: number) =>
      Math.hypot(once[i]![0]! - once[j]![0]!, once[i]![1]! - once[j]![1]!);
    const mean = (pairs: number[][]) =>
      pairs.reduce((sum, [i, j]) => sum + distance(i!, j!), 0) / pairs.length;
    const pairs = rows.flatMap((_, i) => rows.flatMap((_, j) => (i < j ? [[i, j]] : [])));
    const same = pairs.filter(([i, j]) => i! < 15 === j! < 15);
    expect(mean(pairs.filter((pair) => !same.includes(pair)))).toBeGreaterThan(2 * mean(same));
  });

  it("stops when cancelled, and refuses to mix the keys of layers", async () => {
    const request = { of: "residual", layer: null, method: "umap", limit: 100, seed: 1 } as const;
    const set = (changed: Partial<MapRequest> = {}) =>
      mapSet(made(20), { ...request, ...changed }, 1, async (shown) => shown.map(({ residual }) => residual));
    const signal = AbortSignal.abort();
    await expect(vectorMaps([await set()], request, { signal })).rejects.toThrow(/cancelled/);
    await expect(set({ of: "key" })).rejects.toThrow(/choose one layer/);
    const [map] = await vectorMaps([await set({ limit: 6 })], { ...request, method: "pca" });
    expect([map!.points.length, map!.available]).toEqual([6, 20]);
  });

  it("draws two sets in one projection, and spreads the points over both", async () => {
    const request = { of: "residual", layer: null, method: "pca", limit: 12, seed: 1 } as const;
    const [all, part] = [made(20), made(20).slice(5)];
    const drawn = async (limit: number) => {
      const sets = [all, part].map((entries) =>
        mapSet(entries, { ...request, limit }, 2, async (shown) => {
          expect(shown.length).toBeLessThanOrEqual(limit / 2);
          return shown.map(({ residual }) => residual);
        }),
      );
      return vectorMaps(await Promise.all(sets), request);
    };
    const [a, b] = await drawn(request.limit);
    expect([a!.points.length, b!.points.length, a!.available, b!.available]).toEqual([6, 6, 20, 15]);
    const whole = await drawn(100);
    for (const { id, x, y } of whole[1]!.points)
      expect(whole[0]!.points.find((point) => point.id === id)).toMatchObject({ x, y });
  });
});

describe("numbers", () => {
  const values = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 60 });
  it("quantiles lie in order between the ends", () => {
    fc.assert(
      fc.property(values, (numbers) => {
        const sorted = numbers.toSorted((a, b) => a - b);
        const five = [0, 0.25, 0.5, 0.75, 1].map((share) => quantile(sorted, share));
        expect([five[0], five[4]]).toEqual([sorted[0], sorted.at(-1)]);
        for (let i = 1; i < 5; i++) expect(five[i]!).toBeGreaterThanOrEqual(five[i - 1]! - 1e-9);
      }),
    );
    expect(quantile([1, 2, 3, 4], 0.5)).toBe(2.5);
  });

  it("bins cover every whole number once", () => {
    fc.assert(
      fc.property(fc.nat(300), fc.integer({ min: 1, max: 40 }), (largest, count) => {
        const bins = wholeBins(largest, count);
        expect(bins.length).toBeLessThanOrEqual(count);
        for (let n = 0; n <= largest; n++)
          expect(bins.filter(({ from, to }) => n >= from && n <= to)).toHaveLength(1);
      }),
    );
  });

  it("a spread keeps both ends, in order, without repeats", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 500 }), fc.integer({ min: 2, max: 60 }), (n, count) => {
        const chosen = spreadIndices(n, count);
        expect([chosen[0], chosen.at(-1)]).toEqual([0, n - 1]);
        expect(new Set(chosen).size).toBe(Math.min(n, count));
      }),
    );
  });
});
