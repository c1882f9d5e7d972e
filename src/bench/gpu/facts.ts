/**
 * @file Whole encodings of facts: by the engine's own encodeFacts, and by the plain recipe, in turns, so that a machine
 * that slows down slows both. Both take the same guided steps at most, keep one vector a value, and check by decoding.
 */

import type { LocalEngine } from "../../engine/localEngine.ts";
import { mean, median } from "../../lib/stats.ts";
import { encodeFacts } from "../../memory/encode.ts";
import { recallPrompt, valueTokens } from "../../memory/prompt.ts";
import { MOMENTS } from "../../memory/schedule.ts";
import type { PlannedFact } from "../../records/fact.ts";
import { charOffset, documentId, factId, layerIndex } from "../../records/ids.ts";
import type { MemoryEntry } from "../../records/memory.ts";
import { SHARP, type MethodParams } from "../../records/params.ts";
import { encodeNaively, type NaiveJob } from "../naive.ts";
import { MADE_SENTENCES } from "../sentences.ts";
import { secondsOf } from "./made.ts";
import { rate, type Figure, type Unjudged, type ModelWork } from "./work.ts";

export interface FactFigures {
  /** Facts a second, keys, prefixes, opening and the check decode with them. */
  readonly ours: Figure;
  readonly naive: number;
  /** Ours over naive. */
  readonly ratio: number;
  /** Steps a fact: fewer than the naive recipe's where a fact was exact before. */
  readonly steps: { readonly ours: number; readonly naive: number };
}

/** The same before the limits are known. */
export type UnjudgedFacts = Omit<FactFigures, "ours"> & { readonly ours: Unjudged };

/** Facts of a batch, guided steps, turns of the two. */
const FACTS = 8;
const STEPS = 10;
const TURNS = 2;

/**
 * One vector a value, as the plain recipe has it, and no steps beyond the guided ones, which that has none of. A made
 * model is exact with few facts or none, so that what stopping gains is seen with a real one alone (bench:encode).
 */
const PARAMS: MethodParams = { ...SHARP, partTokens: null, steps: STEPS, refine: 0 };

/** Encodes the same facts by both; what creates sessions is run once before the clock. */
export async function measureFacts(engine: LocalEngine, layer: number): Promise<UnjudgedFacts> {
  const planned = madeFacts(layer);
  const jobs = planned.map((one) => naiveJob(engine, one));
  await encodeOurs(engine, planned, { ...PARAMS, steps: 1 });
  await encodeNaively(engine.runner, { ...jobs[0]!, steps: 1 });
  const times = { ours: [] as number[], naive: [] as number[] };
  let entries: MemoryEntry[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    times.ours.push(await secondsOf(async () => (entries = await encodeOurs(engine, planned, PARAMS))));
    times.naive.push(await secondsOf(() => encodeNaively(engine.runner, jobs[turn]!)));
  }
  const ours = median(times.ours);
  const naive = 1 / median(times.naive);
  const steps = entries.map(({ report }) => report.steps);
  return {
    ours: rate(FACTS, ours, (workload) => leastSeconds(workload, jobs, steps)),
    naive,
    ratio: FACTS / ours / naive,
    steps: { ours: mean(steps), naive: STEPS },
  };
}

/**
 * What the facts take at the limits: reading what stands in front of each key, the rest of the prompt with the value up to
 * the storage layer, the steps that were taken, and the check, all in one batch without an empty place.
 */
function leastSeconds(workload: ModelWork, jobs: readonly NaiveJob[], steps: readonly number[]): number {
  const sum = (of: (job: NaiveJob) => number): number => jobs.reduce((total, job) => total + of(job), 0);
  const { layer } = jobs[0]!.step;
  const predicted = sum(({ targets }) => targets.length);
  const window = sum(({ prompt, targets }) => prompt.ids.length - prompt.keyPosition + targets.length - 1);
  const prefix = { tokens: sum(({ prompt }) => prompt.keyPosition), predicted: 0 };
  return (
    workload.seconds(prefix, { tokens: window, predicted: 0, layers: layer + 1 }) +
    mean(steps) * workload.step({ layer, tokens: window, predicted }) +
    workload.seconds({ tokens: window, predicted })
  );
}

async function encodeOurs(
  engine: LocalEngine,
  planned: readonly PlannedFact[],
  params: MethodParams,
): Promise<MemoryEntry[]> {
  const entries: MemoryEntry[] = [];
  for await (const group of encodeFacts(engine, planned, params)) entries.push(...group);
  return entries;
}

function naiveJob(engine: LocalEngine, { fact, layer }: PlannedFact): NaiveJob {
  const { schedule, learningRate, steps } = PARAMS;
  const prompt = recallPrompt(engine, fact);
  const targets = valueTokens(engine, fact, prompt, fact.value);
  return { prompt, targets, step: { layer, ...MOMENTS[schedule] }, rate: learningRate, steps };
}

function madeFacts(layer: number): PlannedFact[] {
  const document = documentId("bench:gpu");
  return MADE_SENTENCES.slice(0, FACTS).map((value, i) => ({
    layer: layerIndex(layer),
    fact: {
      ...{ id: factId(document, charOffset(i * 80)), documentId: document, offset: charOffset(i * 80) },
      ...{ anchor: `ledger ${i}`, anchorOrder: i, index: 1, value },
    },
  }));
}
