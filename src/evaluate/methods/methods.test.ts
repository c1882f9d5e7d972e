import { describe, expect, it } from "vitest";
import { budgetNote, budgetsFor } from "../budgets.ts";
import { methodContext, wordEngine } from "../testing/words.ts";
import { textTokens } from "../tokens.ts";
import { chunkAt, chunksOf } from "./chunks.ts";
import { latestSentence } from "./textMethods.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Method, MethodContext } from "./method.ts";
import { PAPER_ENTRIES } from "../paper.ts";
import { able, chosenMethods, METHODS } from "./registry.ts";

const NUMBERS = Array.from({ length: 100 }, (_, i) => `w${i}`);
const TEXT = `${NUMBERS.join(" ")}.`;

/** A context whose model repeats its turn, its lines the passages alone. */
function repeating(over: Partial<MethodContext> = {}, window = 1000): MethodContext {
  return methodContext(
    wordEngine((turn) => turn, window),
    { turn: (passages, question) => `${passages.join("\n")}\n? ${question}`, own: false, ...over },
  );
}

async function shown(name: string, text: string, question: string, context = repeating()): Promise<string> {
  const [{ method, option } = { method: undefined, option: undefined }] = chosenMethods([name]);
  const prepared = await method!.prepare(text, context, option);
  const { raw } = await prepared.answer({ question, evidence: [] });
  return raw!.split("\n? ")[0]!;
}

describe("budgets", () => {
  it("are the paper's where the window holds them", () => {
    expect(budgetsFor(131_072, 20)).toMatchObject({
      scale: 1,
      context: 4096,
      sinks: 4,
      chunk: 384,
      retrieved: 20,
      placed: 3,
    });
    expect(budgetNote(budgetsFor(131_072, 20), 131_072)).toBeNull();
  });

  it("shrink together where it does not, and say so", () => {
    const budgets = budgetsFor(1024, 20);
    expect(budgets.context).toBe(696);
    expect(budgets.chunk / 384).toBeCloseTo(budgets.context / 4096, 2);
    expect(budgetNote(budgets, 1024)).toContain(
      "17.0 % of the paper's: 696 tokens of context in place of 4096",
    );
  });
});

describe("what stays of a text that is cut", () => {
  it("is its end, its two ends, or its end behind four sinks", async () => {
    expect(await shown("truncation:3", TEXT, "Q")).toBe("w97 w98 w99.");
    expect((await shown("middle:5", TEXT, "Q")).split(/\s/)).toEqual(["w0", "w1", "w2", "w98", "w99."]);
    expect((await shown("sinks:6", TEXT, "Q")).split(/\s/)).toEqual(["w0", "w1", "w2", "w3", "w98", "w99."]);
  });

  it("takes each method the time that it takes alone, also where tokens are shared", async () => {
    let ticks = 0;
    const plain = wordEngine((turn) => turn, 1000);
    const counted = (text: string): readonly number[] => (ticks++, plain.encode(text));
    const engine = Object.create(plain, { encode: { value: counted } }) as Engine;
    const context = methodContext(engine, { now: () => ticks });
    const taken: number[] = [];
    for (const { method, option } of chosenMethods(["truncation:3", "sinks:6"]))
      taken.push((await method.prepare(TEXT, context, option)).milliseconds);
    expect(taken[0]).toBeGreaterThan(0);
    expect(taken[1]).toBe(taken[0]);
    expect(ticks).toBe(taken[0]);
  });

  it("is all of it where it is short enough", async () => {
    for (const name of ["truncation:100", "middle:100", "sinks:100"])
      expect(await shown(name, TEXT, "Q")).toBe(TEXT);
  });

  it("is counted in tokens and bytes", async () => {
    const prepared = await METHODS["truncation"]!.prepare(TEXT, repeating(), "3");
    expect(prepared.kept).toEqual({ tokens: 3, bytes: "w97 w98 w99.".length });
  });

  it("keeps of a turn that is too long the last passages", async () => {
    const text = "One is here. Two is here. Three is here.";
    expect(await shown("truncation:9", text, "Q", repeating({}, 17))).toBe("Two is here.\nThree is here.");
  });
});

describe("the references", () => {
  it("full context answers nothing where the text does not fit", async () => {
    const prepared = await METHODS["full"]!.prepare(TEXT, repeating({}, 50));
    const reply = await prepared.answer({ question: "Q", evidence: [] });
    expect(reply).toMatchObject({ raw: null, error: "does not fit the model's window of 50 tokens" });
    expect(await shown("full", TEXT, "Q")).toBe(TEXT);
  });

  it("a closed book keeps nothing and is asked all the same", async () => {
    const prepared = await METHODS["closed"]!.prepare(TEXT, repeating());
    expect(prepared.kept).toEqual({ tokens: 0, bytes: 0 });
    expect((await prepared.answer({ question: "Q", evidence: [] })).raw).toBe("\n? Q");
  });
});

describe("chunks", () => {
  const codec = wordEngine(() => "");

  it("follow each other without overlap and are found by an offset", () => {
    const chunks = chunksOf(codec, "one two three four five six seven", 3);
    expect(chunks.map(({ text }) => text)).toEqual(["one two three", "four five six", "seven"]);
    expect(chunks.map(({ start }) => start)).toEqual([0, 13, 27]);
    expect([0, 12, 13, 26, 30].map((offset) => chunkAt(chunks, offset))).toEqual([0, 0, 1, 1, 2]);
  });

  it("stand where they say, also where a decoder drops the space in front", () => {
    const dropping = {
      encode: codec.encode,
      decode: (ids: readonly number[]) => codec.decode(ids).trimStart(),
    };
    const text = Array.from({ length: 300 }, (_, i) => `word${i}`).join(" ");
    const chunks = chunksOf(dropping, text, 7);
    expect(chunks).toHaveLength(Math.ceil(300 / 7));
    for (const { text: own, start, tokens } of chunks) {
      expect(text.slice(start, start + own.length + 1).trim()).toBe(own);
      expect(tokens).toBeLessThanOrEqual(7);
    }
    expect(chunksOf(dropping, `a ${"字".repeat(100)} b`, 1).map(({ text: own }) => own.length)).toEqual([
      1, 40, 40, 20, 1,
    ]);
  });

  it("tokenise a long text piece by piece, to the same tokens", () => {
    const long = Array.from({ length: 20_000 }, (_, i) => `word${i % 97}`).join(" ");
    expect(textTokens(codec, long)).toEqual(codec.encode(long));
  });

  it("stand in document order, three of those with the rarest words of the question", async () => {
    const sentences = [
      "Mary went to the garden.",
      "It rained all the day.",
      "John took the lamp there.",
      "The lamp fell at night.",
      "Nothing else was said then.",
      "Mary saw the lamp again.",
    ];
    const context = repeating({ budgets: { ...budgetsFor(1000, 8), chunk: 5 } });
    expect(await shown("rag", sentences.join(" "), "Where is the lamp of Mary?", context)).toBe(
      ["Mary went to the garden.", "John took the lamp there.", "Mary saw the lamp again."].join("\n"),
    );
  });
});

it("the latest sentence is the last of those that share most words with the question", () => {
  const told = [
    "Mary went to the garden.",
    "John went to the office.",
    "Mary went to the kitchen.",
    "Sandra sang.",
  ];
  expect(latestSentence(told, "Where is Mary?")).toBe(told[2]);
  expect(latestSentence(told, "Did Mary see the garden?")).toBe(told[0]);
  expect(latestSentence(told, "Where is Bill?")).toBeUndefined();
});

describe("the registry", () => {
  it("takes a new method as one more row", async () => {
    const parrot: Method = {
      title: "Parrot",
      about: "Says the question.",
      needs: [],
      prepare: () =>
        Promise.resolve({
          kept: { tokens: 0, bytes: 0 },
          milliseconds: 0,
          answer: ({ question }) =>
            Promise.resolve({
              prompt: null,
              raw: question,
              answer: question,
              promptTokens: 0,
              error: null,
              trace: null,
            }),
        }),
    };
    const [chosen] = chosenMethods(["parrot"], { ...METHODS, parrot });
    const prepared = await chosen!.method.prepare("", repeating());
    expect((await prepared.answer({ question: "Who?", evidence: [] })).answer).toBe("Who?");
  });

  it("refuses names and options that there are not", () => {
    expect(() => chosenMethods(["rog"])).toThrow('unknown method "rog"; expected one of ours,');
    expect(() => chosenMethods(["closed:2"])).toThrow("closed has no option");
  });

  it("refuses an option as it stands before anything runs", () => {
    expect(chosenMethods(["ours:paper+theta=0.45+routing=dense", "sinks:6"])).toHaveLength(2);
    const wrong = {
      "ours:papr": 'evaluate: ours:papr: there is no preset "papr"; there are paper, sharp',
      "ours:theta=2": 'ours:theta=2: theta is "2", expected a number from -1 to 1',
      "ours-stored:tau=1": 'unknown parameter "tau"',
      "ours:theta=0.4+steps": "steps has no value, expected e.g. steps=",
      "truncation:0": 'truncation:0: invalid token count "0"',
    };
    for (const [name, message] of Object.entries(wrong)) expect(() => chosenMethods([name])).toThrow(message);
  });

  it("knows every method that a table of the paper names", () => {
    const named = Object.values(PAPER_ENTRIES).flatMap(({ run }) => run.evaluation?.methods ?? []);
    expect(chosenMethods(named).map(({ name }) => name)).toEqual([...new Set(named)]);
  });

  it("leaves out by name what needs a download that is not at hand", () => {
    const chosen = chosenMethods(["rag", "rag-dense", "rag-reranked"]);
    const none = able(chosen, new Set());
    expect(none.able.map(({ name }) => name)).toEqual(["rag"]);
    expect(none.leftOut["rag-reranked"]).toMatch(/text embedder .* and a cross-encoder/);
    expect(able(chosen, new Set(["embedder"])).able.map(({ name }) => name)).toEqual(["rag", "rag-dense"]);
  });
});
