/** @file When a short answer may stand: played replies, with the probability that the model is to give them. */

import { describe, expect, it } from "vitest";
import { composeEngine } from "../engine/intercept.ts";
import { fakeEngine, fakeValues } from "../engine/testing/fakeEngine.ts";
import type { Engine, EngineValues } from "../engine/engine.ts";
import { shownText, type Reconstruction } from "../records/answer.ts";
import { charOffset, layerIndex, type FactId } from "../records/ids.ts";
import { PAPER, SHARP, type MethodParams } from "../records/params.ts";
import type { Near } from "./evidence.ts";
import { buildIndex } from "../router/routerIndex.ts";
import {
  readFacts,
  type AnswerContext,
  answerWithoutFacts,
  asSureAs,
  bestSentence,
  factsToTell,
  isDisputed,
  needsSeveral,
  shortAnswer,
  toldAnswer,
  trimmedSpan,
} from "./shortAnswer.ts";

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
  return { fact, shared, logit: shared };
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

const indexOf = (anchor: string) => {
  const facts = [{ id: "x@0" as FactId, index: 1, terms: "", digest: "" }];
  return buildIndex([{ anchor, order: 0, vector: new Float32Array(0), facts }], ["salt"]);
};
const NO_INDEX = buildIndex([], ["salt"]);
const MARY = near("Mary (1)", "Mary moved to the garden.", 2);
const verdict = async (
  text: string,
  p: number,
  facts: readonly Near[] = [MARY],
  params = SHARP,
  asked = "Where is Mary?",
) => {
  const context = { engine: replying(text, p), params, inSource: () => 0 };
  return toldAnswer(context, asked, facts);
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
    expect(await verdict("Mary", 0.99)).toMatchObject({ verdict: "unsupported", cited: [] });
    expect(await verdict("Not in memory.", 1)).toMatchObject({ verdict: "unsupported", probability: null });
  });

  it("is not shown from a fact of somebody else, nor asked for a reason", async () => {
    const given = (asked: string, params = SHARP) => verdict("garden", 0.99, [MARY], params, asked);
    expect(await given("Where does Greta live?")).toMatchObject({ verdict: "unsupported" });
    expect(await given("Where does Greta live?", PAPER)).toMatchObject({ verdict: "supported" });
    expect(await given("Why did Mary move?")).toMatchObject({ verdict: "unsupported", text: "" });
    expect(await given("Why did Mary move?", PAPER)).toMatchObject({ verdict: "supported" });
  });

  it("is marked where only an inexact fact holds it", async () => {
    const off = near("Mary (1)", "Mary moved to the garden.", 2, false);
    expect(await verdict("garden", 1, [off])).toMatchObject({ verdict: "inexact" });
    const again = near("Mary (2)", "Mary went back to the garden.", 2);
    expect(await verdict("garden", 1, [off, again])).toMatchObject({ verdict: "supported" });
  });

  it("stands as the model says it under `paper`, marked where no sentence bears it out", async () => {
    const said = (text: string, p: number) => verdict(text, p, [MARY], PAPER);
    expect(await said("green garden", 0.2)).toMatchObject({ text: "green garden", verdict: "as said" });
    expect(await said("Not in memory.", 1)).toMatchObject({ text: "Not in memory.", verdict: "as said" });
    expect(await said("garden", 0.2)).toMatchObject({ verdict: "supported" });
    expect(await said("", 1)).toMatchObject({ verdict: "unsupported" });
    expect(shownText(await said("green garden", 0.2), { recalled: [] })).toBe("green garden");
  });

  it("names the facts that the window had no room for", async () => {
    const last = near("Peter (1)", "Peter waits.", 0);
    const { window } = fakeValues().model;
    const engine = replying("garden", 0.99, (turn) =>
      Array.from({ length: turn.includes(last.fact.text) ? window : 2 }, () => 0),
    );
    const found = await toldAnswer({ engine, params: SHARP, inSource: () => 0 }, "Where is Mary?", [
      MARY,
      last,
    ]);
    expect(found).toMatchObject({ text: "garden", verdict: "supported", leftOut: ["Peter (1)"] });
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

describe("facts are put together", () => {
  const again = near("Mary (2)", "Mary went back to the office.", 2);

  it("where several share as much with the question, and where the place of a thing is asked", () => {
    const last = near("Peter (1)", "Peter waits.", 0);
    expect(needsSeveral("Where is Mary?", [MARY, again, last], indexOf("Mary"))).toBe(true);
    expect(needsSeveral("Where is Mary?", [MARY, last], indexOf("Mary"))).toBe(false);
    expect(needsSeveral("Where is the ball?", [MARY, last], indexOf("Mary"))).toBe(true);
    expect(needsSeveral("Who has the ball?", [MARY, last], indexOf("Mary"))).toBe(false);
  });
});

describe("the facts that the model gets", () => {
  /** An engine whose reader finds an answer to a question in the sentences that have its words. */
  const finding = (found: Readonly<Record<string, string>>, reader = true) => {
    const { engine } = fakeEngine(fakeValues({}));
    return composeEngine(() => fakeValues({}), {
      ...engine,
      readEach: async (question, sentences) =>
        reader ? sentences.map((text) => Number(text.includes(found[question] ?? "nothing"))) : null,
    });
  };
  const told = async (engine: Engine, question: string, facts: readonly Near[], anchor: string) => {
    const chosen = await factsToTell({ engine }, question, facts, indexOf(anchor));
    return chosen.map(({ fact: { text } }) => text);
  };
  const idle = (n: number) =>
    Array.from({ length: n }, (_, i) => near(`Mary (${10 + i})`, `Friend Mary sighed ${i} times.`, 2));
  const beside = near("Ann (1)", "It rained.", 0);

  it("have words of the question; those in which the reader finds no answer are left out, but for the best few", async () => {
    const again = near("Mary (2)", "Mary went to the office.", 2);
    const facts = [MARY, ...idle(9), beside, again];
    const engine = finding({ "Where is Mary?": " to the " });
    expect(await told(engine, "Where is Mary?", facts, "Mary")).toEqual(
      expect.arrayContaining([MARY.fact.text, again.fact.text]),
    );
    expect(await told(engine, "Where is Mary?", [MARY, again, ...idle(1), beside], "Mary")).toHaveLength(3);
    const places = Array.from({ length: 5 }, (_, i) =>
      near(`Mary (${i})`, `Mary ran to the ${i}th room.`, 2),
    );
    expect(await told(engine, "Where is Mary?", [...idle(9), ...places], "Mary")).toEqual(
      places.map(({ fact }) => fact.text),
    );
    expect(await told(finding({}, false), "Where is Mary?", facts, "Mary")).toHaveLength(facts.length - 1);
  });

  it("have the thing of the question as a word, close to a holder, wherever a fact has that", async () => {
    const took = near("Mary", "Mary took the apple there.", 2);
    const prose = [
      near("Aaron", "Aaron, an apple-cheeked youngster, went to the loom.", 2),
      near("Glenmire", "Glenmire said that two boys of the next village had stolen the apple.", 2),
    ];
    const engine = finding({}, false);
    const where = "Where is the apple?";
    expect(await told(engine, where, [...prose, took], "x")).toEqual([took.fact.text]);
    expect(await told(engine, where, prose, "x")).toEqual(prose.map(({ fact }) => fact.text));
    const north = near("garden", "The garden is north of the office.", 1);
    const south = near("hallway", "The hallway is south of the garden.", 1);
    const asked = await told(engine, "What is the office south of?", [north, south], "x");
    expect(asked).toContain(north.fact.text);
    const who = [near("Silas", "Silas received the message.", 2), took];
    expect(await told(engine, "Who received the apple?", who, "x")).toEqual([took.fact.text]);
  });

  it("and where a holder is sought, the facts that have the holder's place", async () => {
    const took = near("Mary", "Mary took the ball.", 2);
    const went = near("Mary", "Mary went to the attic.", 0);
    const sang = near("Mary", "Mary sang.", 0);
    const engine = finding({ "Where is Mary?": " to the " });
    expect(await told(engine, "Where is the ball?", [took, went, sang, beside], "Mary")).toEqual([
      took.fact.text,
      went.fact.text,
    ]);
  });

  it("are all facts where none has a word of the question", async () => {
    expect(await told(finding({}), "Where?", [beside], "Mary")).toEqual([beside.fact.text]);
  });
});

describe("the reader's answer", () => {
  const reader = { level: 0.5, measured: "19 of 100 were wrong" };
  /** An engine whose reader marks "garden" in the second sentence, and whose model replies `reply`. */
  const marking = (
    confidence: number,
    reply = "Not in memory.",
    over: Partial<EngineValues> = { reader },
    p = 0.99,
  ) => {
    const model = replying(reply, p);
    const values = { ...fakeValues(over), encode: model.encode, chat: model.chat };
    const asked: unknown[] = [];
    const engine = composeEngine(() => values, {
      ...model,
      readSpan: async (question, sentences) => {
        asked.push(question, sentences);
        const shares = [0.001, confidence];
        return values.reader && { shares, best: { sentence: 1, span: [18, 24], confidence }, whole: true };
      },
      readEach: async (_, sentences) => values.reader && sentences.map(() => 1),
    });
    return { context: { engine, params: SHARP, inSource: () => 0 }, asked };
  };
  const away = near("Sandra (1)", "Sandra left.", 3);
  const answered = async (context: AnswerContext, facts: readonly Near[]) => {
    const read = await readFacts(context, "Where?", facts);
    return { ...read, said: await shortAnswer(context, "Where?", read, NO_INDEX) };
  };

  it("is a span of one of the first sentences, with the reader's level and figure", async () => {
    const { context, asked } = marking(0.8);
    const { said: found, nearest } = await answered(context, [away, MARY]);
    expect(nearest).toEqual([MARY, away]);
    expect(found).toEqual({
      text: "garden",
      cited: ["Mary (1)"],
      verdict: "read",
      probability: 0.8,
      reader,
      best: { id: MARY.fact.id, span: [18, 24] },
    });
    expect(bestSentence(found, nearest)).toEqual(found.best);
    const sentences = [away, MARY].map(({ fact: { text }, logit }) => ({ text, logit }));
    expect(asked).toEqual(["Where?", sentences]);
  });

  it("a sentence that is stored twice takes no place of another", async () => {
    const { context } = marking(0.8);
    const engine = composeEngine(() => context.engine, {
      ...context.engine,
      readSpan: async () => ({ shares: [0.4, 0.3, 0.2, 0.1], best: null, whole: true }),
    });
    const again = near("Mary (2)", MARY.fact.text, 1);
    const read = await readFacts({ engine }, "Where?", [MARY, again, away, near("Tom (1)", "Tom left.", 1)]);
    expect(read.nearest.map(({ fact }) => fact.key)).toEqual([
      MARY.fact.key,
      "Sandra (1)",
      "Tom (1)",
      "Mary (2)",
    ]);
    expect(read.shares).toEqual([0.7, 0.2, 0.1, 0]);
  });

  it("of a sentence about another number has no words, and little of its share is left", async () => {
    const { context } = marking(0.9);
    const other = near("Set (1)", "Set 3 is due in May.", 1);
    const read = await readFacts(context, "when is set 4 due", [away, other]);
    expect(read.marked).toMatchObject({ verdict: "unsupported", text: "" });
    expect(read.nearest.map(({ fact }) => fact.key)).toEqual(["Set (1)", "Sandra (1)"]);
    expect(read.shares![0]).toBeCloseTo(0.009);
    const { marked } = await readFacts(context, "when is set 3 due?", [away, other]);
    expect(marked.verdict).toBe("read");
  });

  it("to a question for a price is read in the words of the table that has one", async () => {
    const { context, asked } = marking(0.8);
    const row = near("Deck (1)", "Deck 3 (oven): maker Lee, price €149, delivery 6 weeks.", 2);
    await readFacts(context, "What does the Deck 3 cost?", [row, away]);
    await readFacts(context, "What does the Deck 3 cost?", [MARY, away]);
    await readFacts(context, "How much is left?", [row, away]);
    expect(asked.filter((one) => typeof one === "string")).toEqual([
      "What is the price of the Deck 3?",
      "What does the Deck 3 cost?",
      "How much is left?",
    ]);
  });

  it("below the level is the model's if a sentence supports it, otherwise none: the first sentence has no mark", async () => {
    const { said: none, nearest } = await answered(marking(0.49).context, [away, MARY]);
    expect(none).toMatchObject({ cited: [], verdict: "unsupported", probability: 0.49, reader });
    expect(bestSentence(none, nearest)).toEqual({ id: MARY.fact.id, span: null });
    // The model's words are in a sentence, but it is not sure of them: they are not shown as marked by the reader.
    const { said: unsure } = await answered(marking(0.49, "garden", { reader }, 0.3).context, [away, MARY]);
    expect(unsure).toMatchObject({ cited: [], verdict: "unsupported", probability: 0.49, reader });
    const { said: told } = await answered(marking(0.49, "garden").context, [away, MARY]);
    expect(told).toMatchObject({ text: "garden", cited: ["Mary (1)"], verdict: "supported" });
    expect(told.reader).toBeUndefined();
  });

  it.each([
    ["The shop sold wedding cakes, and had a bell.", "wedding cakes, and", "wedding cakes"],
    ["He came to the park on Monday.", "the park on", "the park"],
    ["Adult: old fee £60, new fee £72, members 48", "£72, members 48", "£72"],
    ["Coffee: the shop opened in May, but nobody came.", "May, but nobody", "May, but nobody"],
    ["It cost €12,000.", "€12,000", "€12,000"],
    ["Bea: get the permit (form B-17)", "permit (form", "permit"],
    ["Ann asked him who pays; he said Bob.", "who pays; he said", "who pays"],
    ["Museum – Director: Ada Lie.", "Museum – Director: Ada Lie", "Ada Lie"],
    ["Marta: I bring the stove.", "Marta", "Marta"],
    ["Petra Lindqvist conducts it.", "Lindqvist", "Petra Lindqvist"],
    ["On Monday, Anna Maria Roth came.", "Maria Roth", "Anna Maria Roth"],
    ["On Monday Anna Roth came.", "Anna Roth", "Anna Roth"],
    ["In May Anna left for Oslo.", "May", "May"],
    ["Mr Albrecht, who teaches", "Mr Albrecht", "Mr Albrecht"],
    ["Lena (Hut) (18:04): Eggs, milk and bread", "Eggs, milk and bread", "Eggs, milk and bread"],
  ])("in “%s” the span “%s” is marked as “%s”", (text, words, marked) => {
    const from = text.indexOf(words);
    expect(text.slice(...trimmedSpan(text, [from, from + words.length]))).toBe(marked);
  });

  it("must be surer where it is asked to", async () => {
    const { context } = marking(0.7);
    const level = async (least: number) =>
      asSureAs((await readFacts(context, "Where?", [away, MARY])).marked, least);
    expect(await level(0.7)).toMatchObject({ text: "garden", verdict: "read", reader: { level: 0.7 } });
    expect(await level(0.8)).toMatchObject({ text: "", verdict: "unsupported", reader: { level: 0.8 } });
  });

  it("of the model is from facts of at most twelve words, if the model has a reader", async () => {
    const rest = "and on the way to it, late in the evening, she met nobody.";
    const long = near("Mary (1)", `Mary moved to the garden, ${rest}`, 2);
    const told = (engine: Engine, params = SHARP) =>
      toldAnswer({ engine, params, inSource: () => 0 }, "Where is Mary?", [long]);
    const { engine } = marking(0.8, "garden").context;
    expect(await told(engine)).toMatchObject({ text: "garden", verdict: "unsupported" });
    expect(await told(engine, PAPER)).toMatchObject({ text: "garden", verdict: "supported" });
    expect(await told(replying("garden", 0.99))).toMatchObject({ text: "garden", verdict: "supported" });
  });

  it("is disputed if the model has another one from a short fact", async () => {
    const { context } = marking(0.8);
    const { marked } = await readFacts(context, "Where?", [away, MARY]);
    const john = near("John (1)", "John is in the kitchen.", 2);
    const disputed = (text: string) =>
      isDisputed(context, "Where?", [{ ...marked, text, verdict: "unsupported" }, marked], [MARY, john]);
    const answers = ["kitchen", "the garden", "attic", "Not in memory."];
    expect(answers.map(disputed)).toEqual([true, false, false, false]);
  });

  it("a model without a reader has none and is not asked", async () => {
    const { said, nearest } = await answered(marking(0.8, "garden", {}).context, [away, MARY]);
    expect(nearest).toEqual([away, MARY]);
    expect(said).toEqual({ text: "", cited: [], verdict: "unsupported", probability: null });
  });

  it("has a warning where its sentence did not come back exactly", async () => {
    const off = near("Mary (1)", "Mary moved to the garden.", 2, false);
    const { context } = marking(0.8);
    expect((await answered(context, [away, off])).said).toMatchObject({ verdict: "inexact" });
  });
});
