import { describe, expect, it } from "vitest";
import type { Answer, PartAnswer, Reconstruction } from "../../../records/answer.ts";
import type { FactId } from "../../../records/ids.ts";
import type { FactRow } from "../../../records/notebook.ts";
import { factRow } from "../memory/testing/rows.ts";
import { equality, failureStage, stages } from "./stages.ts";
import { anchorRow, answerOf, recalledFact } from "./testing/answers.ts";

const rows = new Map<string, FactRow>([factRow(), factRow({ offset: 99 })].map((row) => [row.id, row]));
const second = "aaaaaaaaaaaaaaaa:99" as FactId;
const shut = (fact: Reconstruction, similarity: number, gateOpen = false): Reconstruction => ({
  ...fact,
  read: { ...fact.read, similarity, gateOpen, openPositions: [] },
});
const nothing = { notInMemory: true, cited: [], text: "Not in memory." } as const;
const states = (answer: Answer) => stages(answer, rows).map(({ state }) => state);

describe("failureStage", () => {
  it("finds none in an answer that rests on recalled facts", () => {
    expect(failureStage(answerOf(), rows)).toBeNull();
    expect(states(answerOf())).toEqual(["ok", "ok", "ok", "ok"]);
  });

  it("is routing when nothing was routed", () => {
    const answer = answerOf({ ...nothing, recalled: [], route: { question: "", anchors: [], facts: [] } });
    expect(failureStage(answer, rows)).toMatchObject({
      name: "routing",
      text: "No stored sentence shares a word with the question or is similar to it.",
    });
    expect(states(answer)).toEqual(["failed", "skipped", "skipped", "skipped"]);
  });

  it("is routing when anchors were weighed and no fact came of it", () => {
    const route = { question: "", anchors: [anchorRow({ kept: false })], facts: [] };
    expect(failureStage(answerOf({ ...nothing, recalled: [], route }), rows)?.text).toMatch(
      /^1 anchor was considered, but none/,
    );
  });

  it("is null when only the nearest sentences of a far question were recalled", () => {
    const route = { question: "", anchors: [anchorRow()], facts: [recalledFact().id], far: true };
    const asked = [{ ...answerOf().asked[0]!, text: "", cited: [], verdict: "not in memory" as const }];
    const answer = answerOf({ ...nothing, route, asked });
    expect(failureStage(answer, rows)).toBeNull();
    expect(states(answer)[0]).toBe("warn");
    expect(states(answer).at(-1)).toBe("skipped");
  });

  it("is the gate when every gate stayed closed, with the similarity and θ", () => {
    const recalled = [shut(recalledFact(), 0.41), shut(recalledFact({ id: second }), 0.57)];
    const stage = failureStage(answerOf({ ...nothing, recalled }), rows);
    expect(stage?.name).toBe("gate");
    expect(stage?.text).toBe("Both gates stayed closed: the best similarity, 0.57, is not above θ = 0.6.");
  });

  it("is the gate when the keys of other facts won", () => {
    const recalled = [shut(recalledFact(), 0.9, true), shut(recalledFact({ id: second }), 0.2)];
    const stage = failureStage(answerOf({ ...nothing, recalled }), rows);
    expect(stage?.text).toBe(
      "At 1 of 2 recall keys the key of another fact was nearest, so nothing was read there; the other gates stayed closed.",
    );
  });

  it("is reconstruction when what was decoded is not what was stored", () => {
    const recalled = [
      recalledFact({ text: "Sandra went to the garden.", exact: false }),
      recalledFact({ id: second }),
    ];
    const stage = failureStage(answerOf({ ...nothing, recalled }), rows);
    expect(stage?.name).toBe("reconstruction");
    expect(stage?.text).toBe("1 of 2 recalled facts differs from the stored sentence.");
  });

  it("is the answer when exact facts were given and none was used", () => {
    expect(failureStage(answerOf(nothing), rows)).toMatchObject({
      name: "answer",
      text: "The model received 1 sentence and answered “Not in memory”.",
    });
  });

  it("is the answer when the words are the model's own", () => {
    const stage = failureStage(answerOf({ text: "On the moon.", cited: [] }), rows);
    expect(stage).toMatchObject({ name: "answer", state: "failed" });
    expect(stage?.text).toBe("The model received 1 sentence and answered “On the moon”.");
  });
});

describe("failureStage of an answer with its evidence", () => {
  const part = (change: Partial<PartAnswer>): PartAnswer => ({
    question: "Where is Sandra?",
    text: "Not in memory.",
    cited: [],
    verdict: "unsupported",
    probability: null,
    evidence: [recalledFact().id],
    unmet: [],
    ...change,
  });
  const asked = (change: Partial<PartAnswer>, answer: Partial<Answer> = {}): Answer =>
    answerOf({ cited: [], text: "", asked: [part(change)], ...answer });

  it("is routing when stored sentences have a word that no recalled one has", () => {
    const stage = failureStage(asked({ unmet: [{ word: "boiler", stored: 2 }] }), rows);
    expect(stage?.name).toBe("routing");
    expect(stage?.text).toContain("No recalled sentence has “boiler” (in 2 stored sentences).");
  });

  it("is the answer when no stored sentence has the word: nothing was lost on the way", () => {
    const answer = asked({ unmet: [{ word: "boiler", stored: 0 }] });
    expect(failureStage(answer, rows)?.name).toBe("answer");
    expect(stages(answer, rows)[0]).toMatchObject({ state: "warn" });
    expect(stages(answer, rows)[0]?.text).toContain("No stored sentence has “boiler”.");
  });

  it("is the answer when the model was not sure enough, with both numbers", () => {
    const stage = failureStage(asked({ text: "garden", probability: 0.61 }), rows);
    expect(stage).toMatchObject({
      name: "answer",
      text: "The model answered “garden” with probability 0.61, which is too low: at least 0.98 is needed.",
    });
  });

  it("is the answer when it only repeats the question, however sure the model was", () => {
    const echo = failureStage(asked({ text: "Sandra", probability: 0.996, cited: ["Sandra (1)"] }), rows);
    expect(echo?.text).toMatch(
      /answered “Sandra”, with a probability above 0.99 .*; this only repeats the question\.$/,
    );
    const other = failureStage(asked({ text: "moon", probability: 0.996 }), rows);
    expect(other?.text).toMatch(/no recalled sentence contains these words\.$/);
  });

  it("is nowhere where the reader marks words, or is not sure of any, and the trace has its numbers", () => {
    const reader = { level: 0.55, measured: "19 of 100 were wrong" };
    const marked = {
      reader,
      text: "garden",
      probability: 0.8,
      cited: ["Sandra (1)"],
      verdict: "read",
    } as const;
    const unsure = { reader, text: "", probability: 0.31 };
    const last = (part: Partial<PartAnswer>) => stages(asked(part), rows).at(-1);
    expect(last(marked)).toMatchObject({
      state: "ok",
      text: "The reader marked “garden” in Sandra (1) (confidence 0.80; words are marked from 0.55 on; 19 of 100 were wrong).",
    });
    expect(last(unsure)).toMatchObject({
      state: "ok",
      text: "The reader was not sure enough of any words (confidence 0.31; words are marked from 0.55 on).",
    });
    expect(last({ text: "" })?.text).toBe("No words of a sentence are marked as the answer.");
    expect(failureStage(asked(marked), rows)).toBeNull();
    expect(failureStage(asked(unsure), rows)).toBeNull();
    const told = { text: "garden", probability: 0.99, cited: ["Sandra (1)"], verdict: "supported" } as const;
    expect(last(told)?.text).toBe(
      "The answer rests on Sandra (1), with a probability of 0.99 (at least 0.98 is needed).",
    );
  });

  it("is reconstruction only where the nearest sentence, or one that is cited, came back otherwise", () => {
    const off = recalledFact({ id: second, key: "Sandra (2)", text: "Sandra went away.", exact: false });
    const recalled = [recalledFact({ exact: true }), off];
    expect(failureStage(asked({}, { recalled }), rows)?.name).toBe("answer");
    expect(failureStage(asked({ evidence: [second] }, { recalled }), rows)?.name).toBe("reconstruction");
    const inexact = { verdict: "inexact", cited: ["Sandra (2)"], text: "away", probability: 1 } as const;
    const rests = asked(inexact, { recalled, cited: ["Sandra (2)"] });
    expect(failureStage(rests, rows)?.text).toMatch(/the answer rests on it/);
  });
});

describe("stages", () => {
  it("warn of a closed gate beside open ones, which is no failure", () => {
    const answer = answerOf({ recalled: [recalledFact(), shut(recalledFact({ id: second }), 0.3)] });
    expect(states(answer)).toEqual(["ok", "warn", "ok", "ok"]);
    expect(failureStage(answer, rows)).toBeNull();
  });

  it("tell an inexact fact that the answer rests on from one beside it", () => {
    const off = recalledFact({ id: second, key: "Sandra (2)", text: "Sandra went away.", exact: false });
    expect(states(answerOf({ recalled: [recalledFact(), off] }))[2]).toBe("warn");
    expect(states(answerOf({ recalled: [recalledFact(), off], cited: ["Sandra (2)"] }))[2]).toBe("failed");
    expect(stages(answerOf({ recalled: [off], cited: ["Sandra (2)"] }), rows)[2]?.text).toMatch(
      /rests on it/,
    );
  });

  it("do not say of the soft read that the own key was nearest where another's was", () => {
    const own = recalledFact();
    const mixed = { ...recalledFact({ id: second }), read: { ...own.read, winner: own.id } };
    const [, gate] = stages(answerOf({ recalled: [own, mixed] }), rows);
    expect(gate).toMatchObject({
      state: "warn",
      text: "All 2 gates opened; at 1 of 2 recall keys the key of another fact was nearest.",
    });
  });

  it("say of a part that found nothing that the model was not asked, beside one that it answered", () => {
    const none = {
      text: "",
      cited: [],
      verdict: "not in memory",
      probability: null,
      evidence: [],
      unmet: [],
    } as const;
    const told = { ...none, text: "Paris", verdict: "unsupported", evidence: [recalledFact().id] } as const;
    const asked = [
      { question: "Where is Bo?", ...none },
      { question: "Where is Al?", ...told },
    ];
    const [, , , reply] = stages(answerOf({ asked }), rows);
    expect(reply?.text).toBe(
      "Where is Bo? The model was not asked, because it had no fact to answer from. " +
        "Where is Al? The model received 1 sentence and answered “Paris”.",
    );
  });

  it("do not judge what was deleted since", () => {
    const gone = recalledFact({ id: "aaaaaaaaaaaaaaaa:7" as FactId });
    expect(equality(gone, undefined)).toBe("unknown");
    const [, , stage] = stages(answerOf({ recalled: [recalledFact(), gone] }), rows);
    expect(stage).toMatchObject({ state: "warn" });
    expect(stage?.text).toBe(
      "1 recalled fact is word for word as stored. 1 fact has been deleted since and cannot be compared.",
    );
  });
});
