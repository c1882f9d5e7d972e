import { describe, expect, it } from "vitest";
import { wilson } from "../lib/stats.ts";
import type { Answer, PartAnswer, Reconstruction } from "./answer.ts";
import { charOffset, layerIndex, type FactId } from "./ids.ts";
import { holdersOf, judge, type Expectation } from "./judge.ts";
import { questionParams, SHARP } from "./params.ts";

const BOILER = "The boiler is serviced by Hartmann, phone 0231.";
const stored = [BOILER, "Rent is due on the 28th."].map((value, i) => ({ id: `d:${i}` as FactId, value }));
const fact = (i: number, text = stored[i]!.value): Reconstruction => ({
  id: stored[i]!.id,
  key: `k${i}`,
  anchor: "k",
  index: i,
  layer: layerIndex(0),
  offset: charOffset(i),
  tokens: [],
  text,
  read: { similarity: 1, gateOpen: true, winner: null, competitors: [], openPositions: [1] },
  exact: text === stored[i]!.value,
});
const part = (change: Partial<PartAnswer>): PartAnswer => ({
  question: "",
  text: "",
  cited: [],
  verdict: "unsupported",
  probability: null,
  evidence: [],
  unmet: [],
  ...change,
});

function answerOf(recalled: readonly Reconstruction[], ...asked: readonly PartAnswer[]): Answer {
  return {
    question: "",
    settings: questionParams(SHARP),
    route: { question: "", anchors: [], facts: recalled.map(({ id }) => id) },
    recalled,
    asked: asked.map((one) => ({ ...one, evidence: recalled.map(({ id }) => id) })),
    text: "",
    cited: [],
    notInMemory: false,
    milliseconds: { route: 0, recall: 0, answer: 0 },
  };
}

const WHO: Expectation = { ask: "Who services the boiler?", answers: ["Hartmann"] };
const failed = (answer: Answer, expected = WHO) => judge(answer, expected, stored).failed;

describe("what is needed", () => {
  const needed = "Mary went to the garden, and John to the office.";

  it("is held by the texts in which all of it stands, whatever splits and joins sentences", () => {
    expect(holdersOf(["It rained.", "So: mary went to the garden and John to the office!"], needed)).toEqual([
      1,
    ]);
    expect(holdersOf(["Mary sang.", ""], needed)).toEqual([]);
    expect(holdersOf(["anything"], "?!")).toEqual([]);
  });

  it("is held by the pieces that it was cut into, where none is missing", () => {
    const pieces = ["and John to the office.", "It rained.", "Mary went to the garden,"];
    expect(holdersOf(pieces, needed)).toEqual([0, 2]);
    expect(holdersOf(pieces.slice(0, 2), needed)).toEqual([]);
  });

  it("is stored, routed and recalled by its pieces as an oracle finds it", () => {
    const halves = ["The boiler is serviced", "by Hartmann, phone 0231."].map((value, i) => ({
      id: `d:${i}` as FactId,
      value,
    }));
    const said = halves.map(({ value }, i) => fact(i, value)).map((one) => ({ ...one, exact: true }));
    const expected = { ...WHO, needs: [BOILER] };
    expect(judge(answerOf(said), expected, halves)).toMatchObject({
      stored: true,
      routed: true,
      recalled: true,
      failed: "answer",
    });
    expect(judge(answerOf(said.slice(1)), expected, halves)).toMatchObject({ stored: true, routed: false });
    expect(judge(answerOf(said), expected, halves.slice(1))).toMatchObject({
      stored: false,
      failed: "extraction",
    });
  });
});

describe("an answer beside what was expected", () => {
  it("failed where the needed sentence was last seen", () => {
    expect(failed(answerOf([]), { ...WHO, answers: ["Miller"] })).toBe("extraction");
    expect(failed(answerOf([fact(1)], part({})))).toBe("routing");
    expect(failed(answerOf([fact(0, "The boiler is.")], part({})))).toBe("reconstruction");
    expect(failed(answerOf([fact(0)], part({})))).toBe("answer");
    expect(failed(answerOf([fact(0)], part({ text: "Hartmann.", verdict: "supported" })))).toBeNull();
  });

  it("is right to give none where the texts hold none", () => {
    const nowhere = { ask: "Who is the mayor?", answers: [] };
    expect(failed(answerOf([fact(1)], part({})), nowhere)).toBeNull();
    expect(failed(answerOf([], part({ verdict: "not in memory" })), nowhere)).toBeNull();
    expect(failed(answerOf([fact(0)], part({ text: "Hartmann.", verdict: "supported" })), nowhere)).toBe(
      "answer",
    );
  });

  it("has a sentence of its own where words of it are given", () => {
    const which = { ...WHO, needs: ["Rent is due"] };
    expect(judge(answerOf([fact(0)], part({})), which, stored)).toMatchObject({
      stored: true,
      routed: false,
      shown: false,
    });
  });

  it("is right with whole words alone, and marked where it carries a doubt", () => {
    const short = (text: string, verdict: PartAnswer["verdict"]) => {
      const { short: found, marked } = judge(answerOf([fact(0)], part({ text, verdict })), WHO, stored);
      return [found, marked];
    };
    expect(short("hartmann", "supported")).toEqual(["right", false]);
    expect(short("Hartmanns", "supported")).toEqual(["wrong", false]);
    expect(short("of Hartmann", "supported")).toEqual(["right", false]);
    expect(short("Rent", "inexact")).toEqual(["wrong", true]);
    expect(short("Rent", "read")).toEqual(["wrong", false]);
    expect(short("Rent", "unsupported")).toEqual(["none", false]);
  });

  it("of several parts is marked where every wrong one is", () => {
    const marked = (wrong: PartAnswer["verdict"]) => {
      const asked = [
        part({ text: "Hartmann", verdict: "supported" }),
        part({ text: "Rent", verdict: wrong }),
      ];
      return judge({ ...answerOf([fact(0)], asked[0]!), asked }, WHO, stored);
    };
    expect(marked("inexact")).toMatchObject({ short: "wrong", marked: true });
    expect(marked("supported")).toMatchObject({ short: "wrong", marked: false });
  });

  it("is right without the article that was expected, which alone makes none right", () => {
    const judged = (text: string, wanted: string) => {
      const answer = answerOf([fact(0)], part({ text, verdict: "supported" }));
      return judge(answer, { ...WHO, answers: [wanted] }, stored).short;
    };
    expect(judged("boiler", "the boiler")).toBe("right");
    expect(judged("The boiler", "boiler")).toBe("right");
    expect(judged("a phone", "the boiler")).toBe("wrong");
    expect(judged("the phone", "the")).toBe("right");
    expect(judged("phone", "A")).toBe("wrong");
  });

  it("asks for every expected word of a question in parts", () => {
    const both = { ask: "", answers: ["Hartmann", "28th"], all: true };
    const answer = answerOf(
      [fact(0), fact(1)],
      part({ text: "Hartmann", verdict: "supported" }),
      part({ text: "28th", verdict: "supported" }),
    );
    expect(judge(answer, both, stored)).toMatchObject({ short: "right", recalled: true, failed: null });
    expect(judge(answerOf([fact(0)], part({})), both, stored).failed).toBe("routing");
  });
});

it("a share has an interval that holds it, and is no wider than all", () => {
  expect(wilson(78, 78).map((end) => Math.round(100 * end))).toEqual([95, 100]);
  expect(wilson(0, 0)).toEqual([0, 1]);
  expect(wilson(1, 120)[0]).toBeGreaterThan(0);
});
