/**
 * @file A figure as CSV and JSON, and back: what is read again is the same figure, value by value. The head of the
 * CSV ("# name: JSON" lines) carries what a table has no place for.
 */

import { assert } from "../lib/assert.ts";
import { csvRecords, guardedText, quotedCell, type TextCell } from "../lib/csv.ts";
import type { Column, Figure, Guide, Row, Source, Value, ValueType } from "./figure.ts";

const FORMAT = "palimpsest figure 1";

/** RFC 4180 with LF, behind a head of comment lines. */
export function toCsv({ kind, id, title, caption, columns, guides, source, rows }: Figure): string {
  const head = Object.entries({ format: FORMAT, kind, id, title, caption, columns, guides, source });
  return [
    ...head.map(([name, value]) => `# ${name}: ${inOneCell(JSON.stringify(value))}`),
    columns.map(({ label, unit }) => quotedCell(unit === "" ? label : `${label} (${unit})`)).join(","),
    ...rows.map((row) => columns.map(({ name, type }) => cell(row[name] ?? null, type)).join(",")),
    "",
  ].join("\n");
}

/**
 * JSON whose texts hold no comma and no semicolon as such: a spreadsheet that takes the line apart there would find a
 * cell that begins as somebody chose, with an equals sign say.
 */
const inOneCell = (json: string): string =>
  json.replace(/"(?:[^"\\]|\\.)*"/g, (text) =>
    text.replace(/[,;]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );

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
  const lines = csvRecords(text.slice(at));
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
  return type === "boolean" ? String(value) : quotedCell(guardedText(String(value)));
}

/** The shortest text that reads back as the same number. */
const number = (value: number): string => (Object.is(value, -0) ? "-0" : String(value));

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
  assert(fits, () => `figures: "${text.slice(0, 40)}" in row ${line} is no ${type}`);
  return value;
}
