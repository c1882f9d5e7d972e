/** @file The facts of a memory as files for other programs. */

import { vectorsOf } from "../../../records/factRow.ts";
import type { FactRow } from "../../../records/notebook.ts";

/** Fields of an exported fact, in order. The sentence and what the model says are both there. */
const FIELDS = [
  "id",
  "documentId",
  "anchor",
  "index",
  "offset",
  "layer",
  "tokens",
  "value",
  "recalled",
  "exact",
  "fidelity",
  "steps",
  "deltaNorm",
  "memorizedAt",
] as const satisfies readonly (keyof FactRow)[];

/** RFC 4180: a field with a comma, a quote or a line break is quoted, quotes are doubled. */
const field = (value: string | number | boolean | null): string => {
  const text = typeof value === "string" ? guarded(value) : value === null ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** A spreadsheet takes text that begins like this for a formula; source text must not become one. */
const guarded = (text: string): string => (/^[=+\-@\t\r']/.test(text) ? `'${text}` : text);

/** One line per fact under a line of field names, the number of its parts last; lines end in CR LF as RFC 4180 has it. */
export function factsCsv(rows: readonly FactRow[]): string {
  const lines = rows.map((row) => [...FIELDS.map((name) => field(row[name])), vectorsOf(row)].join(","));
  return [[...FIELDS, "parts"].join(","), ...lines, ""].join("\r\n");
}

/** One JSON object per line, with the parts of a fact that has several. */
export const factsJsonl = (rows: readonly FactRow[]): string =>
  rows
    .map(
      (row) =>
        `${JSON.stringify(Object.fromEntries([...FIELDS, "parts" as const].map((name) => [name, row[name]])))}\n`,
    )
    .join("");

/** Letters, digits and dashes of a title, for a file's name. */
export const fileName = (title: string, ending: string): string =>
  `${
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, 60) || "memory"
  }.${ending}`;
