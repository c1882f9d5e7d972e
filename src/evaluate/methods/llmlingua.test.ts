/** @file LLMLingua-2 as a method, over a classifier of our own that transformers.js opens and onnxruntime runs. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tinyCompressor } from "../../engine/testing/tinyCompressor.ts";
import type { TokenKeeper } from "../../engine/engine.ts";
import { transformersCompressor } from "../../engine/transformersHelpers.ts";
import { blobModelFiles } from "../../weights/modelFiles.ts";
import { budgetsFor } from "../budgets.ts";
import { methodContext, wordEngine } from "../testing/words.ts";
import { llmlingua } from "./textMethods.ts";
import type { MethodContext } from "./method.ts";
import { able, chosenMethods } from "./registry.ts";

const TEXT = "Mary moved to the garden. John moved to the office.";
const opened: TokenKeeper[] = [];

beforeAll(async () => {
  for (const pieces of [false, true]) {
    const blobs = [...tinyCompressor({ pieces })].map(
      ([name, bytes]) => [name, new Blob([bytes as Uint8Array<ArrayBuffer>])] as const,
    );
    opened.push(
      await transformersCompressor({ model: "tiny", files: blobModelFiles("tiny", new Map(blobs)) }),
    );
  }
});
afterAll(() => Promise.all(opened.map((one) => one.dispose())));

/** A context whose model repeats its turn, and whose budget is `tokens`. */
const context = (tokens: number, over: Partial<MethodContext> = {}): MethodContext =>
  methodContext(
    wordEngine((turn) => turn),
    {
      turn: (passages, question) => `${passages.join("|")}\n? ${question}`,
      own: false,
      budgets: { ...budgetsFor(1000, 8), context: tokens },
      ...over,
    },
  );

describe.each([
  ["WordPiece", 0],
  ["pieces", 1],
])("LLMLingua-2 with %s", (_, which) => {
  const prepared = (text: string, tokens: number) =>
    llmlingua.prepare(text, context(tokens, { compressor: opened[which]! }));

  it("keeps the words that its classifier would, whatever is asked, and says how many tokens they are", async () => {
    // Half is to go: the 51st percentile of .1 .1 .2 .2 .6 .6 .7 .75 .8 .9 1 1 is 0.661.
    const { kept, answer } = await prepared(TEXT, 5);
    expect(kept).toEqual({ tokens: 4, bytes: "mary garden. john office.".length });
    for (const question of ["Where is Mary?", "Who?"]) {
      const { raw } = await answer({ question, evidence: [] });
      expect(raw).toBe(`mary garden. john office.\n? ${question}`);
    }
  });

  it("keeps a text within its budget as it is", async () => {
    const { kept, answer } = await prepared(TEXT, 10);
    expect(kept).toEqual({ tokens: 10, bytes: TEXT.length });
    expect((await answer({ question: "Q", evidence: [] })).raw).toBe(
      "Mary moved to the garden.|John moved to the office.\n? Q",
    );
  });

  it("says that nothing is left where no word is likelier than another, and asks all the same", async () => {
    const { kept, answer } = await prepared("to to to to", 2);
    expect(kept).toEqual({ tokens: 0, bytes: 0 });
    expect((await answer({ question: "Q", evidence: [] })).raw).toBe("\n? Q");
  });

  it("keeps words of the likeliest stretch where a hundredth of the text is to stay", async () => {
    const dull = "To the office. ".repeat(300);
    const text = `${dull}Mary moved to the garden. ${dull}`;
    const { kept, answer } = await prepared(text, 15);
    // 15 of 1,805 tokens: the likeliest of four chunks is that of the sentence about Mary.
    const { raw } = await answer({ question: "Q", evidence: [] });
    expect(raw).toContain("mary garden");
    expect(kept.tokens).toBeGreaterThan(0);
    expect(kept.tokens).toBeLessThanOrEqual(15);
  });
});

it("LLMLingua-2 is left out by name where no compressor is at hand, and none takes its place", async () => {
  const chosen = chosenMethods(["truncation", "llmlingua"]);
  const without = able(chosen, new Set(["embedder", "reranker"]));
  expect(without.able.map(({ name }) => name)).toEqual(["truncation"]);
  expect(without.leftOut["llmlingua"]).toMatch(/--compressor DIR or hub:OWNER\/NAME/);
  expect(able(chosen, new Set(["compressor"])).leftOut).toEqual({});
  await expect(llmlingua.prepare(TEXT, context(2))).rejects.toThrow("LLMLingua-2 has no compressor");
});
