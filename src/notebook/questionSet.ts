/** @file Questions with expected answers as people keep them: a table, JSON records, or lines. */

import { grouped, many } from "../lib/format.ts";
import { csvTable, quotedCell } from "../lib/csv.ts";
import { tableRows } from "../lib/tableRows.ts";
import type { AskedQuestion, SetQuestion } from "../records/notebook.ts";
import {
  alternatives,
  answersOf,
  COMMENT,
  fromLines,
  LIST_MARK,
  refused,
  rightOption,
  type QuestionSet,
} from "./questionLines.ts";
import { ASKED, ASKS, optionColumns, placeOf, QUESTION_LABEL, withGreekMarks } from "./questionNames.ts";

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
    set = setOfText(plainText(given));
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

const plainText = (given: string): string =>
  withGreekMarks(given.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n"));

function setOfText(text: string): QuestionSet {
  if (JSON_START.test(text)) return fromJson(text);
  if (HTML_START.test(text))
    return refused("This is the source of a web page. Copy the questions from the page as it is shown.");
  const { tables, outside } = tablesIn(text);
  if (outside !== undefined)
    return refused(
      `The line "${outside.trim().slice(0, 60)}" is outside the tables. Write it into one of them, or remove it.`,
    );
  const sets = tables.map((table) => fromTable(table) ?? fromLines(table));
  if (sets.length === 1) return sets[0]!;
  const at = sets.findIndex(({ problem }) => problem !== null);
  return at < 0
    ? { ...sets[0]!, questions: sets.flatMap(({ questions }) => questions) }
    : refused(`Table ${at + 1} of ${tables.length}: ${sets[at]!.problem}`);
}

/**
 * Tables with bars between the cells, or cards of Anki, with tabs instead. If there is none: the text without the headings
 * before it. `outside` is a line that asks and belongs to no table.
 */
function tablesIn(text: string): {
  readonly tables: readonly string[];
  readonly outside?: string | undefined;
} {
  const lines = text.split("\n");
  if (ANKI.test(lines[0]!)) return { tables: [cardsOfAnki(lines)] };
  const begin = lines.findIndex((line) => line.trim() !== "" && !COMMENT.test(line));
  const body = begin > 0 ? lines.slice(begin) : lines;
  const tables: string[] = [];
  const others: string[] = [];
  for (let i = 0; i < body.length;) {
    let next = i;
    while (next < body.length && (body[next]!.includes("|") || RULE.test(body[next]!.trim()))) next += 1;
    const rows = barRows(body.slice(i, next));
    next = Math.max(next, i + 1);
    if (rows) tables.push(tabbed(rows));
    else others.push(...body.slice(i, next));
    i = next;
  }
  return tables.length === 0
    ? { tables: [body.join("\n")] }
    : { tables, outside: others.find((line) => ASKS.test(line)) };
}

const tabbed = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => row.map(quotedCell).join("\t")).join("\n");

/** Cells of lines with bars; null if neither a rule, nor bars at both ends, nor known names show a table. */
function barRows(lines: readonly string[]): string[][] | null {
  const trimmed = lines.map((line) => line.trim());
  const rows = trimmed
    .filter((line) => !RULE.test(line))
    .map((line) =>
      line
        .replace(/^\||(?<!\\)\|$/g, "")
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll("\\|", "|")),
    );
  const [names = []] = rows;
  const named =
    names.length > 1 &&
    !/[,;]/.test(lines[0]!) &&
    placeOf(names, "question") >= 0 &&
    placeOf(names, "answer") >= 0;
  const framed = names.length > 1 && trimmed.every((line) => line.startsWith("|") && line.endsWith("|"));
  return rows.length > 0 && (named || framed || rows.length < lines.length) ? rows : null;
}

const RULE = /^[|+]?(?:\s*:?[-=]+:?\s*[|+])+(?:\s*:?[-=]+:?)?$/;

/** Cards without their tags, decks and ids: the first field asks, the second answers. */
function cardsOfAnki(lines: readonly string[]): string {
  const end = lines.findIndex((line) => !ANKI.test(line));
  const head = new Map(
    lines.slice(0, end).map((line) => [ANKI.exec(line)![1]!, line.slice(line.indexOf(":") + 1)]),
  );
  const separator = head.get("separator")?.trim().toLowerCase() ?? "tab";
  const left = [...head].flatMap(([name, place]) => (name.endsWith(" column") ? [Number(place) - 1] : []));
  const mark = ANKI_MARKS[separator] ?? separator;
  const plain = (cell: string): string =>
    head.get("html")?.trim() === "true"
      ? cell
          .replace(/<[^<>]*>|&nbsp;/g, " ")
          .replace(/&quot;/g, '"')
          .replace(/&amp;/g, "&")
      : cell;
  const rows = tableRows(lines.slice(end).join("\n"), mark).map((row) =>
    row.filter((_, i) => !left.includes(i)).map((cell) => plain(cell).replace(/\s+/g, " ").trim()),
  );
  return tabbed(rows.every((row) => row.length < 3) ? [["question", "answer"], ...rows] : rows);
}

const ANKI = /^#(separator|html|columns|(?:tags|deck|notetype|guid)(?: column)?):/;
const ANKI_MARKS: Readonly<Record<string, string>> = {
  ...{ tab: "\t", comma: ",", semicolon: ";", pipe: "|", colon: ":", space: " " },
};

const HTML_START = /^\s*<(?:!doctype|html|body|details|table|[uod]l|p|div|h[1-6])\b/i;
const JSON_START = /^\s*(?:[[{]\s*["{]|\[\s*\[\s*")/;

function fromJson(text: string): QuestionSet {
  const whole = parsed(text);
  const lines = whole === undefined ? text.split("\n").filter((line) => line.trim() !== "") : [];
  const values = lines.map(parsed);
  const bad = values.indexOf(undefined);
  if (bad >= 0)
    return refused(
      `Line ${bad + 1} is not valid JSON: "${lines[bad]!.trim().slice(0, 40)}". Correct it, or remove it.`,
    );
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
  if (Array.isArray(value) && value.every((one) => Array.isArray(one)))
    return fromTable(tabbed(value.map((row) => row.map((cell) => cellOf(cell)))))!;
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

/** A table with a line of names, or with questions in one column; null if the text is neither. */
function fromTable(text: string): QuestionSet | null {
  const [, declared] = /^sep=(.)\n/i.exec(text) ?? [];
  const given = declared === undefined ? text : text.slice(text.indexOf("\n") + 1);
  const marks = (body: string, lines: readonly string[]) =>
    (declared === undefined ? ["\t", ";", ","] : [declared]).filter((mark) =>
      // Tabs before a line are its indentation. Quoted lines without any mark are a table of one column.
      mark === "\t"
        ? lines.some((line) => line.trim().includes(mark))
        : body.includes(mark) ||
          (mark === "," && lines.length > 0 && lines.every((line) => QUOTED_LINE.test(line))),
    );
  const first = filledLines(given);
  for (const mark of marks(given, first)) {
    const at = first.slice(0, MOST_TITLES).findIndex((line, i) => {
      const [names = []] = i > 0 && ASKS.test(line) ? [] : tableRows(line, mark);
      const answers = i === 0 || placeOf(names, "answer") >= 0;
      return answers && placeOf(names, "question") >= 0;
    });
    if (at < 0 || first.slice(0, at).some((line) => ASKS.test(line))) continue;
    const [names = [], ...rows] = rowsOf(given.slice(given.indexOf(first[at]!)), mark);
    return fromRows(names, rows);
  }
  // Word puts a tab behind the mark of a list item.
  const body = given.replace(/^([ \t]*[^\p{L}\s]{1,4})\t/gmu, (all, item: string) =>
    LIST_MARK.test(`${item.trim()} `) ? `${item} ` : all,
  );
  const lines = filledLines(body);
  const found = marks(body, lines);
  const mark =
    found.find(
      (one) =>
        // A question that holds the mark itself has to be quoted.
        declared !== undefined ||
        one === "\t" ||
        numbered(lines, one) ||
        lines.slice(namesAnswer(lines[0] ?? "", one) ? 1 : 0).every((line) => CELL_ENDS[one]!.test(line)) ||
        ANSWER_FIRST[one]!.test(body),
    ) ?? found.find((one) => !ASKS.test(body) && sameWidth(tableRows(body, one)));
  return mark === undefined ? null : unnamed(rowsOf(body, mark), mark);
}

/** Lines above the names of the columns, as in a template. */
const MOST_TITLES = 10;
const namesAnswer = (line: string, mark: string): boolean =>
  !ASKS.test(line) && placeOf(tableRows(line, mark)[0] ?? [], "answer") >= 0;
const filledLines = (text: string): readonly string[] =>
  text.split("\n").filter((line) => /[^\s;,]/.test(line));
const QUOTED_LINE = /^\s*"(?:[^",;\t]|"")*"?\s*$/;
/** Without the headings between the rows. */
const rowsOf = (text: string, mark: string): string[][] =>
  tableRows(text, mark).filter((row) => row.length > 1 || !COMMENT.test(row[0]!));

const sameWidth = (rows: readonly (readonly string[])[]): boolean =>
  rows.length > 1 && rows.every((row) => row.length === rows[0]!.length);

const asksAt = (row: readonly string[], i: number): boolean => ASKED.test((row[i] ?? "").trim());

/** Rows without names that are known: the column with the question marks is the question. */
function unnamed(rows: readonly (readonly string[])[], mark: string): QuestionSet {
  const width = widthOf(rows);
  const [top = [], ...below] = rows;
  const several = top.filter((_, i) => asksAt(top, i));
  if (several.length > 1 && below.length > 0 && !below.some((row) => row.some((_, i) => asksAt(row, i))))
    return refused(
      `The first row holds ${many(several.length, "question")}, one of them "${several[1]!.slice(0, 60)}". Give each question a row with its answer behind it.`,
    );
  const shares = Array.from(
    { length: width },
    (_, i) => rows.filter((row) => asksAt(row, i)).length / rows.length,
  );
  const question = shares.indexOf(shares.reduce((most, share) => Math.max(most, share), 0));
  const others = shares.flatMap((_, i) =>
    i === question || (i < question && isCount(rows.map((row) => row[i] ?? ""))) ? [] : [i],
  );
  // Behind the question: its answer, then the words that are needed. Before it only an answer can be, if nothing else is there.
  const known = others.every((i) => i > question) ? others.length < 3 : others.length === 1;
  if (width > 1 && (shares[question]! < 0.5 || !known)) return toBeNamed(rows, mark);
  const turned = rows.find((row) => !asksAt(row, question) && row.some((_, i) => asksAt(row, i)));
  if (turned)
    return refused(`${rowText(turned)} has its question in another column than other rows. Change it.`);
  const names = Array.from({ length: width }, (_, i) =>
    i === question ? "question" : (["answer", "needs"][others.indexOf(i)] ?? "id"),
  );
  const long = mark === "," ? rowWithCommas(rows, names.indexOf("needs")) : undefined;
  if (long)
    return refused(
      `${rowText(long)} has ${long.length} cells. Put quotes around each cell that holds a comma, or write the names of the columns into the first line.`,
    );
  const plain = rows.map((row) =>
    row.map((cell, i) =>
      i === question ? cell.trim().replace(LIST_MARK, "").replace(QUESTION_LABEL, "") : cell,
    ),
  );
  const unasked = below.some((row) => !asksAt(row, question) && row[question]?.trim());
  if (asksAt(top, question) || below.length === 0 || unasked) return fromRows(names, plain);
  if (placeOf(top, "answer") >= 0) return fromRows(top.with(question, "question"), plain.slice(1));
  if (below.length < 2 || top[question]!.length > LONGEST_HEADING) return fromRows(names, plain);
  return {
    ...fromRows(names, plain.slice(1)),
    note: `The first row is not asked: "${top.join(", ").slice(0, 60)}".`,
  };
}

const LONGEST_HEADING = 30;
const widthOf = (rows: readonly (readonly string[])[]): number =>
  rows.reduce((most, row) => Math.max(most, row.length), 0);
const rowText = (row: readonly string[]): string => `The row "${row.join(", ").slice(0, 60)}"`;

/** A row that may have a comma inside a cell: not every row has as many cells, or the last one begins with a blank. */
function rowWithCommas(rows: readonly (readonly string[])[], needs: number): readonly string[] | undefined {
  const has = (row: readonly string[]): boolean => (row[needs] ?? "").trim() !== "";
  const all = rows.every(has);
  return rows.find((row) => has(row) && (!all || /^\s/.test(row[needs]!)));
}

/** Numbers of rows, each one more than the number before it: "1", "Q2", "3.". The first cell may be a name. */
function isCount(cells: readonly string[]): boolean {
  const counts = cells.map((cell) => Number(/^\W*\p{L}{0,3}-?(\d+)\.?$/u.exec(cell.trim())?.[1]));
  return counts.length > 1 && counts.every((one, i) => i === 0 || one === (counts[i - 1] || 0) + 1);
}

/** Whether each line begins with its number, and a question behind it. */
const numbered = (lines: readonly string[], mark: string): boolean =>
  lines.every((line) => /^\s*"?\w{0,3}\d+"?\s*$/.test(line.slice(0, Math.max(0, line.indexOf(mark))))) &&
  lines.some((line) => ASKS.test(line));

function toBeNamed(rows: readonly (readonly string[])[], separator: string): QuestionSet {
  const columns = Array.from({ length: widthOf(rows) }, (_, i) =>
    rows
      .slice(0, 2)
      .map((row) => row[i] ?? "")
      .join(", "),
  );
  return {
    ...refused("Which column holds the questions, and which the answers? The table does not tell."),
    columns,
    separator,
  };
}

function fromRows(names: readonly string[], given: readonly (readonly string[])[]): QuestionSet {
  const question = placeOf(names, "question");
  const options = optionColumns(names);
  const answer = placeOf(
    names.map((name, i) => (i === question || options.includes(i) ? "" : name)),
    "answer",
  );
  const needs = placeOf(names, "needs");
  // The line of names may come again, above a second part.
  const rows = given.filter((row) => row.length === 0 || row.some((cell, i) => cell !== names[i]));
  const long = rows.find((row) => row.slice(names.length).some((cell) => cell.trim() !== ""));
  if (long)
    return refused(
      `${rowText(long)} has ${long.length} cells, the line of names ${names.length}. Put quotes around each cell that holds a separator.`,
    );
  const list = names.findIndex((name) => /^(?:options|choices)$/i.test(name.trim()));
  const questions: SetQuestion[] = [];
  for (const row of rows) {
    const ask = (row[question] ?? "").trim();
    const offered = (list < 0 ? options.map((i) => row[i] ?? "") : row[list]!.split("|")).map((one) =>
      one.trim(),
    );
    const told = (row[answer] ?? "").trim();
    const expected = offered.filter(Boolean).length < 2 ? told : rightOptions(told, offered, list >= 0);
    if (expected === undefined)
      return refused(
        `The question "${ask.slice(0, 60)}" has options, and ${told === "" ? "no column names the right one" : `"${told.slice(0, 60)}" does not name one`}. Add a column "answer" with its words or its letter.`,
      );
    const needed = alternatives(row[needs] ?? "");
    questions.push({ ask, answers: answersOf(expected), ...(needed.length > 0 ? { needs: needed } : {}) });
  }
  const unused = names.filter(
    (name, i) =>
      ![question, answer, needs, list, ...options].includes(i) && !/^\s*(?:id|nr|no|#)?\.?\s*$/i.test(name),
  );
  return {
    questions,
    problem: null,
    ...(unused.length > 0 ? { note: `Columns that are not used: ${unused.join(", ")}.` } : {}),
  };
}

/** The options that letters, words or numbers name, as in "1, 3"; a number in JSON may count from 0, and names none. */
function rightOptions(told: string, options: readonly string[], inJson: boolean): string | undefined {
  const one = (part: string): string | undefined =>
    inJson && /^\d+$/.test(part) ? undefined : rightOption(part, options);
  const right = [one(told)].filter((option) => option !== undefined);
  const parts = right.length > 0 ? right : told.split(/[,;|\s]+/).map(one);
  return parts.includes(undefined) ? undefined : parts.join(" | ");
}

/** A quoted cell, or a question, with the mark behind it. */
const CELL_ENDS: Readonly<Record<string, RegExp>> = {
  ",": /^\s*"|^[^,]*[?？؟\u037e]\s*(?:,|$)/,
  ";": /^\s*"|^[^;]*[?？؟\u037e]\s*(?:;|$)/,
  "\t": /\t/,
};
/** Every line has one mark, without a blank behind it, before its question: "garden,Where is Mary?". */
const ANSWER_FIRST: Readonly<Record<string, RegExp>> = {
  ",": /^(?:[^,\n?\u037e]*,[^\s,][^,\n]*[?？\u037e]\s*(?:\n|$)|[^,\n?\u037e]+,[^,\n?\u037e]+\n)+$/,
  ";": /^(?:[^;\n?\u037e]*;[^\s;][^;\n]*[?？\u037e]\s*(?:\n|$)|[^;\n?\u037e]+;[^;\n?\u037e]+\n)+$/,
  "\t": /\t/,
};

/** The set with a line of names before it, after a person chose the columns. */
export function withNames(
  given: string,
  { columns = [], separator = "," }: QuestionSet,
  question: number,
  answer: number,
): string {
  const [text = ""] = tablesIn(plainText(given)).tables;
  const [sep = ""] = /^sep=.\n/i.exec(text) ?? [];
  const names = columns.map((_, i) => (i === question ? "question" : i === answer ? "answer" : "id"));
  return `${sep}${names.join(separator)}\n${text.slice(sep.length)}`;
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
