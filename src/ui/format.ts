/** @file Numbers, sizes and times as a person reads them, one way in the whole app. */

export { grouped as count, many as counted } from "../lib/format.ts";

const BYTE_UNITS = ["B", "KB", "MB", "GB", "TB"];

/** 1536 -> "1.5 KB" (units of 1000, as storage is sold and browsers count quota). */
export function bytes(count: number): string {
  let value = count;
  let unit = 0;
  while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${BYTE_UNITS[unit]}`;
}

/** Milliseconds as "8 ms", "1.4 s", "3 min 20 s", "2 min", "2 h 5 min". */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 59.95) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  const [minutes, rest] = [Math.floor(whole / 60), whole % 60];
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return rest === 0 ? `${minutes} min` : `${minutes} min ${rest} s`;
}

/** Below so many seconds an estimate would jump about. */
export const SOON_SECONDS = 5;

/** An estimate to five seconds, above a minute to ten: it has no more digits. */
export const roughly = (milliseconds: number): string =>
  milliseconds < 57_500
    ? `${Math.max(5, Math.round(milliseconds / 5000) * 5)} s`
    : duration(Math.round(milliseconds / 10_000) * 10_000);

/** 5_800_000 -> "5.8 million", 596_049_920 -> "596 million", 4.02e9 -> "4.0 billion". */
export function large(count: number): string {
  // Rounding may reach a thousand of a unit; use the next unit then.
  const [value, unit] = count < 999.5e6 ? [count / 1e6, "million"] : [count / 1e9, "billion"];
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

/** A share as "97 %"; 1 alone is "100 %", so that nothing short of it looks whole. */
export const percent = (share: number): string =>
  `${share >= 1 ? 100 : Math.min(99, Math.floor(share * 100 + 1e-9))} %`;

/** ISO text -> "21 Nov 2026, 17:05" in local time; other text is returned unchanged. */
export function dateTime(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime())
    ? iso
    : date.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

const RELATIVE = new Intl.RelativeTimeFormat("en-GB", { numeric: "auto" });
const AGES: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

/** ISO text -> "3 minutes ago" at time `now` (milliseconds since 1970). */
export function age(iso: string, now: number): string {
  const seconds = (now - new Date(iso).getTime()) / 1000;
  for (const [unit, length] of AGES)
    if (seconds >= length) return RELATIVE.format(-Math.floor(seconds / length), unit);
  return "just now";
}
