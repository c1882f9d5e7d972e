/**
 * @file A short trial before a run: some of the very facts are encoded, a layer is probed, the model writes a little,
 * so that the forecast stands on this device and this text. Nothing of it is stored.
 */

import type { FlowContext } from "./context.ts";
import { mean, spread } from "../lib/stats.ts";
import { encodeFacts } from "../memory/encode.ts";
import { probeLayers } from "../memory/probe.ts";
import { softVerdicts } from "../memory/softVerdicts.ts";
import { learned, NOTHING_KNOWN, reach } from "../plan/cost.ts";
import { asInRun, warmed } from "../plan/trialRates.ts";
import type { CostModel, Rate, RateName } from "../records/cost.ts";
import type { PlannedFact } from "../records/fact.ts";
import type { LayerIndex } from "../records/ids.ts";
import type { MemoryEntry } from "../records/memory.ts";
import type { LayerProbe } from "../records/plan.ts";
import type { Candidate } from "../records/source.ts";
import { EncodeMeter } from "./encodeMeter.ts";
import type { Forecast } from "./forecast.ts";
import { proposeAnchors, withQuestions } from "./stages.ts";
import { partsIn } from "./workload.ts";

/** Tokens of the facts that are tried, at most, and the share of all that they may be. */
const TRIED_TOKENS = 300;
const TRIED_SHARE = 0.2;
/** A few first: they say how many more can be tried side by side in the time there is. */
const FIRST_TOKENS = 60;
const TRIED_SECONDS = 12;
/** Facts that questions are written for. */
const QUESTIONED = 8;

export interface Trial {
  readonly cost: CostModel;
  /** The layers that were probed on the way: a run need not probe them again. */
  readonly probed: readonly LayerProbe[];
}

type TrialContext = Omit<FlowContext, "onProgress">;

/** Tries what `known` says nothing of, and some facts of the text in any case: how hard it is nobody knows. */
export async function tryOut(
  context: TrialContext,
  { planned, work }: Pick<Forecast, "planned" | "work">,
  candidates: readonly Candidate[],
  known: CostModel,
): Promise<Trial> {
  const { engine, params, now, signal } = context;
  const rates: Partial<Record<RateName, Rate>> = {};
  async function timed<T>(rate: RateName, units: number, job: () => Promise<T>): Promise<T | null> {
    if (units === 0 || known.rates[rate]) return null;
    const started = now();
    const made = await job();
    rates[rate] = { total: (now() - started) / 1000, units };
    return made;
  }
  // First, so that what all layers share is made ready before one of them is timed.
  const { entries, ...encoded } = await encodeSome(context, planned, work, known);
  const asked = spread(candidates, Math.min(params.anchorBatch, work.proposals));
  const facts = spread(planned, QUESTIONED).map(({ fact }) => fact);
  const texts = facts.map(({ value }) => value);
  const tokens = texts.reduce((sum, text) => sum + engine.encode(text).length, 0);
  await makeReady(context, work, texts);
  await timed("anchors", asked.length, () => proposeAnchors(context, asked));
  await timed("questions", Math.min(facts.length, work.questions), () => withQuestions(context, facts));
  await timed("routing", work.embedded > 0 ? tokens : 0, () => engine.embed(texts, signal));
  const values = new Map(planned.map(({ fact }) => [fact.id, fact.value]));
  await timed("readBack", work.readBack > 0 ? entries.length : 0, () =>
    softVerdicts(engine, { entries }, values, params, { signal }),
  );
  const probed: LayerProbe[] = [];
  const layer = middle(work.probes);
  await timed("layers", layer === undefined ? 0 : reach(engine.model, layer), async () => {
    for await (const probe of probeLayers(engine, [layer!], params, now, { signal })) probed.push(probe);
  });
  return { cost: { rates: { ...rates, ...asInRun(encoded.rates) }, lengths: encoded.lengths }, probed };
}

/** The first word and the first vector take longer than all others, here and not in the run. */
async function makeReady(
  { engine, signal }: TrialContext,
  { proposals, questions, embedded }: Forecast["work"],
  texts: readonly string[],
): Promise<void> {
  const turns = texts.slice(0, 1);
  if (turns.length > 0 && proposals + questions > 0) await engine.generate(turns, { maxTokens: 1 }, signal);
  if (turns.length > 0 && embedded > 0) await engine.embed(turns, signal);
}

const middle = (layers: readonly LayerIndex[]): LayerIndex | undefined =>
  layers.toSorted((a, b) => a - b)[Math.floor((layers.length - 1) / 2)];

/** What encoding some facts took, and what it made of them. */
interface Encoded extends CostModel {
  readonly entries: readonly MemoryEntry[];
}

/** Encodes facts of all lengths at a middle layer. */
async function encodeSome(
  context: TrialContext,
  planned: readonly PlannedFact[],
  { parts }: Forecast["work"],
  known: CostModel,
): Promise<Encoded> {
  const { engine, params, now } = context;
  const layer = middle([...new Set(parts.map((part) => part.layer))]);
  if (layer === undefined) return { ...NOTHING_KNOWN, entries: [] };
  const all = parts.reduce((sum, { tokens, count }) => sum + tokens * count, 0);
  const wanted = Math.min(TRIED_TOKENS, TRIED_SHARE * all);
  const started = now();
  const sample = evenSample(planned, engine, params, wanted);
  const first = middles(sample, Math.max(1, Math.round((sample.length * FIRST_TOKENS) / wanted)));
  const cold = await encodeAt(context, first, layer);
  const rest = sample.filter((fact) => !first.includes(fact));
  const room = Math.floor(first.length * ((TRIED_SECONDS * 1000) / (now() - started) - 1));
  const more = middles(rest, Math.min(rest.length, room));
  // What a batch takes beside its steps says little where few share it: the first go with them, now that all is ready.
  const few = !known.rates.part && more.length < first.length && first.length + more.length <= room;
  if (few) return encodeAt(context, [...first, ...more], layer);
  if (more.length === 0) return cold;
  const warm = await encodeAt(context, more, layer);
  // The first were encoded by what had still to be made ready: they count by their steps.
  return {
    rates: warmed(cold.rates, warm.rates),
    lengths: learned(cold, warm).lengths,
    entries: [...cold.entries, ...warm.entries],
  };
}

async function encodeAt(
  { engine, params, now, signal }: TrialContext,
  planned: readonly PlannedFact[],
  layer: LayerIndex,
): Promise<Encoded> {
  const meter = new EncodeMeter(engine.model, now);
  const made: MemoryEntry[] = [];
  const here = planned.map(({ fact }) => ({ fact, layer }));
  const options = { onProgress: meter.stepped.bind(meter), ...(signal ? { signal } : {}) };
  for await (const entries of encodeFacts(engine, here, params, options)) {
    meter.finished(entries);
    made.push(...entries);
  }
  return { ...meter.taken(), entries: made };
}

/** Facts of about `tokens` tokens in all, one at least, even over the lengths of the text. */
function evenSample(
  planned: readonly PlannedFact[],
  engine: FlowContext["engine"],
  params: FlowContext["params"],
  tokens: number,
): PlannedFact[] {
  const some = spread(planned, TRIED_TOKENS).map((fact) => ({
    fact,
    tokens: partsIn(engine, [fact], params).reduce((sum, part) => sum + part.tokens * part.count, 0),
  }));
  const byLength = some.toSorted((a, b) => a.tokens - b.tokens).map(({ fact }) => fact);
  return middles(byLength, Math.max(1, Math.round(tokens / mean(some.map((one) => one.tokens)))));
}

/** `count` of `items`, each from the middle of a piece of the list. */
const middles = <T>(items: readonly T[], count: number): T[] =>
  count >= items.length
    ? [...items]
    : Array.from({ length: count }, (_, i) => items[Math.floor(((i + 0.5) * items.length) / count)]!);
