/** @file Encoded facts in the cache, by recall prompt, value, layer and parameters; the start of Adam does not matter. */

import * as v from "valibot";
import type { Engine } from "../engine/engine.ts";
import { throwIfCancelled } from "../lib/assert.ts";
import { count, object, type Shape } from "../lib/check.ts";
import { chunks, groupBy } from "../lib/group.ts";
import { sha256Hex } from "../lib/hash.ts";
import { promptText, recallPrompt } from "../memory/prompt.ts";
import { wholeTokens } from "../memory/stored.ts";
import type { PlannedFact } from "../records/fact.ts";
import { encodingReport, tiledTokens, type Memory, type MemoryEntry } from "../records/memory.ts";
import { keyOf } from "../records/params.ts";
import type { FlowContext } from "./context.ts";
import { held, keep, lookUp, type Wanted } from "./cacheLookup.ts";

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
  for (const group of chunks(facts, TOGETHER))
    await keep(
      context,
      KIND,
      group.map(([id, parts]) => {
        const { content, traces } = wantedOf(planned.get(id)!);
        const value = parts.map(({ part, start, layer, tokens, key, residual, report }): KeptPart => {
          return { part, start, layer, tokens, key, residual, report };
        });
        return { content, traces: [...traces, ...parts.map(vectorTrace)], value };
      }),
    );
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

const vectorTrace = ({ residual }: Pick<MemoryEntry, "residual">): string =>
  sha256Hex(new Uint8Array(residual.buffer, residual.byteOffset, residual.byteLength));

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
