import { expect, it } from "vitest";
import type { CaseFigures } from "./cases.ts";
import { fileOf, FORMAT, ofOtherCommits, toMeasure, type GpuCase, type Place } from "./record.ts";

const place: Place = { backend: "webgpu", adapter: "NVIDIA H100", software: false, runtime: "node" };
const record = (shape: string, commit: string, failed: string | null): GpuCase => ({
  ...{ format: FORMAT, place, shape, precision: "q8", commit, date: "2026-11-24", limits: null, failed },
  figures: failed === null ? ({} as CaseFigures) : null,
});
const wanted = (shape: string, known?: GpuCase) => ({
  name: { shape, precision: "q8" } as const,
  record: known,
});

it("goes on with what was never tried, then with what failed, and leaves what has figures", () => {
  const cases = [
    wanted("a", record("a", "1", "no memory for a moment")),
    wanted("b", record("b", "1", null)),
    wanted("c"),
    wanted("d"),
  ];
  expect(toMeasure(cases).map(({ name }) => name.shape)).toEqual(["c", "d", "a"]);
});

it("says which figures are of another commit; a failure is none, since it is tried again", () => {
  const cases = [
    wanted("a", record("a", "1", null)),
    wanted("b", record("b", "2", null)),
    wanted("c", record("c", "1", "it failed")),
    wanted("d"),
  ];
  expect(ofOtherCommits(cases, "2").map(({ name }) => name.shape)).toEqual(["a"]);
});

it("gives every backend and adapter a file of its own", () => {
  const name = { shape: "qwen3-0.6b", precision: "q4" } as const;
  expect(fileOf(place, name)).toBe("webgpu-nvidia-h100.qwen3-0.6b.q4.json");
  const others: Place[] = [
    place,
    { ...place, backend: "cpu" },
    { ...place, backend: "chromium" },
    { ...place, adapter: "vk_swiftshader_icd" },
  ];
  expect(new Set(others.map((other) => fileOf(other, name))).size).toBe(4);
});
