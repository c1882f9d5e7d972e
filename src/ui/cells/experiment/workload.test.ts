import { describe, expect, it } from "vitest";
import { newCell, newNotebook } from "../../../notebook/create.ts";
import { STUDY_INFO } from "../../../records/studies.ts";
import type { StudyName } from "../../../records/notebook.ts";
import { factsToEncode, paceOf } from "./workload.ts";

const defaults = (study: StudyName) =>
  Object.fromEntries(Object.entries(STUDY_INFO[study].settings).map(([name, { value }]) => [name, value]));

describe("the size of a study", () => {
  it("counts facts as often as they are encoded", () => {
    // 128 facts, once under each of two presets.
    expect(factsToEncode("capacity", defaults("capacity"))).toBe(256);
    expect(factsToEncode("deletion", defaults("deletion"))).toBe(128);
    expect(factsToEncode("gates", defaults("gates"))).toBe(24);
    expect(factsToEncode("steps", defaults("steps"))).toBe(12 * 16 * 2);
    expect(factsToEncode("layers", defaults("layers"))).toBe(4 * 64 * 2);
    expect(factsToEncode("depth", defaults("depth"))).toBe(5);
  });

  it("has no pace before anything was memorised", () => {
    const notebook = newNotebook("n", "", [newCell("memorize", "a")], "");
    expect(paceOf(notebook)).toBeNull();
  });
});
