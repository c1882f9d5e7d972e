/**
 * @file What of the recalled facts stands with an answer, nearest to the question first, and which words of the question
 * none of them has. Told from what was recalled alone: it needs no routing index that keeps words.
 */

import type { Engine } from "../engine/engine.ts";
import { oneLine } from "../extract/anchorKey.ts";
import type { Reconstruction, UnmetWord } from "../records/answer.ts";
import { cosine } from "../router/dense.ts";
import { contentTerms, termsOf, tokens } from "../lib/terms.ts";

/** A recalled fact with how much it shares with a question: the sum of log(1 + n / holders) over the shared terms. */
export interface Near {
  readonly fact: Reconstruction;
  readonly shared: number;
}

/**
 * `facts`, those nearest to the question first: by the words they share with it, rare ones counting more, and where
 * they share as much by the cosine of their vectors.
 */
export async function nearestFirst(
  engine: Engine,
  question: string,
  facts: readonly Reconstruction[],
): Promise<readonly Near[]> {
  if (facts.length === 0) return [];
  const shared = sharedWeights(question, facts);
  const own = await engine.embedQuestion(question);
  const vectors = await engine.embed(facts.map(({ text }) => oneLine(text)));
  const near = vectors.map((vector) => cosine(own, vector));
  const order = [...facts.keys()].sort((a, b) => shared[b]! - shared[a]! || near[b]! - near[a]! || a - b);
  return order.map((i) => ({ fact: facts[i]!, shared: shared[i]! }));
}

function sharedWeights(question: string, facts: readonly Reconstruction[]): readonly number[] {
  const asked = termsOf(question);
  const said = facts.map(({ text, anchor }) => termsOf(`${anchor} ${text}`));
  const holders = (term: string): number => said.filter((own) => own.has(term)).length;
  const weights = new Map([...asked].map((term) => [term, Math.log(1 + facts.length / holders(term))]));
  return said.map((own) =>
    [...weights].reduce((sum, [term, weight]) => sum + (own.has(term) ? weight : 0), 0),
  );
}

/**
 * Words of the question that stand in none of the recalled texts, each with in how many values it is stored: a word that stored sentences have and recalled ones lack was lost in routing, one that none has was never stored.
 */
export function unmetWords(
  question: string,
  recalled: readonly Pick<Reconstruction, "text" | "anchor">[],
  storedWith: (word: string) => number,
): readonly UnmetWord[] {
  const said = termsOf(recalled.map(({ text, anchor }) => `${anchor} ${text}`).join("\n"));
  const has = (own: ReadonlySet<string>, word: string): boolean =>
    contentTerms(word).some((term) => own.has(term));
  const asked = [...new Set(tokens(question).map(({ word }) => word))];
  const words = asked.filter((word) => contentTerms(word).length > 0 && !has(said, word));
  return words.map((word) => ({ word, stored: storedWith(word) }));
}
