/**
 * @file The prompts of benchmarks: their order of parts and the form of answer that their scores rely on, in words of
 * our own. Figures from them are near the published ones' and not comparable to the point.
 */

import { present } from "../../lib/assert.ts";
import type { Turn } from "../methods/method.ts";

/** What BABILong tells of a task, in its order. */
interface TaskPrompt {
  readonly instruction: string;
  readonly examples: readonly string[];
  readonly form: string;
}

const CARRIED =
  "A thing that a person takes goes wherever that person goes; a thing that is dropped stays where it was dropped.";
const MIXED = "in a long text about other matters";

const BABILONG: Readonly<Record<string, TaskPrompt>> = {
  qa1: {
    instruction: `Facts about where persons are stand ${MIXED}, and then a question. Answer from these facts alone. Where a person was in several places, the latest counts.`,
    examples: [
      "Anna went to the cellar. Peter came back to the porch. Anna travelled to the attic. Where is Anna?\nAnswer: The most recent location of Anna is attic.",
      "Peter moved to the garage. Anna went to the shop. Peter went to the beach. Where is Peter?\nAnswer: The most recent location of Peter is beach.",
    ],
    form: "Answer in this form: The most recent location of ’person’ is ’location’. Write nothing after it.",
  },
  qa2: {
    instruction: `Facts about places and what persons do stand ${MIXED}, and then a question. Answer from these facts alone. ${CARRIED}`,
    examples: [
      "Anna went to the cellar. Anna got a lamp. Anna moved to the attic. Where is the lamp?\nAnswer: The lamp is in the attic.",
      "Peter moved to the garage. Peter got a hammer. Peter moved to the porch. Where is the hammer?\nAnswer: The hammer is in the porch.",
    ],
    form: "Answer in this form: The ’item’ is in ’location’. Write nothing after it.",
  },
  qa3: {
    instruction: `Facts about places and what persons do stand ${MIXED}, and then a question. Answer from these facts alone. ${CARRIED}`,
    examples: [
      "Anna grabbed the lamp. Anna went to the cellar. Anna travelled to the attic. Where was the lamp before the attic?\nAnswer: Before the attic the lamp was in the cellar.",
      "Peter took the hammer. Peter went to the porch. Peter went to the garage. Where was the hammer before the garage?\nAnswer: Before the garage the hammer was in the porch.",
    ],
    form: "Answer in this form: Before the $location_1$ the $item$ was in the $location_2$. Write nothing after it.",
  },
  qa4: {
    instruction: `Facts about persons, places and actions stand ${MIXED}, and then a question. Answer from these facts alone.`,
    examples: [
      "The cellar is south of the attic. The porch is north of the attic. What is the attic south of?\nAnswer: porch",
      "The shop is west of the porch. The porch is west of the attic. What is west of the porch?\nAnswer: shop",
    ],
    form: "Answer with one word alone, a location. Write nothing after it.",
  },
  qa5: {
    instruction: `Facts about places and who gave what to whom stand ${MIXED}, and then a question. Answer from these facts alone.`,
    examples: [
      "Anna picked up the lamp there. Anna gave the lamp to Peter. Who did Anna give the lamp to?\nAnswer: Peter",
      "Ruth took the hammer there. Ruth passed the hammer to Peter. Who gave the hammer?\nAnswer: Ruth",
      "Peter picked up the lamp there. Peter handed the lamp to Ruth. What did Peter give to Ruth?\nAnswer: lamp",
    ],
    form: "Answer with one word alone. Write nothing after it and explain nothing.",
  },
};

/** Instruction, examples, form of the answer, context, question; blank lines between. */
export function babilongTurn(task: string): Turn {
  const { instruction, examples, form } = present(
    BABILONG[task],
    () =>
      `evaluate: there is no prompt for the task "${task}"; there are ${Object.keys(BABILONG).join(", ")}`,
  );
  const shown = examples.map((example) => `<example>\n${example}\n</example>`).join("\n\n");
  return (passages, question) =>
    `${instruction}\n\n${shown}\n\n${form}\n\n<context>\n${passages.join(" ")}\n</context>\n\nQuestion: ${question}`;
}

const ONLY = "Answer the question from the documents below. Give the answer alone and no other words.";

/** RULER's: instruction, documents, instruction, question. */
export const rulerTurn: Turn = (passages, question) =>
  `${ONLY}\n\nThese are the documents.\n\n${passages.join("\n\n")}\n\n${ONLY}\n\nQuestion: ${question}`;

/** NoLiMa's: a snippet of a book, and a short answer from what it says or strongly implies. */
export const nolimaTurn: Turn = (passages, question) =>
  `Read this snippet of a book and answer the question behind it, briefly, from what it states or strongly implies.\n\n${passages.join("\n")}\n\nQuestion: ${question}\n\nReturn the final answer alone.`;

/** Where a text brings no prompt of its own. */
export const plainTurn: Turn = (passages, question) =>
  `Answer the question from this text, as briefly as you can.\n\n${passages.join(" ")}\n\nQuestion: ${question}\nAnswer:`;
