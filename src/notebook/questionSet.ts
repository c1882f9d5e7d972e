/** @file Questions with expected answers as people keep them: a table, JSON records, or lines. */

import { grouped, many } from "../lib/format.ts";
import { csvTable, quotedCell } from "../lib/csv.ts";
import { chunks } from "../lib/group.ts";
import { tableRows } from "../lib/tableRows.ts";
import type { AskedQuestion, SetQuestion } from "../records/notebook.ts";

/** Each question takes a second or more. */
export const MOST_QUESTIONS = 500;
/** Characters of a set. It is read again at every key press. */
export const LONGEST_SET = 500_000;

export interface QuestionSet {
  readonly questions: readonly SetQuestion[];
  /** Why nothing can be asked, as a sentence; null if all can. */
  readonly problem: string | null;
  /** Names of the unused columns, as a sentence; undefined if all are used. */
  readonly note?: string;
  /** Set if a person has to name the columns: the first cells of each. */
  readonly columns?: readonly string[];
}

/** Reads a set. If a part cannot be read, `problem` names it and no question is returned. */
export function readQuestionSet(given: string): QuestionSet {
  if (given.length > LONGEST_SET) return refused(tooLong(given.length));
  if (/\0/.test(given))
    return refused("This is not UTF-8 text. Save the table as CSV in UTF-8 and drop it again.");
  const text = asTable(given.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n"));
  let set: QuestionSet;
  try {
    set = /^\s*[[{]\s*["{]/.test(text) ? fromJson(text) : (fromTable(text) ?? fromLines(text));
  } catch {
    return refused("A quoted cell does not end: every quote that begins a cell needs one at its end.");
  }
  const questions = set.questions.filter(({ ask }) => ask !== "");
  return questions.length > MOST_QUESTIONS
    ? refused(
        `${many(questions.length, "question")} are more than the ${grouped(MOST_QUESTIONS)} that one set may hold: divide it.`,
      )
    : { ...set, questions };
}

/** Text without the headings before a table, and a table of Markdown with tabs between its cells. */
function asTable(text: string): string {
  const lines = text.split("\n");
  const begin = lines.findIndex((line) => line.trim() !== "" && !COMMENT.test(line));
  const body = begin > 0 ? lines.slice(begin) : lines;
  if (!MARKDOWN_RULE.test(body[1]?.trim() ?? "")) return body.join("\n");
  const rows = body.filter((line, i) => i !== 1 && line.includes("|"));
  const cellsOf = (row: string): string[] =>
    row
      .trim()
      .replace(/^\||\|$/g, "")
      .split(/(?<!\\)\|/);
  return rows
    .map((row) =>
      cellsOf(row)
        .map((cell) => quotedCell(cell.trim().replaceAll("\\|", "|")))
        .join("\t"),
    )
    .join("\n");
}

const MARKDOWN_RULE = /^\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?)?$/;
/** "# My questions": a heading or comment, and not the name of a column of numbers. */
const COMMENT = /^\s*#{1,6}\s+[^,;\t?？؟]*$/;

const refused = (problem: string): QuestionSet => ({ questions: [], problem });

export const tooLong = (characters: number): string =>
  `${many(characters, "character")} are more than the ${grouped(LONGEST_SET)} that one set may hold: divide it.`;

function fromJson(text: string): QuestionSet {
  const lines =
    text.trimStart().startsWith("[") || listIn(text)
      ? [text]
      : text.split("\n").filter((line) => line.trim() !== "");
  const records: Record<string, unknown>[] = [];
  for (const [i, line] of lines.entries()) {
    try {
      records.push(...(listIn(line) ?? ([JSON.parse(line)].flat() as Record<string, unknown>[])));
    } catch {
      return refused(
        `Line ${i + 1} is not valid JSON: "${line.trim().slice(0, 40)}". Correct it, or remove it.`,
      );
    }
  }
  const names = [...new Set(records.flatMap((record) => Object.keys(record ?? {})))];
  return fromRows(
    names,
    records.map((record) => names.map((name) => cellOf(record?.[name]))),
  );
}

/** The records in the only list of records that an object without a question holds, as in `{ questions: [...] }`. */
function listIn(text: string): Record<string, unknown>[] | undefined {
  let fields: [string, unknown][];
  try {
    fields = Object.entries(JSON.parse(text) as object);
  } catch {
    return undefined;
  }
  if (fields.some(([name, value]) => typeof value === "string" && placeOf([name], "question") >= 0))
    return undefined;
  const lists = fields.flatMap(([, value]) =>
    Array.isArray(value) && typeof value[0] === "object" ? [value as Record<string, unknown>[]] : [],
  );
  return lists.length === 1 ? lists[0] : undefined;
}

/** A field as a cell: a list is its alternatives, and so is the list in SQuAD's `{ text: [...] }`. */
function cellOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(cellOf).join(" | ");
  if (typeof value === "object" && value !== null) return cellOf((value as { text?: unknown }).text);
  return value === undefined || value === null ? "" : String(value as string | number);
}

/** A table with a line of names, or with questions in one column; null if the text is neither. */
function fromTable(text: string): QuestionSet | null {
  const [, declared] = /^sep=(.)\n/i.exec(text) ?? [];
  const body = declared === undefined ? text : text.slice(text.indexOf("\n") + 1);
  const lines = body.split("\n").filter((line) => /[^\s;,]/.test(line));
  // Quoted lines without any mark are a table of one column.
  const quoted = lines.length > 0 && lines.every((line) => /^\s*"(?:[^",;\t]|"")*"?\s*$/.test(line));
  const tables = (declared === undefined ? ["\t", ";", ","] : [declared])
    .filter((mark) => body.includes(mark) || (quoted && mark === ","))
    .map((mark) => ({ mark, firstCells: tableRows(lines[0] ?? "", mark) }));
  for (const { mark, firstCells } of tables)
    if (placeOf(firstCells[0] ?? [], "question") >= 0) {
      const [names = [], ...rows] = tableRows(body, mark);
      return fromRows(names, rows);
    }
  for (const { mark } of tables) {
    // A question that holds the mark itself has to be quoted.
    const told = declared ?? (mark === "\t" || numbered(lines, mark) ? mark : undefined);
    if (
      told === undefined &&
      !lines.every((line) => CELL_ENDS[mark]!.test(line)) &&
      !ANSWER_FIRST[mark]!.test(body)
    )
      continue;
    return unnamed(tableRows(body, mark));
  }
  const mark = tables.find(({ mark: one }) => !/[?？؟]/.test(body) && sameWidth(tableRows(body, one)))?.mark;
  return mark === undefined ? null : unnamed(tableRows(body, mark));
}

const sameWidth = (rows: readonly (readonly string[])[]): boolean =>
  rows.length > 1 && rows.every((row) => row.length === rows[0]!.length);

/** Rows without names that are known: the column with the question marks is the question. */
function unnamed(rows: readonly (readonly string[])[]): QuestionSet {
  const width = Math.max(...rows.map((row) => row.length));
  const asks = (row: readonly string[], i: number): boolean => /[?？؟]["'”’»」)]*\s*$/.test(row[i] ?? "");
  const shares = Array.from(
    { length: width },
    (_, i) => rows.filter((row) => asks(row, i)).length / rows.length,
  );
  const question = shares.indexOf(Math.max(...shares));
  const others = shares.flatMap((_, i) =>
    i === question || (i < question && isCount(rows.map((row) => row[i] ?? ""))) ? [] : [i],
  );
  // Behind the question: its answer, then the words that are needed. Before it only an answer can be, if nothing else is there.
  const known = others.every((i) => i > question) ? others.length < 3 : others.length === 1;
  if (width > 1 && (shares[question]! < 0.5 || !known)) return toBeNamed(rows);
  const names = Array.from({ length: width }, (_, i) =>
    i === question ? "question" : (["answer", "needs"][others.indexOf(i)] ?? "id"),
  );
  const first =
    asks(rows[0]!, question) || rows.length === 1 || shares[question]! < 0.75 ? rows : rows.slice(1);
  return fromRows(names, first);
}

/** Numbers of rows, each one more than the number before it: "1", "Q2", "3.". The first cell may be a name. */
function isCount(cells: readonly string[]): boolean {
  const counts = cells.map((cell) => Number(/^\W*\p{L}{0,3}-?(\d+)\.?$/u.exec(cell.trim())?.[1]));
  return counts.length > 1 && counts.every((one, i) => i === 0 || one === (counts[i - 1] || 0) + 1);
}

/** Whether each line begins with its number, and a question behind it. */
const numbered = (lines: readonly string[], mark: string): boolean =>
  lines.every((line) => /^\s*"?\w{0,3}\d+"?\s*$/.test(line.slice(0, Math.max(0, line.indexOf(mark))))) &&
  lines.some((line) => /[?？؟]/.test(line));

function toBeNamed(rows: readonly (readonly string[])[]): QuestionSet {
  const columns = Array.from({ length: Math.max(...rows.map((row) => row.length)) }, (_, i) =>
    rows
      .slice(0, 2)
      .map((row) => row[i] ?? "")
      .join(", "),
  );
  return {
    ...refused("Which column holds the questions, and which the answers? The table does not tell."),
    columns,
  };
}

function fromRows(names: readonly string[], rows: readonly (readonly string[])[]): QuestionSet {
  const question = placeOf(names, "question");
  const answer = placeOf(names, "answer");
  const needs = placeOf(names, "needs");
  if (question < 0) return toBeNamed([names, ...rows]);
  const long = rows.find((row) => row.slice(names.length).some((cell) => cell.trim() !== ""));
  if (long)
    return refused(
      `The row "${long.join(", ").slice(0, 60)}" has ${long.length} cells, the line of names ${names.length}. Put quotes around each cell that holds a separator.`,
    );
  const unused = names.filter(
    (name, i) => ![question, answer, needs].includes(i) && !/^\s*(?:id|nr|no|#)?\.?\s*$/i.test(name),
  );
  return {
    questions: rows.map((cells) => {
      const needed = alternatives(cells[needs] ?? "");
      return {
        ask: (cells[question] ?? "").trim(),
        answers: answersOf((cells[answer] ?? "").trim()),
        ...(needed.length > 0 ? { needs: needed } : {}),
      };
    }),
    problem: null,
    ...(unused.length > 0 ? { note: `Columns that are not used: ${unused.join(", ")}.` } : {}),
  };
}

/** The column that a name stands for: first one with exactly a known name, then one whose name holds it; -1 if none. */
function placeOf(names: readonly string[], kind: keyof typeof NAMES): number {
  const plain = names.map((name) => name.trim().toLowerCase());
  const { exact, holds } = NAMES[kind];
  const place = plain.findIndex((name) => exact.test(name));
  return place >= 0
    ? place
    : plain.findIndex((name) => name.length < LONGEST_NAME && holds.test(name) && !/[?？]/.test(name));
}

const LONGEST_NAME = 60;
const QUESTION =
  "questions?|ask|query|queries|prompts?|fragen?|preguntas?|domand[ae]|perguntas?|vragen|vraag|pytani[ea]|вопросы?|質問|問題|问题|問い";
const ANSWER =
  "answers?|antwort(?:en)?|lösung(?:en)?|solutions?|réponses?|reponses?|respuestas?|rispost[ae]|respostas?|antwoord(?:en)?|odpowied[zź]i?|ответы?|答え|回答|答案|正解";
const named = (exact: string, holds: string): { exact: RegExp; holds: RegExp } => ({
  exact: new RegExp(`^(?:${exact})$`, "u"),
  holds: new RegExp(`(?<!\\p{L})(?:${holds})(?!\\p{L})`, "u"),
});
/** Names of columns in several languages. An expected answer comes before "answer", which may be that of a model. */
const NAMES = {
  question: named(`${QUESTION}|q|input`, QUESTION),
  answer: named(
    `(?:expected|gold|target|reference|correct|right|richtige|erwartete)(?: (?:${ANSWER}))?|(?:${ANSWER})|erwartet|attendue?|esperad[ao]|attes[ao]|label|output|a`,
    `expected|gold|target|${ANSWER}`,
  ),
  needs: named(
    "needs?|needed|sentences?|evidence|support|belege?|beleg|preuves?|sätze|satz",
    "needs?|needed|sentences?|evidence",
  ),
};

/** A quoted cell, or a question, with the mark behind it. */
const CELL_ENDS: Readonly<Record<string, RegExp>> = {
  ",": /^\s*"|^[^,]*[?？؟]\s*(?:,|$)/,
  ";": /^\s*"|^[^;]*[?？؟]\s*(?:;|$)/,
  "\t": /\t/,
};
/** Every line has one mark, without a blank behind it, before its question: "garden,Where is Mary?". */
const ANSWER_FIRST: Readonly<Record<string, RegExp>> = {
  ",": /^(?:[^,\n?]*,[^\s,][^,\n]*[?？]\s*(?:\n|$)|[^,\n?]+,[^,\n?]+\n)+$/,
  ";": /^(?:[^;\n?]*;[^\s;][^;\n]*[?？]\s*(?:\n|$)|[^;\n?]+;[^;\n?]+\n)+$/,
  "\t": /\t/,
};

/** A question per line, with its answer behind it, below it, or after "A:". */
function fromLines(text: string): QuestionSet {
  const lines = text
    .replace(ANSWER_BEHIND, "$1\n")
    .split("\n")
    .map((line) => line.replace(LIST_MARK, "").trim())
    .filter((line) => line !== "" && !COMMENT.test(line));
  if (lines.some((line) => QUESTION_LABEL.test(line))) return fromLabelled(lines);
  const without = lines.filter((line) => !ASKS.test(line));
  if (without.length === 0 || without.length === lines.length)
    return { questions: lines.map(fromLine), problem: null };
  const inTurns =
    lines.length % 2 === 0 && lines.every((line, i) => (i % 2 ? !ASKS.test(line) : ASKED.test(line)));
  if (inTurns)
    return {
      questions: chunks(lines, 2).map(([ask = "", answer = ""]) => ({
        ask,
        answers: answersOf(plainAnswer(answer)),
      })),
      problem: null,
      note: "The line below each question is its answer.",
    };
  return refused(
    `The line "${without[0]!.slice(0, 60)}" has no question mark. End it with one if it is a question; write it behind its question if it is an answer.`,
  );
}

/** "Q: Where is Mary?", "A: garden": an answer follows its question, and each may go on in the next line. */
function fromLabelled(lines: readonly string[]): QuestionSet {
  const questions: { ask: string; answer: string }[] = [];
  let part: "ask" | "answer" = "ask";
  for (const line of lines) {
    const begins = QUESTION_LABEL.test(line);
    if (begins) questions.push({ ask: "", answer: "" });
    part = begins ? "ask" : ANSWER_LABEL.test(line) ? "answer" : part;
    const last = questions.at(-1);
    if (!last) return refused(`The line "${line.slice(0, 60)}" is before the first question: remove it.`);
    if (!begins && part === "ask" && ASKED.test(last.ask))
      return refused(
        `The line "${line.slice(0, 60)}" follows a question and has no label: write "Q:" or "A:" before it.`,
      );
    const words = line.replace(part === "ask" ? QUESTION_LABEL : ANSWER_LABEL, "");
    last[part] = `${last[part]} ${words}`.trim();
  }
  return {
    questions: questions.map(({ ask, answer }) => ({ ask, answers: answersOf(answer) })),
    problem: null,
  };
}

const ASKS = /[?？؟]/;
const ASKED = /[?？؟]["'”’»」)]*$/;
/** "- ", "2. ", "(3) ", "a) " before a line; "A. " is an answer's. */
const LIST_MARK = /^\s*(?:[-*•]|\(?(?:\d{1,3}|[a-z])[.)])\s+/;
const label = (names: string, letters: string): string =>
  `(?:\\**(?:(?:${names}|${letters})\\s{0,3}\\d{0,4}\\s{0,3}[:：]|[${letters.replaceAll("|", "")}]\\d+[.):：])\\**\\s*)`;
const QUESTION_LABEL = new RegExp(`^(?:${label(QUESTION, "q|f|問|问")}|q[.)]\\s+)`, "iu");
const ANSWER_LABEL = new RegExp(`^(?:${label(ANSWER, "a|答")}|a[.)]\\s+)`, "iu");
const ANSWER_BEHIND = new RegExp(`([?？؟]["'”’»」)]*)[ \\t]+(?=${label(ANSWER, "a|答")})`, "giu");

/** Without the label or the arrow before it. */
const plainAnswer = (answer: string): string => answer.replace(ANSWER_LABEL, "").replace(ARROW, "").trim();
const ARROW = /^(?:[-=]+>|→|:|[-–—](?=\s\S))/;

/** "Where is Mary? garden | park"; an arrow between the two is dropped. */
function fromLine(line: string): SetQuestion {
  const end = line.search(ASKS) + 1;
  if (end === 0) return { ask: line, answers: null };
  const rest = plainAnswer(line.slice(end).trimStart());
  return { ask: line.slice(0, end), answers: answersOf(rest.replace(/^\(([^()]*)\)$/, "$1")) };
}

/** The set with a line of names before it, after a person chose the columns. */
export function withNames(
  given: string,
  { columns = [] }: QuestionSet,
  question: number,
  answer: number,
): string {
  const text = asTable(given);
  const sep = /^sep=(.)\r?\n/i.exec(text);
  const mark = sep?.[1] ?? ["\t", ";", ","].find((one) => text.includes(one)) ?? ",";
  const names = columns.map((_, i) => (i === question ? "question" : i === answer ? "answer" : "id"));
  return `${names.join(mark)}\n${sep ? text.slice(sep[0].length) : text}`;
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
