/** @file The reader against golden numbers of tools/demo-model/export_reader.py: tokens, units, scores, shares and the span. */

import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it, vi } from "vitest";
import {
  logShares,
  openReader,
  READER_FILE,
  readEach,
  readSpan,
  scoredSpans,
  type Reader,
} from "./reader.ts";
import { readingOf } from "./readerText.ts";
import { BUNDLED, open } from "./testing/models.ts";
import { useBundled } from "./testing/useBundled.ts";
import { blobSource } from "../weights/source.ts";
import { nodeModelFiles } from "../../tools/node/nodeFile.ts";

interface Case {
  readonly question: string;
  readonly tokens: readonly number[];
  readonly sentences: readonly {
    readonly text: string;
    readonly logit: number;
    readonly tokens: readonly number[];
    readonly units: readonly (readonly [start: number, end: number])[];
    readonly scores: readonly (readonly [first: number, last: number, score: number])[];
  }[];
  readonly answer: {
    readonly sentence: number;
    readonly span: readonly [number, number];
    readonly confidence: number;
    readonly shares: readonly number[];
  };
}

const CASES = JSON.parse(readFileSync("golden/reader/golden.json", "utf8")) as Case[];
const shared = useBundled();

let reader: Reader;
beforeAll(async () => {
  reader = (await openReader(shared.engine.runner, await nodeModelFiles(BUNDLED)))!;
});

describe("the reader", () => {
  it.each(CASES)("sees “$question” and its sentences as it was trained to", async (one) => {
    const { about, encode } = reader;
    const question = readingOf(one.question, encode, about.questionTokens);
    expect(question.ids).toEqual(one.tokens);
    for (const sentence of one.sentences) {
      const { ids, units } = readingOf(sentence.text, encode, about.sentenceTokens);
      expect(ids).toEqual(sentence.tokens);
      expect(units.map(({ start, end }) => [start, end])).toEqual(sentence.units);
    }
  });

  it.each(CASES)("gives the spans for “$question” the scores of PyTorch", async (one) => {
    const { runner } = shared.engine;
    const { question, sentences, answer } = one;
    const spans = (await scoredSpans(runner, reader, {
      question,
      sentences,
      rank: logShares(sentences),
    }))!.spans.map(({ sentence, from, to, score }) => ({
      sentence,
      first: from.first,
      last: to.last,
      score,
    }));
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
    const { best, shares } = (await readSpan(runner, reader, question, sentences))!;
    expect([best!.sentence, best!.span]).toEqual([answer.sentence, answer.span]);
    expect(best!.confidence).toBeCloseTo(answer.confidence, 2);
    expect(shares).toHaveLength(sentences.length);
    shares.forEach((share, i) => expect(share).toBeCloseTo(answer.shares[i]!, 2));
    expect(shares.indexOf(Math.max(...shares))).toBe(answer.sentence);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(1 + 1e-6);
  });

  it("finds the answer behind the first five sentences, and reads no more than fifteen", async () => {
    const { runner } = shared.engine;
    const others = ["It rained.", "Tom slept.", "The bus was late.", "Nobody sang.", "A dog barked."];
    const told = [
      ...others,
      "Mary went back to the office.",
      ...others,
      ...others,
      "Mary moved to the garden.",
    ];
    const ranked = told.map((text) => ({ text, logit: 0 }));
    const { shares } = (await readSpan(runner, reader, "Where is Mary?", ranked))!;
    expect(shares).toHaveLength(15);
    expect(shares.indexOf(Math.max(...shares))).toBe(5);
  });

  it("reads a sentence once for a question that is asked twice", async () => {
    const { runner } = shared.engine;
    const read = vi.spyOn(runner, "read");
    const texts = ["Mary moved to the garden.", "It rained."];
    const ranked = texts.map((text, i) => ({ text, logit: -i }));
    const question = "Where did Mary move?";
    const first = await readSpan(runner, reader, question, ranked);
    expect(read).toHaveBeenCalledTimes(1);
    const sure = (await readEach(runner, reader, question, texts))!;
    expect(await readSpan(runner, reader, question, ranked)).toEqual(first);
    expect(read).toHaveBeenCalledTimes(1);
    await readEach(runner, reader, question, [...texts, "Tom slept."]);
    expect(read).toHaveBeenCalledTimes(2);
    await readEach(runner, reader, "Who moved?", ["Tom slept."]);
    expect(read).toHaveBeenCalledTimes(3);
    expect(await readEach(runner, reader, question, texts)).toEqual(
      sure.map((one) => expect.closeTo(one, 5)),
    );
    read.mockRestore();
  });

  it("is sure of each sentence as of that sentence alone, in groups", async () => {
    const { runner } = shared.engine;
    const texts = [
      "Mary moved to the garden.",
      "It rained.",
      "Friend Mary, you are right.",
      "Tom slept.",
      "Mary sang.",
      "Mary went back to the office.",
    ];
    const sure = (await readEach(runner, reader, "Where is Mary?", texts))!;
    for (const [i, text] of texts.entries()) {
      const fresh = { ...reader, last: { question: "", spans: new Map() } };
      const alone = await readSpan(runner, fresh, "Where is Mary?", [{ text, logit: 0 }]);
      expect(sure[i]).toBeCloseTo(alone?.best?.confidence ?? 0, 3);
    }
    expect(Math.min(sure[0]!, sure[5]!)).toBeGreaterThan(0.5);
    expect(Math.max(...sure.slice(1, 5))).toBeLessThan(0.5);
    expect(await readEach(runner, null, "Who?", texts)).toBeNull();
  });

  it("keeps the end of a long question, and tells whether a sentence was cut", async () => {
    const { runner } = shared.engine;
    const long = `${"Tell me, please, ".repeat(14)}where is Mary?`;
    const told = ["Tom slept.", "Mary moved to the garden."].map((text) => ({ text, logit: 0 }));
    const { best, whole } = (await readSpan(runner, reader, long, told))!;
    expect([best?.sentence, whole]).toEqual([1, true]);
    const endless = [{ text: `Mary sat ${"and sat ".repeat(60)}in the garden.`, logit: 0 }];
    expect((await readSpan(runner, reader, "Where did Mary sit?", endless))!.whole).toBe(false);
  });

  it("reads no other script, and no special token in a text", async () => {
    const { runner } = shared.engine;
    const told = [{ text: "安娜住在巴黎。", logit: 0 }];
    expect(await readSpan(runner, reader, "安娜住在哪里?", told)).toBeNull();
    expect(await readEach(runner, reader, "Где живёт Анна?", ["Анна живёт в Париже."])).toBeNull();
    expect(await readSpan(runner, reader, "Where does Anna live?", told)).toBeNull();
    const { special, encode } = reader;
    expect(encode("[CLS] [SEP] [UNK]")).not.toContain(special.sep);
  });

  it("is read from another folder for a model without one, which opens without it if it is damaged", async () => {
    const files = await nodeModelFiles(BUNDLED);
    const bare = { ...files, names: files.names.filter((name) => name !== READER_FILE) };
    const none = await open(bare);
    expect(none.engine.reader).toBeNull();
    const other = await open(bare, 1, undefined, files);
    expect(other.engine.reader).toMatchObject({ level: reader.about.level });
    expect(other.engine.model.sha256).toBe(none.engine.model.sha256);
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    const broken = {
      ...files,
      open: async (name: string) =>
        name === READER_FILE ? blobSource(new Blob([new Uint8Array(9)]), name) : files.open(name),
    };
    const without = await open(bare, 1, undefined, broken);
    expect(without.engine.reader).toBeNull();
    expect(warn).toHaveBeenCalledWith(expect.stringContaining("no reader was opened"));
    warn.mockRestore();
    for (const { engine, device } of [none, other, without]) {
      await engine.dispose();
      await device.dispose();
    }
  });

  it("does not mark the time of a message", async () => {
    const { runner } = shared.engine;
    const text = "Priya (18:17:03): Mine broke in Norway";
    const found = await readSpan(runner, reader, "What did Priya break in Norway?", [{ text, logit: 0 }]);
    expect(text.slice(...found!.best!.span)).not.toMatch(/\d/);
  });

  it("marks nothing without a sentence, and nothing in a sentence without a word", async () => {
    const { runner } = shared.engine;
    expect(await readSpan(runner, reader, "Who?", [])).toBeNull();
    expect(await readSpan(runner, reader, "Who?", [{ text: "…", logit: 0 }])).toBeNull();
    expect(await readSpan(runner, null, "Who?", [{ text: "Tom.", logit: 0 }])).toBeNull();
    // Words of the question are no answer to it.
    expect(
      await readSpan(runner, reader, "Who is Tom Hale?", [{ text: "Tom Hale.", logit: 0 }]),
    ).toMatchObject({ best: null });
  });
});
