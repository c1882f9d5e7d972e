/** @file Questions with expected answers as people keep them: a table, JSON records, or lines. */

import { csvTable } from "../lib/csv.ts";
import { grouped, many } from "../lib/format.ts";
import type { AskedQuestion, SetQuestion } from "../records/notebook.ts";
import { fromLines, refused, shown, type QuestionSet } from "./questionLines.ts";
import { ASKED, placeOf, withGreekMarks } from "./questionNames.ts";
import { fromRows, fromTables } from "./questionTables.ts";

/** Each question takes a second or more. */
export const MOST_QUESTIONS = 500;
/** Characters of a set. It is read again at every key press. */
export const LONGEST_SET = 500_000;

/** Reads a set. If a part cannot be read, `problem` names it and no question is returned. */
export function readQuestionSet(given: string): QuestionSet {
  if (given.length > LONGEST_SET) return refused(tooLong(given.length));
  if (/\0/.test(given))
    return refused("This is not UTF-8 text. Save the table as CSV in UTF-8 and drop it again.");
  let set: QuestionSet;
  try {
    set = setOfText(withGreekMarks(given.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n")));
  } catch {
    return refused("A quoted cell does not end: every quote that begins a cell needs one at its end.");
  }
  const questions = set.questions.flatMap((one) =>
    one.ask === "" ? [] : [{ ...one, ask: one.ask.replaceAll("\u037e", ";") }],
  );
  return questions.length > MOST_QUESTIONS
    ? refused(
        `${many(questions.length, "question")} are more than the ${grouped(MOST_QUESTIONS)} that one set may hold: divide it.`,
      )
    : { ...set, questions };
}

export const tooLong = (characters: number): string =>
  `${many(characters, "character")} are more than the ${grouped(LONGEST_SET)} that one set may hold: divide it.`;

function setOfText(given: string): QuestionSet {
  if (JSON_START.test(given)) return fromJson(given);
  if (HTML_START.test(given))
    return refused("This is the source of a web page. Copy the questions from the page as it is shown.");
  const text = given.replace(COMMENT, "").replace(/^\n+/, "");
  return fromTables(text) ?? fromLines(text);
}

/** "# My questions": a heading that does not ask, and not the name of a column of numbers. */
const COMMENT = /^[ \t]{0,9}#{1,6}[ \t][^,;\t\n?？؟\u037e]*$/gm;
const HTML_START = /^\s*<(?:!doctype|html|body|details|table|[uod]l|p|div|h[1-6])\b/i;
const JSON_START = /^\s*(?:[[{]\s*["{]|\[\s*\[\s*")/;

function fromJson(text: string): QuestionSet {
  const whole = parsed(text);
  const lines = whole === undefined ? text.split("\n").filter((line) => line.trim() !== "") : [];
  const values = lines.map(parsed);
  const bad = values.indexOf(undefined);
  if (bad >= 0)
    return refused(`Line ${bad + 1} is not valid JSON: "${shown(lines[bad]!)}". Correct it, or remove it.`);
  const value = whole ?? values;
  const records = recordsIn(value, 0);
  if (records.length > 0) {
    const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
    return fromRows(
      names,
      records.map((record) => names.map((name) => cellOf(record[name]))),
    );
  }
  if (Array.isArray(value) && value.every((one) => typeof one === "string"))
    return fromLines(value.map((one) => one.replace(/\s+/g, " ")).join("\n"));
  const pairs = Object.entries(value as object).map(([ask, answer]) => [ask, cellOf(answer)]);
  if (pairs.every(([ask]) => ASKED.test(ask!.trim()))) return fromRows(["question", "answer"], pairs);
  return refused(
    'No field of the JSON is named "question". Name the field of the questions so, and that of the answers "answer".',
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type JsonRecord = Readonly<Record<string, unknown>>;

/** The records with a question, wherever they are, as in `{ questions: [...] }` or SQuAD's lists in lists. */
function recordsIn(value: unknown, depth: number): readonly JsonRecord[] {
  if (typeof value !== "object" || value === null || depth > DEEPEST) return [];
  const fields = Object.entries(value);
  const asks = fields.some(([name, field]) => typeof field === "string" && placeOf([name], "question") >= 0);
  return asks && !Array.isArray(value)
    ? [value as JsonRecord]
    : fields.flatMap(([, field]) => recordsIn(field, depth + 1));
}

const DEEPEST = 10;

/** A field as a cell: a list is its alternatives, and so is the list in SQuAD's `{ text: [...] }`. */
function cellOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(cellOf).join(" | ");
  if (typeof value === "object" && value !== null) return cellOf((value as { text?: unknown }).text);
  return value === undefined || value === null ? "" : String(value as string | number);
}

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
