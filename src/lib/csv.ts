/** @file Tables as text: cells that spreadsheets read as they are meant, and the cells of a line as RFC 4180 has them. */

import { assert } from "./assert.ts";

/** A cell as it was written: an empty one that was quoted is an empty text, one that was not is nothing. */
export interface TextCell {
  readonly text: string;
  readonly quoted: boolean;
}

/** A cell of a comma separated line. Empty text keeps its quotes, or it would read back as nothing. */
export const quotedCell = (text: string): string =>
  text === "" || /[",\r\n]|^[\s#]|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** A spreadsheet takes text that begins like this for a formula; the apostrophe is taken off when read again. */
export const guardedText = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);
/** The full-width signs count as well where East Asian text is entered. */
const FORMULA = /^[=+\-@\t\r\n'\uff1d\uff0b\uff0d\uff20]/;

/** One line for each row under a line of names; null is an empty cell. Lines end in CR LF as RFC 4180 has it. */
export function csvTable(
  names: readonly string[],
  rows: readonly (readonly (string | number | boolean | null)[])[],
): string {
  const field = (value: string | number | boolean | null): string =>
    typeof value === "string" ? quotedCell(guardedText(value)) : value === null ? "" : String(value);
  return [names, ...rows].map((row) => `${row.map(field).join(",")}\r\n`).join("");
}

/** Cells of each line; a quoted one may hold delimiters, line ends and doubled quotes. @throws where a quote does not end */
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
      // A delimiter at the very end is followed by an empty cell.
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
