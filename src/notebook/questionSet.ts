/**
 * @file Questions with expected answers as people keep them: a table of a spreadsheet (commas, semicolons or tabs, with
 * or without a line of names), or lines with the answer behind the question mark.
 */

import { grouped, many } from "../lib/format.ts";
import { csvRecords, csvTable } from "../lib/csv.ts";
import type { AskedQuestion, SetQuestion } from "../records/notebook.ts";

/** Questions that one set may hold: each takes a second or more. */
export const MOST_QUESTIONS = 500;
/** Characters of a set: what is longer is no list of questions, and is read again at every key. */
export const LONGEST_SET = 500_000;

export interface QuestionSet {
  readonly questions: readonly SetQuestion[];
  /** What of the text cannot be asked, as a sentence; null where all of it can. */
  readonly problem: string | null;
}

/** Reads a set; what cannot be read is said and nothing of it is asked. */
export function readQuestionSet(text: string): QuestionSet {
  const none = (problem: string): QuestionSet => ({ questions: [], problem });
  if (text.length > LONGEST_SET) return none(tooLong(text.length));
  if (/\0/.test(text))
    return none("This is not UTF-8 text. Save the table as CSV in UTF-8 and drop it again.");
  const delimiter = delimiterOf(text);
  const rows = delimiter === null ? text.split(/\r?\n/).map(fromLine) : tableOf(text, delimiter);
  if (rows === null)
    return none("A quoted cell does not end: every quote that begins a cell needs one at its end.");
  const questions = rows.filter(({ ask }) => ask !== "");
  return questions.length > MOST_QUESTIONS
    ? none(
        `${many(questions.length, "question")} are more than the ${grouped(MOST_QUESTIONS)} that one set may hold: divide it.`,
      )
    : { questions, problem: null };
}

/** Why a set of so many characters is not read. */
export const tooLong = (characters: number): string =>
  `${many(characters, "character")} are more than the ${grouped(LONGEST_SET)} that one set may hold: divide it.`;

/** What divides cells: the first line tells by its names, else every line by what stands behind its question. */
function delimiterOf(text: string): string | null {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const named = /^"?\s*(?:question|ask|query)s?\s*(?:"\s*)?([,;\t])/i.exec(lines[0] ?? "");
  if (named) return named[1]!;
  if (lines.some((line) => line.includes("\t"))) return "\t";
  return (
    [",", ";"].find((mark) => lines.length > 0 && lines.every((line) => CELL_ENDS[mark]!.test(line))) ?? null
  );
}

/** A quoted cell, or a question, with the mark behind it; a question that holds the mark itself has to be quoted. */
const CELL_ENDS: Readonly<Record<string, RegExp>> = {
  ",": /^\s*"|^[^,]*\?\s*(?:,|$)/,
  ";": /^\s*"|^[^;]*\?\s*(?:;|$)/,
};

/** "Where is Mary? garden | park"; an arrow between the two is left out. */
function fromLine(line: string): SetQuestion {
  const whole = line.trim();
  const end = whole.indexOf("?") + 1;
  if (end === 0) return { ask: whole, answers: null };
  const rest = whole
    .slice(end)
    .trimStart()
    .replace(/^(?:[-=]+>|→|:)/, "");
  return { ask: whole.slice(0, end), answers: answersOf(rest.trim()) };
}

/** Rows of a table; null where a quote does not end. */
function tableOf(text: string, delimiter: string): readonly SetQuestion[] | null {
  let records;
  try {
    records = csvRecords(text, delimiter).map((cells) => cells.map((cell) => cell.text.trim()));
  } catch {
    return null;
  }
  const names = (records[0] ?? []).map((name) => name.toLowerCase());
  const headed = /^(?:question|ask|query)s?$/.test(names[0] ?? "");
  const at = (pattern: RegExp, place: number): number =>
    headed ? names.findIndex((name) => pattern.test(name)) : place;
  const [answer, needs] = [
    at(/^(?:expected|gold|target)|\banswers?\b/, 1),
    // Also as the page itself calls them: "words of the sentence that is needed".
    at(/\b(?:need(?:s|ed)?|sentences?|evidence)\b/, 2),
  ];
  return records.slice(headed ? 1 : 0).map((cells) => ({
    ask: cells[0] ?? "",
    answers: answersOf(cells[answer] ?? ""),
    ...(cells[needs] ? { needs: alternatives(cells[needs]) } : {}),
  }));
}

/** Null where nothing is expected; none where a dash says that the texts hold no answer. */
function answersOf(cell: string): readonly string[] | null {
  if (cell === "") return null;
  return /^[-–—]$/.test(cell) ? [] : alternatives(cell);
}

const alternatives = (cell: string): readonly string[] =>
  cell.split("|").flatMap((one) => (one.trim() === "" ? [] : [one.trim()]));

/** What was asked and came out, for a spreadsheet: one line a question. */
export const askedCsv = (questions: readonly AskedQuestion[]): string =>
  csvTable(
    ["question", "answer", "needs", "said", "cited", "right", "ended at", ...REACHED, "milliseconds"],
    questions.map(({ ask, answers, needs, said, cited, judged, milliseconds }) => [
      ...[ask, expectedText(answers), needs?.join(" | ") ?? null, said.join(" | "), cited.join(", ")],
      ...[judged && judged.failed === null, judged && judged.failed],
      ...REACHED.map((stage) => judged && judged[stage]),
      milliseconds,
    ]),
  );

const REACHED = ["stored", "routed", "recalled", "shown", "marked"] as const;

/** As it is written in a set: alternatives between bars, a dash where the texts hold no answer. */
export function expectedText(answers: SetQuestion["answers"]): string {
  if (answers === null) return "";
  return answers.length === 0 ? "–" : answers.join(" | ");
}
