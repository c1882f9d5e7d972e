export function omit<T extends object, K extends keyof T & string>(value: T, ...fields: K[]): Omit<T, K> {
  const without = new Set<string>(fields);
  return Object.fromEntries(Object.entries(value).filter(([field]) => !without.has(field))) as Omit<T, K>;
}
