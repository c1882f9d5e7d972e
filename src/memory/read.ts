/** @file Gated recall: "soft" reads by Eq. 4 at every position, "top1" injects the nearest key's residual at the key token. A trace shows both from inside. */

import type { Engine, RecallPrompt, LensReading } from "../engine/engine.ts";
import { groupBy } from "../lib/group.ts";
import { largest, softmaxAt } from "../lib/stats.ts";
import type { Competitor, GatedRead, ReconstructedPart, Reconstruction } from "../records/answer.ts";
import type { EncodingReport, MemoryEntry, EntryMeta } from "../records/memory.ts";
import type { ParamsOf, ReadMode } from "../records/params.ts";
import { type StoredVectors, Layers, type KeptVectors, keptVectors } from "./layers.ts";
import { textOf } from "./codes.ts";
import { recallPrompt, isAskable, isCoded, shareOf, wholeTokens } from "./parts.ts";
import { factKey, keyText } from "../records/fact.ts";
import { omit } from "../lib/omit.ts";
import { inCosineRange } from "../lib/vector.ts";
import { assert } from "../lib/assert.ts";
import { layerIndex, type LayerIndex } from "../records/ids.ts";
import type { EntryVectors } from "../records/vectors.ts";
import type { LensLayer, LensTrace, RecallTrace, TokenText, TracePass } from "../records/trace.ts";

type RecallTarget = Pick<
  MemoryEntry,
  "id" | "anchor" | "index" | "part" | "start" | "layer" | "offset" | "tokens"
> & { readonly report?: Pick<EncodingReport, "coded"> };

export interface MemoryReader {
  /** One reconstruction per item, its parts joined; a single target is a fact of one part. @throws Cancelled */
  recall(
    facts: readonly (RecallTarget | readonly RecallTarget[])[],
    params?: ReadParams,
    signal?: AbortSignal,
  ): Promise<Reconstruction[]>;
  dispose(): void;
}

export type ReadParams = ParamsOf<"read">;

const TRACED_COMPETITORS = 5;

/** Vectors are read and uploaded when a recall needs their layer. @param deviceBytes of keys that stay on the device */
export function openReader(
  engine: Engine,
  stored: StoredVectors | KeptVectors,
  params: ReadParams,
  deviceBytes?: number,
): MemoryReader {
  const layers = new Layers(engine, stored, deviceBytes);
  return {
    async recall(facts, own = params, signal) {
      const targets = facts.map((fact) => [fact].flat().toSorted((a, b) => a.start - b.start));
      const parts = await recallParts({ engine, layers, params: own, signal }, targets.flat());
      let at = 0;
      return targets.map((fact) => joined(engine, fact, parts.slice(at, (at += fact.length))));
    },
    dispose: () => layers.dispose(),
  };
}

interface Reading {
  readonly engine: Engine;
  readonly layers: Layers;
  readonly params: ReadParams;
  readonly signal: AbortSignal | undefined;
}

interface Asked {
  readonly target: RecallTarget;
  readonly prompt: RecallPrompt;
}

/** The parts as `params` reads them. Parts that cannot be asked for are empty, and do not affect the others. */
async function recallParts(reading: Reading, targets: readonly RecallTarget[]): Promise<ReconstructedPart[]> {
  const { engine, params } = reading;
  const all = targets.map((target): Asked => ({ target, prompt: recallPrompt(engine, target) }));
  const asked = all.filter(({ target, prompt }) => isAskable(engine, prompt, target));
  const parts = await (params.read === "soft" ? recallSoft : recallTop1)(reading, asked);
  const said = new Map(asked.map((one, i) => [one, parts[i]!]));
  return all.map((one) => said.get(one) ?? reconstruction(engine, one.target, [], CLOSED));
}

async function recallTop1(reading: Reading, asked: readonly Asked[]): Promise<ReconstructedPart[]> {
  const { engine, signal } = reading;
  const targets = asked.map(({ target }) => target);
  const prompts = asked.map(({ prompt }) => prompt);
  const reads = await readGates(reading, targets, prompts);
  const decoded = await engine.recall(
    targets.map(({ layer, tokens }, i) => {
      const { residual } = reads[i]!;
      return { prompt: prompts[i]!, injection: residual && { layer, residual }, tokens };
    }),
    signal,
  );
  return targets.map((target, i) => reconstruction(engine, target, decoded[i]!, reads[i]!.read));
}

interface Top1 {
  readonly read: GatedRead;
  /** The injected residual: the target's own, if its key won and the gate is open; otherwise null. */
  readonly residual: Float32Array | null;
}

/** Rounding of a cosine: of keys closer than this (e.g. one key in two documents), the own entry wins. */
const SAME_SIMILARITY = 1e-6;

/** The read at each target's key token. If the key of another entry wins, nothing is injected: its words would be said. */
async function readGates(
  { engine, layers, params, signal }: Reading,
  targets: readonly RecallTarget[],
  prompts: readonly RecallPrompt[],
): Promise<Top1[]> {
  const stored = layers.layers.filter((layer) => layer < engine.model.layers);
  // The engine keeps the prefixes of the prompts for the recall.
  const recalled = prompts.map((prompt, i) => ({ ...prompt, tokens: targets[i]!.tokens }));
  const readings = stored.length > 0 ? await engine.readKeys(recalled, stored, signal) : [];
  const reads = targets.map((): Top1 => ({ read: CLOSED, residual: null }));
  for (const [layer, members] of groupBy(targets.keys(), (i) => targets[i]!.layer)) {
    const entries = layers.entries(layer);
    if (entries.length === 0) continue;
    const queries = members.map((i) => readings[i]![stored.indexOf(layer)]!.activation);
    const places = members.map((i) => layers.placeOf(targets[i]!));
    const { similarities, residuals } = await layers.read(layer, queries, places, signal);
    for (const [n, i] of members.entries()) {
      const { id } = targets[i]!;
      const read = tracedRead(entries, similarities[n]!, params, [prompts[i]!.keyPosition]);
      const own = places[n]!;
      const won = own >= 0 && similarities[n]![own]! >= read.similarity - SAME_SIMILARITY;
      reads[i] = won
        ? { read: { ...read, winner: id }, residual: read.gateOpen ? residuals[n]! : null }
        : { read: { ...read, openPositions: [] }, residual: null };
    }
  }
  return reads;
}

const CLOSED: GatedRead = {
  similarity: 0,
  gateOpen: false,
  winner: null,
  competitors: [],
  openPositions: [],
};

/** Eq. 4a-4c for one activation, with the strongest competitors; `openAt` is kept when the gate is open. */
export function tracedRead(
  entries: readonly Pick<MemoryEntry, "id" | "part">[],
  cosines: Float32Array,
  { theta, beta }: ReadParams,
  openAt: readonly number[],
): GatedRead {
  // A cosine above 1 would pass a gate that must stay shut (θ = 1).
  const similarity = new Float32Array(cosines.length);
  let best = -Infinity;
  // A loop, here and in the functions below: each part of a question is compared with every key of its layer.
  for (let i = 0; i < cosines.length; i++)
    best = Math.max(best, (similarity[i] = inCosineRange(cosines[i]!)));
  const strongest = largest(similarity, TRACED_COMPETITORS);
  const weights = softmaxAt(similarity, beta, strongest);
  const competitors = strongest.map((i, n): Competitor => {
    const { id, part } = entries[i]!;
    return { id, ...(part > 1 ? { part } : {}), similarity: similarity[i]!, weight: weights[n]! };
  });
  const gateOpen = best > theta;
  const winner = competitors[0]?.id ?? null;
  return { similarity: best, gateOpen, winner, competitors, openPositions: gateOpen ? openAt : [] };
}

async function recallSoft({ engine, layers, params, signal }: Reading, asked: readonly Asked[]) {
  const found: ReconstructedPart[] = [];
  for (const { target, prompt } of asked) {
    const soft = await layers.whole(
      target.layer,
      (vectors) => vectors.softRecall(prompt, target.tokens, params, signal),
      signal,
    );
    if (!soft) {
      const [tokens] = await engine.recall([{ prompt, injection: null, tokens: target.tokens }], signal);
      found.push(reconstruction(engine, target, tokens!, CLOSED));
      continue;
    }
    const read = tracedRead(layers.entries(target.layer), soft.similarity, params, []);
    found.push(reconstruction(engine, target, soft.tokens, { ...read, openPositions: soft.openPositions }));
  }
  return found;
}

const reconstruction = (
  engine: Engine,
  { part, layer, report }: RecallTarget,
  tokens: readonly number[],
  read: GatedRead,
): ReconstructedPart => ({ part, layer, tokens, text: textOf(engine, tokens, report?.coded === true), read });

function joined(engine: Engine, targets: readonly RecallTarget[], parts: readonly ReconstructedPart[]) {
  const { id, anchor, index, offset } = targets[0]!;
  const coded = targets.some(({ report }) => report?.coded);
  const tokens = parts.flatMap((part) => part.tokens);
  return {
    ...{ id, key: factKey({ anchor, index }), anchor, index, layer: parts[0]!.layer, offset, tokens },
    text: textOf(engine, tokens, coded).trim(),
    read: parts.map(({ read }) => read).reduce((a, b) => (weaker(b, a) ? b : a)),
    ...(parts.length > 1 ? { parts } : {}),
  };
}

const weaker = (a: GatedRead, b: GatedRead): boolean =>
  (a.openPositions.length === 0) !== (b.openPositions.length === 0)
    ? a.openPositions.length === 0
    : a.similarity < b.similarity;

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
  const prompt = recallPrompt(engine, target);
  const whole = value === null ? null : wholeTokens(engine, target, value, isCoded(parts));
  const pass = (read: ReadMode) => tracePass(engine, kept, target, prompt, { read, theta, beta });
  return {
    ...{ id: target.id, key: keyText(target), layer: target.layer, theta, beta },
    ...{ promptTokens: prompt.ids.length, keyPosition: prompt.keyPosition },
    store: entries.map((entry) => ({ id: entry.id, key: keyText(entry) })),
    value: whole && tokenTexts(engine, shareOf(engine, whole, target), prompt.ids),
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
  const reader = openReader(engine, memory, params);
  const layers = new Layers(engine, memory);
  try {
    const [recalled] = await reader.recall([target]);
    const { tokens, text, read: gated } = recalled!;
    const fed = [...prompt.ids, ...tokens.slice(0, -1)];
    const activations = await engine.readActivations(fed, target.layer);
    // The soft read compares inside the model's run, which does not round the query.
    const rows =
      params.read === "soft"
        ? ((await layers.whole(target.layer, (vectors) => vectors.similarity(activations))) ?? [])
        : (await layers.read(target.layer, activations)).similarities;
    const width = memory.entries.length;
    const similarity = new Float32Array(fed.length * width);
    for (const [t, row] of rows.entries()) similarity.set(row.map(inCosineRange), t * width);
    const decoded = tokenTexts(engine, tokens, prompt.ids);
    const { openPositions } = gated;
    return { fed: tokenTexts(engine, fed), similarity, decoded, text, openPositions };
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
  return {
    layer: layerIndex(layer),
    right: omit(asked[0]!, "id"),
    chosen: omit(asked[1]!, "id"),
    top: top.map(({ id, logProbability }) => ({ id, text: engine.decode([id]), logProbability })),
  };
}
