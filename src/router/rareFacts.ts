/**
 * @file Facts that hold a rare word of the question which no routed fact holds. A question that names an anchor is
 * restricted to it; "Who is Mrs. Hall's maid?" then recalls all that is filed under Hall, and never the one sentence with
 * a maid in it.
 */

import type { RouterIndex } from "./routerIndex.ts";
import { tokens } from "../lib/terms.ts";

/** A word is rare that at most so many facts hold, and at most this share of all: among a few facts every word is. */
const [MOST_HOLDERS, MOST_SHARE] = [4, 0.1];
/** Facts that one word brings in. */
const PER_WORD = 2;

/** For each rare word of a question the facts that hold it, by position; the rarest first. */
export function rareWords(
  question: string,
  index: Pick<RouterIndex, "facts" | "holding">,
): readonly (readonly number[])[] {
  const most = Math.min(MOST_HOLDERS, MOST_SHARE * index.facts.length);
  return [...new Set(tokens(question).map(({ word }) => word))]
    .map((word) => index.holding(word))
    .filter((holders) => holders.length > 0 && holders.length <= most)
    .sort((a, b) => a.length - b.length);
}

/**
 * Positions of at most `limit` facts beside `routed`, those of the rarest of `words` first and of one word those that
 * `score` puts first; a word that one of them holds is met.
 */
export function rareFacts(
  words: readonly (readonly number[])[],
  routed: readonly number[],
  score: (fact: number) => number,
  limit: number,
): readonly number[] {
  const met = new Set(routed);
  const brought: number[] = [];
  for (const holders of words) {
    if (holders.some((fact) => met.has(fact))) continue;
    const best = holders.toSorted((a, b) => score(b) - score(a) || a - b).slice(0, PER_WORD);
    for (const fact of best.slice(0, limit - brought.length)) {
      met.add(fact);
      brought.push(fact);
    }
  }
  return brought;
}
