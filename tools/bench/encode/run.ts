/**
 * @file A run of the benchmark: both methods encode the same facts on the same engine in turns, so that a slow phase of the
 * machine affects both. Then recall of one fact and of many.
 */

import type { RecallRow } from "../../../src/engine/engine.ts";
import type { LocalEngine } from "../../../src/engine/localEngine.ts";
import { groupBy } from "../../../src/lib/group.ts";
import { encodeFacts } from "../../../src/memory/encode.ts";
import { says } from "../../../src/memory/codes.ts";
import { sameTokens, tokenF1 } from "../../../src/memory/fidelity.ts";
import { recallPrompt, valueTokens, ownRow, sayAlone, MOMENTS } from "../../../src/memory/parts.ts";
import { openReader } from "../../../src/memory/read.ts";
import { type PlannedFact, keyText } from "../../../src/records/fact.ts";
import { byFact, wholeReport, type MemoryEntry } from "../../../src/records/memory.ts";
import type { MethodParams } from "../../../src/records/params.ts";
import type { SessionCount } from "./meter.ts";
import type { Peer } from "./peer.ts";
import { encodeNaively, type NaiveJob, type NaiveResult } from "./naive.ts";
import type {
  BenchRecord,
  MethodsOnFact,
  LayerFigures,
  MethodFigures,
  PeerFigures,
  Outcome,
  RecallFigures,
} from "./record.ts";
import { mean, median, spread } from "../../../src/lib/stats.ts";
import { norm } from "../../../src/lib/vector.ts";

export interface BenchOptions {
  /** Turns: ours encodes all facts in each, naive its share of them. */
  readonly passes: number;
  /** Ours stores long values in parts, as it does; else it has one vector a fact, as the naive recipe has. */
  readonly parts: boolean;
  /** Timed recalls of one fact and of many. */
  readonly recallRepeats: number;
  readonly sessions: () => SessionCount;
  readonly peer: Peer | null;
  readonly onProgress?: (note: string) => void;
}

/** The part of a record that a run measures. */
export type Measured = Pick<
  BenchRecord,
  "layers" | "naive" | "ours" | "ratio" | "peer" | "byLayer" | "recall" | "repeatable" | "facts"
>;

/** Facts of the larger recall: the most that one question may recall. */
const RECALL_FACTS = 24;

/** Runs the benchmark. Naive keeps to the guided steps; ours is {@link encodeFacts} with `params`. */
export async function runBench(
  engine: LocalEngine,
  planned: readonly PlannedFact[],
  params: MethodParams,
  options: BenchOptions,
): Promise<Measured> {
  const bench = new Bench(engine, planned, params, options);
  const warmUps = await bench.warmUp();
  await bench.turns();
  const facts = await bench.rows();
  const recall = await bench.recall();
  const [naive, ours] = [
    bench.figures("naive", facts, warmUps.naive),
    bench.figures("ours", facts, warmUps.ours),
  ];
  return {
    layers: bench.layers,
    naive,
    ours,
    ratio: ours.factsPerSecond / naive.factsPerSecond,
    peer: bench.peer(ours, facts.length),
    byLayer: bench.byLayer(facts),
    recall,
    repeatable: bench.repeatable,
    facts,
  };
}

type Method = "naive" | "ours";
type WarmUp = MethodFigures["warmUp"];

interface Timed<T> {
  readonly value: T;
  readonly milliseconds: number;
}

async function timed<T>(work: () => Promise<T>): Promise<Timed<T>> {
  const started = performance.now();
  const value = await work();
  return { value, milliseconds: performance.now() - started };
}

class Bench {
  readonly #engine: LocalEngine;
  readonly #byLayer: ReadonlyMap<number, readonly PlannedFact[]>;
  readonly #params: MethodParams;
  readonly #options: BenchOptions;
  readonly #planned: readonly PlannedFact[];
  /** Of the last pass, by fact id, in the order of the value. */
  readonly #entries = new Map<string, MemoryEntry[]>();
  readonly #naive = new Map<string, Timed<NaiveResult>>();
  /** Milliseconds of every pass, facts per second of every naive turn, and the turns of the peer. */
  readonly #ourPasses: number[] = [];
  readonly #naiveTurns: number[] = [];
  readonly #peerTurns: { readonly parts: number; readonly seconds: number; readonly exact: number }[] = [];
  repeatable = true;

  constructor(
    engine: LocalEngine,
    planned: readonly PlannedFact[],
    params: MethodParams,
    options: BenchOptions,
  ) {
    this.#engine = engine;
    this.#params = options.parts ? params : { ...params, partTokens: null };
    this.#options = options;
    this.#planned = planned.toSorted((a, b) => a.layer - b.layer);
    this.#byLayer = groupBy(this.#planned, ({ layer }) => layer as number);
  }

  get layers(): number[] {
    return [...this.#byLayer.keys()];
  }

  /** Creates and runs once every session either method needs: a full pass of ours, one naive fact per layer. */
  async warmUp(): Promise<Record<Method, WarmUp>> {
    const ours = await this.#warm("sharp", () => this.#ourPass());
    const naive = await this.#warm("naive", async () => {
      for (const [fact] of this.#byLayer.values()) await this.#encodeNaively(fact!);
    });
    this.#ourPasses.length = 0;
    return { naive, ours };
  }

  async #warm(name: string, work: () => Promise<unknown>): Promise<WarmUp> {
    this.#options.onProgress?.(`warm-up: ${name}`);
    const before = this.#options.sessions();
    const { milliseconds } = await timed(work);
    const after = this.#options.sessions();
    return {
      sessions: after.sessions - before.sessions,
      creation: after.milliseconds - before.milliseconds,
      milliseconds,
    };
  }

  /** Ours, the peer, naive's share, …, ours. Every share has the same mix of layers. */
  async turns(): Promise<void> {
    const { passes } = this.#options;
    // Neighbours are dealt into different shares.
    const shares = Array.from({ length: passes }, (_, share) =>
      this.#planned.filter((_, i) => i % passes === share),
    );
    for (const [i, share] of shares.entries()) {
      this.#options.onProgress?.(`turn ${i + 1} of ${shares.length}`);
      await this.#ourPass();
      const { milliseconds } = await timed(async () => {
        for (const fact of share) await this.#encodeNaively(fact);
      });
      this.#naiveTurns.push((1000 * share.length) / milliseconds);
      if (this.#options.peer) await this.#peerTurn(this.#options.peer);
    }
    await this.#ourPass();
  }

  async #ourPass(): Promise<void> {
    const { value, milliseconds } = await timed(() => this.#encodeOurs());
    for (const parts of byFact(value)) this.#keep(parts);
    this.#ourPasses.push(milliseconds);
  }

  async #encodeOurs(): Promise<MemoryEntry[]> {
    const entries: MemoryEntry[] = [];
    for await (const group of encodeFacts(this.#engine, this.#planned, this.#params)) entries.push(...group);
    return entries;
  }

  /** The parts that ours stored, layer by layer, with the tokens that the model says for them. */
  async #peerTurn(peer: Peer): Promise<void> {
    const { schedule, learningRate, steps, refine } = this.#params;
    const { beta1, beta2 } = MOMENTS[schedule];
    const job = { rate: learningRate, betas: [beta1, beta2] as const, steps: steps + refine };
    const turn = { parts: 0, seconds: 0, exact: 0 };
    for (const [layer, entries] of groupBy([...this.#entries.values()].flat(), (entry) => entry.layer)) {
      const said = await sayAlone(this.#engine, entries);
      const parts = entries.map((entry, i) => {
        const { ids, keyPosition } = ownRow(this.#engine, entry).prompt;
        return { ids, key: keyPosition, targets: said[i]! };
      });
      const { seconds, exact } = await peer.encode({ ...job, layer, parts });
      turn.parts += parts.length;
      turn.seconds += seconds;
      turn.exact += exact;
    }
    this.#peerTurns.push(turn);
  }

  #keep(parts: MemoryEntry[]): void {
    const { id } = parts[0]!;
    const before = this.#entries.get(id);
    const same = ({ residual }: MemoryEntry, i: number): boolean =>
      before![i]?.residual.every((value, d) => value === residual[d]) ?? false;
    if (before && !(before.length === parts.length && parts.every(same))) this.repeatable = false;
    this.#entries.set(id, parts);
  }

  async #encodeNaively(planned: PlannedFact): Promise<void> {
    const job = this.#job(planned);
    this.#naive.set(planned.fact.id, await timed(() => encodeNaively(this.#engine.runner, job)));
  }

  #job({ fact, layer }: PlannedFact): NaiveJob {
    const { schedule, learningRate, steps } = this.#params;
    const prompt = recallPrompt(this.#engine, fact);
    const targets = valueTokens(this.#engine, fact, prompt, fact.value);
    return { prompt, targets, step: { layer, ...MOMENTS[schedule] }, rate: learningRate, steps };
  }

  /** Every fact under both methods, decoded once more by the batched recall, the same judge for both. */
  async rows(): Promise<MethodsOnFact[]> {
    const naive = await this.#judge(({ fact, layer }) => {
      const job = this.#job({ fact, layer });
      const { residual } = this.#naive.get(fact.id)!.value;
      return [{ prompt: job.prompt, injection: { layer, residual }, tokens: job.targets.length }];
    });
    const ours = await this.#judge(({ fact }) =>
      this.#entries.get(fact.id)!.map((part) => ownRow(this.#engine, part)),
    );
    return this.#planned.map(({ fact, layer }, i) => ({
      key: keyText(fact),
      value: fact.value,
      layer,
      tokens: wholeReport(this.#entries.get(fact.id)!).tokens,
      naive: {
        steps: this.#params.steps,
        ...naive[i]!,
        milliseconds: this.#naive.get(fact.id)!.milliseconds,
      },
      ours: { steps: wholeReport(this.#entries.get(fact.id)!).steps, ...ours[i]! },
    }));
  }

  /** Judges every fact by the joined recall of its vectors. */
  async #judge(rowsOf: (planned: PlannedFact) => RecallRow[]): Promise<Omit<Outcome, "steps">[]> {
    const asked = this.#planned.map(rowsOf);
    const decoded = await this.#engine.recall(asked.flat());
    let at = 0;
    return this.#planned.map((planned, i) => {
      const said = decoded.slice(at, (at += asked[i]!.length)).flat();
      const { targets } = this.#job(planned);
      // Rare characters of ours are in codes: other tokens, the same text.
      const coded =
        asked[i]!.length > 1 && this.#entries.get(planned.fact.id)!.some(({ report }) => report.coded);
      return {
        exact: says(this.#engine, said, planned.fact.value, coded),
        fidelity: tokenF1(said, targets),
        deltaNorm: Math.max(...asked[i]!.map(({ injection }) => norm(injection!.residual))),
      };
    });
  }

  /** One fact and many through the gated read, in turns; every single recall is of another fact. */
  async recall(): Promise<RecallFigures> {
    this.#options.onProgress?.("recall");
    const many = spread([...this.#entries.values()], RECALL_FACTS);
    const reader = openReader(this.#engine, { entries: [...this.#entries.values()].flat() }, this.#params);
    const times = { one: [] as number[], many: [] as number[] };
    let texts: readonly (readonly number[])[] = [];
    try {
      await reader.recall(many);
      for (let i = 0; i < this.#options.recallRepeats; i++) {
        times.one.push((await timed(() => reader.recall([many[(i * 5) % many.length]!]))).milliseconds);
        const all = await timed(() => reader.recall(many));
        times.many.push(all.milliseconds);
        texts = all.value.map(({ tokens }) => tokens);
      }
    } finally {
      reader.dispose();
    }
    const targets = new Map(this.#planned.map((p) => [p.fact.id, this.#job(p).targets]));
    const [one, all] = [median(times.one), median(times.many)];
    return {
      facts: many.length,
      layers: new Set(many.flat().map(({ layer }) => layer)).size,
      one,
      many: all,
      ratio: all / one,
      repeats: times.one.length,
      exact: many.filter(([part], i) => sameTokens(texts[i]!, targets.get(part!.id)!)).length,
    };
  }

  figures(method: Method, facts: readonly MethodsOnFact[], warmUp: WarmUp): MethodFigures {
    const passes =
      method === "naive"
        ? this.#naiveTurns
        : this.#ourPasses.map((milliseconds) => (1000 * facts.length) / milliseconds);
    return {
      factsPerSecond: median(passes),
      passes,
      exact: facts.filter((row) => row[method].exact).length,
      fidelity: mean(facts.map((row) => row[method].fidelity)),
      steps: mean(facts.map((row) => row[method].steps)),
      warmUp,
    };
  }

  peer(ours: MethodFigures, facts: number): PeerFigures | null {
    const [first] = this.#peerTurns;
    if (!first) return null;
    const partsPerSecond = median(this.#peerTurns.map(({ parts, seconds }) => parts / seconds));
    const oursPerSecond = (ours.factsPerSecond * first.parts) / facts;
    const { parts, exact } = first;
    const torch = this.#options.peer!.torch;
    return { torch, parts, partsPerSecond, oursPerSecond, ratio: oursPerSecond / partsPerSecond, exact };
  }

  byLayer(facts: readonly MethodsOnFact[]): LayerFigures[] {
    return this.layers.map((layer) => {
      const rows = facts.filter((row) => row.layer === layer);
      const outcome = (method: Method) => ({
        exact: rows.filter((row) => row[method].exact).length,
        steps: mean(rows.map((row) => row[method].steps)),
      });
      const naive = 1000 / median(rows.map((row) => row.naive.milliseconds));
      return {
        layer,
        facts: rows.length,
        naive: { factsPerSecond: naive, ...outcome("naive") },
        ours: outcome("ours"),
      };
    });
  }
}
