/** @file When a short answer may stand: played replies, with the probability that the model is to give them. */

import { describe, expect, it } from "vitest";
import { composeEngine } from "../engine/intercept.ts";
import { fakeEngine, fakeValues } from "../engine/testing/fakeEngine.ts";
import type { Engine } from "../engine/engine.ts";
import { shownText, type Reconstruction } from "../records/answer.ts";
import { charOffset, layerIndex, type FactId } from "../records/ids.ts";
import { PAPER, SHARP, type MethodParams } from "../records/params.ts";
import type { Near } from "./evidence.ts";
import { answerWithoutFacts, shortAnswer } from "./shortAnswer.ts";

const near = (key: string, text: string, shared: number, exact = true): Near => {
  const read = { similarity: 1, gateOpen: true, winner: null, competitors: [], openPositions: [1] };
  const fact: Reconstruction = {
    id: key as FactId,
    key,
    anchor: key,
    index: 1,
    layer: layerIndex(0),
    offset: charOffset(0),
    tokens: [],
    text,
    read,
    exact,
  };
  return { fact, shared };
};

/** An engine that replies `reply`, to each of whose words it gives the probability `p`. */
function replying(
  reply: string | ((turn: string) => string),
  p: number,
  chat: (turn: string) => number[] = () => [1, 2],
): Engine {
  const words = (said: string) => (said === "" ? [] : said.split(" ").map((_, i) => i));
  const values = fakeValues({ encode: words, chat });
  const { engine } = fakeEngine(values);
  return composeEngine(() => values, {
    ...engine,
    generate: async ([turn = ""], { onText }) => {
      const text = typeof reply === "string" ? reply : reply(turn);
      onText?.(text);
      return [text];
    },
    lens: async ({ at }) => [
      at.map(({ tokens }) => ({
        top: [],
        asked: tokens.map((id) => ({ id, logit: 0, logProbability: Math.log(p), rank: 1 })),
      })),
    ],
  });
}

const MARY = near("Mary (1)", "Mary moved to the garden.", 2);
const verdict = async (text: string, p: number, facts: readonly Near[] = [MARY], params = SHARP) => {
  const context = { engine: replying(text, p), params, inSource: () => 0 };
  return shortAnswer(context, "Where is Mary?", facts);
};

describe("a short answer", () => {
  it("is supported where its words stand in an exact fact and the model is sure", async () => {
    const { verdict: found, cited, probability } = await verdict("garden", 0.99);
    expect([found, cited]).toEqual(["supported", ["Mary (1)"]]);
    expect(probability).toBeCloseTo(0.99, 6);
  });

  it("is not shown below the level, nor with words that no recalled sentence has, nor with the question's own", async () => {
    expect(await verdict("garden", 0.97)).toMatchObject({ verdict: "unsupported" });
    expect(await verdict("green garden", 0.99)).toMatchObject({ verdict: "unsupported" });
    expect(await verdict("Mary", 0.99)).toMatchObject({ verdict: "unsupported", cited: ["Mary (1)"] });
    expect(await verdict("Not in memory.", 1)).toMatchObject({ verdict: "unsupported", probability: null });
  });

  it("is marked where only an inexact fact holds it", async () => {
    const off = near("Mary (1)", "Mary moved to the garden.", 2, false);
    expect(await verdict("garden", 1, [off])).toMatchObject({ verdict: "inexact" });
    const again = near("Mary (2)", "Mary went back to the garden.", 2);
    expect(await verdict("garden", 1, [off, again])).toMatchObject({ verdict: "supported" });
  });

  it("is marked where a sentence it does not cite is nearer to the question", async () => {
    const nearer = near("Mary (2)", "Where Mary is nobody knows.", 3);
    expect(await verdict("garden", 1, [nearer, MARY])).toMatchObject({ verdict: "indirect" });
  });

  it("that does not stand is asked for again with the nearest sentence alone, where that bears it out", async () => {
    const last = near("Peter (1)", "Peter waits.", 0);
    const turns: string[] = [];
    const FAR = "Sandra moved to the office.";
    const asked = (params: MethodParams, reply: (facts: readonly string[]) => string, shared = 1) => {
      turns.length = 0;
      const far = near("Sandra (1)", FAR, shared);
      const engine = replying((turn) => {
        turns.push(turn);
        return reply([MARY, far, last].map(({ fact }) => fact.text).filter((text) => turn.includes(text)));
      }, 0.99);
      return shortAnswer({ engine, params, inSource: () => 0 }, "Where is Mary?", [MARY, far, last]);
    };
    const alone = (text: string, said: string) => (facts: readonly string[]) =>
      facts.length === 1 && facts[0] === text ? said : "Not in memory.";

    expect(await asked(SHARP, alone(MARY.fact.text, "garden"))).toMatchObject({
      text: "garden",
      verdict: "alone",
      cited: ["Mary (1)"],
    });
    expect(turns).toHaveLength(2);
    // Another sentence is not asked alone, nor the nearest where what stands is said at once, or where another is nearly as near.
    expect(await asked(SHARP, alone(FAR, "office"))).not.toMatchObject({ verdict: "alone" });
    expect(turns).toHaveLength(2);
    expect(await asked(SHARP, () => "garden")).not.toMatchObject({ verdict: "alone" });
    expect(turns).toHaveLength(1);
    for (const shared of [1.6, 2])
      expect(await asked(SHARP, alone(MARY.fact.text, "garden"), shared)).not.toMatchObject({
        verdict: "alone",
      });
    expect(turns).toHaveLength(1);
    expect(await asked({ ...SHARP, answers: "paper" }, alone(MARY.fact.text, "garden"))).not.toMatchObject({
      verdict: "alone",
    });
    // Where nothing is shared, nothing is nearest.
    const strangers = [near("Mary (1)", MARY.fact.text, 0), last];
    const answering = replying((turn) => (turn.includes(last.fact.text) ? "Not in memory." : "garden"), 0.99);
    const none = shortAnswer({ engine: answering, params: SHARP, inSource: () => 0 }, "Where?", strangers);
    expect(await none).not.toMatchObject({ verdict: "alone" });
    expect(await asked(PAPER, alone(MARY.fact.text, "garden"))).toMatchObject({ verdict: "as said" });
    expect(turns).toHaveLength(1);
    // Words that the one sentence does not have do not stand either, and the first reply is the one that is kept.
    const unborne = await asked(SHARP, alone(MARY.fact.text, "office"));
    expect(unborne).toMatchObject({ text: "Not in memory.", verdict: "unsupported", probability: null });
  });

  it("stands as the model says it under `paper`, marked where no sentence bears it out", async () => {
    const said = (text: string, p: number) => verdict(text, p, [MARY], PAPER);
    expect(await said("green garden", 0.2)).toMatchObject({ text: "green garden", verdict: "as said" });
    expect(await said("Not in memory.", 1)).toMatchObject({ text: "Not in memory.", verdict: "as said" });
    expect(await said("garden", 0.2)).toMatchObject({ verdict: "supported" });
    expect(await said("", 1)).toMatchObject({ verdict: "unsupported" });
    expect(shownText(await said("green garden", 0.2), { recalled: [] })).toBe("green garden");
  });

  it("of the nearest sentence alone still names what the first asking had no room for", async () => {
    const last = near("Peter (1)", "Peter waits.", 0);
    const far = near("Sandra (1)", "Sandra moved to the office.", 1);
    const { window } = fakeValues().model;
    const engine = replying(
      (turn) => (turn.includes(far.fact.text) ? "Not in memory." : "garden"),
      0.99,
      (turn) => Array.from({ length: turn.includes(last.fact.text) ? window : 2 }, () => 0),
    );
    const context = { engine, params: SHARP, inSource: () => 0 };
    const found = await shortAnswer(context, "Where is Mary?", [MARY, far, last]);
    expect(found).toMatchObject({ text: "garden", verdict: "alone", leftOut: ["Peter (1)"] });
  });

  it("is the model's own without a fact where it is asked all the same", async () => {
    const alone = (params: MethodParams) =>
      answerWithoutFacts(
        { engine: replying("moon", 0.9), params, inSource: () => 0 },
        "Where?",
        "not in memory",
      );
    expect(await alone(PAPER)).toMatchObject({ text: "moon", verdict: "as said" });
    expect(await alone(SHARP)).toMatchObject({ text: "", verdict: "not in memory" });
  });
});
