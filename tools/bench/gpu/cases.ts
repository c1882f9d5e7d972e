/** @file One model in one precision on a device: times of loading, reading, decoding, encoding and recalling. */

import { openEngine, type LocalEngine } from "../../../src/engine/localEngine.ts";
import type { RecallRow } from "../../../src/engine/engine.ts";
import { decode, prefill } from "../../../src/engine/roles.ts";
import { disposeAll, pasts, type Feeds } from "../../../src/engine/runner.ts";
import type { Precision } from "../../../src/lib/precision.ts";
import { seeded } from "../../../src/lib/rng.ts";
import { median } from "../../../src/lib/stats.ts";
import type { Device } from "../../../src/runtime/device.ts";
import type { ModelFiles } from "../../../src/weights/modelFiles.ts";
import { betterLimits, measureLimits, type Limits } from "./limits.ts";
import { MILLISECONDS, rate, time, ModelWork, type Figure, type Unjudged } from "./work.ts";

export interface CaseFigures {
  /** Bytes of the model's weights on the device. */
  readonly weights: number;
  /** Seconds from files to the first token. The limit is the upload of the weights. */
  readonly load: Figure;
  /** Tokens per second. */
  readonly prefill: Figure;
  readonly decode: Figure;
  /** Milliseconds of an encoding step of a batch, at the middle layer. */
  readonly encodeStep: Figure;
  /** Milliseconds of recalling one fact, and 24. */
  readonly recallOne: Figure;
  readonly recallMany: Figure;
}

/** A case with the limits that it was compared with. */
export interface JudgedCase {
  readonly figures: CaseFigures;
  readonly limits: Limits;
}

/** Tokens of a prompt that is read, and of the text decoded after it. */
const PROMPT = 256;
const DECODED = 16;
/** Facts of an encoding step, and tokens of a value. */
const BATCH = 8;
const VALUE = 16;
/** Tokens before the key token, and from it on, as recall prompts have them. */
const PREFIX = 24;
const SUFFIX = 6;
const MANY = 24;
/** Encoding steps, and those at the start that are not counted: they make kernels. */
const STEPS = 6;
const WARM_UP = 3;

/**
 * Measures a case. Limits that are not `given` are measured before and after it, since other work may use the device for a
 * while. Opens the model on `device` and disposes of it.
 */
export async function measureCase(
  device: Device,
  files: ModelFiles,
  precision: Precision,
  given: Partial<Limits>,
  onProgress: (note: string) => void,
): Promise<JudgedCase> {
  const complete = given.bytesPerSecond && given.flopsPerSecond && given.uploadBytesPerSecond;
  const rates = async (): Promise<Limits> => (complete ? (given as Limits) : measureLimits(device));
  const before = await rates();
  const started = performance.now();
  const engine = await openEngine(device, files, { precision });
  try {
    const bench = new CaseBench(engine);
    await bench.read(8);
    const loaded = (performance.now() - started) / 1000;
    const { weights } = device.ledger.bytes;
    const timed = {
      load: time(loaded, (workload) => workload.upload(weights)),
      prefill: await bench.prefill(),
      decode: await bench.decode(),
      encodeStep: await bench.encodeStep(),
      recallOne: await bench.recall(1),
      recallMany: await bench.recall(MANY),
    };
    const limits = { ...betterLimits(before, await rates()), ...given };
    const { decoder } = engine.runner.programs;
    const workload = new ModelWork(decoder.config, decoder.precision ?? "f32", limits);
    const judged = Object.entries(timed).map(([name, found]) => {
      onProgress(`${name} ${found.value.toPrecision(3)}`);
      return [name, found.against(workload)] as const;
    });
    return { limits, figures: { weights, ...(Object.fromEntries(judged) as Omit<CaseFigures, "weights">) } };
  } finally {
    await engine.dispose();
  }
}

/** Seconds of `work`. */
async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

/** Measurements with made tokens: their number matters, their text does not. */
class CaseBench {
  readonly #engine: LocalEngine;
  readonly #random = seeded(9);

  constructor(engine: LocalEngine) {
    this.#engine = engine;
  }

  #ids(count: number): number[] {
    const { vocabulary } = this.#engine.model;
    return Array.from({ length: count }, () => Math.floor(this.#random() * vocabulary));
  }

  #prompt(): RecallRow["prompt"] {
    return { ids: this.#ids(PREFIX + SUFFIX), keyPosition: PREFIX };
  }

  /** Seconds of reading a prompt of so many tokens. */
  async read(tokens: number): Promise<number> {
    const { runner } = this.#engine;
    const feeds = runner.tokens([this.#ids(tokens)], { pads: [0], past: 0, length: tokens });
    return secondsOf(async () => {
      const outputs = await runner.forward(prefill(1), feeds);
      await outputs["next"]!.read();
      disposeAll(feeds, outputs);
    });
  }

  async prefill(): Promise<Unjudged> {
    await this.read(PROMPT);
    const seconds = Math.min(await this.read(PROMPT), await this.read(PROMPT));
    return rate(PROMPT, seconds, (workload) => workload.seconds({ tokens: PROMPT, predicted: 1 }));
  }

  /** One token per run after a prompt, with the growing cache of the engine; the first two are not counted. */
  async decode(): Promise<Unjudged> {
    const { runner } = this.#engine;
    const ids = this.#ids(PROMPT);
    const length = PROMPT + DECODED;
    const first = runner.tokens([ids], { pads: [0], past: 0, length });
    let outputs: Feeds = await runner.forward(prefill(1), first);
    disposeAll(first);
    const times: number[] = [];
    for (let t = 0; t < DECODED; t++) {
      const feeds = runner.tokens([[ids[t]!]], { pads: [0], past: PROMPT + t, length });
      const before = outputs;
      const step = async (): Promise<void> => {
        outputs = await runner.forward(decode(1), { ...feeds, ...pasts(before) });
        await outputs["next"]!.read();
      };
      times.push(await secondsOf(step));
      disposeAll(feeds, before);
    }
    disposeAll(outputs);
    return rate(1, median(times.slice(2)), (workload) => workload.seconds({ tokens: 1, predicted: 1 }));
  }

  /** At the middle layer: the layers above it, forwards and backwards, from the key token on. */
  async encodeStep(): Promise<Unjudged> {
    const layer = Math.floor(this.#engine.model.layers / 2);
    const facts = Array.from({ length: BATCH }, () => ({
      prompt: this.#prompt(),
      targets: this.#ids(VALUE),
    }));
    const encoder = await this.#engine.openEncoder(facts, { layer, beta1: 0.9, beta2: 0.999 });
    try {
      const times: number[] = [];
      for (let step = 1; step <= STEPS; step++) {
        const rows = facts.map(() => ({ rate: 0.1, step, stop: false }));
        times.push(await secondsOf(() => encoder.step(rows)));
      }
      const pass = { layer, tokens: BATCH * (SUFFIX + VALUE - 1), predicted: BATCH * VALUE };
      return time(median(times.slice(WARM_UP)), (workload) => workload.step(pass), MILLISECONDS);
    } finally {
      encoder.dispose();
    }
  }

  /** Recalls so many facts at once, each with its own residual. The limit is one batch without an empty row. */
  async recall(count: number): Promise<Unjudged> {
    const { dModel, layers } = this.#engine.model;
    const rows = Array.from({ length: count }, (_, i): RecallRow => {
      const residual = Float32Array.from({ length: dModel }, () => this.#random() - 0.5);
      return { prompt: this.#prompt(), injection: { layer: i % layers, residual }, tokens: VALUE };
    });
    await this.#engine.recall(rows);
    const seconds = await secondsOf(() => this.#engine.recall(rows));
    const prompts = { tokens: count * (PREFIX + SUFFIX), predicted: count };
    const steps = Array.from({ length: VALUE - 1 }, () => ({ tokens: count, predicted: count }));
    return time(seconds, (workload) => workload.seconds(prompts, ...steps), MILLISECONDS);
  }
}
