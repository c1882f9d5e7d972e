import { expect, it } from "vitest";
import { Pace } from "../../../evaluate/pace.ts";
import { KINDS } from "../../../notebook/kinds.ts";
import { changedTo } from "./choices.ts";
import { samplesOf, sizeText, timeText } from "./workload.ts";

const { first } = KINDS.benchmark;

it("counts samples, and names what the page cannot run", () => {
  expect(samplesOf(first)).toBe(30);
  expect(samplesOf({ ...changedTo(first, "depth"), samples: 2 })).toBe(2 * 5 * 3);
  expect(samplesOf(changedTo(first, "table"))).toBeNull();
  expect(sizeText({ ...changedTo(first, "table"), samples: 4 })).toMatch(
    /^At most 4 cases of each task and length of your files, each answered by 3 methods\./,
  );
  const more = { ...first, methods: ["ours", "rag-reranked"], variants: ["whole", "without"] as const };
  expect(sizeText(more)).toBe(
    "20 samples: 1 length × 1 method × 20 questions. Chunk RAG, dense and reranked is left out: the page has no cross-encoder. Its texts are fetched from this page’s own address, once: 3.3 MB.",
  );
});

it("says how long it takes by what was measured here, and what was not", () => {
  const pace = new Pace();
  expect(timeText(first, { pace, perFact: null })).toMatch(/none were made here yet\.$/);
  pace.add("ours", "0k", 4000);
  pace.add("truncation", "0k", 1000);
  expect(timeText(first, { pace, perFact: null })).toBe(
    "About 50 s by what samples and facts took in this notebook so far, and what Chunk RAG, BM25 take: not measured here yet.",
  );
  pace.add("rag", "0k", 1000);
  expect(timeText(first, { pace, perFact: null })).toBe(
    "About 1 min by what samples and facts took in this notebook so far.",
  );
  expect(timeText(first, { pace: new Pace(), perFact: 1000 })).toMatch(/none were made here yet\.$/);
  // 57 facts in 4,000 tokens, at a second each.
  const ours = { ...first, methods: ["ours"], lengths: ["4k"], samples: 1 };
  expect(timeText(ours, { pace: new Pace(), perFact: 1000 })).toMatch(/^About 55 s by/);
});
