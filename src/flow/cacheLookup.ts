/** @file Results of the frozen model by content, which are the same every time: read from the encoding cache, or made. */

import * as v from "valibot";
import type { Engine } from "../engine/engine.ts";
import { oneLine } from "../extract/anchorKey.ts";
import type { Shape } from "../lib/check.ts";
import { precisionOf } from "../records/memory.ts";
import type { Held } from "../store/encodingCache.ts";
import type { FlowContext } from "./context.ts";

/** Raised when the same content gives another result: older rows are not found then. */
const FORMAT = 1;

export interface Wanted {
  /** Everything that determines it, besides the model and its device. */
  readonly content: readonly unknown[];
  /** Texts that it holds traces of. */
  readonly traces: readonly string[];
}

type CacheContext = Pick<FlowContext, "engine" | "cache">;

/** One result for each of `wanted`: from the cache, or by `make`, which gets the indices of the missing ones. */
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

/** The cached ones among `wanted`, unread; `place` is their rank by the time when they were first kept. */
export async function held(
  { engine, cache }: CacheContext,
  kind: string,
  wanted: readonly Pick<Wanted, "content">[],
): Promise<readonly Held[]> {
  if (!cache) return [];
  return cache.held(wanted.map(({ content }) => contentOf(engine, kind, content))).catch(() => []);
}

/** The cached results among `wanted`, in the order in which they were first kept. Rows of another shape are ignored. */
export async function lookUp<T>(
  { engine, cache }: CacheContext,
  kind: string,
  wanted: readonly Wanted[],
  shape: Shape<T>,
): Promise<{ readonly at: number; readonly value: T }[]> {
  if (!cache) return [];
  // An unreadable cache counts as empty.
  const found = await cache
    .get(wanted.map(({ content }) => contentOf(engine, kind, content)))
    .catch(() => []);
  return found.flatMap(({ at, value }) => {
    const read = v.safeParse(shape, value);
    return read.success ? [{ at, value: read.output }] : [];
  });
}

/** Adds results to the cache. A full cache does not fail the run. */
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

/** Forms in which a text may occur within others: in one line, and line by line. */
export const tracesOf = (text: string): string[] => [
  ...new Set([text, ...text.split("\n")].map(oneLine).filter((line) => line !== "")),
];

/** Content with the model and its device: other weights, precisions and backends give other numbers. */
const contentOf = ({ model, capabilities }: Engine, kind: string, content: readonly unknown[]): string =>
  JSON.stringify([
    ...[FORMAT, kind, model.sha256, precisionOf(model)],
    ...[capabilities.backend, capabilities.description],
    ...content,
  ]);
