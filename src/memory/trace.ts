/** @file A recall from inside: similarities at every position for both reads, and the logit lens with and without δ. */

import type { Engine, LensReading, RecallPrompt } from "../engine/engine.ts";
import { assert } from "../lib/assert.ts";
import { layerIndex, type LayerIndex } from "../records/ids.ts";
import type { EntryMeta } from "../records/memory.ts";
import type { ParamsOf, ReadMode } from "../records/params.ts";
import type { EntryVectors } from "../records/vectors.ts";
import type { LensLayer, LensTrace, RecallTrace, TokenText, TracePass } from "../records/trace.ts";
import type { StoredVectors } from "./address.ts";
import { keptVectors, Layers, type KeptVectors } from "./layers.ts";
import { recallPrompt } from "./prompt.ts";
import { isCoded, shareOf, wholeTokens } from "./stored.ts";
import { openReader } from "./read.ts";
import { keyText } from "../records/fact.ts";
import { inCosineRange } from "../lib/vector.ts";

/** Recalls `target` by both reads, with similarities at every position. @throws if its layer is empty, or it does not fit */
export async function traceRecall(
  engine: Engine,
  memory: StoredVectors | KeptVectors,
  target: EntryMeta,
  { theta, beta }: Omit<ParamsOf<"read">, "read">,
  value: string | null = null,
): Promise<RecallTrace> {
  const { blocks, centres } = keptVectors(memory);
  const inLayer = ({ layer }: { readonly layer: LayerIndex }): boolean => layer === target.layer;
  const entries = memory.entries.filter(inLayer);
  assert(entries.length > 0, () => `memory: layer ${target.layer} holds no entry to trace a recall of`);
  const kept = { entries, blocks: blocks.filter(inLayer), centres };
  const parts = memory.entries.filter(({ id }: EntryMeta) => id === target.id);
  const rest = parts.reduce((sum: number, { tokens }: EntryMeta) => sum + tokens, 0) - target.tokens;
  const prompt = recallPrompt(engine, target);
  const whole = value === null ? null : wholeTokens(engine, target, value, isCoded(parts));
  const pass = (read: ReadMode) => tracePass(engine, kept, target, prompt, { read, theta, beta });
  return {
    ...{ id: target.id, key: keyText(target), layer: target.layer, theta, beta },
    ...{ promptTokens: prompt.ids.length, keyPosition: prompt.keyPosition },
    store: entries.map((entry) => ({ id: entry.id, key: keyText(entry) })),
    value: whole && tokenTexts(engine, shareOf(engine, whole, target), prompt.ids),
    ...(rest > 0 ? { rest } : {}),
    soft: await pass("soft"),
    top1: await pass("top1"),
  };
}

async function tracePass(
  engine: Engine,
  memory: KeptVectors,
  target: EntryMeta,
  prompt: RecallPrompt,
  params: ParamsOf<"read">,
): Promise<TracePass> {
  const { read } = params;
  const reader = openReader(engine, memory, params);
  const layers = new Layers(engine, memory);
  try {
    const [recalled] = await reader.recall([target]);
    const { tokens, text, read: gated } = recalled!;
    const fed = [...prompt.ids, ...tokens.slice(0, -1)];
    const activations = await engine.readActivations(fed, target.layer);
    // The soft read compares inside the model's run, which does not round the query.
    const rows =
      read === "soft"
        ? ((await layers.whole(target.layer, (vectors) => vectors.similarity(activations))) ?? [])
        : (await layers.read(target.layer, activations)).similarities;
    const width = memory.entries.length;
    const similarity = new Float32Array(fed.length * width);
    for (const [t, row] of rows.entries()) similarity.set(row.map(inCosineRange), t * width);
    const decoded = tokenTexts(engine, tokens, prompt.ids);
    const { openPositions } = gated;
    return { read, fed: tokenTexts(engine, fed), similarity, decoded, text, openPositions };
  } finally {
    reader.dispose();
    layers.dispose();
  }
}

/** The text that each token adds after `before` and the tokens in front of it; it may be empty. */
export function tokenTexts(
  engine: Pick<Engine, "decode">,
  ids: readonly number[],
  before: readonly number[] = [],
): TokenText[] {
  let shown = engine.decode(before);
  return ids.map((id, i) => {
    const all = engine.decode([...before, ...ids.slice(0, i + 1)]);
    // Half a character decodes as U+FFFD until its other bytes are there: the text then belongs to the last of them.
    if (all.endsWith("\uFFFD") && i + 1 < ids.length) return { id, text: "" };
    const text = all.slice(shown.length);
    shown = all;
    return { id, text };
  });
}

const LENS_TOP = 5;

export async function traceLens(engine: Engine, entry: EntryVectors, value: string): Promise<LensTrace> {
  const prompt = recallPrompt(engine, entry);
  const { layer, residual } = entry;
  const right = shareOf(engine, wholeTokens(engine, entry, value, isCoded([entry])), entry);
  const [chosen] = await engine.recall([{ prompt, injection: { layer, residual }, tokens: right.length }]);
  const request = {
    ids: [...prompt.ids, ...chosen!.slice(0, -1)],
    at: right.map((id, t) => ({ position: prompt.ids.length - 1 + t, tokens: [id, chosen![t]!] })),
    top: LENS_TOP,
  };
  const injection = { layer, position: prompt.keyPosition, residual };
  const withDelta = await engine.lens({ ...request, injection });
  const withoutDelta = await engine.lens({ ...request, injection: null });
  const [rightTexts, chosenTexts] = [right, chosen!].map((ids) => tokenTexts(engine, ids, prompt.ids));
  const steps = right.map((_, t) => ({
    right: rightTexts![t]!,
    chosen: chosenTexts![t]!,
    withDelta: withDelta.map((readings, l) => lensLayer(engine, l, readings[t]!)),
    withoutDelta: withoutDelta.map((readings, l) => lensLayer(engine, l, readings[t]!)),
  }));
  return { id: entry.id, key: keyText(entry), layer, steps };
}

function lensLayer(engine: Engine, layer: number, { top, asked }: LensReading): LensLayer {
  const standing = ({ logit, logProbability, rank }: LensReading["asked"][number]) => ({
    logit,
    logProbability,
    rank,
  });
  return {
    layer: layerIndex(layer),
    right: standing(asked[0]!),
    chosen: standing(asked[1]!),
    top: top.map(({ id, logProbability }) => ({ id, text: engine.decode([id]), logProbability })),
  };
}
