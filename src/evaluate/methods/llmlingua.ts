/** @file Prompt compression: the words of a text that a token classifier would keep, whatever the question. */

import { present } from "../../lib/assert.ts";
import { passagesOf } from "../asking.ts";
import { compressed } from "../compression.ts";
import { textTokens } from "../tokens.ts";
import { wordTokens } from "./chunks.ts";
import type { Method } from "./method.ts";
import { prepareText } from "./textMethod.ts";

export const llmlingua: Method = {
  title: "LLMLingua-2",
  about:
    "The words that a token classifier keeps of the text, 4,096 tokens of them in the paper, whatever the question.",
  needs: ["compressor"],
  prepare: (text, context) =>
    prepareText(context, async () => {
      const { engine, budgets, signal } = context;
      const compressor = present(
        context.compressor,
        () => "evaluate: LLMLingua-2 has no compressor; name one (--compressor), or leave the method out",
      );
      const count = (of: string): number => textTokens(engine, of).length;
      const task = { target: budgets.context, count, countWord: wordTokens(engine), signal };
      const kept = await compressed(text, compressor, task);
      const passages = passagesOf(kept);
      return { tokens: count(kept), text: kept, passages: () => passages };
    }),
};
