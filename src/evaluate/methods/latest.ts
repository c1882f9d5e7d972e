/** @file What a reviewer asks for: the latest sentence that names the asked thing, and nothing else. */

import { termsOf } from "../../lib/terms.ts";
import { passagesOf } from "../asking.ts";
import { textTokens } from "../tokens.ts";
import type { Method } from "./method.ts";
import { prepareText } from "./textMethod.ts";

/** The last of the sentences that share most terms with the question; undefined where none shares any. */
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
      const sentences = passagesOf(text);
      const passages = (question: string) => [latestSentence(sentences, question) ?? []].flat();
      return { tokens: textTokens(context.engine, text).length, text, passages };
    }),
};
