/**
 * @file Memory encoding, stage 3 of the paper: every part of a planned fact becomes a key and a residual. Parts of one
 * layer are optimised in batches; a part leaves its batch when it is exact (or out of steps) and the next one takes its
 * place; free-running decoding then decides what is reported, failed parts are refined, and what stays inexact is
 * halved where values are stored in parts at all.
 */

import type { Engine } from "../engine/engine.ts";
import { chunks, groupBy } from "../lib/group.ts";
import { norm } from "../lib/vector.ts";
import { toLevels } from "../lib/vectorForms.ts";
import { keyText, type PlannedFact } from "../records/fact.ts";
import type { LayerIndex } from "../records/ids.ts";
import type { KeyCentre, MemoryEntry } from "../records/memory.ts";
import type { MethodParams } from "../records/params.ts";
import { reach } from "../plan/estimate.ts";
import { longestPart } from "../plan/parts.ts";
import { addressOf, centreOf } from "./address.ts";
import { textOf } from "./codes.ts";
import { conclude, type Concluded, type Verdict } from "./conclude.ts";
import { makeJob, type Job, type Whole } from "./job.ts";
import { LearnedStart, type WrittenPart } from "./learnedStart.ts";
import { optimise, type Follower } from "./optimise.ts";
import { cutFacts, halved, partsOf, respelling, type Part } from "./parts.ts";
import { recallPrompt } from "./prompt.ts";
import { expectedSteps } from "./schedule.ts";
import { batchable, enqueue, nextOf } from "./queue.ts";

export interface EncodeOptions {
  /** Where else a single token may go that its own layer cannot say. */
  readonly layers?: readonly LayerIndex[];
  /** What keys lie behind, by layer. */
  readonly centres?: readonly KeyCentre[] | undefined;
  /** Parts that the memory holds already, the latest last: the learned start begins with what they teach. */
  readonly written?: readonly WrittenPart[];
  /** The memory is empty: its first turns are short. */
  readonly soon?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: EncodeProgress) => void;
}

/** Where encoding stands, told after every step. */
export interface EncodeProgress {
  /** Facts that are encoded, and all of them. */
  readonly done: number;
  readonly total: number;
  readonly layer: LayerIndex;
  /** Which batch of the run this is, from 1. */
  readonly batch: number;
  /** Parts of facts that took part in the step, and their tokens. */
  readonly facts: number;
  readonly tokens: number;
  /** Done share of the work of all facts, 0 to 1; steps of unfinished parts count. It may go back a little. */
  readonly share: number;
  /** Eq. 3, mean over the parts, before each step of this batch so far. */
  readonly losses: readonly number[];
}

/**
 * Facts are taken in turns: parts of like length share a batch within a turn, and what a crash can lose is the
 * unfinished facts of one, beside the finished ones that wait for their checkpoint (flow/checkpoints.ts). The first
 * turns of an empty memory are short, so that whoever looks on soon sees what is stored. A turn is of one layer, so that
 * a run taken up at a layer has the batches of one that nobody disturbed.
 */
const TURN_FACTS = 256;
const FIRST_TURNS = [8, 32] as const;

function* turnsOf(
  facts: readonly PlannedFact[],
  first: readonly number[],
): Generator<readonly PlannedFact[]> {
  for (const [at, layer] of [...groupBy(facts, (planned) => planned.layer).values()].entries()) {
    let from = 0;
    for (const size of at === 0 ? first : []) yield layer.slice(from, (from += size));
    yield* chunks(layer.slice(from), TURN_FACTS);
  }
}

/**
 * Encodes `planned` facts layer by layer and yields the entries of finished facts in groups: each group is a checkpoint, and
 * all entries of a fact are in one. A part that stays inexact and cannot be halved (see `partTokens`) is yielded with
 * its honest fidelity.
 * @throws when a part does not fit the model's window, and Cancelled when the signal fires
 */
export async function* encodeFacts(
  engine: Engine,
  planned: readonly PlannedFact[],
  params: MethodParams,
  options: EncodeOptions = {},
): AsyncGenerator<MemoryEntry[]> {
  let [done, batch] = [0, 0];
  const facts = planned.map(({ fact }) => fact);
  const parts = await cutFacts(engine, facts, params, options.signal);
  /** Tokens of parts, each times its reach: an equal share of the work per token and layer. */
  const workOf = ({ targets }: Pick<Part, "targets">, layer: LayerIndex): number =>
    targets.length * reach(engine.model, layer);
  const all = planned.reduce(
    (sum, { fact, layer }) => parts.get(fact.id)!.reduce((own, part) => own + workOf(part, layer), sum),
    0,
  );
  let finishedWork = 0;
  const start = params.warmStart === "learned" ? new LearnedStart(engine) : undefined;
  if (start && options.written) await start.learnAll(options.written, options.signal);
  for (const turn of turnsOf(planned, options.soon ? FIRST_TURNS : [])) {
    const queue = batchable(turn.flatMap((one) => jobsOf(one, parts.get(one.fact.id)!)));
    for (let waiting = nextOf(queue); waiting; waiting = nextOf(queue)) {
      const { layer } = waiting[0]!;
      let losses: number[] = [];
      const follower: Follower = {
        began() {
          batch++;
          losses = [];
        },
        stepped(jobs, loss) {
          losses.push(loss);
          const tokens = jobs.reduce((sum, { targets }) => sum + targets.length, 0);
          const open = jobs.reduce((sum, job) => sum + workOf(job, layer) * expectedShare(job, params), 0);
          options.onProgress?.({
            ...{ done, total: planned.length, layer, batch, facts: jobs.length, tokens },
            losses: [...losses],
            share: Math.min(1, (finishedWork + open) / all),
          });
        },
      };
      const { signal } = options;
      for await (const finished of optimise(engine, waiting, params, { follower, start, signal })) {
        const concluded = await conclude(engine, finished, params, follower, options.signal);
        if (start) for (const one of concluded) learnFrom(start, one);
        const wholes = concluded.flatMap((one) => settle(engine, one, params, options, queue));
        done += wholes.length;
        for (const { planned: one } of wholes)
          for (const part of parts.get(one.fact.id)!) finishedWork += workOf(part, one.layer);
        if (wholes.length > 0) yield wholes.flatMap(({ entries }) => entries);
      }
    }
  }
}

/** What a finished part teaches: how many steps its start saved and, where it is exact, what its residual is. */
function learnFrom(start: LearnedStart, { job, verdict }: Concluded): void {
  if (!job.features) return;
  start.finished(job.features, job.started, job.steps);
  if (verdict.exact) start.learn(job.layer, job.features, job.state!.delta);
}

/** Share of the expected steps up to which the steps of an open part count in full. */
const SURE_SHARE = 0.7;

/** Done share of a part by its steps, 0 to 1: beyond the expected steps it approaches 1 slowly. */
function expectedShare({ steps }: Job, params: MethodParams): number {
  const share = steps / expectedSteps(params);
  return share <= SURE_SHARE
    ? share
    : 1 - (1 - SURE_SHARE) * Math.exp((SURE_SHARE - share) / (1 - SURE_SHARE));
}

function jobsOf(planned: PlannedFact, parts: readonly Part[]): Job[] {
  const whole: Whole = {
    planned,
    entries: [],
    open: parts.length,
    parts: parts.length,
    mended: 0,
    givenUp: 0,
  };
  return parts.map((part) => makeJob(whole, part, planned.layer));
}

/** A part whose steps are over becomes an entry, or others take its place. Gives the fact where it is complete now. */
function settle(
  engine: Engine,
  { job, verdict }: Concluded,
  params: MethodParams,
  { layers = [], centres }: EncodeOptions,
  queue: Job[][],
): Whole[] {
  const { whole } = job;
  const longest = longestPart(params);
  const others = verdict.exact || longest === null ? [] : inPlaceOf(engine, job, layers, params);
  whole.open += others.length - 1;
  const back = !verdict.exact && job.joins.length > 0;
  const stands = others.length === 0 && !back;
  whole.givenUp += stands ? stepsOf(job.joins) : job.steps;
  if (stands) whole.entries.push(makeEntry(engine, job, verdict, { centres, ...params }));
  else if (others.length === 0) whole.entries.push(...job.joins);
  if (whole.open === 0 && longest !== null) others.push(...mending(engine, whole, longest, params));
  for (const other of others) enqueue(queue, other);
  if (whole.open > 0) return [];
  const [first, ...rest] = whole.entries.toSorted((a, b) => a.start - b.start);
  const told = { ...first!, report: { ...first!.report, givenUp: whole.givenUp } };
  return [{ ...whole, entries: [told, ...rest] }];
}

const stepsOf = (entries: readonly MemoryEntry[]): number =>
  entries.reduce((sum, { report }) => sum + report.steps, 0);

/** How far back what precedes an inexact part is said with it, in parts, one more at every try. */
const MENDING_TRIES = 4;

/**
 * Tokens that no layer says as the first of a part are tried behind the parts that precede them, up to `longest`
 * tokens together. Takes those entries out of a complete fact; they come back where that is not exact either.
 */
function mending(
  engine: Engine,
  whole: Whole,
  longest: number,
  { spelling }: Pick<MethodParams, "spelling">,
): Job[] {
  if (whole.mended >= MENDING_TRIES || whole.entries.every(({ report }) => report.exact)) return [];
  whole.mended++;
  const { fact } = whole.planned;
  const groups: MemoryEntry[][] = [];
  for (const entry of whole.entries.toSorted((a, b) => a.start - b.start))
    groups.push(entry.report.exact ? [entry] : [...groups.splice(-whole.mended).flat(), entry]);
  const { targets: tokens, coded } = partsOf(engine, fact, { partTokens: null, spelling })[0]!;
  const jobs = groups
    .filter((group) => group.length > 1 && group.reduce((sum, entry) => sum + entry.tokens, 0) <= longest)
    .map((joins): Job => {
      const [{ part, start, layer }, last] = [joins[0]!, joins.at(-1)!];
      const targets = tokens.slice(start, last.start + last.tokens);
      const prompt = recallPrompt(engine, { ...fact, part });
      return { ...makeJob(whole, { part, start, prompt, targets, ...(coded && { coded }) }, layer), joins };
    });
  const taken = new Set(jobs.flatMap(({ joins }) => joins));
  const left = whole.entries.filter((entry) => !taken.has(entry));
  whole.entries.splice(0, whole.entries.length, ...left);
  whole.open += jobs.length;
  return jobs;
}

/** Addresses at which a single token is tried. */
const ADDRESSES = 2;

/**
 * What is tried in place of an inexact part: its halves; for a single token, before it goes anywhere else, its spelling
 * in shorter ones.
 */
function inPlaceOf(
  engine: Engine,
  job: Job,
  layers: readonly LayerIndex[],
  { spelling }: Pick<MethodParams, "spelling">,
): Job[] {
  const { whole, layer, joins } = job;
  if (job.respelt !== undefined) {
    const { respelt, ...part } = job;
    return elsewhere(engine, { ...part, targets: [respelt] }, layers);
  }
  if (job.targets.length > 1 && joins.length === 0)
    return halved(engine, whole.planned.fact, job, ++whole.parts).map((half) => makeJob(whole, half, layer));
  const first = joins.length === 0 && job.tried.length === 0 && job.moves === 0;
  const coded = spelling === "codes";
  const [respelt] = job.targets;
  const shorter = first ? respelling(engine, respelt!, coded) : undefined;
  return shorter
    ? [makeJob(whole, { ...job, targets: shorter, respelt: respelt!, ...(coded && { coded }) }, layer)]
    : elsewhere(engine, job, layers);
}

/**
 * A single token, or what was joined, at the next of `layers`, if one is left; then, for a single token, at another
 * address: its prompt is another context.
 */
function elsewhere(engine: Engine, job: Job, layers: readonly LayerIndex[]): Job[] {
  const { whole, layer, joins, moves } = job;
  const tried = [...job.tried, layer];
  const next = layers.find((other) => !tried.includes(other));
  if (next !== undefined) return [{ ...makeJob(whole, job, next, tried), joins, moves }];
  if (joins.length > 0 || moves + 1 >= ADDRESSES) return [];
  const part = ++whole.parts;
  const moved = { ...job, part, prompt: recallPrompt(engine, { ...whole.planned.fact, part }) };
  return [{ ...makeJob(whole, moved, whole.planned.layer), moves: moves + 1 }];
}

function makeEntry(
  engine: Engine,
  { whole, layer, part, start, reading, state, started, targets, respelt, coded, steps, losses }: Job,
  verdict: Verdict,
  { centres, vectors }: Pick<EncodeOptions, "centres"> & Pick<MethodParams, "vectors">,
): MemoryEntry {
  const { fact } = whole.planned;
  const address = addressOf(
    reading!.activation,
    centreOf(centres, layer),
    `"${keyText(fact)}" at layer ${layer}`,
  );
  const residual = state!.delta;
  return {
    id: fact.id,
    documentId: fact.documentId,
    anchor: fact.anchor,
    index: fact.index,
    offset: fact.offset,
    part,
    start,
    layer,
    tokens: targets.length,
    key: vectors === "float32" ? address : toLevels(address),
    residual,
    report: {
      started,
      ...(respelt === undefined ? {} : { respelt: true as const }),
      ...(coded && { coded }),
      steps,
      exact: verdict.exact,
      fidelity: verdict.fidelity,
      recalled: verdict.exact ? null : textOf(engine, verdict.decoded, coded === true).trim(),
      deltaNorm: norm(residual),
      losses,
    },
  };
}
