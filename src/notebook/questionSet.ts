/** @file Questions with expected answers: a spreadsheet table, or lines with the answer behind the question mark. */

import { grouped, many } from "../lib/format.ts";
import { csvRecords, csvTable } from "../lib/csv.ts";
import type { AskedQuestion, SetQuestion } from "../records/notebook.ts";

/** Each question takes a second or more. */
export const MOST_QUESTIONS = 500;
/** Characters of a set. It is read again at every key press. */
export const LONGEST_SET = 500_000;

export interface QuestionSet {
  readonly questions: readonly SetQuestion[];
  readonly problem: string | null;
}

/** Reads a set. If a part cannot be read, nothing of it is asked. */
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

export const tooLong = (characters: number): string =>
  `${many(characters, "character")} are more than the ${grouped(LONGEST_SET)} that one set may hold: divide it.`;

/** The delimiter of cells, from the first line if it has column names, otherwise from the text behind every question. */
function delimiterOf(text: string): string | null {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const named = /^"?\s*(?:question|ask|query)s?\s*(?:"\s*)?([,;\t])/i.exec(lines[0] ?? "");
  if (named) return named[1]!;
  if (lines.some((line) => line.includes("\t"))) return "\t";
  return (
    [",", ";"].find((mark) => lines.length > 0 && lines.every((line) => CELL_ENDS[mark]!.test(line))) ?? null
  );
}

/** A quoted cell, or a question, with its delimiter. A question that contains the delimiter must be quoted. */
const CELL_ENDS: Readonly<Record<string, RegExp>> = {
  ",": /^\s*"|^[^,]*\?\s*(?:,|$)/,
  ";": /^\s*"|^[^;]*\?\s*(?:;|$)/,
};

/** "Where is Mary? garden | park"; an arrow between the two is dropped. */
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
    // Also the words of the page: "words of the sentence that is needed".
    at(/\b(?:need(?:s|ed)?|sentences?|evidence)\b/, 2),
  ];
  return records.slice(headed ? 1 : 0).map((cells) => ({
    ask: cells[0] ?? "",
    answers: answersOf(cells[answer] ?? ""),
    ...(cells[needs] ? { needs: alternatives(cells[needs]) } : {}),
  }));
}

/** Null if nothing is expected; empty for a dash: the texts contain no answer. */
function answersOf(cell: string): readonly string[] | null {
  if (cell === "") return null;
  return /^[-–—]$/.test(cell) ? [] : alternatives(cell);
}

const alternatives = (cell: string): readonly string[] =>
  cell.split("|").flatMap((one) => (one.trim() === "" ? [] : [one.trim()]));

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

/** As written in a set: alternatives between bars, a dash if the texts contain no answer. */
export function expectedText(answers: SetQuestion["answers"]): string {
  if (answers === null) return "";
  return answers.length === 0 ? "–" : answers.join(" | ");
}
