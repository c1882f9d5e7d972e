import { describe, expect, it } from "vitest";
import { layerIndex } from "../../../src/records/ids.ts";
import { SHARP } from "../../../src/records/params.ts";
import type { BenchRecord } from "./record.ts";
import { summary } from "./summarize.ts";

const warmUp = { sessions: 12, creation: 800, milliseconds: 2300 };
const outcome = { steps: 5, exact: true, fidelity: 1, deltaNorm: 3 };

const record = (change: Partial<BenchRecord> = {}): BenchRecord => ({
  format: "palimpsest bench:encode 1",
  circumstances: {
    commit: "abc1234",
    date: "2026-11-21T15:00:00.000Z",
    node: "v20.20.2",
    processor: "P x 2",
  },
  capabilities: {
    backend: "cpu",
    description: "P, 2 threads",
    f16: true,
    threads: 2,
    limits: {},
    runtime: "ort",
  },
  model: {
    name: "m",
    architecture: "Qwen3ForCausalLM",
    sha256: "",
    layers: 6,
    dModel: 8,
    dFf: 16,
    vocabulary: 9,
    window: 99,
  },
  params: SHARP,
  source: { babi: 2, made: 0 },
  layers: [1],
  naive: { factsPerSecond: 2, passes: [2, 2], exact: 1, fidelity: 0.9, steps: 40, warmUp },
  ours: { factsPerSecond: 60, passes: [60, 60, 60], exact: 2, fidelity: 1, steps: 5, warmUp },
  ratio: 30,
  peer: null,
  byLayer: [
    {
      layer: 1,
      facts: 2,
      naive: { factsPerSecond: 2, exact: 1, steps: 40 },
      ours: { exact: 2, steps: 5 },
    },
  ],
  recall: { facts: 24, layers: 5, one: 50, many: 140, ratio: 2.8, repeats: 9, exact: 24 },
  repeatable: true,
  facts: [1, 2].map((index) => ({
    key: `Mary (${index})`,
    value: "Mary went home.",
    layer: layerIndex(1),
    tokens: 5,
    naive: { ...outcome, milliseconds: 500 },
    ours: outcome,
  })),
  ...change,
});

describe("the summary of a run", () => {
  it("says both speeds, the ratio, and that the bars are met", () => {
    const text = summary(record());
    expect(text).toMatch(/naive +2\.00 +500 +1\/2 +0\.900 +40\.0/);
    expect(text).toMatch(/sharp +60\.00 +17 +2\/2 +1\.000 +5\.0/);
    expect(text).toMatch(/ratio +30\.00.*: met, equal or better exactness/);
    expect(text).toMatch(/24 facts of 5 layers 140 ms: 2\.80 times .*met/);
    expect(text).not.toMatch(/MISSED|WORSE|DID NOT/);
  });

  it("has the peer next to them, or says that it is absent", () => {
    expect(summary(record())).toContain("PyTorch is not installed here");
    const peer = { torch: "2.1", parts: 9, partsPerSecond: 4, oursPerSecond: 80, ratio: 20, exact: 8 };
    expect(summary(record({ peer }))).toContain(
      "PyTorch 2.1, the same 9 parts: 4.0 a second, 8 exact; sharp 80.0 a second, 20.0 times (bar: at least 15, met)",
    );
  });

  it("keeps the warm-up out of the speeds and shows it", () => {
    expect(summary(record())).toContain("12 sessions 0.8 s, first run 1.5 s");
  });

  it("says when a bar is missed, and does not accept speed for exactness", () => {
    expect(summary(record({ ratio: 24.9 }))).toContain("MISSED, equal or better");
    const worse = record({ naive: { ...record().naive, exact: 2 }, ours: { ...record().ours, exact: 1 } });
    expect(summary(worse)).toContain("MISSED, WORSE exactness");
    const slow = record({ recall: { ...record().recall, ratio: 3.1 } });
    expect(summary(slow)).toMatch(/3\.10 times \(bar: at most 3, MISSED\)/);
  });

  it("says when the passes did not agree", () => {
    expect(summary(record({ repeatable: false }))).toContain("DID NOT give the same residuals");
  });
});
