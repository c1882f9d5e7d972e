/** @file Tables as text: cells for spreadsheets, and cells of lines by RFC 4180. */

import { assert } from "./assert.ts";

/** Quoted empty text is ""; an empty cell without quotes is null. */
export interface TextCell {
  readonly text: string;
  readonly quoted: boolean;
}

/** A cell of a comma separated line. Empty text keeps its quotes, to differ from null. */
export const quotedCell = (text: string): string =>
  text === "" || /[",\r\n]|^[\s#]|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** Guards text that a spreadsheet would read as a formula with an apostrophe, which is removed on reading. */
export const guardedText = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);
/** Full-width signs count too in East Asian spreadsheets. */
const FORMULA = /^[=+\-@\t\r\n'\uff1d\uff0b\uff0d\uff20]/;

export function csvTable(
  names: readonly string[],
  rows: readonly (readonly (string | number | boolean | null)[])[],
): string {
  const field = (value: string | number | boolean | null): string =>
    typeof value === "string" ? quotedCell(guardedText(value)) : value === null ? "" : String(value);
  return [names, ...rows].map((row) => `${row.map(field).join(",")}\r\n`).join("");
}

/** Cells of each line; quoted cells may contain delimiters, line ends and doubled quotes. @throws if a quote does not end */
export function csvRecords(text: string, delimiter = ","): TextCell[][] {
  const rows: TextCell[][] = [];
  let row: TextCell[] = [];
  let at = 0;
  while (at < text.length) {
    const found = text[at] === '"' ? readQuoted(text, at) : readPlain(text, at, delimiter);
    row.push(found.cell);
    at = found.end;
    if (text[at] === delimiter) {
      at++;
      if (at === text.length) row.push({ text: "", quoted: false });
      continue;
    }
    if (text.startsWith("\r\n", at)) at++;
    at++;
    rows.push(row);
    row = [];
  }
  if (row.length > 0) rows.push(row);
  return rows;
}

interface Found {
  readonly cell: TextCell;
  readonly end: number;
}

function readPlain(text: string, at: number, delimiter: string): Found {
  let end = at;
  while (end < text.length && text[end] !== delimiter && text[end] !== "\n" && !text.startsWith("\r\n", end))
    end++;
  return { cell: { text: text.slice(at, end), quoted: false }, end };
}

function readQuoted(text: string, at: number): Found {
  let end = at + 1;
  for (;;) {
    end = text.indexOf('"', end);
    assert(end >= 0, () => `csv: the quoted cell at "${text.slice(at, at + 40)}" does not end`);
    if (text[end + 1] !== '"') break;
    end += 2;
  }
  return {
    cell: { text: text.slice(at + 1, end).replaceAll('""', '"'), quoted: true },
    end: end + 1,
  };
}
