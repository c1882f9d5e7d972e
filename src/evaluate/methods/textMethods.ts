/** @file Methods that keep text and show some of it to the model: cuts, the whole text, none of it, compression, latest. */

import { assert, present } from "../../lib/assert.ts";
import { utf8Length } from "../../lib/hash.ts";
import { termsOf } from "../../lib/terms.ts";
import type { Budgets } from "../../records/evaluation.ts";
import { askModel } from "../asking.ts";
import { compressed } from "../compression.ts";
import { passagesOf, textTokens, tokensText } from "../tokens.ts";
import { wordTokens } from "./chunks.ts";
import type { Method, MethodContext, Prepared } from "./method.ts";

/** The text that a method keeps, and the passages that it shows for a question. */
interface KeptText {
  readonly tokens: number;
  readonly text: string;
  passages(question: string): readonly string[] | Promise<readonly string[]>;
  /** Whether all passages must be shown. */
  readonly whole?: boolean;
}

async function prepareText(
  context: MethodContext,
  keep: () => KeptText | Promise<KeptText>,
): Promise<Prepared> {
  const started = context.shelf.now();
  const { tokens, text, passages, whole = false } = await keep();
  return {
    kept: { tokens, bytes: utf8Length(text) },
    milliseconds: context.shelf.now() - started,
    answer: async ({ question }) => askModel(context, await passages(question), question, { whole }),
  };
}

/** The token ranges of a text that are kept, of at most `budget` tokens. */
type Cut = (ids: readonly number[], budget: number, budgets: Budgets) => readonly (readonly number[])[];

const cutting = (title: string, about: string, cut: Cut): Method => ({
  title,
  about,
  needs: [],
  option: { about: "tokens to keep, in place of the budget", check: tokensOption },
  prepare: (text, context, option) =>
    prepareText(context, () => {
      const { engine, budgets, shelf } = context;
      const budget = option === undefined ? budgets.context : tokensOption(option);
      const ids = shelf.tokens(text);
      const stretches = ids.length <= budget ? [ids] : cut(ids, budget, budgets);
      const kept = stretches.map((stretch) => tokensText(engine, stretch));
      const passages = kept.flatMap(passagesOf);
      const tokens = stretches.reduce((sum, { length }) => sum + length, 0);
      return { tokens, text: kept.join("\n"), passages: () => passages };
    }),
});

function tokensOption(option: string): number {
  const tokens = Number(option);
  assert(
    Number.isInteger(tokens) && tokens > 0,
    () => `invalid token count "${option}"; expected a positive integer`,
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
  "The first and the last half of the budget, as LongBench cuts long texts.",
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

export const fullContext: Method = {
  title: "Full context",
  about: "The whole text before the question; a text that does not fit the window has no answer.",
  needs: [],
  prepare: (text, context) =>
    prepareText(context, () => {
      const tokens = context.shelf.tokens(text).length;
      // A text that is far too long need not be split into sentences.
      const passages = tokens > context.engine.model.window ? [text] : context.shelf.sentences(text);
      return { tokens, text, passages: () => passages, whole: true };
    }),
};

export const closedBook: Method = {
  title: "Closed book",
  about: "The question alone: what the model knows or guesses.",
  needs: [],
  prepare: (_, context) => prepareText(context, () => ({ tokens: 0, text: "", passages: () => [] })),
};

/** The last of the sentences that share most terms with the question; undefined if none shares any. */
export function latestSentence(sentences: readonly string[], question: string): string | undefined {
  const asked = [...termsOf(question)];
  let best: { readonly sentence: string; readonly shared: number } | undefined;
  for (const sentence of sentences) {
    const own = termsOf(sentence);
    const shared = asked.filter((term) => own.has(term)).length;
    if (shared > 0 && shared >= (best?.shared ?? 0)) best = { sentence, shared };
  }
  return best?.sentence;
}

export const latest: Method = {
  title: "Latest sentence",
  about: "The latest sentence that has as many of the question's words as any has.",
  needs: [],
  prepare: (text, context) =>
    prepareText(context, () => {
      const sentences = context.shelf.sentences(text);
      const passages = (question: string) => [latestSentence(sentences, question) ?? []].flat();
      return { tokens: context.shelf.tokens(text).length, text, passages };
    }),
};

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
