/**
 * @file A recall seen from inside: similarities at every position for both reads, and the logit lens with and
 * without δ. The tokens are those of the ordinary reader; what is seen is read afterwards, over the same tokens.
 */

import type { Engine, LensReading, RecallPrompt } from "../engine/engine.ts";
import { assert } from "../lib/assert.ts";
import { layerIndex } from "../records/ids.ts";
import type { MemoryEntry } from "../records/memory.ts";
import type { ParamsOf, ReadMode } from "../records/params.ts";
import type { LensLayer, LensTrace, RecallTrace, TokenText, TracePass } from "../records/trace.ts";
import { openVectors, type StoredVectors } from "./address.ts";
import { recallPrompt } from "./prompt.ts";
import { isCoded, shareOf, wholeTokens } from "./stored.ts";
import { openReader } from "./read.ts";
import { keyText } from "../records/fact.ts";
import { inCosineRange } from "../lib/vector.ts";

/**
 * Recalls `target` by both reads and reads the layer's similarities at every position. `value` is the stored
 * sentence where it is known.
 * @throws when the target's layer holds no entry, or the fact does not fit the model's window
 */
export async function traceRecall(
  engine: Engine,
  memory: StoredVectors,
  target: MemoryEntry,
  { theta, beta }: Omit<ParamsOf<"read">, "read">,
  value: string | null = null,
): Promise<RecallTrace> {
  const { entries: store } = ofLayer(memory, target);
  assert(store.length > 0, () => `memory: layer ${target.layer} holds no entry to trace a recall of`);
  const prompt = recallPrompt(engine, target);
  const pass = (read: ReadMode) => tracePass(engine, memory, target, prompt, { read, theta, beta });
  return {
    id: target.id,
    key: keyText(target),
    layer: target.layer,
    theta,
    beta,
    promptTokens: prompt.ids.length,
    keyPosition: prompt.keyPosition,
    store: store.map((entry) => ({ id: entry.id, key: keyText(entry) })),
    value:
      value === null
        ? null
        : tokenTexts(engine, wholeTokens(engine, target, value, isCoded([target])), prompt.ids),
    soft: await pass("soft"),
    top1: await pass("top1"),
  };
}

async function tracePass(
  engine: Engine,
  memory: StoredVectors,
  target: MemoryEntry,
  prompt: RecallPrompt,
  params: ParamsOf<"read">,
): Promise<TracePass> {
  const reader = openReader(engine, memory, params);
  try {
    const [recalled] = await reader.recall([target]);
    const fed = [...prompt.ids, ...recalled!.tokens.slice(0, -1)];
    return {
      read: params.read,
      fed: tokenTexts(engine, fed),
      similarity: await similarities(engine, ofLayer(memory, target), fed),
      decoded: tokenTexts(engine, recalled!.tokens, prompt.ids),
      text: recalled!.text,
      openPositions: recalled!.read.openPositions,
    };
  } finally {
    reader.dispose();
  }
}

/** What competes with `target`: the entries of its layer. */
const ofLayer = ({ entries, centres }: StoredVectors, { layer }: MemoryEntry): StoredVectors => ({
  entries: entries.filter((entry) => entry.layer === layer),
  centres,
});

/** s_i at every position of `ids`, row-major [ids, entries of the layer]. */
async function similarities(
  engine: Engine,
  { entries, centres }: StoredVectors,
  ids: readonly number[],
): Promise<Float32Array> {
  const vectors = openVectors(engine, entries, centres);
  try {
    const rows = await vectors.similarity(await engine.readActivations(ids, vectors.layer));
    const all = new Float32Array(ids.length * entries.length);
    for (const [t, row] of rows.entries()) all.set(row.map(inCosineRange), t * entries.length);
    return all;
  } finally {
    vectors.dispose();
  }
}

/** The text that each token adds behind `before` and the tokens in front of it; a token may add none of its own. */
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

/** Tokens listed per layer of the lens. */
const LENS_TOP = 5;

/**
 * The logit lens over the recall of one entry with its own δ at the key token: at every decoded token, after every
 * layer, the standing of the right token (that of `value` there) and of the chosen one, with δ and without.
 * @throws when the fact does not fit the model's window
 */
export async function traceLens(engine: Engine, entry: MemoryEntry, value: string): Promise<LensTrace> {
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
