/**
 * @file Facts with a rare word of the question that no routed fact has. A question that names an anchor is restricted to
 * it: "Who is Mrs. Hall's maid?" recalls all facts of Hall, but not the one sentence with the word "maid".
 */

import type { RouterIndex } from "./routerIndex.ts";
import { tokens } from "../lib/terms.ts";

/** A word is rare if at most this many facts, and at most this share of all facts, have it. */
const [MOST_HOLDERS, MOST_SHARE] = [4, 0.1];
/** Facts added per word. */
const PER_WORD = 2;

/** For each rare word of a question the positions of the facts that have it; the rarest first. */
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
 * Positions of at most `limit` facts in addition to `routed`: the rarest of `words` first, and per word the facts with
 * the best `score`. A word that a chosen fact has needs no further fact.
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
