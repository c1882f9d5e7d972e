/**
 * @file What a frozen model makes of a content is the same every time: looked up in the encoding cache, where there is
 * one, and made only where it is not there.
 */

import * as v from "valibot";
import type { Engine } from "../engine/engine.ts";
import { oneLine } from "../extract/anchorKey.ts";
import type { Shape } from "../lib/check.ts";
import { precisionOf } from "../records/memory.ts";
import type { Held } from "../store/encodingCache.ts";
import type { FlowContext } from "./context.ts";

/** Raised when the same content is made into something else: rows of before are not found then. */
const FORMAT = 1;

/** What is asked for. */
export interface Wanted {
  /** All that decides it beside the model and where it runs. */
  readonly content: readonly unknown[];
  /** Texts of which it holds traces. */
  readonly traces: readonly string[];
}

export type CacheContext = Pick<FlowContext, "engine" | "cache">;

/**
 * One T for each of `wanted`: from the cache where it was made before, else by `make`, which is given the places of
 * those that are missing and is not called where there are none.
 */
export async function remembered<T>(
  context: CacheContext,
  kind: string,
  wanted: readonly Wanted[],
  shape: Shape<T>,
  make: (missing: readonly number[]) => Promise<readonly T[]>,
): Promise<T[]> {
  const places = [...wanted.keys()];
  const known = new Map((await lookUp(context, kind, wanted, shape)).map(({ at, value }) => [at, value]));
  const missing = places.filter((at) => !known.has(at));
  const made = missing.length > 0 ? await make(missing) : [];
  await keep(
    context,
    kind,
    missing.map((at, i) => ({ ...wanted[at]!, value: made[i]! })),
  );
  for (const [i, at] of missing.entries()) known.set(at, made[i]!);
  return places.map((at) => known.get(at)!);
}

/** Where those of `wanted` stand that the cache has something of, unread: `place` is their rank by when it was first kept. */
export async function held(
  { engine, cache }: CacheContext,
  kind: string,
  wanted: readonly Pick<Wanted, "content">[],
): Promise<readonly Held[]> {
  if (!cache) return [];
  return cache.held(wanted.map(({ content }) => contentOf(engine, kind, content))).catch(() => []);
}

/** Those of `wanted` that the cache has, in the order in which they were first kept. What is not of `shape` is not there. */
export async function lookUp<T>(
  { engine, cache }: CacheContext,
  kind: string,
  wanted: readonly Wanted[],
  shape: Shape<T>,
): Promise<{ readonly at: number; readonly value: T }[]> {
  if (!cache) return [];
  // A cache that cannot be read is as good as an empty one.
  const found = await cache
    .get(wanted.map(({ content }) => contentOf(engine, kind, content)))
    .catch(() => []);
  return found.flatMap(({ at, value }) => {
    const read = v.safeParse(shape, value);
    return read.success ? [{ at, value: read.output }] : [];
  });
}

/** Keeps what was made. What finds no room is made anew another time: no run ends for it. */
export async function keep(
  { engine, cache }: CacheContext,
  kind: string,
  items: readonly (Wanted & { readonly value: unknown })[],
): Promise<void> {
  const rows = items.map(({ content, value, traces }) => ({
    content: contentOf(engine, kind, content),
    value,
    traces: traces.flatMap(tracesOf),
  }));
  await cache?.put(rows).catch(() => undefined);
}

/** A text as it may stand among others: in one line, and line by line. */
export const tracesOf = (text: string): string[] => [
  ...new Set([text, ...text.split("\n")].map(oneLine).filter((line) => line !== "")),
];

/** The whole content: other weights, another precision or another backend make other numbers of it. */
const contentOf = ({ model, capabilities }: Engine, kind: string, content: readonly unknown[]): string =>
  JSON.stringify([
    ...[FORMAT, kind, model.sha256, precisionOf(model)],
    ...[capabilities.backend, capabilities.description],
    ...content,
  ]);
