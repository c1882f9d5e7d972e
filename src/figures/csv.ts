/** @file A figure as CSV and JSON. The head of the CSV ("# name: JSON" lines) has title, columns and source. */

import { guardedText, quotedCell } from "../lib/csv.ts";
import type { Figure, Value, ValueType } from "./figure.ts";

export const FORMAT = "palimpsest figure 1";

/** CSV of RFC 4180 with LF, after a head of comment lines. */
export function toCsv({ kind, id, title, caption, columns, guides, source, rows }: Figure): string {
  const head = Object.entries({ format: FORMAT, kind, id, title, caption, columns, guides, source });
  return [
    ...head.map(([name, value]) => `# ${name}: ${inOneCell(JSON.stringify(value))}`),
    columns.map(({ label, unit }) => quotedCell(unit === "" ? label : `${label} (${unit})`)).join(","),
    ...rows.map((row) => columns.map(({ name, type }) => cell(row[name] ?? null, type)).join(",")),
    "",
  ].join("\n");
}

/** JSON with commas and semicolons escaped in its texts, so that a spreadsheet does not split the line into cells. */
const inOneCell = (json: string): string =>
  json.replace(/"(?:[^"\\]|\\.)*"/g, (text) =>
    text.replace(/[,;]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );

/** The figure as JSON. NaN, infinities and −0 are written as strings. */
export function toJson(figure: Figure): string {
  const plain = (value: Value): Value =>
    typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0)) ? number(value) : value;
  const rows = figure.rows.map((row) =>
    Object.fromEntries(figure.columns.map(({ name }) => [name, plain(row[name] ?? null)])),
  );
  return JSON.stringify({ format: FORMAT, ...figure, rows });
}

function cell(value: Value, type: ValueType): string {
  if (value === null) return "";
  if (type === "number") return number(value as number);
  return type === "boolean" ? String(value) : quotedCell(guardedText(String(value)));
}

const number = (value: number): string => (Object.is(value, -0) ? "-0" : String(value));
