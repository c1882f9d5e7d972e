/** @file When a short answer may stand: played replies, with the probability that the model is to give them. */

import { describe, expect, it } from "vitest";
import { engineOf } from "../engine/around.ts";
import { fakeEngine, fakeValues } from "../engine/testing/fakeEngine.ts";
import type { Engine } from "../engine/engine.ts";
import type { Reconstruction } from "../records/answer.ts";
import { charOffset, layerIndex, type FactId } from "../records/ids.ts";
import { headline } from "../records/headline.ts";
import { PAPER, SHARP, type MethodParams } from "../records/params.ts";
import type { Near } from "./evidence.ts";
import { answerAlone, shortAnswer } from "./shortAnswer.ts";

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

/** An engine that replies `text`, each of whose words it gives the probability `p`. */
function replying(text: string, p: number): Engine {
  const words = text.split(" ").map((_, i) => i);
  const values = fakeValues({ encode: (said) => (said === "" ? [] : words), chat: () => [1, 2] });
  const { engine } = fakeEngine(values);
  return engineOf(() => values, {
    ...engine,
    generate: async (_turns, { onText }) => {
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

  it("stands as the model says it under `paper`, marked where no sentence bears it out", async () => {
    const said = (text: string, p: number) => verdict(text, p, [MARY], PAPER);
    expect(await said("green garden", 0.2)).toMatchObject({ text: "green garden", verdict: "as said" });
    expect(await said("Not in memory.", 1)).toMatchObject({ text: "Not in memory.", verdict: "as said" });
    expect(await said("garden", 0.2)).toMatchObject({ verdict: "supported" });
    expect(await said("", 1)).toMatchObject({ verdict: "unsupported" });
    expect(headline(await said("green garden", 0.2))).toBe("green garden");
  });

  it("is the model's own without a fact where it is asked all the same", async () => {
    const alone = (params: MethodParams) =>
      answerAlone({ engine: replying("moon", 0.9), params, inSource: () => 0 }, "Where?", "not in memory");
    expect(await alone(PAPER)).toMatchObject({ text: "moon", verdict: "as said" });
    expect(await alone(SHARP)).toMatchObject({ text: "", verdict: "not in memory" });
    expect(await alone({ ...SHARP, noFacts: "ask" })).toMatchObject({
      text: "moon",
      verdict: "not in memory",
    });
  });
});
