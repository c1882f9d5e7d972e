/** @file Records without some of their fields. */

/** A copy of `value` without `fields`. */
export function omit<T extends object, K extends keyof T>(value: T, ...fields: K[]): Omit<T, K> {
  const copy: Partial<T> = { ...value };
  for (const field of fields) Reflect.deleteProperty(copy, field);
  return copy as Omit<T, K>;
}
