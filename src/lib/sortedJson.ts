/** @file Objects with their fields in alphabetical order: equal values give equal text, and no order shows how one was made. */

/** A copy whose plain objects have sorted fields, at every depth; arrays, numbers and vectors stay. */
export function sortedFields<T>(value: T): T {
  if (Array.isArray(value)) return value.map(sortedFields) as T;
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([name, one]) => [name, sortedFields(one)])) as T;
}

export const sortedJson = (value: unknown): string => JSON.stringify(sortedFields(value)) ?? "";
