/** @file Tables of spreadsheets and databases (.csv, .tsv) -> a sentence per row that carries the headings of the first one. */

import { tableRows } from "../../lib/tableRows.ts";
import { decodeText } from "../text.ts";
import { tidyText } from "../tidy.ts";
import { ended, LONGEST_DATA, rowSentences, WIDEST, writesGerman, type TableCell } from "./tables.ts";
import type { Reader } from "./types.ts";

type Row = readonly string[];

/** A text whose columns are not found is read as plain text, with a note; so are headings that are not. */
export const readCsv: Reader = async (bytes, name, { encoding }) => {
  const { text, notes, ...rest } = await decodeText(bytes, name, { chosen: encoding });
  const rows = separated(text);
  if (rows) {
    const { lines, headed } = linesOf(rows, writesGerman(text.slice(0, SAMPLE)));
    const unnamed = `"${name}": its first row was not taken for headings, so the cells of the others have none.`;
    return { text: lines.join("\n"), notes: headed ? notes : [...notes, unnamed], ...rest };
  }
  const told =
    `"${name}" was read as plain text, because most of its rows have other numbers of cells than the first, some have more than ` +
    `${WIDEST}, or a quotation mark has no second one. If it is a table, save it as .csv again.`;
  return { text: tidyText(text), notes: text.trim().includes("\n") ? [...notes, told] : notes, ...rest };
};

/** The rows by the mark that gives most of them as many cells as the first has; null if no mark gives two. */
function separated(text: string): Row[] | null {
  const [line = "", declared] = /^sep=(.)\r?\n/i.exec(text) ?? [];
  const body = text.slice(line.length);
  const sample = body.length > SAMPLE ? sampleOf(body) : body;
  // Commas last: they are in numbers too.
  const marks = declared === undefined ? ["\t", ";", "|", ","] : [declared];
  const fitting = marks
    .map((mark) => ({ mark, fit: fitOf(rowsBy(mark, sample)) }))
    .filter(({ fit }) => fit > 0)
    .sort((a, b) => b.fit - a.fit);
  for (const { mark } of fitting) {
    const rows = rowsBy(mark, body);
    if (fitOf(rows) > 0) return rows;
  }
  return null;
}

const SAMPLE = 100_000;

/** The first rows, up to the last line end outside of quotation marks; the whole text without one. */
function sampleOf(text: string): string {
  const pieces = text.slice(0, SAMPLE).split('"');
  const outside = pieces.findLastIndex((piece, i) => i % 2 === 0 && piece.includes("\n"));
  if (outside < 0) return text;
  const last = pieces[outside]!;
  return [...pieces.slice(0, outside), last.slice(0, last.lastIndexOf("\n") + 1)].join('"');
}

/** How many cells are in rows with as many as the first; 0 if these are not most rows, or have one cell or too many. */
function fitOf(rows: readonly Row[]): number {
  const width = rows[0]?.length ?? 0;
  const alike = rows.filter(({ length }) => length === width).length;
  const fits = rows.length > 1 && width > 1 && 2 * alike > rows.length;
  return fits && rows.every(({ length }) => length <= WIDEST) ? alike * width : 0;
}

/** Empty if a quoted cell does not end, which with another mark it may. */
function rowsBy(mark: string, text: string): Row[] {
  if (!text.includes(mark)) return [];
  try {
    return tableRows(text, mark, "strict");
  } catch {
    return [];
  }
}

/** The titles above the headings; then a sentence per row, and below it its long cells, which are texts. */
function linesOf(given: readonly Row[], keepCase: boolean) {
  const rows = given.map((row) => row.map((text) => text.trim()));
  // Lines above the table have fewer cells than most rows.
  const counts = rows.map((row) => row.filter(Boolean).length);
  const usual = counts.toSorted((a, b) => a - b)[Math.floor(counts.length / 2)]!;
  const begin = Math.max(
    0,
    counts.findIndex((count) => count >= Math.max(2, (2 / 3) * usual)),
  );
  const [top = [], ...below] = rows.slice(begin);
  const headed = areHeadings(top, below);
  const lines = (headed ? below : [top, ...below]).flatMap((row) => {
    const filled = row.flatMap((text, i) => (text === "" ? [] : [i]));
    const nameOf = (i: number): string => (headed ? (top[i] ?? "") : "");
    const [only] = filled;
    if (filled.length === 1 && nameOf(only!) !== "")
      return [ended(`${nameOf(only!)}: ${oneLine(row[only!]!)}`)];
    const short = row.map((text) => cellOf(text.length > LONGEST_DATA ? "" : oneLine(text), false));
    const [first = -1, ...others] = short.flatMap(({ text }, i) => (text === "" ? [] : [i]));
    const label = [others.length === 0 ? nameOf(first) : "", short[first]?.text].filter(Boolean).join(" ");
    const long = filled.flatMap((i) => (row[i]!.length > LONGEST_DATA ? [[label, nameOf(i), row[i]!]] : []));
    return [
      ...(others.length > 0 || long.length === 0
        ? rowSentences(headed ? [top.map((text) => cellOf(text, true)), short] : [short], "", keepCase)
        : []),
      ...long.map(([about, heading, text]) =>
        [[about, heading].filter(Boolean).join(", "), text].filter(Boolean).join(": "),
      ),
    ];
  });
  const above = rows.slice(0, begin).map((row) => row.filter(Boolean).join(" "));
  return { lines: [...above, ...lines], headed };
}

/** Whether a row names the columns: it has no numbers but years, and no years above years. Some columns may have no name. */
function areHeadings(top: Row, below: readonly Row[]): boolean {
  const names = top.filter(Boolean);
  const isName = (text: string, i: number): boolean =>
    text === "" ||
    (YEAR.test(text)
      ? i > 0 && !below.every((row) => YEAR.test(row[i] ?? ""))
      : text.length < LONGEST_NAME && !/^\W{0,3}\d/.test(text) && !/[.!]$/.test(text));
  return names.length > 1 && new Set(names).size === names.length && top.every(isName);
}

const YEAR = /^(?:19|20)\d\d$/;
/** As long as the questions of a form. */
const LONGEST_NAME = 100;

/** The lines of a cell, as one. */
const oneLine = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .reduce((all, line) => (all === "" ? line : `${all}${/[.?!:,;]$/.test(all) ? " " : ", "}${line}`), "");

const cellOf = (text: string, head: boolean): TableCell => ({ text, head, columns: 1, rows: 1 });
