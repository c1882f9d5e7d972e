import { describe, expect, test } from "vitest";
import { assignAnchors } from "../extract/anchors.ts";
import { makeFacts } from "../extract/facts.ts";
import { ruleQuestions } from "../extract/questions.ts";
import { candidates } from "../ingest/candidates.ts";
import { sentences } from "../ingest/sentences.ts";
import { babi, type BabiSample } from "../ingest/testing/data.ts";
import { makeDocument } from "../ingest/text.ts";
import type { Anchor } from "../records/fact.ts";
import { PAPER, SHARP, type MethodParams } from "../records/params.ts";
import { allocate } from "../plan/budget.ts";
import { buildRouting } from "./documents.ts";
import { route } from "./route.ts";
import { buildIndex } from "./routerIndex.ts";
import { conceptEmbed, conceptVector } from "./testing/concepts.ts";

const SAMPLES = 100;

/** Values routed for the question of one story, by rules alone: no model anchors, no model questions. */
/** Sharp, but that each anchor keeps its latest facts alone. */
const BY_ANCHORS: MethodParams = { ...SHARP, depth: PAPER.depth };

async function routedValues({ facts, question }: BabiSample, params: MethodParams): Promise<Set<string>> {
  const story = makeDocument("story", facts.join(" "));
  const anchors: Anchor[] = [];
  const found = candidates(sentences(story), params.candidateFilter);
  for await (const anchor of assignAnchors(found, { ...params, anchors: "rules" }, null))
    anchors.push(anchor);
  const { facts: kept } = allocate(makeFacts(anchors, params), params);
  const inputs = kept.map((fact) => ({
    fact,
    questions: ruleQuestions(fact.value, fact.anchor, params.questionsPerFact),
  }));
  const index = buildIndex(await buildRouting(inputs, "salt", params, conceptEmbed), ["salt"]);
  const values = new Map(kept.map((fact) => [fact.id, fact.value]));
  return new Set(route(question, conceptVector(question), index, params).facts.map((id) => values.get(id)!));
}

async function share(task: string, params: MethodParams): Promise<number> {
  let found = 0;
  for (const sample of babi(task).slice(0, SAMPLES)) {
    const values = await routedValues(sample, params);
    if (sample.support.every((fact) => values.has(fact))) found += 1;
  }
  return found / SAMPLES;
}

describe("stories whose every supporting fact is routed", () => {
  test.each([
    ["qa1", 1],
    ["qa2", 1],
    ["qa3", 0.95],
    ["qa4", 1],
    ["qa5", 0.98],
  ])("by anchors, %s: at least %d", async (task, least) => {
    expect(await share(task, BY_ANCHORS)).toBeGreaterThanOrEqual(least);
  });

  test("paper: all of qa1, none of qa4 (no candidates), less of qa5", async () => {
    expect(await share("qa1", PAPER)).toBe(1);
    expect(await share("qa4", PAPER)).toBe(0);
    expect(await share("qa5", PAPER)).toBeLessThan(await share("qa5", BY_ANCHORS));
  });
});
