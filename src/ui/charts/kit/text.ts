/** @file Values and sources of figures as text, and the width of text. */

import type { ReactNode } from "react";
import type { Column, Figure, Row, Source, Value } from "../../../figures/figure.ts";
import { intervalIn } from "../../../figures/lines.ts";
import { readableColumns } from "../../../figures/registry.ts";
import { count, dateTime } from "../../format.ts";
import type { Column as TableColumn } from "../../table/Table.tsx";

export const sourceText = ({ run, model, backend, at, app }: Source): string =>
  [
    run,
    [model, backend && `on ${backend}`].filter(Boolean).join(" "),
    at && dateTime(at),
    app && `app ${app}`,
  ]
    .filter(Boolean)
    .join(", ");

export function numberText(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return "–";
  if (Number.isInteger(value)) return count(value).replace("-", "−");
  const text = Math.abs(value) >= 1000 ? count(Math.round(value)) : String(Number(value.toPrecision(digits)));
  return text.replace("-", "−");
}

/** `value` with enough significant digits to differ from `other`, at least three: 0.9998, not 1, if `other` is 1. */
export function apartText(value: number, other: number): string {
  if (value === other) return numberText(value);
  const digits = [3, 4, 5, 6, 7, 8].find((count) => numberText(value, count) !== numberText(other, count));
  return numberText(value, digits ?? 9);
}

function valueText(value: Value | undefined): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number") return numberText(value, 4);
  if (typeof value === "boolean") return value ? "yes" : "no";
  return value === "" ? "–" : value;
}

export const cellText = (column: Column, row: Row): string =>
  `${valueText(row[column.name])}${behindShare(column, row)}`;

export function behindShare(column: Column, row: Row): string {
  const interval = intervalIn(column, row);
  if (!interval) return "";
  const { low, high, n } = interval;
  return ` (${numberText(low, 2)} to ${numberText(high, 2)}, n = ${count(n)})`;
}

export const columnOf = ({ columns }: Pick<Figure, "columns">, name: string): Column =>
  columns.find((column) => column.name === name)!;

export const figureColumn = (column: Column): TableColumn<Row> => ({
  ...{ id: column.name, label: axisText(column), cell: (row) => cellText(column, row) },
  ...(column.type === "number" ? { look: "number" } : {}),
});

export const axisText = ({ label, unit }: Pick<Column, "label" | "unit">): string =>
  unit === "" || unit === "count" ? label : `${label} (${unit})`;

export type TipWords = readonly [title: string, lines: readonly (readonly [string, ReactNode])[]];

export const tipOf =
  <R extends Row>(figure: Figure<R>, title: (row: R) => string, ...but: readonly (keyof R)[]) =>
  (row: R): TipWords => [
    title(row),
    readableColumns(figure)
      .filter(({ name }) => !but.includes(name))
      .map((column) => [axisText(column), cellText(column, row)]),
  ];

/** The caption of a figure, and its smallest and largest `y` with their `x`, as a summary. */
export function summaryOf<R extends Row>(figure: Figure<R>, x: keyof R & string, y: keyof R & string) {
  const { caption, rows } = figure;
  const sorted = rows.filter((row) => row[y] !== null).toSorted((a, b) => Number(a[y]) - Number(b[y]));
  const [low, high] = [sorted[0], sorted.at(-1)];
  if (!low || !high) return caption;
  const at = (row: R): string => `${valueText(row[y])} (${columnOf(figure, x).label} ${valueText(row[x])})`;
  return `${caption} ${axisText(columnOf(figure, y))}: ${low === high ? at(low) : `from ${at(low)} to ${at(high)}`}.`;
}

export function tokenText(token: string): string {
  const shown = token.replaceAll("\n", "⏎").replaceAll("\t", "⇥");
  return shown.trim() === "" ? (shown === "" ? "∅" : "␣".repeat(Math.min(3, shown.length))) : shown.trim();
}

export const shareText = (share: number): string => `${Math.round(share * 100)} %`;

let context: CanvasRenderingContext2D | null = null;

/** Pixels that `text` takes in a CSS font such as "400 12px sans-serif". */
export function textWidth(text: string, font: string): number {
  context ??= document.createElement("canvas").getContext("2d")!;
  context.font = font;
  return context.measureText(text).width;
}

/** The text in lines of at most `width` pixels; a longer word is a line. */
export function wrapped(text: string, width: number, font: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
    if (lines.length > 0 && textWidth(longer, font) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** The text, or its beginning with "…", in at most `width` pixels. */
export function cut(text: string, width: number, font: string): string {
  if (textWidth(text, font) <= width) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (textWidth(`${text.slice(0, middle)}…`, font) <= width) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? "" : `${text.slice(0, low).trimEnd()}…`;
}

/** Words that a line runs behind stay readable: paper around their letters. */
export const HALO = { stroke: "var(--paper)", strokeWidth: 3, style: { paintOrder: "stroke" } } as const;

/** Fonts of the theme, for measuring: kept in step with theme.css. */
export const FONT = {
  label: "400 11.5px Seravek, 'Gill Sans Nova', Ubuntu, Calibri, 'Noto Sans', 'Liberation Sans', sans-serif",
} as const;
