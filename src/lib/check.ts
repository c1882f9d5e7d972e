/** @file Checks of outside data with valibot. A shape returns a new value with the known fields, or an error with its place. */

import { messageOf } from "./assert.ts";
import * as v from "valibot";

export type Shape<T> = v.GenericSchema<unknown, T>;

interface Optional {
  readonly type: "optional";
  readonly wrapped: v.GenericSchema;
}
type Inferred<F extends Readonly<Record<string, v.GenericSchema>>> = {
  readonly [K in keyof F as F[K] extends Optional ? never : K]: v.InferOutput<F[K]>;
} & {
  readonly [K in keyof F as F[K] extends Optional ? K : never]?: F[K] extends Optional
    ? v.InferOutput<F[K]["wrapped"]>
    : never;
};

export const object = <const F extends Readonly<Record<string, v.GenericSchema>>>(
  fields: F,
): Shape<{ [K in keyof Inferred<F>]: Inferred<F>[K] }> => v.object(fields) as never;

export type Infer<S extends v.GenericSchema> = v.InferOutput<S>;

export const list = <T>(shape: Shape<T>): Shape<readonly T[]> => v.array(shape);

export const dictionary = <T>(shape: Shape<T>): Shape<Readonly<Record<string, T>>> =>
  v.record(v.string(), shape);

export const oneOf = <const M extends readonly v.GenericSchema[]>(
  tag: string,
  ...members: M
): Shape<v.InferOutput<M[number]>> => v.variant(tag, members as never) as never;

export type Loose = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Loose =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const loose = (value: unknown): Loose => (isObject(value) ? value : {});

export const text = <T extends string = string>(): Shape<T> => v.string() as unknown as Shape<T>;

export const number = <T extends number = number>(): Shape<T> =>
  v.pipe(v.number(), v.finite("a number")) as unknown as Shape<T>;

/** Any number: memories keep NaN and the infinities (store/json.ts). */
export const anyNumber: Shape<number> = v.custom<number>((value) => typeof value === "number", "a number");

const COUNT = "a whole number, 0 or more";
export const count = <T extends number = number>(): Shape<T> =>
  v.pipe(v.number(COUNT), v.safeInteger(COUNT), v.minValue(0, COUNT)) as unknown as Shape<T>;

/** As {@link count}, at most `most`: the page draws one item for each. */
export const countUpTo = <T extends number = number>(most: number): Shape<T> => countWithin(0, most);

export const countWithin = <T extends number = number>(least: number, most: number): Shape<T> =>
  v.pipe(
    count(),
    v.check((value) => value >= least && value <= most, `a whole number from ${least} to ${most}`),
  ) as unknown as Shape<T>;

export const textUpTo = (most: number): Shape<string> =>
  v.pipe(
    v.string(),
    v.check((value) => value.length <= most, `text of at most ${most} characters`),
  );

/** A list of at most `most` items, which the page can draw. */
export const listUpTo = <T>(shape: Shape<T>, most: number): Shape<readonly T[]> =>
  v.pipe(
    v.unknown(),
    v.check((value) => !Array.isArray(value) || value.length <= most, `a list of at most ${most}`),
    v.array(shape),
  ) as unknown as Shape<readonly T[]>;

/** Checks a value with `read`, whose error messages continue after the place (empty here). */
export const readBy = <T>(read: (value: unknown, place: string) => T): Shape<T> =>
  v.pipe(
    v.unknown(),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      try {
        return read(dataset.value, "");
      } catch (error) {
        addIssue({ message: messageOf(error) });
        return NEVER;
      }
    }),
  );

/** @param where prefix of the place in messages @throws e.g. "notebook: cells[3].title is 7; text is expected" */
export function checked<T>(shape: Shape<T>, value: unknown, where: string): T {
  const result = v.safeParse(shape, value, { abortEarly: true });
  if (result.success) return result.output;
  throw new Error(`${where}${sentenceOf(result.issues[0])}`);
}

function sentenceOf(issue: v.BaseIssue<unknown>): string {
  const place = placeOf(issue);
  if (issue.type === "raw_transform") return `${place}${issue.message}`;
  const shown = JSON.stringify(issue.input) as string | undefined;
  const value = shown === undefined ? "missing" : shown.length > 60 ? `${shown.slice(0, 57)}...` : shown;
  return `${place || "it"} is ${value}; ${expectation(issue)} is expected`;
}

function placeOf({ path }: v.BaseIssue<unknown>): string {
  const steps = (path ?? []).map(({ key }) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`));
  return steps.join("").replace(/^\./, "");
}

const WORDS: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  loose_object: "an object",
  record: "an object",
};

function expectation({ type, expected, message, input }: v.BaseIssue<unknown>): string {
  // These shapes describe the expected value in their message.
  if (!message.startsWith("Invalid ")) return message;
  if (type === "object" && input === undefined) return "a value";
  return WORDS[type] ?? (expected ?? "something else").replace(/[()]/g, "").replaceAll(" | ", " or ");
}
