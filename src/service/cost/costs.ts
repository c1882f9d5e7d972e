/**
 * @file What this machine was measured to need for a model: layer probes that need not be made again, and the cost of
 * each stage in the latest run, for estimates. Kept as long as the worker lives, by model and backend.
 */

import type { MemorizeReport } from "../../flow/memorize.ts";
import type { LayerProbe } from "../../records/plan.ts";
import type { MemorizeStage } from "../../records/progress.ts";
import type { Fact } from "../../records/fact.ts";
import { keyOf, type MethodParams } from "../../records/params.ts";
import type { Engine } from "../../engine/engine.ts";
import type { RunSize } from "./pace.ts";

/** Seconds, each per what drives it. */
interface StageCosts {
  /** Per value token. */
  readonly encode: number;
  /** Per candidate. */
  readonly anchors: number;
  /** Per retained fact: questions and routing vectors. */
  readonly words: number;
}

export interface Costs {
  /** What is known of the layers of this model with these parameters. */
  probed(engine: Engine, params: MethodParams): readonly LayerProbe[];
  keepProbes(engine: Engine, params: MethodParams, probes: readonly LayerProbe[]): void;
  /** Learns from a run. */
  keepRun(engine: Engine, params: MethodParams, report: MemorizeReport): void;
  /** Seconds that a run of this size will take; null when nothing was measured. */
  seconds(engine: Engine, params: MethodParams, size: RunSize): number | null;
}

export function createCosts(): Costs {
  const probes = new Map<string, readonly LayerProbe[]>();
  const stages = new Map<string, StageCosts>();

  function tokenCost(engine: Engine, params: MethodParams): number | undefined {
    const measured = stages.get(stageKey(engine, params))?.encode;
    if (measured !== undefined) return measured;
    const known = probes.get(encodeKey(engine, params));
    return known && mean(known.map(({ cost }) => cost / PROBE_TOKENS));
  }

  return {
    probed: (engine, params) => probes.get(encodeKey(engine, params)) ?? [],
    keepProbes(engine, params, found) {
      const key = encodeKey(engine, params);
      const fresh = new Set(found.map(({ layer }) => layer));
      const kept = (probes.get(key) ?? []).filter(({ layer }) => !fresh.has(layer));
      probes.set(key, [...kept, ...found]);
    },
    keepRun(engine, params, { plan: { sources, retained }, memory, before, milliseconds }) {
      const tokens = memory.entries.slice(before).reduce((sum, entry) => sum + entry.tokens, 0);
      const candidates = sources.reduce((sum, source) => sum + source.candidates, 0);
      if (tokens === 0 || candidates === 0) return;
      const seconds = (stage: MemorizeStage) => (milliseconds[stage] ?? 0) / 1000;
      stages.set(stageKey(engine, params), {
        encode: seconds("encode") / tokens,
        anchors: seconds("anchors") / candidates,
        words: (seconds("questions") + seconds("routing")) / Math.max(1, retained.length),
      });
    },
    seconds(engine, params, { candidates, facts, tokens, probed }) {
      const perToken = tokenCost(engine, params);
      if (perToken === undefined) return null;
      const { anchors, words } = stages.get(stageKey(engine, params)) ?? { anchors: 0, words: 0 };
      return (facts * tokens + probed) * perToken + candidates * anchors + facts * words;
    },
  };
}

/** All that the cost and the success of encoding a fact depend on. */
function encodeKey({ model, capabilities }: Engine, params: MethodParams): string {
  return `${model.sha256} ${capabilities.backend} ${keyOf(params, "encode")}`;
}

const stageKey = (engine: Engine, params: MethodParams): string =>
  `${encodeKey(engine, params)} ${keyOf(params, "anchors", "index")}`;

/** What the run over `facts` will do, with `probe` layers to be probed first. */
export function runSize(engine: Engine, candidates: number, facts: readonly Fact[], probe: number): RunSize {
  // Of a sample, since a long text has tens of thousands of facts.
  const every = Math.ceil(facts.length / SAMPLE) || 1;
  const tokens = mean(
    facts.filter((_, i) => i % every === 0).map(({ value }) => engine.encode(value).length),
  );
  return { candidates, facts: facts.length, tokens, probed: probe * PROBE_FACTS * PROBE_TOKENS };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

const SAMPLE = 256;
/** Facts of a layer's probe (memory/probe.ts), and about how many tokens each has. */
const PROBE_FACTS = 8;
const PROBE_TOKENS = 9;
