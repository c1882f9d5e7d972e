/** @file JSON that keeps every number: NaN, the infinities and -0 as {"$number": "NaN"}. */

/** One JSON text; `indent` spaces per level for people to read, none by default. */
export function toJson(value: unknown, indent = 0): string {
  return JSON.stringify(
    value,
    (_, item: unknown) =>
      typeof item === "number" && (!Number.isFinite(item) || Object.is(item, -0))
        ? { $number: Object.is(item, -0) ? "-0" : String(item) }
        : item,
    indent,
  );
}

/** The value that {@link toJson} was given. Throws a SyntaxError on text that is not JSON. */
export function fromJson(text: string): unknown {
  return JSON.parse(text, (_, item: unknown) =>
    typeof item === "object" && item !== null && "$number" in item ? Number(item.$number) : item,
  );
}
