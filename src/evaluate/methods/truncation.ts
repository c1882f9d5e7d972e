/** @file What is left of a text that is cut to a number of tokens: its end, its two ends, or its end behind four sinks. */

import { assert } from "../../lib/assert.ts";
import type { Budgets } from "../../records/evaluation.ts";
import { passagesOf } from "../asking.ts";
import { textTokens, tokensText } from "../tokens.ts";
import type { Method } from "./method.ts";
import { prepareText } from "./textMethod.ts";

/** The stretches of a text's tokens that stay, of at most `budget`. */
type Cut = (ids: readonly number[], budget: number, budgets: Budgets) => readonly (readonly number[])[];

function cutting(title: string, about: string, cut: Cut): Method {
  return {
    title,
    about,
    needs: [],
    option: { about: "tokens that stay, where they are not the budget's", check: tokensOption },
    prepare: (text, context, option) =>
      prepareText(context, () => {
        const { engine, budgets } = context;
        const budget = option === undefined ? budgets.context : tokensOption(option);
        const ids = textTokens(engine, text);
        const stretches = ids.length <= budget ? [ids] : cut(ids, budget, budgets);
        const kept = stretches.map((stretch) => tokensText(engine, stretch));
        const passages = kept.flatMap(passagesOf);
        const tokens = stretches.reduce((sum, { length }) => sum + length, 0);
        return { tokens, text: kept.join("\n"), passages: () => passages };
      }),
  };
}

function tokensOption(option: string): number {
  const tokens = Number(option);
  assert(
    Number.isInteger(tokens) && tokens > 0,
    () => `"${option}" is no number of tokens; give a whole number above 0`,
  );
  return tokens;
}

export const truncation = cutting(
  "Truncation",
  "The latest tokens of the text: 4,096 in the paper.",
  (ids, budget) => [ids.slice(ids.length - budget)],
);

export const middleCut = cutting(
  "Middle cut",
  "The first and the last half of the budget, as LongBench cuts what is too long.",
  (ids, budget) => [ids.slice(0, Math.ceil(budget / 2)), ids.slice(ids.length - Math.floor(budget / 2))],
);

export const sinkPrompt = cutting(
  "Sink prompt (a proxy)",
  "Four first tokens and the latest ones, in the prompt: what StreamingLLM keeps, and not its rolling cache.",
  (ids, budget, { sinks }) => [
    ids.slice(0, Math.min(sinks, budget)),
    ids.slice(ids.length - Math.max(0, budget - sinks)),
  ],
);
