/** @file How an answer is headed wherever it is shown: on the page, in print and on the command line. */

import type { Answer, PartAnswer, Reconstruction, Support } from "./answer.ts";

/** Whether the model was told this fact: its gate was open and its own key won. */
export const wasRead = ({ read }: Pick<Reconstruction, "read">): boolean => read.openPositions.length > 0;

/** What stands in place of a short answer that nothing bears out; null where the model's words are shown. */
export const INSTEAD: Readonly<Record<Support, string | null>> = {
  supported: null,
  inexact: null,
  indirect: null,
  alone: null,
  "as said": null,
  unsupported: "Recalled, but no short answer found.",
  "not recalled": "Found, but nothing could be recalled.",
  "not in memory": "Not in memory.",
};

/** What is said beside a short answer that is shown and not to be trusted; null where nothing is. */
export const MARK: Readonly<Record<Support, string | null>> = {
  supported: null,
  inexact: "rests on a sentence that did not come back exactly",
  indirect: "another recalled sentence is nearer to the question",
  alone: "read from the nearest sentence alone",
  "as said": "no recalled sentence says this",
  unsupported: null,
  "not recalled": null,
  "not in memory": null,
};

/** A probability with two digits; never 1.00, which it is not. */
export const probabilityText = (probability: number): string =>
  probability > 0.99 ? "above 0.99" : probability.toFixed(2);

/** The line above the evidence: the model's words as far as they are supported, else what is to be said instead. */
export const headline = ({ verdict, text }: Pick<PartAnswer, "verdict" | "text">): string =>
  INSTEAD[verdict] ?? text;

/** The parts of an answer, also of one that an older version saved: the facts it cites come first there. */
export function askedOf(answer: Answer): readonly PartAnswer[] {
  if (answer.asked) return answer.asked;
  const read = answer.recalled.filter(wasRead);
  const cited = new Set(answer.cited);
  const evidence = [
    ...read.filter(({ key }) => cited.has(key)),
    ...read.filter(({ key }) => !cited.has(key)),
  ];
  return [
    {
      question: answer.question,
      text: answer.text,
      cited: answer.cited,
      verdict: olderVerdict(answer, read.length),
      probability: null,
      evidence: evidence.map(({ id }) => id),
      unmet: [],
    },
  ];
}

/** The parts whose words stand as an answer: what the others cite bore nothing out. */
export const shownParts = (answer: Answer): readonly PartAnswer[] =>
  askedOf(answer).filter(({ verdict }) => INSTEAD[verdict] === null);

function olderVerdict({ recalled, cited, notInMemory }: Answer, read: number): Support {
  if (recalled.length === 0) return "not in memory";
  if (read === 0) return "not recalled";
  return notInMemory || cited.length === 0 ? "unsupported" : "supported";
}

/** The recalled facts behind ids, in their order. */
export function factsOf(
  { recalled }: Pick<Answer, "recalled">,
  ids: PartAnswer["evidence"],
): readonly Reconstruction[] {
  const known = new Map(recalled.map((fact) => [fact.id, fact]));
  return ids.flatMap((id) => known.get(id) ?? []);
}
