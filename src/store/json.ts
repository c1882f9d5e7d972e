/** @file JSON that keeps every number, NaN, the infinities and -0 as {"$number": "NaN"}, and vectors as {"$float32": base64}. */

import { fromBase64, rawBytes, toBase64 } from "../lib/bytes.ts";

export const toJson = (value: unknown, indent = 0): string =>
  JSON.stringify(value, (_, item: unknown) => written(item), indent);

export const fromJson = (text: string): unknown => JSON.parse(text, (_, item: unknown) => read(item));

function written(item: unknown): unknown {
  if (typeof item === "number" && (!Number.isFinite(item) || Object.is(item, -0)))
    return { $number: Object.is(item, -0) ? "-0" : String(item) };
  if (!(item instanceof Float32Array)) return item;
  return { $float32: toBase64(rawBytes(item)) };
}

function read(item: unknown): unknown {
  if (typeof item !== "object" || item === null) return item;
  if ("$number" in item) return Number(item.$number);
  if (!("$float32" in item)) return item;
  return new Float32Array(fromBase64(String(item.$float32)).buffer);
}
