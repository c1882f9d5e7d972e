/**
 * @file Memory encoding, stage 3 of the paper: every part of a planned fact becomes a key and a residual. An inexact part is
 * halved, down to single tokens, which are then spelt in shorter tokens or as codes.
 */

import type { Engine } from "../engine/engine.ts";
import { throwIfCancelled } from "../lib/assert.ts";
import { chunks, groupBy } from "../lib/group.ts";
import { norm } from "../lib/vector.ts";
import { toLevels } from "../lib/vectorForms.ts";
import { reach } from "../plan/estimate.ts";
import { longestPart } from "../plan/parts.ts";
import { keyText, type PlannedFact } from "../records/fact.ts";
import type { KeyCentre, MemoryEntry } from "../records/memory.ts";
import type { MethodParams } from "../records/params.ts";
import type { EncodeState } from "../records/progress.ts";
import { addressOf, centreOf } from "./layers.ts";
import { textOf } from "./codes.ts";
import { FactInWork, Job, JobQueue, type Encoding, type StepObserver } from "./job.ts";
import { LearnedStart, type WrittenPart } from "./learnedStart.ts";
import { tokenF1 } from "./fidelity.ts";
import { optimise, said, verify, type Verified } from "./optimise.ts";
import { cutFacts, halved, respelling, type Part, expectedSteps, startOf, stopsWhenExact } from "./parts.ts";

interface EncodeOptions {
  readonly centres?: readonly KeyCentre[] | undefined;
  readonly written?: readonly WrittenPart[];
  /** Begin with small turns, so that the first facts of an empty memory are stored early. */
  readonly soon?: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: EncodeProgress) => void) | undefined;
}

export interface EncodeProgress extends EncodeState {
  readonly done: number;
  readonly total: number;
  readonly tokens: number;
}

/** Facts per turn: a crash loses the facts of one turn, and those that wait for Adam. */
const TURN_FACTS = 256;
const FIRST_TURNS = [8, 32] as const;

/** Jobs that the writer fails wait for later turns if they are fewer than this share of a turn's and no full batch. */
const WAITING_SHARE = 1 / 8;

/** The writer writes for all layers at once; Adam's batches have one each, so that its turns do too. */
function* turnsOf(
  facts: readonly PlannedFact[],
  { soon, writes }: Readonly<Record<"soon" | "writes", boolean>>,
): Generator<readonly PlannedFact[]> {
  const groups = writes ? [facts] : [...groupBy(facts, (planned) => planned.layer).values()];
  for (const [at, group] of groups.entries()) {
    let from = 0;
    for (const size of soon && at === 0 ? FIRST_TURNS : []) yield group.slice(from, (from += size));
    yield* chunks(group.slice(from), TURN_FACTS);
  }
}

/** Yields the entries of finished facts in turns. @throws if a part does not fit the model's window, and Cancelled */
export async function* encodeFacts(
  engine: Engine,
  planned: readonly PlannedFact[],
  params: MethodParams,
  { centres, written, soon = false, signal, onProgress }: EncodeOptions = {},
): AsyncGenerator<MemoryEntry[]> {
  const facts = planned.map(({ fact }) => fact);
  const parts = await cutFacts(engine, facts, params, signal);
  const start = startOf(engine, params);
  const learned = start === "learned" ? new LearnedStart(engine) : undefined;
  if (learned && written) await learned.learnAll(written, signal);
  // A schedule of all steps takes them from zero.
  const writes = start === "writer" && stopsWhenExact(params);
  const progress = new Progress(engine, planned, parts, params, onProgress);
  const run: Encoding = { engine, params, observer: progress, learned, signal };
  const queue = new JobQueue();
  let begun = 0;
  for (const turn of turnsOf(planned, { soon, writes })) {
    begun += turn.length;
    const jobs = turn.flatMap((one) => {
      const own = parts.get(one.fact.id)!;
      const fact = new FactInWork(one, own.length);
      return own.map((part) => new Job(fact, part, one.layer));
    });
    const few = Math.min(params.encodeBatch, Math.ceil(jobs.length * WAITING_SHARE));
    const least = writes && begun < planned.length ? few : 1;
    for await (const group of encodeJobs(run, jobs, { writes, queue, least })) {
      const finished: MemoryEntry[][] = [];
      const inexact = group.flatMap(({ job, exact }) => (exact ? [] : [job]));
      const decoded = new Map((await said(run, inexact)).map((tokens, i) => [inexact[i]!, tokens]));
      for (const { job } of group) {
        const fact = job.fact.finished(entryOf(run, job, decoded.get(job) ?? null, centres));
        if (fact) finished.push(fact);
      }
      progress.finished(finished);
      if (finished.length > 0) yield finished.flat();
    }
  }
}

interface JobOptions {
  readonly writes: boolean;
  /** Jobs that wait for Adam, between turns too: a batch of few rows takes as long as a full one. */
  readonly queue: JobQueue;
  /** Jobs of one kind that are worth a batch. */
  readonly least: number;
}

/** Yields finished jobs in groups. With `writes` every job begins with the writer; a long inexact part is then halved. */
async function* encodeJobs(
  run: Encoding,
  jobs: readonly Job[],
  { writes, queue, least }: JobOptions,
): AsyncGenerator<Verified[]> {
  const { engine, params, learned } = run;
  let fresh = writes ? jobs : [];
  if (!writes) for (const job of jobs) queue.add(job);
  do {
    const inexact = new Set(fresh);
    for await (const verified of write(run, fresh)) {
      for (const { job, exact } of verified) if (exact) inexact.delete(job);
      yield verified.filter(({ exact }) => exact);
    }
    fresh = [];
    for (const job of inexact) {
      const halves =
        job.started === "written" && job.targets.length > SHORT ? replacementsOf(engine, job, params) : [];
      if (halves.length === 0) queue.add(job);
      else job.fact.replaced(job, halves.length);
      fresh = [...fresh, ...halves];
    }
    if (fresh.length > 0) continue;
    for await (const group of optimise(run, queue.next(least) ?? [])) {
      const over: Verified[] = [];
      for (const verified of await verify(run, group)) {
        const { job, exact } = verified;
        if (learned && job.features) {
          learned.finished(job.features, job.started, job.steps);
          if (exact) learned.learn(job.layer, job.features, job.delta);
        }
        const others = exact ? [] : replacementsOf(engine, job, params);
        if (others.length === 0) over.push(verified);
        else job.fact.replaced(job, others.length);
        if (writes) fresh = [...fresh, ...others];
        else for (const other of others) queue.add(other);
      }
      yield over;
    }
  } while (fresh.length > 0 || queue.next(least));
}

/** Tokens of a part that Adam corrects rather than two more vectors. */
const SHORT = 3;

/** Parts that are written before they are tested: enough for full runs, few enough to stop at. */
const TOGETHER = 128;

async function* write(run: Encoding, jobs: readonly Job[]): AsyncGenerator<Verified[]> {
  const { engine, signal, observer } = run;
  const alike = jobs.toSorted((a, b) => a.targets.length - b.targets.length);
  for (const group of chunks(alike, TOGETHER)) {
    throwIfCancelled(signal, "memory: encoding");
    const deltas = await engine.write(group, signal);
    const written = group.filter((_, i) => deltas[i]);
    if (written.length === 0) continue;
    for (const [i, job] of group.entries()) if (deltas[i]) job.startAt(deltas[i], "written");
    const verified = await verify(run, written);
    observer.wrote(written);
    yield verified;
  }
}

/** The jobs that replace an inexact one: its halves, or another spelling of a single token. Nothing else made parts exact. */
function replacementsOf(engine: Engine, { fact, part, layer }: Job, params: MethodParams): Job[] {
  if (longestPart(params) === null || part.respelt !== undefined) return [];
  if (part.targets.length > 1)
    return halved(engine, fact.planned.fact, part, fact.nextPart()).map((half) => new Job(fact, half, layer));
  const coded = params.spelling === "codes";
  const [token] = part.targets;
  const targets = respelling(engine, token!, coded);
  if (!targets) return [];
  return [new Job(fact, { ...part, targets, respelt: token!, ...(coded && { coded }) }, layer)];
}

/** @param decoded tokens of an inexact part as the model decodes them; null for an exact part */
function entryOf(
  { engine, params }: Encoding,
  job: Job,
  decoded: readonly number[] | null,
  centres: EncodeOptions["centres"],
): MemoryEntry {
  const { layer, part, started, steps, losses, delta: residual } = job;
  const { reading, margin } = job.checked!;
  const { fact } = job.fact.planned;
  const name = `"${keyText(fact)}" at layer ${layer}`;
  const address = addressOf(reading.activation, centreOf(centres, layer), name);
  const { id, documentId, anchor, index, offset } = fact;
  return {
    ...{ id, documentId, anchor, index, offset },
    ...{ part: part.part, start: part.start, layer, tokens: part.targets.length },
    key: params.vectors === "float32" ? address : toLevels(address),
    residual,
    report: {
      ...{ started, steps, losses, margin, deltaNorm: norm(residual) },
      ...{ exact: decoded === null, fidelity: decoded ? tokenF1(decoded, part.targets) : 1 },
      ...(part.respelt === undefined ? {} : { respelt: true as const }),
      ...(part.coded && { coded: part.coded }),
      recalled: decoded && textOf(engine, decoded, part.coded === true).trim(),
    },
  };
}

const tokensOf = (parts: readonly Pick<Part, "targets">[]): number =>
  parts.reduce((sum, { targets }) => sum + targets.length, 0);

/** Share of the expected steps up to which the steps of an open part count in full. */
const SURE_SHARE = 0.7;

class Progress implements StepObserver {
  readonly #work: ReadonlyMap<string, number>;
  readonly #all: number;
  #losses: number[] = [];
  #batch = 0;
  #facts = 0;
  #done = 0;

  constructor(
    readonly engine: Engine,
    planned: readonly PlannedFact[],
    parts: ReadonlyMap<string, readonly Part[]>,
    readonly params: MethodParams,
    readonly report: EncodeOptions["onProgress"],
  ) {
    this.#work = new Map(
      planned.map(({ fact: { id }, layer }) => [id, tokensOf(parts.get(id)!) * reach(engine.model, layer)]),
    );
    this.#all = [...this.#work.values()].reduce((sum, work) => sum + work, 0);
  }

  wrote(jobs: readonly Job[]): void {
    this.#losses = [];
    this.#tell(jobs);
  }

  batchBegan(): void {
    this.#batch++;
    this.#losses = [];
  }

  stepped(jobs: readonly Job[], loss: number): void {
    this.#losses.push(loss);
    this.#tell(jobs);
  }

  #tell(jobs: readonly Job[]): void {
    const { layer } = jobs[0]!;
    const open = jobs.reduce((sum, job) => sum + job.targets.length * this.#shareOf(job), 0);
    this.report?.({
      ...{ done: this.#facts, total: this.#work.size, layer, batch: this.#batch, facts: jobs.length },
      tokens: tokensOf(jobs),
      losses: [...this.#losses],
      share: Math.min(1, (this.#done + open * reach(this.engine.model, layer)) / this.#all),
    });
  }

  finished(facts: readonly (readonly MemoryEntry[])[]): void {
    this.#facts += facts.length;
    for (const [first] of facts) this.#done += this.#work.get(first!.id)!;
  }

  #shareOf({ steps }: Job): number {
    const share = steps / expectedSteps(this.params);
    return share <= SURE_SHARE
      ? share
      : 1 - (1 - SURE_SHARE) * Math.exp((SURE_SHARE - share) / (1 - SURE_SHARE));
  }
}
