/**
 * @file Checks of untrusted JSON against the records: a check gives a fresh value with the known fields alone, or
 * throws and names the place. `object<T>` asks for every field of T, so a new field of a record cannot be forgotten.
 */

/** Gives `value` as a T, or throws a sentence that names `path`. */
export type Check<T> = (value: unknown, path: string) => T;

function fail(path: string, expected: string, value: unknown): never {
  const shown = JSON.stringify(value) as string | undefined;
  throw new Error(`notebook: ${path} must be ${expected}; the file has ${(shown ?? "nothing").slice(0, 80)}`);
}

/** Any text; T narrows it where the records brand it. */
export const text =
  <T extends string = string>(): Check<T> =>
  (value, path) =>
    typeof value === "string" ? (value as T) : fail(path, "text", value);

/** A finite number: JSON has no other. */
export const number =
  <T extends number = number>(): Check<T> =>
  (value, path) =>
    typeof value === "number" && Number.isFinite(value) ? (value as T) : fail(path, "a number", value);

export const boolean: Check<boolean> = (value, path) =>
  typeof value === "boolean" ? value : fail(path, "true or false", value);

/** One of a few values. */
export const oneOf =
  <T extends string | number>(...values: readonly T[]): Check<T> =>
  (value, path) =>
    values.includes(value as T)
      ? (value as T)
      : fail(path, values.map((one) => JSON.stringify(one)).join(" or "), value);

export const nullable =
  <T>(check: Check<T>): Check<T | null> =>
  (value, path) =>
    value === null ? null : check(value, path);

export const list =
  <T>(check: Check<T>): Check<readonly T[]> =>
  (value, path) =>
    Array.isArray(value) ? value.map((item, i) => check(item, `${path}[${i}]`)) : fail(path, "a list", value);

/** An object with keys of any name. */
export const dictionary =
  <T>(check: Check<T>): Check<Readonly<Record<string, T>>> =>
  (value, path) =>
    Object.fromEntries(
      Object.entries(plain(value, path)).map(([key, item]) => [key, check(item, `${path}.${key}`)]),
    );

const OPTIONAL = Symbol("optional");
type Optional<T> = Check<T> & { readonly [OPTIONAL]: true };

/** A field that may be missing. */
export const optional = <T>(check: Check<T>): Optional<T> =>
  Object.assign(((value, path) => check(value, path)) as Check<T>, { [OPTIONAL]: true as const });

type OptionalKeys<T> = { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T];
type Fields<T> = {
  readonly [K in keyof T]-?: K extends OptionalKeys<T> ? Optional<NonNullable<T[K]>> : Check<T[K]>;
};

/** An object with the fields of T, every one of them checked; what else the file has is left out. */
export const object =
  <T>(fields: Fields<T>): Check<T> =>
  (value, path) => {
    const source = plain(value, path);
    const result: Record<string, unknown> = {};
    for (const [key, check] of Object.entries<Check<unknown>>(fields)) {
      if (!Object.hasOwn(source, key) && OPTIONAL in check) continue;
      result[key] = check(Object.hasOwn(source, key) ? source[key] : undefined, `${path}.${key}`);
    }
    return result as T;
  };

/** A union whose members say by `tag` which they are. */
export const tagged =
  <T, Tag extends keyof T & string>(
    tag: Tag,
    members: { readonly [Name in T[Tag] & string]: Check<Extract<T, Readonly<Record<Tag, Name>>>> },
  ): Check<T> =>
  (value, path) => {
    const source = plain(value, path);
    const name = Object.hasOwn(source, tag) ? source[tag] : undefined;
    if (typeof name !== "string" || !Object.hasOwn(members, name))
      fail(`${path}.${tag}`, Object.keys(members).join(", "), name);
    return (members as Record<string, Check<T>>)[name as string]!(value, path);
  };

function plain(value: unknown, path: string): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : fail(path, "an object", value);
}
