/** @file Parts of facts while they are encoded: a job per part, which owns the state of its optimisation, and their queue. */

import type { AdamState, CheckedPart, EncodeRow, Engine, RecallPrompt } from "../engine/engine.ts";
import { toFloat16 } from "../lib/vectorForms.ts";
import type { PlannedFact } from "../records/fact.ts";
import type { LayerIndex } from "../records/ids.ts";
import type { AdamStart, MemoryEntry } from "../records/memory.ts";
import type { MethodParams } from "../records/params.ts";
import type { LearnedStart, StartFeatures } from "./learnedStart.ts";
import { type Part, stopsWhenExact } from "./parts.ts";

export interface Encoding {
  readonly engine: Engine;
  readonly params: MethodParams;
  readonly observer: StepObserver;
  readonly learned: LearnedStart | undefined;
  readonly signal: AbortSignal | undefined;
}

export interface StepObserver {
  wrote(jobs: readonly Job[]): void;
  batchBegan(): void;
  stepped(jobs: readonly Job[], loss: number): void;
}

export class FactInWork {
  readonly #entries: MemoryEntry[] = [];
  #open: number;
  #lastPart: number;
  #abandonedSteps = 0;

  constructor(
    readonly planned: PlannedFact,
    parts: number,
  ) {
    [this.#open, this.#lastPart] = [parts, parts];
  }

  nextPart(): number {
    return ++this.#lastPart;
  }

  replaced(job: Job, others: number): void {
    this.#open += others - 1;
    this.#abandonedSteps += job.steps;
  }

  /** Takes the entry of a part; returns all entries in order once every part has one, and null before. */
  finished(entry: MemoryEntry): MemoryEntry[] | null {
    this.#entries.push(entry);
    if (--this.#open > 0) return null;
    const [first, ...rest] = this.#entries.toSorted((a, b) => a.start - b.start);
    return [{ ...first!, report: { ...first!.report, givenUp: this.#abandonedSteps } }, ...rest];
  }
}

/** Steps before which no part is given up: a hopeless part begins like any other. */
const LEAST_STEPS = 14;
/** The loss must fall to this share of its lowest value within so many steps. */
const [PROGRESS, PATIENCE] = [0.9, 8];

export class Job {
  readonly losses: number[] = [];
  started: AdamStart = "zero";
  features: StartFeatures | undefined;
  hit = false;
  /** Of the stored form of δ, at its last test. */
  checked: CheckedPart | undefined;
  #state: AdamState | undefined;

  constructor(
    readonly fact: FactInWork,
    readonly part: Part,
    readonly layer: LayerIndex,
  ) {}

  get prompt(): RecallPrompt {
    return this.part.prompt;
  }

  get targets(): readonly number[] {
    return this.part.targets;
  }

  get steps(): number {
    return this.losses.length;
  }

  get delta(): Float32Array {
    return this.#state!.delta;
  }

  get row(): EncodeRow {
    return { prompt: this.prompt, targets: this.targets, ...(this.#state ? { state: this.#state } : {}) };
  }

  set state(state: AdamState) {
    this.#state = state;
  }

  startAt(delta: Float32Array, started: AdamStart): void {
    this.started = started;
    this.#state = { delta, m: new Float32Array(delta.length), v: new Float32Array(delta.length) };
  }

  /** Records a step. With `stop`, a step at which every target was hit changed nothing and does not count. */
  stepped(loss: number, hit: boolean, stop: boolean): void {
    this.hit = hit;
    if (!stop || !hit) this.losses.push(loss);
  }

  round({ vectors }: MethodParams): void {
    if (vectors !== "float32") this.#state = { ...this.#state!, delta: toFloat16(this.delta) };
  }

  isFinished(params: MethodParams): boolean {
    if (!stopsWhenExact(params)) return this.steps >= params.steps;
    return this.hit || this.steps >= params.steps + params.refine || this.#hasStalled(params);
  }

  #hasStalled(params: MethodParams): boolean {
    const before = this.steps - PATIENCE;
    if (params.partTokens === null || this.targets.length === 1) return false;
    if (before < 1 || this.steps < LEAST_STEPS) return false;
    return Math.min(...this.losses.slice(before)) > PROGRESS * Math.min(...this.losses.slice(0, before));
  }
}

const batchKey = ({ layer, prompt }: Job): string => `${layer} ${prompt.ids.length - prompt.keyPosition}`;

export class JobQueue {
  readonly #groups: Job[][] = [];

  /** The first group of at least `least` jobs; the caller takes them out. Undefined if all are smaller. */
  next(least: number): Job[] | undefined {
    return this.#groups.find((group) => group.length >= least);
  }

  add(job: Job): void {
    const group = this.#groups.find(([first]) => first && batchKey(first) === batchKey(job));
    if (!group) return void this.#groups.push([job]);
    const at = group.findIndex(({ targets }) => targets.length < job.targets.length);
    group.splice(at < 0 ? group.length : at, 0, job);
  }
}
