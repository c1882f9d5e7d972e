/** @file Which recalled facts an answer rests on. */

import { contentOf, onlyRepeats, wordsOf } from "../lib/words.ts";
import type { Reconstruction } from "../records/answer.ts";

/** What an answer says beyond its question; all its content words where it only repeats the question. */
function claims(answer: string, question: string): ReadonlySet<string> {
  const asked = new Set(wordsOf(question));
  const content = contentOf(answer);
  const fresh = content.filter((word) => !asked.has(word));
  return new Set(fresh.length > 0 ? fresh : content);
}

/**
 * Keys of the facts that contain the answer's content words, words of the question aside (an answer that only
 * repeats the question keeps them). If no fact holds all of them, those that hold most; none when no word is found.
 */
export function citations(answer: string, question: string, facts: readonly Reconstruction[]): string[] {
  const wanted = claims(answer, question);
  const score = ({ text }: Reconstruction) => {
    const said = new Set(wordsOf(text));
    return [...wanted].filter((word) => said.has(word)).length;
  };
  const best = Math.max(0, ...facts.map(score));
  return best === 0 ? [] : facts.filter((fact) => score(fact) === best).map(({ key }) => key);
}

/** Whether everything that the answer says beyond its question stands in `facts`; false when it says nothing beyond it. */
export function bearsOut(
  answer: string,
  question: string,
  facts: readonly Pick<Reconstruction, "text">[],
): boolean {
  if (onlyRepeats(answer, question)) return false;
  const wanted = claims(answer, question);
  const said = new Set(facts.flatMap(({ text }) => wordsOf(text)));
  return wanted.size > 0 && [...wanted].every((word) => said.has(word));
}
