/** @file Values of figures as text: in tables, beside marks and in tooltips. */

import type { Column, Row, Value } from "../../../figures/figure.ts";
import { intervalIn } from "../../../figures/interval.ts";
import { count } from "../../format.ts";

/** A number as a reader wants it: whole ones with separators, others with `digits` significant digits. */
export function numberText(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return "–";
  if (Number.isInteger(value)) return count(value).replace("-", "−");
  const text = Math.abs(value) >= 1000 ? count(Math.round(value)) : String(Number(value.toPrecision(digits)));
  return text.replace("-", "−");
}

/** `value` with as many significant digits as tell it from `other`, three at least: 0.9998 beside 1, not 1. */
export function apartText(value: number, other: number): string {
  if (value === other) return numberText(value);
  const digits = [3, 4, 5, 6, 7, 8].find((count) => numberText(value, count) !== numberText(other, count));
  return numberText(value, digits ?? 9);
}

/** A cell of the table behind a figure. */
export function valueText(value: Value | undefined): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number") return numberText(value, 4);
  if (typeof value === "boolean") return value ? "yes" : "no";
  return value === "" ? "–" : value;
}

/** A cell with the interval of its share: "0.94 (0.72 to 0.99, n = 16)". */
export const cellText = (column: Column, row: Row): string =>
  `${valueText(row[column.name])}${behindShare(column, row)}`;

/** What stands behind a share where there is room for it: its interval, where it has one. */
export function behindShare(column: Column, row: Row): string {
  const interval = intervalIn(column, row);
  return interval ? ` (${spanText(interval, (end) => numberText(end, 2))})` : "";
}

/** "72 % to 99 %, n = 16". */
export const spanText = (
  { low, high, n }: { readonly low: number; readonly high: number; readonly n: number },
  said: (end: number) => string = shareText,
): string => `${said(low)} to ${said(high)}, n = ${count(n)}`;

/** "loss (nats)"; units that say nothing beyond the word are left out. */
export const axisText = ({ label, unit }: Pick<Column, "label" | "unit">): string =>
  unit === "" || unit === "count" ? label : `${label} (${unit})`;

/** A token as it can be seen: line ends and lone spaces have signs. */
export function tokenText(token: string): string {
  const shown = token.replaceAll("\n", "⏎").replaceAll("\t", "⇥");
  return shown.trim() === "" ? (shown === "" ? "∅" : "␣".repeat(Math.min(3, shown.length))) : shown.trim();
}

/** A share as a whole per cent. */
export const shareText = (share: number): string => `${Math.round(share * 100)} %`;
