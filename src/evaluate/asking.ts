/** @file Asks the model a question with passages of text, for every method but our own. */

import { oneLine } from "../extract/anchorKey.ts";
import { ruleAnchor } from "../extract/span.ts";
import { answerPrompt, taggedFact } from "../flow/shortAnswer.ts";
import type { MethodContext, Reply, Turn } from "./methods/method.ts";
import { tooLong } from "./unanswered.ts";

/**
 * The app's answer prompt: one passage per line with a tag made by rule, like recalled facts. The bundled model is much
 * worse without tags (bAbI QA1: 14 of 20 right in place of 20).
 */
export const ownTurn: Turn = (passages, question) => {
  const tagged = (text: string) => taggedFact({ anchor: ruleAnchor(text, { compound: true }), text });
  const lines = passages.map((passage) => tagged(oneLine(passage)));
  return answerPrompt(lines, question);
};

export const NO_REPLY: Reply = {
  prompt: null,
  raw: null,
  answer: "",
  promptTokens: 0,
  error: null,
  trace: null,
};

/**
 * Asks with as many passages as fit the window. If some do not fit, the first ones are left out; with `whole`, nothing is
 * asked then.
 */
export async function askModel(
  context: MethodContext,
  passages: readonly string[],
  question: string,
  { whole = false } = {},
): Promise<Reply> {
  const { engine, budgets, signal } = context;
  const fitted = fitting(context, passages, question);
  if (fitted === null || (whole && fitted.dropped > 0))
    return { ...NO_REPLY, error: tooLong(engine.model.window) };
  const [raw = ""] = await engine.generate([fitted.turn], { maxTokens: budgets.answer }, signal);
  return { ...NO_REPLY, prompt: fitted.turn, raw, answer: raw, promptTokens: fitted.tokens };
}

/** The turn with the last passages that fit; null if not even the question fits. */
function fitting({ engine, budgets, turn }: MethodContext, passages: readonly string[], question: string) {
  const room = engine.model.window - budgets.answer;
  const made = (dropped: number) => {
    const text = turn(passages.slice(dropped), question);
    return { turn: text, tokens: engine.chat(text).length, dropped };
  };
  const longest = made(0);
  if (longest.tokens <= room) return longest;
  let [low, high] = [1, passages.length];
  if (made(high).tokens > room) return null;
  // Bisection for the fewest passages to leave out.
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (made(middle).tokens <= room) high = middle;
    else low = middle + 1;
  }
  return made(low);
}
