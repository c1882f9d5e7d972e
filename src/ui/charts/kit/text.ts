/** @file Values and sources of figures as text: in tables, at marks and in tooltips. */

import type { ReactNode } from "react";
import type { Column, Figure, Row, Source, Value } from "../../../figures/figure.ts";
import { intervalIn } from "../../../figures/interval.ts";
import { readableColumns } from "../../../figures/links.ts";
import { count, dateTime } from "../../format.ts";

/** The run of a figure in one line: "memorised “…”, palimpsest-6m@0a1b2c3d on wasm, 21 Nov 2026, 17:05, app 1a2b3c4". */
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

export function valueText(value: Value | undefined): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number") return numberText(value, 4);
  if (typeof value === "boolean") return value ? "yes" : "no";
  return value === "" ? "–" : value;
}

/** A cell with the interval of its share: "0.94 (0.72 to 0.99, n = 16)". */
export const cellText = (column: Column, row: Row): string =>
  `${valueText(row[column.name])}${behindShare(column, row)}`;

/** The interval to append to a share; "" if it has none. */
export function behindShare(column: Column, row: Row): string {
  const interval = intervalIn(column, row);
  return interval ? ` (${spanText(interval, (end) => numberText(end, 2))})` : "";
}

/** "72 % to 99 %, n = 16". */
export const spanText = (
  { low, high, n }: { readonly low: number; readonly high: number; readonly n: number },
  endText: (end: number) => string = shareText,
): string => `${endText(low)} to ${endText(high)}, n = ${count(n)}`;

/** "loss (nats)"; the unit "count" is left out. */
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
export function summaryOf<R extends Row>(
  { caption, columns, rows }: Figure<R>,
  x: keyof R,
  y: keyof R,
): string {
  const [place, value] = [x, y].map((name) => columns.find((column) => column.name === name)!);
  const sorted = rows.filter((row) => row[y] !== null).toSorted((a, b) => Number(a[y]) - Number(b[y]));
  const [low, high] = [sorted[0], sorted.at(-1)];
  if (!low || !high) return caption;
  const at = (row: R): string => `${valueText(row[y])} (${place!.label} ${valueText(row[x])})`;
  return `${caption} ${axisText(value!)}: ${low === high ? at(low) : `from ${at(low)} to ${at(high)}`}.`;
}

export function tokenText(token: string): string {
  const shown = token.replaceAll("\n", "⏎").replaceAll("\t", "⇥");
  return shown.trim() === "" ? (shown === "" ? "∅" : "␣".repeat(Math.min(3, shown.length))) : shown.trim();
}

export const shareText = (share: number): string => `${Math.round(share * 100)} %`;
