/** @file The prompts of benchmarks, in our own words: results are close to published ones, but not comparable to the point. */

import { present } from "../../lib/assert.ts";
import type { Turn } from "../methods/method.ts";
import babilongPrompts from "./babilongPrompts.json" with { type: "json" };

const BABILONG: Readonly<Record<string, typeof babilongPrompts.qa1>> = babilongPrompts;

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

/** NoLiMa's: a snippet of a book, and a short answer from it. */
export const nolimaTurn: Turn = (passages, question) =>
  `Read this snippet of a book and answer the question behind it, briefly, from what it states or strongly implies.\n\n${passages.join("\n")}\n\nQuestion: ${question}\n\nReturn the final answer alone.`;

export const plainTurn: Turn = (passages, question) =>
  `Answer the question from this text, as briefly as you can.\n\n${passages.join(" ")}\n\nQuestion: ${question}\nAnswer:`;
