/** @file Tables of spreadsheets and databases (.csv, .tsv) -> a sentence per row that carries the headings of the first one. */

import { tableRows } from "../../lib/tableRows.ts";
import { decodeText } from "../text.ts";
import { tidyText } from "../tidy.ts";
import { isHeading, LONGEST_DATA, rowSentences, WIDEST, writesGerman, type TableCell } from "./tables.ts";
import type { Reader } from "./types.ts";

/** Text without two columns, of more than WIDEST, or with a quoted cell that does not end is read as plain text. */
export const readCsv: Reader = async (bytes, name, { encoding }) => {
  const { text, notes, ...rest } = await decodeText(bytes, name, { chosen: encoding });
  const rows = separated(text);
  if (rows) return { text: linesOf(rows, writesGerman(text)).join("\n"), notes, ...rest };
  const told = `"${name}" has no columns that all its rows share, so it was read as plain text.`;
  return { text: tidyText(text), notes: text.trim().includes("\n") ? [...notes, told] : notes, ...rest };
};

/** The rows by the mark that gives most of them as many cells as the first has; null if no mark gives two. */
function separated(text: string): string[][] | null {
  const [line = "", declared] = /^sep=(.)\r?\n/i.exec(text) ?? [];
  const body = text.slice(line.length);
  const found = (declared === undefined ? [",", ";", "\t", "|"] : [declared])
    .filter((mark) => body.includes(mark))
    .map((mark) => rowsBy(mark, body))
    .map((rows) => ({ rows, alike: rows.filter(({ length }) => length === rows[0]!.length).length }))
    .filter(({ rows, alike }) => rows.length > 1 && rows[0]!.length > 1 && 2 * alike > rows.length)
    .filter(({ rows }) => rows.every(({ length }) => length <= WIDEST))
    .sort((a, b) => b.alike - a.alike || b.rows[0]!.length - a.rows[0]!.length);
  return found[0]?.rows ?? null;
}

/** Empty if a quoted cell does not end, which with another mark it may. */
function rowsBy(mark: string, text: string): string[][] {
  try {
    return tableRows(text, mark);
  } catch {
    return [];
  }
}

/** The titles above the headings; then a sentence per row, and below it its long cells, which are texts. */
function linesOf(given: readonly (readonly string[])[], keepCase: boolean): string[] {
  const rows = given.map((row) => row.map((text) => text.trim().replace(/\s*\n\s*/g, ", ")));
  const begin = Math.max(
    0,
    rows.findIndex((row) => row.filter(Boolean).length > 1),
  );
  const [top = [], ...below] = rows.slice(begin);
  // A column of numbers, and those behind the table, may have no name.
  const names = top.filter(Boolean);
  const headed = names.length > 1 && new Set(names).size === names.length && names.every(isHeading);
  const data = headed ? below : [top, ...below];
  const short = data.map((row) => row.map((text) => cellOf(text.length > LONGEST_DATA ? "" : text, false)));
  const sentences = short.flatMap((row, i) => [
    ...rowSentences(headed ? [top.map((text) => cellOf(text, true)), row] : [row], "", keepCase),
    ...data[i]!.filter((text) => text.length > LONGEST_DATA),
  ]);
  return [...rows.slice(0, begin).flatMap((row) => row.filter(Boolean)), ...sentences];
}

const cellOf = (text: string, head: boolean): TableCell => ({ text, head, columns: 1, rows: 1 });
