/**
 * @file What is known of a text embedder by trying it: how near it puts texts that have nothing to do with each other,
 * and whether it can tell a question's own answer from others at all. Both from the same made pairs.
 */

import { dot } from "../lib/vector.ts";

/**
 * Questions, each with a text that answers it in other words: a sentence and questions about it, as routing documents
 * hold them. No text has to do with another question.
 */
export const MADE_PAIRS: readonly (readonly [question: string, text: string])[] = [
  [
    "Who repaired the clock?",
    "Ondine mended the old timepiece in the tower.\nWho mended the old timepiece in the tower?\nWhat is known about Ondine?\nWhat is said of Ondine?",
  ],
  [
    "What does he like to drink?",
    "Tobias always orders strong coffee.\nWho always orders strong coffee?\nWhat is known about Tobias?\nWhat is said of Tobias?",
  ],
  [
    "Where did the ship sink?",
    "The vessel went down near Norway.\nWhat is known about the vessel?\nWhat is said of the vessel?\nWhere is the vessel mentioned?",
  ],
  [
    "Which animal was loud?",
    "A large dog ran barking at the door.\nWhat is known about the dog?\nWhat is said of the dog?\nWhere is the dog mentioned?",
  ],
  [
    "When was the bridge built?",
    "The crossing was finished in 1873.\nWhen was the crossing finished?\nWhat is the crossing?\nWhen is crossing mentioned?",
  ],
  [
    "Why was there no concert?",
    "The musicians could not play.\nWhat is known about the musicians?\nWhat is said of the musicians?\nWhere is the musicians mentioned?",
  ],
  [
    "How much did the painting cost?",
    "The portrait was sold for 900 pounds.\nWhat is the portrait?\nWhat is known about the portrait?\nWhat is said of the portrait?",
  ],
  [
    "Who is the king's physician?",
    "Hollis treats the royal family.\nWho treats the royal family?\nWhat is known about Hollis?\nWhat is said of Hollis?",
  ],
  [
    "What grows in the garden?",
    "Roses stand in rows behind the house.\nWho stand in rows behind the house?\nWhat is known about Roses?\nWhat is said of Roses?",
  ],
  [
    "Which language does she speak?",
    "Marisol learned Portuguese.\nWho learned Portuguese?\nWhat is known about Marisol?\nWhat is said of Marisol?",
  ],
  [
    "What did the thief steal?",
    "The burglar took a silver necklace.\nWhat is The burglar carrying?\nWho has a silver necklace?\nWhere is a silver necklace?",
  ],
  [
    "Where do the soldiers sleep?",
    "The troops spend the night in tents.\nWhat is known about the troops?\nWhat is said of the troops?\nWhere is the troops mentioned?",
  ],
];

/** Cosines of unit vectors of the pairs: [question][answer]. */
export const pairCosines = (
  questions: readonly Float32Array[],
  answers: readonly Float32Array[],
): number[][] => questions.map((question) => answers.map((answer) => dot(question, answer)));

/** How many questions are nearest to their own answer. */
export const toldApart = (cosines: readonly (readonly number[])[]): number =>
  cosines.filter((row, i) => row.every((cosine, j) => j === i || cosine < row[i]!)).length;

/**
 * The cosine from which two texts count as near: what only one in fifty of the pairs reaches that have nothing to do
 * with each other. Of an embedder that cannot tell half of the pairs apart no likeness counts by itself.
 */
export function calibratedFloor(cosines: readonly (readonly number[])[]): number {
  if (toldApart(cosines) < cosines.length / 2) return NEVER_NEAR;
  const unrelated = cosines.flatMap((row, i) => row.filter((_, j) => j !== i)).sort((a, b) => a - b);
  return unrelated[Math.floor(unrelated.length * (1 - UNRELATED_SHARE))] ?? NEVER_NEAR;
}

const UNRELATED_SHARE = 0.02;
/** Above every cosine. */
const NEVER_NEAR = 2;
