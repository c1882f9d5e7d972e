/** @file The facts of a memory as files for other programs. */

import { csvTable } from "../../../lib/csv.ts";
import { vectorsOf } from "../../../records/factRow.ts";
import type { FactRow } from "../../../records/notebook.ts";

/** Fields of an exported fact, in order, with both the stored and the recalled sentence. */
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
  "givenUp",
  "deltaNorm",
  "memorizedAt",
] as const satisfies readonly (keyof FactRow)[];

/** One line per fact under a line of field names, the number of its parts last. */
export const factsCsv = (rows: readonly FactRow[]): string =>
  csvTable(
    [...FIELDS, "parts"],
    rows.map((row) => [...FIELDS.map((name) => row[name] ?? null), vectorsOf(row)]),
  );

/** One JSON object per line, with the parts of a fact that has several. */
export const factsJsonl = (rows: readonly FactRow[]): string =>
  rows
    .map((row) => `${JSON.stringify(Object.fromEntries(LINE.map((name) => [name, row[name]])))}\n`)
    .join("");

const LINE = [...FIELDS, "parts"] as const;

/** Letters, digits and dashes of a title, for a file's name. */
export const fileName = (title: string, ending: string): string =>
  `${
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, 60) || "memory"
  }.${ending}`;
