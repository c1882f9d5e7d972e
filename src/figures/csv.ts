/**
 * @file A figure as CSV and JSON, and back: what is read again is the same figure, value by value. The head of the
 * CSV ("# name: JSON" lines) carries what a table has no place for.
 */

import { assert } from "../lib/assert.ts";
import type { Column, Figure, Guide, Row, Source, Value, ValueType } from "./figure.ts";

const FORMAT = "palimpsest figure 1";

/** RFC 4180 with LF, behind a head of comment lines. */
export function toCsv({ kind, id, title, caption, columns, guides, source, rows }: Figure): string {
  const head = Object.entries({ format: FORMAT, kind, id, title, caption, columns, guides, source });
  return [
    ...head.map(([name, value]) => `# ${name}: ${JSON.stringify(value)}`),
    columns.map(({ label, unit }) => quoted(unit === "" ? label : `${label} (${unit})`)).join(","),
    ...rows.map((row) => columns.map(({ name, type }) => cell(row[name] ?? null, type)).join(",")),
    "",
  ].join("\n");
}

/** Reads what {@link toCsv} wrote. @throws when the head or a cell is not of this form, with its line */
export function fromCsv(text: string): Figure {
  const head = new Map<string, unknown>();
  let at = 0;
  while (text.startsWith("# ", at)) {
    const end = text.indexOf("\n", at);
    const line = text.slice(at, end < 0 ? text.length : end).replace(/\r$/, "");
    const [, name, json] = /^# (\w+): (.*)$/s.exec(line) ?? [];
    assert(name && json, () => `figures: "${line.slice(0, 60)}" is no line of a figure's head`);
    head.set(name, parsed(name, json));
    at = end < 0 ? text.length : end + 1;
  }
  assert(
    head.get("format") === FORMAT,
    () =>
      `figures: the file says format ${JSON.stringify(head.get("format") ?? "none")}, expected "${FORMAT}"`,
  );
  const columns = head.get("columns") as readonly Column[];
  assert(Array.isArray(columns), () => "figures: the file's head lists no columns");
  const lines = records(text.slice(at));
  return {
    // Files of before did not say it.
    kind: (head.get("kind") ?? head.get("id")) as string,
    id: head.get("id") as string,
    title: head.get("title") as string,
    caption: head.get("caption") as string,
    columns,
    rows: lines.slice(1).map((cells, i) => rowOf(columns, cells, i + 1)),
    guides: head.get("guides") as readonly Guide[],
    source: head.get("source") as Source,
  };
}

/** The same figure as JSON; numbers that JSON has no word for are strings, told apart by the column's type. */
export function toJson(figure: Figure): string {
  const plain = (value: Value): Value =>
    typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0)) ? number(value) : value;
  const rows = figure.rows.map((row) =>
    Object.fromEntries(figure.columns.map(({ name }) => [name, plain(row[name] ?? null)])),
  );
  return JSON.stringify({ format: FORMAT, ...figure, rows });
}

/** Reads what {@link toJson} wrote. @throws when it is no figure */
export function fromJson(text: string): Figure {
  const { format, ...figure } = JSON.parse(text) as Figure & { format?: unknown };
  assert(
    format === FORMAT && Array.isArray(figure.columns) && Array.isArray(figure.rows),
    () => `figures: the file says format ${JSON.stringify(format ?? "none")}, expected "${FORMAT}"`,
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

function cell(value: Value, type: ValueType): string {
  if (value === null) return "";
  if (type === "number") return number(value as number);
  return type === "boolean" ? String(value) : quoted(guarded(String(value)));
}

/** The shortest text that reads back as the same number. */
const number = (value: number): string => (Object.is(value, -0) ? "-0" : String(value));

/** Empty text keeps its quotes, or it would read back as nothing. */
const quoted = (text: string): string =>
  text === "" || /[",\r\n]|^[\s#]|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** A spreadsheet takes text that begins like this for a formula; the apostrophe is taken off when read again. */
const guarded = (text: string): string => (/^[=+\-@\t\r']/.test(text) ? `'${text}` : text);

function rowOf(columns: readonly Column[], cells: readonly Cell[], line: number): Row {
  assert(
    cells.length === columns.length,
    () => `figures: row ${line} has ${cells.length} cells, the head names ${columns.length} columns`,
  );
  return Object.fromEntries(columns.map(({ name, type }, i) => [name, valueOf(cells[i]!, type, line)]));
}

function valueOf({ text, quoted }: Cell, type: ValueType, line: number): Value {
  if (text === "" && !quoted) return null;
  if (type === "text") return text.replace(/^'/, "");
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  const value = Number(text);
  const fits = type === "number" && (text === "NaN" || !Number.isNaN(value));
  assert(fits, () => `figures: "${text.slice(0, 40)}" in row ${line} is no ${type}`);
  return value;
}

interface Cell {
  readonly text: string;
  readonly quoted: boolean;
}

/** Cells of each line; a quoted one may hold commas, line ends and doubled quotes. */
function records(text: string): Cell[][] {
  const rows: Cell[][] = [];
  let row: Cell[] = [];
  let at = 0;
  while (at < text.length) {
    const found = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at);
    row.push(found.cell);
    at = found.end;
    if (text[at] === ",") {
      at++;
      // A comma at the very end stands in front of an empty cell.
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

function plainCell(text: string, at: number): { cell: Cell; end: number } {
  PLAIN_END.lastIndex = at;
  const end = PLAIN_END.exec(text)?.index ?? text.length;
  return { cell: { text: text.slice(at, end), quoted: false }, end };
}

function quotedCell(text: string, at: number): { cell: Cell; end: number } {
  let end = at + 1;
  for (;;) {
    end = text.indexOf('"', end);
    assert(end >= 0, () => `figures: the quoted cell at "${text.slice(at, at + 40)}" does not end`);
    if (text[end + 1] !== '"') break;
    end += 2;
  }
  return {
    cell: { text: text.slice(at + 1, end).replaceAll('""', '"'), quoted: true },
    end: end + 1,
  };
}

const PLAIN_END = /,|\r?\n/g;
