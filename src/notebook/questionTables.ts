/** @file Question sets in tables: with bars, tabs, semicolons or commas between the cells, and cards of Anki. */

import { quotedCell } from "../lib/csv.ts";
import { tableRows } from "../lib/tableRows.ts";
import type { QuestionSet } from "./questionLines.ts";
import { alternatives, answersOf, LIST_MARK, refused, shown } from "./questionLines.ts";
import { ASKED, ASKS, optionNames, placeOf, QUESTION_LABEL } from "./questionNames.ts";

type Row = readonly string[];

/** The set of a text with cells; null if it has none. @throws if a quoted cell does not end */
export const fromTables = (text: string): QuestionSet | null =>
  fromAnki(text) ?? fromBars(text) ?? fromSeparated(text);

/** Cards without their tags, decks and ids: the first field asks, the second answers. */
function fromAnki(text: string): QuestionSet | null {
  const lines = text.split("\n");
  const found = lines.map((line) => ANKI.exec(line));
  const head = new Map(found.slice(0, found.indexOf(null)).map((line) => [line![1], line![2]!.trim()]));
  if (head.size === 0) return null;
  const mark = ANKI_MARKS[head.get("separator")?.toLowerCase() ?? ""] ?? "\t";
  const left = [...head].flatMap(([name, place]) => (name!.endsWith(" column") ? [Number(place) - 1] : []));
  const plain = head.get("html") === "true" ? withoutTags : (cell: string) => cell;
  const rows = tableRows(lines.slice(head.size).join("\n"), mark).map((row) =>
    row.filter((_, i) => !left.includes(i)).map((cell) => plain(cell).replace(/\s+/g, " ").trim()),
  );
  return fromTable(rows.every((row) => row.length < 3) ? [["question", "answer"], ...rows] : rows);
}

const ANKI = /^#(separator|html|columns|(?:tags|deck|notetype|guid)(?: column)?):(.*)$/;
const ANKI_MARKS: Readonly<Record<string, string>> = { comma: ",", semicolon: ";", pipe: "|" };
const withoutTags = (cell: string): string =>
  cell.replace(/<[^<>]*>|&nbsp;/g, " ").replace(/&(quot|amp);/g, (_, name) => (name === "amp" ? "&" : '"'));

/** One or more tables with bars. Words around them are not asked, but a question there is refused. */
function fromBars(text: string): QuestionSet | null {
  const tables: Row[][] = [];
  const outside = text.replace(LINES_WITH_BARS, (lines) => {
    const rows = barRows(lines.trim().split("\n"));
    if (rows) tables.push(rows);
    return rows ? "" : lines;
  });
  if (tables.length === 0) return null;
  const stray = outside.split("\n").find((line) => ASKS.test(line));
  if (stray !== undefined)
    return refused(
      `The line "${shown(stray)}" is outside the tables. Write it into one of them, or remove it.`,
    );
  const sets = tables.map((rows) => fromTable(rows));
  if (sets.length === 1) return sets[0]!;
  const at = sets.findIndex(({ problem }) => problem !== null);
  return at < 0
    ? { ...sets[0]!, questions: sets.flatMap(({ questions }) => questions) }
    : refused(`Table ${at + 1} of ${sets.length}: ${sets[at]!.problem}`);
}

const LINES_WITH_BARS = /(?:^[^|\n]*\|[^\n]*(?:\n|$))+/gm;

/** Cells of lines with bars; null if neither a rule, nor bars at both ends, nor known names show a table. */
function barRows(given: readonly string[]): Row[] | null {
  const lines = given.map((line) => line.trim());
  const rows = lines
    .filter((line) => !RULE.test(line))
    .map((line) =>
      line
        .replace(/^\||(?<!\\)\|$/g, "")
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll("\\|", "|")),
    );
  const [names = []] = rows;
  const named = !/[,;]/.test(lines[0]!) && placeOf(names, "question") >= 0 && placeOf(names, "answer") >= 0;
  const framed = lines.every((line) => line.startsWith("|") && line.endsWith("|"));
  return rows.length < lines.length || (names.length > 1 && (named || framed)) ? rows : null;
}

const RULE = /^[\s|:-]+$/;

/** Rows with the first of these marks that shows a table; null if none does. */
function fromSeparated(given: string): QuestionSet | null {
  const [first = "", declared] = /^sep=(.)\n/i.exec(given) ?? [];
  const body = given.slice(first.length);
  const text = body.search(WORD_ITEM) === 0 ? body.replace(WORD_ITEM, "$1 ") : body;
  for (const mark of declared === undefined ? ["\t", ";", ","] : [declared]) {
    // Tabs before a line are its indentation.
    if (!text.split("\n").some((line) => line.trim().includes(mark))) continue;
    const rows = tableRows(text, mark);
    if (declared !== undefined || mark === "\t" || isTable(rows)) return fromTable(rows);
  }
  return null;
}

/** Word puts a tab behind the mark of a list item. */
const WORD_ITEM = /^([ \t]{0,9}(?:[^\p{L}\p{N}\s]{1,2}|\(?\d{1,3}[.)]))\t/gmu;

/** Whether commas or semicolons are between cells: between words a blank follows. */
const isTable = (rows: readonly Row[]): boolean =>
  hasNames(rows) ||
  (rows.every((row) => row.length === rows[0]!.length && !row.some((cell) => /^\s/.test(cell))) &&
    (questionColumn(rows) >= 0 || (widthOf(rows) > 1 && !rows.flat().some((cell) => ASKS.test(cell)))));

function hasNames(rows: readonly Row[]): boolean {
  const [top = []] = rows;
  const isKnown = placeOf(top, "question") >= 0 && !top.some((cell) => ASKS.test(cell));
  return isKnown && (top.length > 1 || widthOf(rows) === 1);
}

const asksAt = (row: Row, i: number): boolean => ASKED.test((row[i] ?? "").trim());

export const widthOf = (rows: readonly Row[]): number =>
  rows.reduce((most, row) => Math.max(most, row.findLastIndex((cell) => cell.trim() !== "") + 1), 0);

/** The column with the question marks; -1 without one, or with several. */
function questionColumn(rows: readonly Row[]): number {
  const asked = Array.from({ length: widthOf(rows) }, (_, i) => rows.filter((row) => asksAt(row, i)).length);
  const question = asked.findIndex((count) => count > 0 && 2 * count >= rows.length);
  const isClear =
    asked.filter((count) => count >= asked[question]!).length === 1 &&
    rows.every((row) => asksAt(row, question) || !row.some((cell) => ASKS.test(cell)));
  return isClear ? question : -1;
}

/** A table with a row of names, or with questions in one column: behind it are the answers, then the needed words. */
function fromTable(rows: readonly Row[]): QuestionSet {
  const [top = []] = rows;
  if (hasNames(rows)) return fromRows(top, rows.slice(1));
  const question = questionColumn(rows);
  const columns = Array.from({ length: widthOf(rows) }, (_, i) => i);
  const others = columns.filter(
    (i) => i !== question && !(i < question && isCount(rows.map((row) => row[i] ?? ""))),
  );
  if (question < 0 || others.length > 2 || (others.length === 2 && others[0]! < question))
    return { ...refused("Which column holds the questions, and which the answers?"), rows };
  if (!asksAt(top, question))
    return refused(
      `The first row "${shown(top.join(", "))}" does not ask. If it names the columns, write "question" and "answer" there. Otherwise end its question with a question mark.`,
    );
  const plain = (cell: string): string => cell.trim().replace(LIST_MARK, "").replace(QUESTION_LABEL, "");
  return fromRows(
    columns.map((i) => (i === question ? "question" : (["answer", "needs"][others.indexOf(i)] ?? "id"))),
    rows.map((row) => row.map((cell, i) => (i === question ? plain(cell) : cell))),
  );
}

/** Numbers of rows, each one more than the number before it: "1", "Q2", "3.". The first cell may be a name. */
function isCount(cells: readonly string[]): boolean {
  const counts = cells.map((cell) => Number(/^\W*\p{L}{0,3}-?(\d+)\.?$/u.exec(cell.trim())?.[1]));
  return counts.length > 1 && counts.every((one, i) => i === 0 || one === (counts[i - 1] || 0) + 1);
}

/** The questions of rows with known names. */
export function fromRows(names: Row, given: readonly Row[]): QuestionSet {
  const question = placeOf(names, "question");
  const options = optionNames(names);
  if (options.length > 0)
    return refused(
      `The columns "${options.join(", ")}" hold options. Remove them, and write the words of the right one into a column "answer".`,
    );
  const answer = placeOf(names.with(question, ""), "answer");
  const needs = placeOf(names, "needs");
  // The line of names may come again, above a second part.
  const rows = given.filter((row) => row.some((cell, i) => cell !== names[i]));
  const long = rows.find((row) => widthOf([row]) > names.length);
  if (long)
    return refused(
      `The row "${shown(long.join(", "))}" has ${long.length} cells, the line of names ${names.length}. Put quotes around each cell that holds a separator.`,
    );
  const questions = rows.map((row) => {
    const needed = alternatives(row[needs] ?? "");
    return {
      ask: (row[question] ?? "").trim(),
      answers: answersOf((row[answer] ?? "").trim()),
      ...(needed.length > 0 && { needs: needed }),
    };
  });
  const unused = names.filter(
    (name, i) => ![question, answer, needs].includes(i) && !/^\s*(?:id|nr|no|#)?\.?\s*$/i.test(name),
  );
  return {
    questions,
    problem: null,
    ...(unused.length > 0 && { note: `Columns that are not used: ${unused.join(", ")}.` }),
  };
}

/** The rows as a table of a text, with a line of names, after a person chose the columns. */
export function withNames({ rows = [] }: QuestionSet, question: number, answer: number): string {
  const names = Array.from({ length: widthOf(rows) }, (_, i) =>
    i === question ? "question" : i === answer ? "answer" : "id",
  );
  return [names, ...rows].map((row) => row.map(quotedCell).join(",")).join("\n");
}
