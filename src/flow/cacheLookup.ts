/** @file Results of the frozen model by content, which are the same every time: read from the encoding cache, or made. */

import { rawBytes } from "../lib/bytes.ts";
import * as v from "valibot";
import type { Engine } from "../engine/engine.ts";
import { oneLine } from "../extract/anchorKey.ts";
import { count, object, type Shape } from "../lib/check.ts";
import {
  precisionOf,
  encodingReport,
  tiledTokens,
  type Memory,
  type MemoryEntry,
} from "../records/memory.ts";
import type { Held } from "../store/encodingCache.ts";
import type { FlowContext } from "./context.ts";
import { throwIfCancelled } from "../lib/assert.ts";
import { chunks, groupBy } from "../lib/group.ts";
import { sha256Hex } from "../lib/hash.ts";
import { promptText, recallPrompt, wholeTokens } from "../memory/parts.ts";
import type { PlannedFact } from "../records/fact.ts";
import { keyOf } from "../records/params.ts";

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
  const rows = missing.map((at, i) => ({ ...wanted[at]!, value: made[i]! }));
  await keep(context, kind, rows);
  for (const [i, at] of missing.entries()) known.set(at, made[i]!);
  return places.map((at) => known.get(at)!);
}

/** The cached ones among `wanted`, unread; `place` is their rank by the time when they were first kept. */
async function held(
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

type KeptPart = Pick<MemoryEntry, "part" | "start" | "layer" | "tokens" | "key" | "residual" | "report">;

type Settings = Pick<Memory, "layers" | "centres">;

const KIND = "fact";
const CANCELLED = "flow: taking facts from the cache";
/** Facts that are looked up together: their vectors are in memory at once, and nothing can be cancelled in between. */
const TOGETHER = 64;

/** Cached facts of `planned` as entries, in groups, in the order in which they were first encoded. @throws Cancelled */
export async function* cachedFacts(
  context: FlowContext,
  memory: Settings,
  planned: readonly PlannedFact[],
): AsyncGenerator<MemoryEntry[][]> {
  const { engine } = context;
  const known = await heldFacts(context, memory, planned);
  for (const turn of chunks(known, TOGETHER)) {
    throwIfCancelled(context.signal, CANCELLED);
    const rows = await lookUp(context, KIND, turn, partsShape(engine));
    const whole = rows.filter(({ at, value }) => tiledTokens(value) === turn[at]!.tokens);
    yield whole.map(({ at, value }) => {
      const { id, documentId, anchor, index, offset } = turn[at]!.planned.fact;
      return value.map((part) => ({ id, documentId, anchor, index, offset, ...part }));
    });
  }
}

/** Facts of `planned` that the cache has, unread, in the order in which they were first encoded. @throws Cancelled */
export async function heldFacts(
  context: Pick<FlowContext, "engine" | "params" | "cache" | "signal">,
  memory: Settings,
  planned: readonly PlannedFact[],
): Promise<ReturnType<ReturnType<typeof asWanted>>[]> {
  if (!context.cache) return [];
  const wantedOf = asWanted(context, memory);
  const found: { readonly place: number; readonly fact: ReturnType<typeof wantedOf> }[] = [];
  for (const turn of chunks(planned, TOGETHER)) {
    throwIfCancelled(context.signal, CANCELLED);
    const facts = turn.map(wantedOf);
    for (const { at, place } of await held(context, KIND, facts)) found.push({ place, fact: facts[at]! });
  }
  return found.sort((a, b) => a.place - b.place).map(({ fact }) => fact);
}

export async function keepFacts(
  context: FlowContext,
  memory: Settings,
  planned: ReadonlyMap<string, PlannedFact>,
  entries: readonly MemoryEntry[],
): Promise<void> {
  if (!context.cache) return;
  const wantedOf = asWanted(context, memory);
  const facts = [...groupBy(entries, ({ id }) => id).entries()];
  for (const group of chunks(facts, TOGETHER)) {
    const rows = group.map(([id, parts]) => {
      const { content, traces } = wantedOf(planned.get(id)!);
      const value = parts.map(({ part, start, layer, tokens, key, residual, report }): KeptPart => ({
        part,
        start,
        layer,
        tokens,
        key,
        residual,
        report,
      }));
      return { content, traces: [...traces, ...parts.map(vectorTrace)], value };
    });
    await keep(context, KIND, rows);
  }
}

/** Traces of a fact in the cache: its words if they are known, its prompts and its vectors. */
export const factTraces = (
  entries: readonly Pick<MemoryEntry, "anchor" | "index" | "residual">[],
  value: string | null,
): string[] => [
  ...new Set(entries.map(({ anchor, index }) => promptText({ anchor, index }))),
  ...entries.map(vectorTrace),
  ...(value === null ? [] : [value]),
];

const vectorTrace = ({ residual }: Pick<MemoryEntry, "residual">): string => sha256Hex(rawBytes(residual));

/** The cache key of a fact, and the number of tokens of its value. */
function asWanted({ engine, params }: Pick<FlowContext, "engine" | "params">, { layers, centres }: Settings) {
  // Keys lie behind the centres; a fact may move to another layer, so all of them count.
  const behind = centres?.length ? sha256Hex(JSON.stringify(centres)) : null;
  const encode = keyOf(params, "encode");
  return (planned: PlannedFact): Wanted & { readonly tokens: number; readonly planned: PlannedFact } => {
    const { fact, layer } = planned;
    const tokens = wholeTokens(engine, fact, fact.value, params.spelling === "codes");
    const content = [encode, layer, layers, behind, recallPrompt(engine, fact), tokens, fact.value];
    return { content, traces: [promptText(fact), fact.value], tokens: tokens.length, planned };
  };
}

const vector = (length: number): Shape<Float32Array> =>
  v.pipe(
    v.instance(Float32Array),
    v.check((one) => one.length === length && one.every(Number.isFinite), `${length} numbers`),
  );

const partsShape = ({ model }: Engine): Shape<KeptPart[]> =>
  v.array(
    object({
      part: count(),
      start: count(),
      layer: v.pipe(
        count<KeptPart["layer"]>(),
        v.check((layer) => layer < model.layers, `a layer below ${model.layers}`),
      ),
      tokens: count(),
      key: vector(model.dFf),
      residual: vector(model.dModel),
      report: encodingReport,
    }),
  );
