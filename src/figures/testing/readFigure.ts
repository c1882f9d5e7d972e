/** @file Reads figures from CSV and JSON, so that tests can compare an export with its figure. */

import { assert } from "../../lib/assert.ts";
import {
  FORMAT,
  type Column,
  type Figure,
  type Guide,
  type Row,
  type Source,
  type Value,
  type ValueType,
} from "../figure.ts";

/** Reads what {@link toCsv} wrote. @throws when the head or a cell is not of this form, with its line */
export function fromCsv(text: string): Figure {
  const head = new Map<string, unknown>();
  let at = 0;
  while (text.startsWith("# ", at)) {
    const end = text.indexOf("\n", at);
    const line = text.slice(at, end < 0 ? text.length : end).replace(/\r$/, "");
    const [, name, json] = /^# (\w+): (.*)$/s.exec(line) ?? [];
    assert(name && json, () => `figures: "${line.slice(0, 60)}" is not a line of a figure's head`);
    head.set(name, parsed(name, json));
    at = end < 0 ? text.length : end + 1;
  }
  assert(
    head.get("format") === FORMAT,
    () =>
      `figures: the file has format ${JSON.stringify(head.get("format") ?? "none")}, expected "${FORMAT}"`,
  );
  const columns = head.get("columns") as readonly Column[];
  assert(Array.isArray(columns), () => "figures: the file's head lists no columns");
  const lines = csvRecords(text.slice(at));
  return {
    kind: head.get("kind") as string,
    id: head.get("id") as string,
    title: head.get("title") as string,
    caption: head.get("caption") as string,
    columns,
    rows: lines.slice(1).map((cells, i) => rowOf(columns, cells, i + 1)),
    guides: head.get("guides") as readonly Guide[],
    source: head.get("source") as Source,
  };
}

/** Reads what {@link toJson} wrote. @throws when it is no figure */
export function fromJson(text: string): Figure {
  const { format, ...figure } = JSON.parse(text) as Figure & { format?: unknown };
  assert(
    format === FORMAT && Array.isArray(figure.columns) && Array.isArray(figure.rows),
    () => `figures: the file has format ${JSON.stringify(format ?? "none")}, expected "${FORMAT}"`,
  );
  const numeric = figure.columns.filter(({ type }) => type === "number").map(({ name }) => name);
  const rows = figure.rows.map((row) => {
    const words = numeric.filter((name) => typeof row[name] === "string");
    return { ...row, ...Object.fromEntries(words.map((name) => [name, Number(row[name])])) };
  });
  return { ...figure, rows };
}

function parsed(name: string, json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new Error(`figures: "${name}" in the file's head is not valid JSON`, { cause });
  }
}

function rowOf(columns: readonly Column[], cells: readonly TextCell[], line: number): Row {
  assert(
    cells.length === columns.length,
    () => `figures: row ${line} has ${cells.length} cells, the head names ${columns.length} columns`,
  );
  return Object.fromEntries(columns.map(({ name, type }, i) => [name, valueOf(cells[i]!, type, line)]));
}

function valueOf({ text, quoted }: TextCell, type: ValueType, line: number): Value {
  if (text === "" && !quoted) return null;
  if (type === "text") return text.replace(/^'/, "");
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  const value = Number(text);
  const fits = type === "number" && (text === "NaN" || !Number.isNaN(value));
  assert(fits, () => `figures: "${text.slice(0, 40)}" in row ${line} is not a ${type}`);
  return value;
}

/** A cell as it was written: an empty one that was quoted is an empty text, one that was not is nothing. */
export interface TextCell {
  readonly text: string;
  readonly quoted: boolean;
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
