/** @file Answers from a stored memory with the bundled model: recalled words, ranks, and refusals without a fact. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LocalEngine } from "../engine/localEngine.ts";
import { type Opened } from "../engine/testing/models.ts";
import { bundled, leavesNothing } from "../engine/testing/useBundled.ts";
import { omit } from "../lib/omit.ts";
import { memoryFileStore } from "../../tools/node/memoryFile.ts";
import { answer, openMemory } from "./answer.ts";
import type { Reconstruction } from "../records/answer.ts";
import { memorize } from "./testing/memorized.ts";
import { BY_ANCHORS, context, documentOf, HOOK_MS, QUICK, seeded, STORY } from "./testing/runs.ts";

const now = () => performance.now();

describe("from text to answers, with the bundled model", () => {
  let opened: Opened;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "palimpsest-memorize-"));
    opened = await bundled();
    const store = await seeded(opened.engine, [3, 4], memoryFileStore(path.join(folder, "memory.zip")));
    const params = { ...QUICK, ...BY_ANCHORS };
    await memorize(context(opened.engine, { store, params }), [documentOf(STORY)]);
  }, HOOK_MS);
  afterAll(async () => {
    leavesNothing(opened);
    await rm(folder, { recursive: true });
  });

  /** A memory read from the files alone: nothing of the run that wrote it is in reach. */
  const open = async (over = {}, engine = opened.engine) =>
    openMemory(engine, (await memoryFileStore(path.join(folder, "memory.zip")).load())!, {
      ...QUICK,
      ...BY_ANCHORS,
      ...over,
    });

  it("ranks single facts without the embedder, and the best sentence is the answer", async () => {
    const deaf = { ...opened.engine, embedQuestion: () => Promise.reject(new Error("not asked")) };
    const { ranking, routing } = QUICK;
    const memory = await open({ ranking, routing }, deaf);
    const { route, recalled, asked } = await answer(memory, "Who went to the office?", { now });
    const best = recalled.find(({ id }) => id === route.facts[0])!;
    expect([best.key, best.text]).toEqual(["Daniel (1)", STORY[5]]);
    expect(route.ranked).toHaveLength(route.facts.length);
    expect(asked[0]!.best!.id).toBe(best.id);
    memory.dispose();
  });

  it("calls a question far if the reader finds an answer in no sentence, whatever words it shares", async () => {
    const { ranking, routing } = QUICK;
    const memory = await open({ ranking, routing });
    for (const question of ["How much money did Daniel earn last year?", "What is the capital of Peru?"]) {
      const { route, recalled, asked, notInMemory } = await answer(memory, question, { now });
      expect(asked[0]).toMatchObject({ verdict: "not in memory", text: "" });
      expect(asked[0]!.best).toBeUndefined();
      expect([route.far, notInMemory]).toEqual([recalled.length > 0 ? true : route.far, true]);
    }
    expect((await answer(memory, "Where is Mary?", { now })).route.far).toBeUndefined();
    memory.dispose();
  });

  it("answers what there is about a name by the sentences that have it, and does not ask the reader", async () => {
    const { ranking, routing } = QUICK;
    const unread = { ...opened.engine, readSpan: () => Promise.reject(new Error("not asked")) };
    const memory = await open({ ranking, routing }, unread);
    const { recalled, asked } = await answer(memory, "What is there about Daniel?", { now });
    const [part] = asked;
    expect(recalled.find(({ id }) => id === part!.best!.id)!.text).toContain("Daniel");
    expect(part).toMatchObject({ text: "", best: { span: null } });
    expect(part!.shares).toBeUndefined();
    memory.dispose();
  });

  it("hands over the sentences that are shown first while the others are recalled, and says the same", async () => {
    const { ranking, routing } = QUICK;
    const memory = await open({ ranking, routing });
    const question = "Who went to the office?";
    const first: string[][] = [];
    const onRecalled = (facts: readonly Reconstruction[]) => first.push(facts.map(({ text }) => text));
    const early = await answer(memory, question, { now, onRecalled });
    const late = await answer(memory, question, { now });
    expect(omit(early, "milliseconds")).toEqual(omit(late, "milliseconds"));
    const byRank = early.route.facts.map((id) => early.recalled.find((fact) => fact.id === id)!.text);
    expect(byRank.length).toBeGreaterThan(5);
    expect(first).toEqual([byRank.slice(0, 5)]);
    memory.dispose();
  });

  it("recalls the supporting facts word for word and in source order", async () => {
    const memory = await open();
    const { recalled, route, notInMemory } = await answer(memory, "Where is Mary?", { now });
    expect(recalled.map(({ key, text }) => [key, text])).toEqual([
      ["Mary (1)", STORY[0]],
      ["Mary (2)", STORY[3]],
    ]);
    expect(recalled.map(({ offset }) => STORY.join(" ").slice(offset).startsWith(STORY[0]!))).toEqual([
      true,
      false,
    ]);
    expect(notInMemory).toBe(false);
    for (const { read, id } of recalled) {
      expect(read.similarity).toBeGreaterThan(0.9999);
      expect(read.winner).toBe(id);
      expect(read.competitors[0]!.weight).toBeGreaterThan(read.competitors[1]?.weight ?? 0);
    }
    expect(route.anchors[0]).toMatchObject({ anchor: "Mary", lexicalRank: 1, kept: true });
    memory.dispose();
  });

  it("orders facts by offset whatever the rank of their anchors, and traces every anchor that has a score", async () => {
    const memory = await open();
    const { recalled, route } = await answer(memory, "Did Sandra or Mary or Daniel go to the office?", {
      now,
    });
    const offsets = recalled.map(({ offset }) => offset);
    expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
    expect(recalled).toHaveLength(5);
    expect(route.anchors.map(({ anchor }) => anchor).toSorted()).toEqual([
      "Daniel",
      "John",
      "Mary",
      "Sandra",
    ]);
    for (const { denseRank, denseScore, lexicalRank, lexicalScore, fused, why, kept } of route.anchors) {
      const sum = [denseRank, lexicalRank].reduce((s: number, rank) => s + (rank ? 1 / (60 + rank) : 0), 0);
      if (fused > 0) expect(fused).toBeCloseTo(sum, 12);
      expect(denseRank === null).toBe(denseScore === null);
      expect(lexicalRank === null).toBe(lexicalScore === null);
      expect(kept).toBe(!why.startsWith("cut"));
    }
    memory.dispose();
  });

  it("says 'Not in memory.' to a question about nothing stored, without asking the model", async () => {
    let generations = 0;
    const counting = {
      ...opened.engine,
      // A floor no vector reaches: the mean-pooled one of a small model takes any question for near.
      denseFloor: 2,
      generate: (...args: Parameters<LocalEngine["generate"]>) => {
        generations++;
        return opened.engine.generate(...args);
      },
    };
    const memory = await open({}, counting);
    const nothing = await answer(memory, "Who painted the ceiling of Zanzibar?", { now });
    expect(nothing).toMatchObject({
      text: "Nothing in memory comes near this question.",
      notInMemory: true,
      recalled: [],
      cited: [],
    });
    expect(generations).toBe(0);
    expect(nothing.asked).toMatchObject([{ verdict: "not in memory", evidence: [], probability: null }]);
    // A gate that never opens recalls nothing: what the plain model says instead is shown, but is no fact.
    const shut = await open({ theta: 1 }, counting);
    const closed = await answer(shut, "Where is Mary?", { now });
    expect(closed).toMatchObject({
      text: "Found, but nothing could be recalled.",
      notInMemory: false,
      cited: [],
    });
    expect(closed.asked).toMatchObject([{ verdict: "not recalled", evidence: [] }]);
    expect(closed.recalled.map(({ key, read }) => [key, read.gateOpen])).toEqual([
      ["Mary (1)", false],
      ["Mary (2)", false],
    ]);
    expect(generations).toBe(0);
    // Under the paper's preset the model receives it nevertheless.
    const told = await open({ theta: 1, answers: "paper" }, counting);
    expect((await answer(told, "Where is Mary?", { now })).asked![0]!.evidence).toHaveLength(2);
    expect(generations).toBe(1);
    told.dispose();
    generations = 0;
    expect((await answer(memory, "Where is Mary?", { now })).route.facts).toHaveLength(2);
    expect(generations).toBe(1);
    memory.dispose();
    shut.dispose();
  });

  it("reads softly what it reads by the top key", async () => {
    // A β that tells the keys apart: those of this model lie within 0.01 of each other, where the paper's 50 mixes values.
    const memory = await open({ read: "soft", beta: 2000 });
    const { recalled } = await answer(memory, "Where is John?", { now });
    expect(recalled.map(({ text }) => text)).toEqual([STORY[1]]);
    expect(recalled[0]!.read.openPositions.length).toBeGreaterThan(0);
    memory.dispose();
  });
});
