/** @file One model in one precision on a device: loading, reading, decoding, encoding and recalling, each timed. */

import type { EncodeRow, RecallRow, StepRow } from "../../engine/engine.ts";
import { openEngine, type LocalEngine } from "../../engine/localEngine.ts";
import { decode, prefill } from "../../engine/roles.ts";
import { disposeAll, pasts, type Feeds } from "../../engine/runner.ts";
import { weightBytes, type Precision } from "../../lib/precision.ts";
import { seeded } from "../../lib/rng.ts";
import { median } from "../../lib/stats.ts";
import type { Device, Purpose } from "../../runtime/device.ts";
import type { ModelFiles } from "../../weights/modelFiles.ts";
import { encodeNaively } from "../naive.ts";
import type { Limits } from "./limits.ts";

/** A rate or a time with the best that the limits leave room for; `ratio` is how near it came, 1 at most. */
export interface Figure {
  readonly value: number;
  readonly limit: number;
  readonly ratio: number;
}

export interface CaseFigures {
  /** Seconds from files to the first token, the making of blocks included. */
  readonly load: number;
  readonly weights: number;
  /** Tokens a second. */
  readonly prefill: Figure;
  readonly decode: Figure;
  /** Milliseconds of an encoding step for a batch, at the middle layer. */
  readonly encodeStep: Figure;
  /** Facts a second with STEPS steps each: ours in a batch, and the plain recipe. */
  readonly facts: { readonly ours: number; readonly naive: number };
  /** Milliseconds. */
  readonly recall: { readonly one: number; readonly many: number };
  /** Most bytes held by purpose, as the ledger saw them between the measurements. */
  readonly bytes: Readonly<Record<Purpose, number>>;
}

const PROMPT = 256;
const DECODED = 16;
const BATCH = 8;
const VALUE = 16;
/** Tokens in front of the key token and from it on, as recall prompts have them. */
const PREFIX = 24;
const SUFFIX = 6;
const STEPS = 20;
const MANY = 24;

/** Measures everything. Opens the model on `device` and disposes of it. */
export async function measureCase(
  device: Device,
  files: ModelFiles,
  precision: Precision,
  limits: Limits,
  onProgress: (note: string) => void,
): Promise<CaseFigures> {
  const started = performance.now();
  const engine = await openEngine(device, files, { precision });
  try {
    const bench = new CaseBench(engine, device, precision, limits);
    await bench.read(8);
    const load = (performance.now() - started) / 1000;
    onProgress(`loaded in ${load.toFixed(1)} s`);
    const prefilled = await bench.prefill();
    onProgress(`prefill ${prefilled.value.toFixed(1)} tokens/s`);
    const decoded = await bench.decode();
    onProgress(`decode ${decoded.value.toFixed(1)} tokens/s`);
    const step = await bench.encodeStep();
    onProgress(`encode step ${step.value.toFixed(1)} ms for ${BATCH} facts`);
    const naive = await bench.naive();
    const recall = { one: await bench.recall(1), many: await bench.recall(MANY) };
    onProgress(`recall ${recall.one.toFixed(0)} ms of 1, ${recall.many.toFixed(0)} ms of ${MANY}`);
    const facts = { ours: (1000 * BATCH) / (STEPS * step.value), naive };
    const { weights } = device.ledger.bytes;
    return {
      load,
      weights,
      prefill: prefilled,
      decode: decoded,
      encodeStep: step,
      facts,
      recall,
      bytes: bench.most,
    };
  } finally {
    await engine.dispose();
  }
}

class CaseBench {
  readonly most: Record<Purpose, number> = { weights: 0, cache: 0, encode: 0, vectors: 0, activation: 0 };
  readonly #next = seeded(9);

  constructor(
    readonly engine: LocalEngine,
    readonly device: Device,
    readonly precision: Precision,
    readonly limits: Limits,
  ) {}

  /** Seconds of reading a prompt of so many tokens. */
  async read(tokens: number): Promise<number> {
    const { runner } = this.engine;
    const feeds = runner.tokens([this.ids(tokens)], { pads: [0], past: 0, length: tokens });
    return this.timed(async () => {
      const outputs = await runner.forward(prefill(1), feeds);
      await outputs["next"]!.read();
      this.look();
      disposeAll(feeds, outputs);
    });
  }

  async prefill(): Promise<Figure> {
    await this.read(PROMPT);
    const seconds = Math.min(await this.read(PROMPT), await this.read(PROMPT));
    const { flops, bytes } = this.pass(PROMPT, 1);
    return rate(PROMPT / seconds, PROMPT / this.best(flops, bytes));
  }

  /** One token at a time behind a prompt, with the cache that grows as the engine's does. */
  async decode(): Promise<Figure> {
    const { runner } = this.engine;
    const length = PROMPT + DECODED;
    const first = runner.tokens([this.ids(PROMPT)], { pads: [0], past: 0, length });
    let outputs: Feeds = await runner.forward(prefill(1), first);
    const times: number[] = [];
    for (let t = 0; t < DECODED; t++) {
      const feeds = runner.tokens([this.ids(1)], { pads: [0], past: PROMPT + t, length });
      const before = outputs;
      const seconds = await this.timed(async () => {
        outputs = await runner.forward(decode(1), { ...feeds, ...pasts(before) });
        await outputs["next"]!.read();
      });
      times.push(seconds);
      disposeAll(feeds, before);
    }
    this.look();
    disposeAll(outputs, first);
    const { flops, bytes } = this.pass(1, 1);
    return rate(1 / median(times.slice(2)), 1 / this.best(flops, bytes));
  }

  /** At the middle layer: the layers above it, forwards and backwards, from the key token on. */
  async encodeStep(): Promise<Figure> {
    const { layers } = this.engine.model;
    const layer = Math.floor(layers / 2);
    const rows = Array.from({ length: BATCH }, (): EncodeRow => ({
      prompt: this.prompt(),
      targets: this.ids(VALUE),
    }));
    const encoder = await this.engine.openEncoder(rows, { layer, ...ADAM });
    const times: number[] = [];
    for (let step = 1; step <= 6; step++) {
      const settings: StepRow[] = rows.map(() => ({ rate: 0.1, step, limit: Infinity, stop: false }));
      times.push(await this.timed(() => encoder.step(settings)));
      this.look();
    }
    encoder.dispose();
    const share = (layers - layer - 1) / layers;
    const { flops, bytes } = this.pass(BATCH * (SUFFIX + VALUE - 1), share, BATCH * VALUE);
    const limit = 1000 * this.best(2 * flops, 2 * bytes);
    const value = 1000 * median(times.slice(2));
    return { value, limit, ratio: limit / value };
  }

  /** Facts a second of the plain recipe, from a few of its steps. */
  async naive(): Promise<number> {
    const steps = 3;
    const layer = Math.floor(this.engine.model.layers / 2);
    const job = {
      prompt: this.prompt(),
      targets: this.ids(VALUE),
      step: { layer, ...ADAM },
      rate: 0.1,
      steps,
    };
    await encodeNaively(this.engine.runner, { ...job, steps: 1 });
    const seconds = await this.timed(() => encodeNaively(this.engine.runner, job));
    const once = await this.timed(() => encodeNaively(this.engine.runner, { ...job, steps: 1 }));
    const step = Math.max(seconds - once, 0) / (steps - 1);
    return 1 / (once + (STEPS - 1) * step);
  }

  /** Milliseconds of recalling so many facts at once, each with a residual of its own. */
  async recall(count: number): Promise<number> {
    const { dModel, layers } = this.engine.model;
    const rows = Array.from({ length: count }, (_, i): RecallRow => {
      const residual = Float32Array.from({ length: dModel }, () => this.#next() - 0.5);
      return { prompt: this.prompt(), injection: { layer: i % layers, residual }, tokens: VALUE };
    });
    await this.engine.recall(rows);
    const seconds = await this.timed(() => this.engine.recall(rows));
    this.look();
    return 1000 * seconds;
  }

  prompt(): RecallRow["prompt"] {
    return { ids: this.ids(PREFIX + SUFFIX), keyPosition: PREFIX };
  }

  ids(count: number): number[] {
    return Array.from({ length: count }, () => Math.floor(this.#next() * this.engine.model.vocabulary));
  }

  async timed(work: () => Promise<unknown>): Promise<number> {
    const started = performance.now();
    await work();
    return (performance.now() - started) / 1000;
  }

  look(): void {
    for (const [purpose, bytes] of Object.entries(this.device.ledger.bytes) as [Purpose, number][])
      this.most[purpose] = Math.max(this.most[purpose], bytes);
  }

  /** Operations and bytes of a forward pass over `rows` through a share of the layers, and the head for some of them. */
  pass(rows: number, share: number, predicted = 1): { readonly flops: number; readonly bytes: number } {
    const { vocabulary, dModel, dFf } = this.engine.model;
    const { layers, heads, kvHeads, headDim } = this.engine.runner.config;
    const matrices = [
      [(heads + 2 * kvHeads) * headDim, dModel],
      [dModel, heads * headDim],
      [2 * dFf, dModel],
      [dModel, dFf],
    ] as const;
    const sum = (of: (shape: readonly [number, number]) => number) =>
      matrices.reduce((total, shape) => total + of(shape), 0);
    const headBytes = weightBytes([vocabulary, dModel], this.precision);
    return {
      flops: 2 * (share * layers * rows * sum(([n, k]) => n * k) + predicted * vocabulary * dModel),
      bytes: share * layers * sum((shape) => weightBytes(shape, this.precision)) + headBytes,
    };
  }

  /** Seconds at the limits: whichever of the two takes longer. */
  best(flops: number, bytes: number): number {
    return Math.max(flops / this.limits.flopsPerSecond, bytes / this.limits.bytesPerSecond);
  }
}

const ADAM = { beta1: 0.9, beta2: 0.999, epsilon: 1e-8 } as const;

const rate = (value: number, limit: number): Figure => ({ value, limit, ratio: value / limit });
