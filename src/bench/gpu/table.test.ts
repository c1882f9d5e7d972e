import { expect, it } from "vitest";
import type { CaseFigures } from "./cases.ts";
import { FORMAT, type GpuCase, type Place } from "./record.ts";
import { table } from "./table.ts";

const figure = (value: number, ratio: number) => ({ value, limit: value * ratio, ratio });
const FIGURES: CaseFigures = {
  weights: 6.7e8,
  load: figure(12.34, 0.5),
  prefill: figure(1234, 0.25),
  decode: figure(56.7, 1.2),
  encodeStep: figure(78.9, 0.1),
  facts: { ours: figure(4, 0.3), naive: 2, ratio: 2, steps: { ours: 9.5, naive: 10 } },
  recall: { one: figure(100, 0.2), many: figure(400, 0.6) },
  response: [
    { tokens: 4096, facts: 96, stored: 1.2e6, beside: 7e8, vectors: 2e6 },
    { tokens: 2 ** 21, facts: 49_152, stored: 6e8, beside: 7.01e8, vectors: 2.68e8 },
  ],
  recorded: { decode: { fed: 20, recorded: 60 }, encode: { fed: 30, recorded: 10 } },
  peaks: {
    byPurpose: { weights: 6.8e8, cache: 1e8, encode: 2e7, vectors: 2.68e8, activation: 3e7 },
    together: 9e8,
    besideVectors: 7.1e8,
  },
};
const CARD: Place = {
  backend: "chromium",
  adapter: "nvidia hopper",
  software: false,
  runtime: "Chromium 156",
};
const LIMITS = { bytesPerSecond: 3e12, flopsPerSecond: 5e13, uploadBytesPerSecond: 1e10 };
const CASE: GpuCase = {
  ...{
    format: FORMAT,
    place: CARD,
    shape: "qwen3-0.6b",
    precision: "q8",
    commit: "abc",
    date: "2026-11-24T00:00:00Z",
  },
  ...{ limits: LIMITS, figures: FIGURES, failed: null },
};

it("sets every figure beside its limit, also where it passes it", () => {
  const text = table([CASE]);
  expect(text).toContain("### Chromium: nvidia hopper (Chromium 156)");
  expect(text).toContain(
    "| qwen3-0.6b q8 | 0.67 GB | 12.3 (50 %) | 1230 (25 %) | 56.7 (120 %) | 78.9 (10 %) | 4 (30 %) | 2 | 2 | 9.5, 10 | 100 (20 %) | 400 (60 %) |",
  );
  expect(text).toContain("| qwen3-0.6b q8 | 20, 60 (3 times) | 30, 10 (3 times) |");
  expect(text).toContain("| qwen3-0.6b q8 | 680 | 100 | 20 | 268 | 30 | 900 |");
  expect(text).toContain("| model | 4K: 96 facts | 2M: 49152 facts |");
  expect(text).toContain("| 700 + 2 (stored 1.2) | 701 + 268 (stored 600) |");
});

it("says of every case which commit, day and limits it is of", () => {
  const later = { ...CASE, precision: "q4", commit: "def", date: "2026-11-25T00:00:00Z" } as const;
  const text = table([CASE, { ...later, limits: { ...LIMITS, bytesPerSecond: 2e12 } }]);
  expect(text).toContain("| qwen3-0.6b q8 | abc | 2026-11-24 | 3000 | 50 | 10 |");
  expect(text).toContain("| qwen3-0.6b q4 | def | 2026-11-25 | 2000 | 50 | 10 |");
});

it("gives every backend and adapter a section of its own, and says why a case has no figures", () => {
  const software = { ...CARD, adapter: "google swiftshader", software: true };
  const refused = { decode: { refused: "no room" }, encode: { refused: "no|room" } };
  const text = table([
    CASE,
    { ...CASE, place: software, figures: { ...FIGURES, recorded: refused } },
    { ...CASE, place: software, precision: "f16", limits: null, figures: null, failed: "no float16\nhere" },
    { ...CASE, place: { ...CARD, backend: "cpu", adapter: "AMD" }, figures: { ...FIGURES, recorded: null } },
  ]);
  const [, card, played, processor] = text.split("### ");
  expect(card).not.toContain("swiftshader");
  expect(played).toContain("Chromium: google swiftshader, a software adapter");
  expect(played).toContain("| not recorded: no room | not recorded: no/room |");
  expect(played).toContain("- qwen3-0.6b f16 was not measured (abc, 2026-11-24): no float16 here");
  expect(processor).toContain("Node: AMD");
  expect(processor).not.toContain("Recorded steps");
  expect(table([])).toBe("no case was measured\n");
});
