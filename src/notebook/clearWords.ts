/** @file Sentences of a memory that a notebook keeps in answers, certificates and changes, and the notebook without them. */

import { many } from "../lib/format.ts";
import type { Answer, DeletionCertificate } from "../records/answer.ts";
import type { Cell, Notebook } from "../records/notebook.ts";

export function holdsWords(cell: Cell): boolean {
  if (cell.kind === "ask")
    return (cell.output?.history ?? []).some(({ answer }) => textsOf(answer).some(isWords));
  if (cell.kind === "questions")
    return (cell.output?.runs ?? []).some(({ questions }) =>
      questions.some(({ said }) => said.some(isWords)),
    );
  if (cell.kind !== "store" || !cell.output) return false;
  const { certificates, reencodings = [] } = cell.output;
  return (
    certificates.some(({ certificate: { before, after } }) =>
      [...before, ...after].some(({ text }) => isWords(text)),
    ) || reencodings.some(({ before, after }) => before.value !== null || after.value !== null)
  );
}

const textsOf = ({ text, asked, recalled }: Answer): string[] =>
  [{ text }, ...asked, ...recalled].map((one) => one.text);

/** The notebook without words of its memory in any output. Keys, numbers and verdicts stay. */
export const withoutWords = (notebook: Notebook): Notebook => ({
  ...notebook,
  cells: notebook.cells.map(cellWithoutWords),
});

function cellWithoutWords(cell: Cell): Cell {
  if (!holdsWords(cell)) return cell;
  if (cell.kind === "ask") {
    const history = cell.output!.history.map((one) => ({ ...one, answer: answerWithoutWords(one.answer) }));
    return { ...cell, output: { ...cell.output!, history } };
  }
  if (cell.kind === "questions") {
    const runs = cell.output!.runs.map((run) => ({
      ...run,
      questions: run.questions.map((asked) => ({ ...asked, said: asked.said.map((said) => cleared(said)) })),
    }));
    return { ...cell, output: { ...cell.output!, runs } };
  }
  if (cell.kind !== "store") return cell;
  const { certificates, reencodings = [] } = cell.output!;
  const output = {
    ...cell.output!,
    certificates: certificates.map((one) => ({
      ...one,
      certificate: certificateWithoutWords(one.certificate),
    })),
    reencodings: reencodings.map((one) => ({
      ...one,
      before: { ...one.before, value: null },
      after: { ...one.after, value: null },
    })),
  };
  return { ...cell, output };
}

const answerWithoutWords = (answer: Answer): Answer => ({
  ...answer,
  text: "",
  asked: answer.asked.map((part) => ({ ...part, text: "" })),
  recalled: answer.recalled.map(({ parts, ...fact }) => ({
    ...fact,
    text: "",
    tokens: [],
    ...(parts && { parts: parts.map((part) => ({ ...part, text: "", tokens: [] })) }),
  })),
});

const certificateWithoutWords = (certificate: DeletionCertificate): DeletionCertificate => ({
  ...certificate,
  before: certificate.before.map((one) => ({ ...one, text: cleared(one.text) })),
  // The texts stay equal or different: a fact with equal ones counts as still recalled.
  after: certificate.after.map((one, i) => ({
    ...one,
    text: cleared(one.text, one.text === certificate.before[i]?.text ? "word" : "other word"),
  })),
});

/** The number of the words in place of the words. */
const cleared = (text: string, word = "word"): string =>
  isWords(text) ? `[${many(text.split(/\s+/).filter(Boolean).length, word)}, cleared]` : text;

const isWords = (text: string): boolean => text !== "" && !/^\[[\d,]+ (other )?words?, cleared\]$/.test(text);
