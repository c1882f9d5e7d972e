import { type StudyName, STUDY_INFO } from "../../records/studies.ts";
import { describe, expect, it } from "vitest";
import { Pace } from "../../evaluate/runs/pace.ts";
import { newCell, newNotebook, KINDS } from "../../notebook/kinds.ts";
import {
  changedTo,
  metBy,
  readMethods,
  shownHelpers,
  sized,
  sizeOf,
  sizesOf,
  typedMethods,
  factsToEncode,
  samplesOf,
  sizeText,
  timeText,
} from "./choices.ts";
import { factPace } from "./KeptRuns.tsx";

const { first } = KINDS.benchmark;
const NONE = new Set<never>();

it("counts samples, and names what the page cannot run", () => {
  expect(samplesOf(first, NONE)).toBe(30);
  expect(samplesOf({ ...changedTo(first, "depth"), samples: 2 }, NONE)).toBe(2 * 5 * 3);
  expect(samplesOf(changedTo(first, "table"), NONE)).toBeNull();
  expect(sizeText({ ...changedTo(first, "table"), samples: 4 }, NONE)).toMatch(
    /^At most 4 cases of each task and length of your files, each answered by 3 methods\./,
  );
  const more = { ...first, methods: ["ours", "rag-reranked"], variants: ["whole", "without"] as const };
  expect(sizeText(more, NONE)).toBe(
    "20 samples: 1 length × 1 method × 20 questions. Chunk RAG, dense and reranked: left out, no text embedder and no cross-encoder is chosen; choose a text embedder in the memorise cell, a cross-encoder in the benchmark cell. Its texts are fetched from this page’s own address, once: 3.3 MB.",
  );
  const files = (name: string) => ({ from: { kind: "files", name }, dtype: "fp32", device: "wasm" }) as const;
  const chosen = { ...more, helpers: { reranker: files("mine") } };
  expect(samplesOf(chosen, metBy(chosen, files("mine")))).toBe(40);
  expect(sizeText(chosen, metBy(chosen, files("")))).toContain(
    "left out, no text embedder is chosen; choose one in the memorise cell.",
  );
  expect(shownHelpers(first)).toEqual([]);
  expect(shownHelpers({ ...chosen, methods: ["llmlingua"] })).toEqual(["reranker", "compressor"]);
});

it("says how long it takes by what was measured here, and what was not", () => {
  const pace = new Pace();
  expect(timeText(first, { pace, perFact: null }, NONE)).toMatch(/none were made here yet\.$/);
  pace.add("ours", "0k", 4000);
  pace.add("truncation", "0k", 1000);
  expect(timeText(first, { pace, perFact: null }, NONE)).toBe(
    "About 50 s by the times of this notebook so far; not measured here yet: Chunk RAG, BM25.",
  );
  pace.add("rag", "0k", 1000);
  expect(timeText(first, { pace, perFact: null }, NONE)).toBe(
    "About 1 min by the times of this notebook so far.",
  );
  expect(timeText(first, { pace: new Pace(), perFact: 1000 }, NONE)).toMatch(/none were made here yet\.$/);
  // 57 facts in 4,000 tokens, at a second each.
  const ours = { ...first, methods: ["ours"], lengths: ["4k"], samples: 1 };
  expect(timeText(ours, { pace: new Pace(), perFact: 1000 }, NONE)).toMatch(/^About 55 s by/);
});

it("takes methods with parameters of their own, and names what is wrong with one", () => {
  const typed = readMethods(" ours:layers=1, truncation:2048,, ours:layers=1");
  expect(typed).toEqual(["ours:layers=1", "truncation:2048"]);
  expect(typedMethods(["ours", "ours:paper", ...typed, "rag"])).toEqual(typed);
  expect(readMethods("")).toEqual([]);
  expect(() => readMethods("ours:layer=1")).toThrow('unknown parameter "layer"');
});

describe("the size of a study", () => {
  const defaults = (study: StudyName) =>
    Object.fromEntries(Object.entries(STUDY_INFO[study].settings).map(([name, { value }]) => [name, value]));

  it("counts facts as often as they are encoded", () => {
    // 128 facts, once under each of two presets.
    expect(factsToEncode("capacity", defaults("capacity"))).toBe(256);
    expect(factsToEncode("deletion", defaults("deletion"))).toBe(128);
    expect(factsToEncode("gates", defaults("gates"))).toBe(24);
    expect(factsToEncode("steps", defaults("steps"))).toBe(12 * 16 * 2);
    expect(factsToEncode("layers", defaults("layers"))).toBe(4 * 64 * 2);
  });

  it("has no pace before anything was memorised", () => {
    expect(factPace(newNotebook("n", "", [newCell("memorize", "a")], ""))).toBeNull();
  });
});

it("offers three sizes, of which each is told from a custom one", () => {
  expect(sizeOf(first)).toBe("look");
  expect(sizesOf("table")).toEqual(["look", "all"]);
  for (const benchmark of ["babilong", "ruler", "probe", "depth", "fairytaleqa"])
    for (const size of sizesOf(benchmark)) {
      const input = { ...first, benchmark, ...sized(benchmark, size) };
      expect(sizeOf(input)).toBe(size);
      expect(samplesOf(input, NONE)).toBeGreaterThan(0);
    }
  expect(sizeOf({ ...first, samples: 7 })).toBeNull();
  expect(sized("ruler", "row")).toMatchObject({ tasks: ["qa_1"], lengths: ["16k"], samples: 30 });
});
