import { expect, it } from "vitest";
import type { CaseFigures } from "./cases.ts";
import { fileOf, FORMAT, table, type GpuCase, type Place } from "./table.ts";

const figure = (value: number, ratio: number) => ({ value, limit: value * ratio, ratio });
const FIGURES: CaseFigures = {
  weights: 6.7e8,
  load: figure(12.34, 0.5),
  prefill: figure(1234, 0.25),
  decode: figure(56.7, 1.2),
  encodeStep: figure(78.9, 0.1),
  recallOne: figure(100, 0.2),
  recallMany: figure(400, 0.6),
};
const CARD: Place = {
  backend: "chromium",
  adapter: "nvidia hopper",
  software: false,
  runtime: "Chromium 156",
};
const LIMITS = { bytesPerSecond: 3e12, flopsPerSecond: 5e13, uploadBytesPerSecond: 1e10 };
const CASE: GpuCase = {
  ...{ format: FORMAT, place: CARD, shape: "qwen3-0.6b", precision: "q8", commit: "abc" },
  ...{ date: "2026-11-24T00:00:00Z", limits: LIMITS, figures: FIGURES, failed: null },
};

it("shows each figure with the share of its limit, also above it, and the limits, commit and day of each case", () => {
  const text = table([CASE, { ...CASE, precision: "q4", commit: "def", date: "2026-11-25T00:00:00Z" }]);
  expect(text).toContain("### Chromium: nvidia hopper (Chromium 156)");
  expect(text).toContain(
    "| qwen3-0.6b q8 | 0.67 GB | 12.3 (50 %) | 1230 (25 %) | 56.7 (120 %) | 78.9 (10 %) | 100 (20 %) | 400 (60 %) | 3000 | 50 | 10 | abc | 2026-11-24 |",
  );
  expect(text).toContain("| def | 2026-11-25 |");
});

it("has a section for every backend and adapter, and the reason why a case has no figures", () => {
  const software = { ...CARD, adapter: "google swiftshader", software: true };
  const failed = { limits: null, figures: null, failed: "no float16\nhe|re" };
  const text = table([
    CASE,
    { ...CASE, place: software, precision: "f16", ...failed },
    { ...CASE, place: { ...CARD, backend: "cpu", adapter: "AMD" } },
  ]);
  const [, card, emulated, processor] = text.split("### ");
  expect(card).not.toContain("swiftshader");
  expect(emulated).toContain("Chromium: google swiftshader, a software adapter");
  expect(emulated).toContain("- qwen3-0.6b f16 was not measured (abc, 2026-11-24): no float16 he/re");
  expect(processor).toContain("Node: AMD");
  expect(table([])).toBe("no case was measured\n");
});

it("gives every backend and adapter its own file", () => {
  const name = { shape: "qwen3-0.6b", precision: "q4" } as const;
  const place: Place = { ...CARD, backend: "webgpu", adapter: "NVIDIA H100" };
  expect(fileOf(place, name)).toBe("webgpu-nvidia-h100.qwen3-0.6b.q4.json");
  const others: Place[] = [place, { ...place, backend: "cpu" }, CARD, { ...place, adapter: "other" }];
  expect(new Set(others.map((other) => fileOf(other, name))).size).toBe(4);
});
