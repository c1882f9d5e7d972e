/**
 * @file Encoded facts by what decides them: recall prompt, value, layer and parameters. What Adam started from is left
 * out on purpose: a vector that says its part says it whatever it was found from.
 */

import * as v from "valibot";
import type { Engine } from "../engine/engine.ts";
import { count, record, type Shape } from "../lib/check.ts";
import { chunks, groupBy } from "../lib/group.ts";
import { sha256Hex } from "../lib/hash.ts";
import { promptText, recallPrompt } from "../memory/prompt.ts";
import { wholeTokens } from "../memory/stored.ts";
import type { PlannedFact } from "../records/fact.ts";
import type { Memory, MemoryEntry } from "../records/memory.ts";
import { keyOf, type MethodParams } from "../records/params.ts";
import { encodingReport } from "../records/shapes.ts";
import type { FlowContext } from "./context.ts";
import { keep, lookUp, madeTrace, type Wanted } from "./remembered.ts";

/** What is kept of an entry: all but whose it is. */
type KeptPart = Pick<MemoryEntry, "part" | "start" | "layer" | "tokens" | "key" | "residual" | "report">;

type Settings = Pick<Memory, "layers" | "centres">;

const KIND = "fact";
/** Facts that are looked up together: their vectors are in memory at once. */
const TOGETHER = 64;

/** The facts of `planned` that the cache has, as entries, in the order in which they were first encoded; and the others. */
export async function cachedFacts(
  context: FlowContext,
  memory: Settings,
  planned: readonly PlannedFact[],
): Promise<{ readonly found: MemoryEntry[][]; readonly missing: readonly PlannedFact[] }> {
  const { engine, cache } = context;
  if (!cache) return { found: [], missing: planned };
  const lengths = planned.map(({ fact }) => wholeTokens(engine, fact, fact.value).length);
  const wanted = planned.map((one) => wantedOf(context, memory, one));
  const rows = await lookUp(context, KIND, wanted, partsShape(engine));
  const whole = rows.filter(({ at, value }) => tiles(value, lengths[at]!));
  const known = new Set(whole.map(({ at }) => at));
  return {
    found: whole.map(({ at, value }) => value.map((part) => ({ ...ownerOf(planned[at]!), ...part }))),
    missing: planned.filter((_, at) => !known.has(at)),
  };
}

/** Keeps facts that were encoded, each whole: exact or as they are stored, with how that went. */
export async function keepFacts(
  context: FlowContext,
  memory: Settings,
  planned: ReadonlyMap<string, PlannedFact>,
  entries: readonly MemoryEntry[],
): Promise<void> {
  if (!context.cache) return;
  const facts = [...groupBy(entries, ({ id }) => id).entries()];
  for (const group of chunks(facts, TOGETHER))
    await keep(
      context,
      KIND,
      group.map(([id, parts]) => {
        const { content, traces } = wantedOf(context, memory, planned.get(id)!);
        return { content, traces: [...traces, ...parts.map(vectorTrace)], value: parts.map(keptPart) };
      }),
    );
}

/** What tells a cache which of its values hold a fact: its words, where they are known, its prompt, its vectors. */
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

function wantedOf(
  { engine, params }: FlowContext,
  { layers, centres }: Settings,
  { fact, layer }: PlannedFact,
): Wanted {
  const prompt = recallPrompt(engine, fact);
  return {
    content: [
      ...[keyOf(params, "encode"), layer, layers],
      // Keys lie behind them; a fact may move to another layer, so all of them count.
      centres?.length ? sha256Hex(JSON.stringify(centres)) : null,
      ...[prompt, wholeTokens(engine, fact, fact.value), fact.value],
    ],
    traces: [promptText(fact), fact.value, encodedTrace(engine, params, fact.value)],
  };
}

/** Says of a value that it was encoded with these parameters, under whatever prompt. */
export const encodedTrace = (engine: Engine, params: MethodParams, value: string): string =>
  madeTrace(engine, KIND, [keyOf(params, "encode"), value]);

const ownerOf = ({ fact: { id, documentId, anchor, index, offset } }: PlannedFact) => ({
  ...{ id, documentId, anchor, index, offset },
});

const keptPart = ({ part, start, layer, tokens, key, residual, report }: MemoryEntry): KeptPart => ({
  ...{ part, start, layer, tokens, key, residual, report },
});

const vector = (length: number): Shape<Float32Array> =>
  v.pipe(
    v.instance(Float32Array),
    v.check((one) => one.length === length && one.every(Number.isFinite), `${length} numbers`),
  );

const partsShape = ({ model }: Engine): Shape<KeptPart[]> =>
  v.array(
    record<KeptPart>({
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

/** Whether the parts say every token of a value once: a respelt one stands for a single token. */
function tiles(parts: readonly KeptPart[], tokens: number): boolean {
  const end = parts.reduce(
    (at, { start, tokens, report }) => (start === at ? at + (report.respelt ? 1 : tokens) : NaN),
    0,
  );
  return end === tokens;
}
