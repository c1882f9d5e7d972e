/** @file The best sentence is the answer; the words in it that answer are marked where the model's short answer is one of its spans. */

import { looseLiteral } from "../lib/words.ts";
import { INSTEAD, type PartAnswer } from "../records/answer.ts";
import { SENTENCES_SHOWN } from "../records/judge.ts";
import type { Near } from "./evidence.ts";
import type { ShortAnswer } from "./shortAnswer.ts";

/**
 * The first of the leading sentences that has the short answer as a span; the very first, without a mark, if there is no short
 * answer. Null if the model puts several facts together, so that its own words are shown, or if nothing was recalled.
 */
export function bestSentence(
  { verdict, text }: ShortAnswer,
  evidence: readonly Near[],
): PartAnswer["best"] | null {
  const [first] = evidence;
  if (!first) return null;
  if (INSTEAD[verdict] !== null) return { id: first.fact.id, span: null };
  for (const { fact } of evidence.slice(0, SENTENCES_SHOWN)) {
    const span = spanOf(fact.text, text);
    if (span) return { id: fact.id, span };
  }
  return null;
}

/**
 * Where `words` are in `sentence`, as whole words in any case; a number or price is marked whole ("€2" in "€2,450.00"), and
 * punctuation at the ends is not.
 */
export function spanOf(sentence: string, words: string): [from: number, to: number] | null {
  const bare = words.trim().replace(EDGES, "");
  if (bare === "") return null;
  const found = new RegExp(`(?<![\\p{L}\\p{N}])${looseLiteral(bare)}(?![\\p{L}])`, "iu").exec(sentence);
  if (!found) return null;
  const before = NUMBER_BEFORE.exec(sentence.slice(0, found.index))?.[0].length ?? 0;
  const end = found.index + found[0].length;
  const after = /\p{N}$/u.test(found[0]) ? (NUMBER_AFTER.exec(sentence.slice(end))?.[0].length ?? 0) : 0;
  return [found.index - (/^\p{N}/u.test(found[0]) ? before : 0), end + after];
}

const EDGES = /^[\s"'“”‘’.,;:!?]+|[\s"'“”‘’.,;:!?]+$/gu;
/** The rest of a number, time, price or code that continues on that side. */
const NUMBER_BEFORE = /[\p{Sc}\p{N}][\p{N}.,:/-]*$|[\p{Sc}#]$/u;
const NUMBER_AFTER = /^(?:[.,:/’'-]?\p{N}+)*(?:\s?(?:%|\p{Sc}))?/u;
