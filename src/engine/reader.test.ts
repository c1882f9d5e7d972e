/** @file The reader against golden numbers of tools/demo-model/export_reader.py: tokens, units, features, scores and the span. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { logShares, readEach, readSpan, scoredSpans, type ReaderAbout } from "./reader.ts";
import { askOf, pairFeatures, readerText, readingOf } from "./readerText.ts";
import { openText } from "./text.ts";
import { BUNDLED } from "./testing/models.ts";
import { useBundled } from "./testing/useBundled.ts";
import { nodeModelFiles } from "../../tools/node/nodeFile.ts";

interface Case {
  readonly question: string;
  readonly tokens: readonly number[];
  readonly ask: number;
  readonly sentences: readonly {
    readonly text: string;
    readonly logit: number;
    readonly tokens: readonly number[];
    readonly units: readonly (readonly [start: number, end: number])[];
    /** Of the question's tokens, then of the sentence's. */
    readonly features: readonly (readonly number[])[];
    readonly scores: readonly (readonly [first: number, last: number, score: number])[];
  }[];
  readonly answer: {
    readonly sentence: number;
    readonly span: readonly [number, number];
    readonly confidence: number;
  };
}

const CASES = JSON.parse(readFileSync("golden/reader/golden.json", "utf8")) as Case[];
const shared = useBundled();

async function opened() {
  const { runner, reader } = shared.engine;
  const { pieces } = await openText(await nodeModelFiles(BUNDLED), runner.config);
  return { runner, pieces, about: reader as ReaderAbout };
}

describe("the reader", () => {
  it.each(CASES)("sees “$question” and its sentences as it was trained to", async (one) => {
    const { pieces, about } = await opened();
    const read = (text: string, most: number) => readingOf(text, pieces(readerText(text)), most);
    const question = read(one.question, about.questionTokens);
    expect(question.ids).toEqual(one.tokens);
    expect(askOf(one.question)).toBe(one.ask);
    for (const sentence of one.sentences) {
      const reading = read(sentence.text, about.sentenceTokens);
      expect(reading.ids).toEqual(sentence.tokens);
      expect(reading.units.map(({ start, end }) => [start, end])).toEqual(sentence.units);
      const features = pairFeatures(question, reading);
      expect(features).toHaveLength(sentence.features.length);
      features.forEach((values, t) =>
        values.forEach((value, k) => expect(value).toBeCloseTo(sentence.features[t]![k]!, 4)),
      );
    }
  });

  it.each(CASES)("gives the spans for “$question” the scores of PyTorch", async (one) => {
    const { runner, pieces, about } = await opened();
    const { question, sentences, answer } = one;
    const spans = (
      await scoredSpans(runner, about, pieces, { question, sentences, rank: logShares(sentences) })
    ).map(({ sentence, from, to, score }) => ({ sentence, first: from.first, last: to.last, score }));
    const told = sentences.flatMap(({ scores }, sentence) =>
      scores.map(([first, last, score]) => ({ sentence, first, last, score })),
    );
    const order = (a: (typeof told)[number], b: (typeof told)[number]) =>
      a.sentence - b.sentence || a.first - b.first || a.last - b.last;
    const [ours, golden] = [spans.toSorted(order), told.toSorted(order)];
    expect(ours.map(({ sentence, first, last }) => [sentence, first, last])).toEqual(
      golden.map(({ sentence, first, last }) => [sentence, first, last]),
    );
    ours.forEach(({ score }, i) => expect(score).toBeCloseTo(golden[i]!.score, 2));
    const { best, shares } = (await readSpan(runner, about, pieces, question, sentences))!;
    expect([best!.sentence, best!.span]).toEqual([answer.sentence, answer.span]);
    expect(best!.confidence).toBeCloseTo(answer.confidence, 2);
    expect(shares).toHaveLength(sentences.length);
    expect(shares.indexOf(Math.max(...shares))).toBe(answer.sentence);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(1 + 1e-6);
  });

  it("finds the answer behind the first five sentences, and reads no more than ten", async () => {
    const { runner, pieces, about } = await opened();
    const others = ["It rained.", "Tom slept.", "The bus was late.", "Nobody sang.", "A dog barked."];
    const told = [...others, "Mary went back to the office.", ...others, "Mary moved to the garden."];
    const ranked = told.map((text) => ({ text, logit: 0 }));
    const { shares } = (await readSpan(runner, about, pieces, "Where is Mary?", ranked))!;
    expect(shares).toHaveLength(10);
    expect(shares.indexOf(Math.max(...shares))).toBe(5);
  });

  it("is sure of each sentence as of that sentence alone, in groups", async () => {
    const { runner, pieces, about } = await opened();
    const texts = [
      "Mary moved to the garden.",
      "It rained.",
      "Friend Mary, you are right.",
      "Tom slept.",
      "Mary sang.",
      "Mary went back to the office.",
    ];
    const sure = (await readEach(runner, about, pieces, "Where is Mary?", texts))!;
    for (const [i, text] of texts.entries()) {
      const alone = await readSpan(runner, about, pieces, "Where is Mary?", [{ text, logit: 0 }]);
      expect(sure[i]).toBeCloseTo(alone?.best?.confidence ?? 0, 3);
    }
    expect(Math.min(sure[0]!, sure[5]!)).toBeGreaterThan(0.5);
    expect(Math.max(...sure.slice(1, 5))).toBeLessThan(0.5);
    expect(await readEach(runner, null, pieces, "Who?", texts)).toBeNull();
  });

  it("does not mark the time of a message", async () => {
    const { runner, pieces, about } = await opened();
    const text = "Priya (18:17:03): Mine broke in Norway";
    const found = await readSpan(runner, about, pieces, "What did Priya break in Norway?", [
      { text, logit: 0 },
    ]);
    expect(text.slice(...found!.best!.span)).not.toMatch(/\d/);
  });

  it("marks nothing without a sentence, and nothing in a sentence without a word", async () => {
    const { runner, pieces, about } = await opened();
    expect(await readSpan(runner, about, pieces, "Who?", [])).toBeNull();
    expect(await readSpan(runner, about, pieces, "Who?", [{ text: "…", logit: 0 }])).toBeNull();
    expect(await readSpan(runner, null, pieces, "Who?", [{ text: "Tom.", logit: 0 }])).toBeNull();
    // Words of the question are no answer to it.
    expect(
      await readSpan(runner, about, pieces, "Who is Tom Hale?", [{ text: "Tom Hale.", logit: 0 }]),
    ).toMatchObject({ best: null });
  });
});
