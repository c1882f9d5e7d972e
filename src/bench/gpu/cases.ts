/** @file One model in one precision on a device: loading, reading, decoding, encoding and recalling, each measured. */

import { prefill } from "../../engine/roles.ts";
import type { RecallRow } from "../../engine/engine.ts";
import { openEngine, type LocalEngine } from "../../engine/localEngine.ts";
import { disposeAll } from "../../engine/runner.ts";
import type { Decoder } from "../../graph/models/decoder.ts";
import type { Precision } from "../../lib/precision.ts";
import { median } from "../../lib/stats.ts";
import type { Device } from "../../runtime/device.ts";
import type { ModelFiles } from "../../weights/modelFiles.ts";
import { measureFacts, type FactFigures, type UnjudgedFacts } from "./facts.ts";
import { betterLimits, measureLimits, type Limits } from "./limits.ts";
import { ADAM, BATCH, MadeTokens, middleLayer, PREFIX, PROMPT, secondsOf, SUFFIX, VALUE } from "./made.ts";
import { watchPeaks, type Peaks } from "./peaks.ts";
import { fedTokens, measureRecorded, stepTimes, type RecordedFigures } from "./recorded.ts";
import { measureResponse, type ResponseFigures } from "./response.ts";
import { MILLISECONDS, rate, time, ModelWork, type Figure, type Unjudged } from "./work.ts";

export interface CaseFigures {
  /** Bytes of the model's weights on the device. */
  readonly weights: number;
  /** Seconds from files to the first token, the making of blocks included; at best its weights get to the device. */
  readonly load: Figure;
  /** Tokens a second. */
  readonly prefill: Figure;
  readonly decode: Figure;
  /** Milliseconds of an encoding step for a batch, at the middle layer. */
  readonly encodeStep: Figure;
  readonly facts: FactFigures;
  /** Milliseconds. */
  readonly recall: { readonly one: Figure; readonly many: Figure };
  readonly response: readonly ResponseFigures[];
  /** Null on a device that records no commands. */
  readonly recorded: RecordedFigures | null;
  /** From the opening of the model to the end. */
  readonly peaks: Peaks;
}

const MANY = 24;

/** What was measured before the limits are known. */
interface Measured extends Pick<CaseFigures, "weights" | "response" | "recorded" | "peaks"> {
  readonly timed: Readonly<Record<"load" | "prefill" | "decode" | "encodeStep" | "one" | "many", Unjudged>>;
  readonly facts: UnjudgedFacts;
}

/** A case with the limits that it was held against. */
export interface JudgedCase {
  readonly figures: CaseFigures;
  readonly limits: Limits;
}

/**
 * Measures everything: the limits before and behind the case, as far as they are not `given`, since something else may use
 * the device for a while. Opens the model on `device` and disposes of it.
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
  const engineOf = () => openEngine(device, files, { precision });
  const { measured, decoder } = await measureModel(device, engineOf, precision, onProgress);
  const limits = { ...betterLimits(before, await rates()), ...given };
  const workload = new ModelWork(decoder.config, decoder.precision ?? "f32", limits);
  const { timed, facts, ...rest } = measured;
  const figure = (name: keyof Measured["timed"]): Figure => timed[name].against(workload);
  return {
    limits,
    figures: {
      ...rest,
      ...{ load: figure("load"), prefill: figure("prefill"), decode: figure("decode") },
      encodeStep: figure("encodeStep"),
      facts: { ...facts, ours: facts.ours.against(workload) },
      recall: { one: figure("one"), many: figure("many") },
    },
  };
}

async function measureModel(
  device: Device,
  open: () => Promise<LocalEngine>,
  precision: Precision,
  onProgress: (note: string) => void,
): Promise<{ readonly measured: Measured; readonly decoder: Decoder }> {
  const peaks = watchPeaks(device.ledger);
  const started = performance.now();
  const engine = await open();
  try {
    const bench = new CaseBench(engine);
    await bench.read(8);
    const loaded = (performance.now() - started) / 1000;
    const { weights } = device.ledger.bytes;
    const say = async <T extends { readonly value: number }>(
      name: string,
      unit: string,
      work: Promise<T>,
    ) => {
      const found = await work;
      onProgress(`${name} ${found.value.toPrecision(3)} ${unit}`);
      return found;
    };
    const timed = {
      load: await say("load", "s", Promise.resolve(time(loaded, (workload) => workload.upload(weights)))),
      prefill: await say("prefill", "tokens/s", bench.prefill()),
      decode: await say("decode", "tokens/s", bench.decode()),
      encodeStep: await say("encode step", `ms of ${BATCH} facts`, bench.encodeStep()),
      one: await say("recall of 1", "ms", bench.recall(1)),
      many: await say(`recall of ${MANY}`, "ms", bench.recall(MANY)),
    };
    const facts = await measureFacts(engine, middleLayer(engine));
    onProgress(
      `facts/s ${facts.ours.value.toPrecision(3)}, by the plain recipe ${facts.naive.toPrecision(3)}`,
    );
    const recorded = await measureRecorded(engine, device, precision);
    onProgress(recorded ? `recorded ${JSON.stringify(recorded)}` : "nothing is recorded on this device");
    const response = await measureResponse(engine, device);
    const measured = { weights, timed, facts, recorded, response, peaks: peaks() };
    // On the processor a small model has its blocks made whole when it is opened.
    return { measured, decoder: engine.runner.programs.decoder };
  } finally {
    await engine.dispose();
  }
}

class CaseBench {
  readonly #engine: LocalEngine;
  readonly #made: MadeTokens;

  constructor(engine: LocalEngine) {
    this.#engine = engine;
    this.#made = new MadeTokens(engine);
  }

  /** Seconds of reading a prompt of so many tokens. */
  async read(tokens: number): Promise<number> {
    const { runner } = this.#engine;
    const feeds = runner.tokens([this.#made.ids(tokens)], { pads: [0], past: 0, length: tokens });
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

  /** One token a run behind a prompt, with the cache that grows as the engine's does. */
  async decode(): Promise<Unjudged> {
    const times = await fedTokens(this.#engine, this.#made.ids(PROMPT));
    return rate(1, median(times), (workload) => workload.seconds({ tokens: 1, predicted: 1 }));
  }

  /** At the middle layer: the layers above it, forwards and backwards, from the key token on. */
  async encodeStep(): Promise<Unjudged> {
    const layer = middleLayer(this.#engine);
    const facts = this.#made.facts(BATCH, VALUE);
    const encoder = await this.#engine.openEncoder(facts, { layer, ...ADAM });
    try {
      const seconds = median(await stepTimes(encoder, facts, 0));
      const pass = { layer, tokens: BATCH * (SUFFIX + VALUE - 1), predicted: BATCH * VALUE };
      return time(seconds, (workload) => workload.step(pass), MILLISECONDS);
    } finally {
      encoder.dispose();
    }
  }

  /** Recalling so many facts at once, each with a residual of its own; at best in one batch, without an empty place. */
  async recall(count: number): Promise<Unjudged> {
    const { dModel, layers } = this.#engine.model;
    const rows = Array.from({ length: count }, (_, i): RecallRow => {
      const residual = Float32Array.from({ length: dModel }, () => this.#made.next() - 0.5);
      return { prompt: this.#made.prompt(), injection: { layer: i % layers, residual }, tokens: VALUE };
    });
    await this.#engine.recall(rows);
    const seconds = await secondsOf(() => this.#engine.recall(rows));
    const prompts = { tokens: count * (PREFIX + SUFFIX), predicted: count };
    const said = Array.from({ length: VALUE - 1 }, () => ({ tokens: count, predicted: count }));
    return time(seconds, (workload) => workload.seconds(prompts, ...said), MILLISECONDS);
  }
}
