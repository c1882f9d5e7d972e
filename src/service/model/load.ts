/** @file Model files on a tested device: weights loaded with progress, then warmed up by a few tokens. */

import { openEngine, type LocalEngine } from "../../engine/localEngine.ts";
import { precisionTest } from "../../engine/selftest.ts";
import { throwIfCancelled } from "../../lib/assert.ts";
import type { Precision } from "../../lib/precision.ts";
import type {
  BufferLedger,
  DeviceCard,
  LoadProgress,
  ModelFile,
  ModelReady,
  ModelSource,
} from "../../records/model.ts";
import type { Deadline } from "../../rpc/deadline.ts";
import type { Ledger } from "../../runtime/device.ts";
import type { ModelFiles } from "../../weights/modelFiles.ts";
import type { TestedDevice } from "./backend.ts";

/** A model on its device. */
export interface Loaded extends TestedDevice {
  readonly engine: LocalEngine;
  readonly ready: ModelReady;
}

export interface LoadCall {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: LoadProgress) => void;
}

export interface LoadRequest extends LoadCall {
  readonly source: ModelSource;
  readonly precision?: Precision;
  readonly files: ModelFiles;
  readonly listed: readonly ModelFile[];
  readonly now: () => number;
  readonly started: number;
  readonly deadline: Deadline;
}

/** Loads onto `tested`, which is disposed of when anything fails. */
export async function loadModel(tested: TestedDevice, request: LoadRequest): Promise<Loaded> {
  const { device, card } = tested;
  const { signal, onProgress, files } = request;
  try {
    throwIfCancelled(signal, "engine: loading");
    const engine = await openEngine(device, files, {
      onProgress: ({ done, total }) => onProgress?.({ stage: "weights", done, total }),
      guard: (what, work) => request.deadline.run(what, work),
      ...(request.precision ? { precision: request.precision } : {}),
      ...(signal ? { signal } : {}),
    });
    const selfTest = await testPrecision(engine, card);
    throwIfCancelled(signal, "engine: loading");
    onProgress?.({ stage: "warm-up", done: 0, total: WARM_UP_TOKENS });
    await engine.generate(["Hello."], { maxTokens: WARM_UP_TOKENS }, signal);
    throwIfCancelled(signal, "engine: loading");
    onProgress?.({ stage: "warm-up", done: WARM_UP_TOKENS, total: WARM_UP_TOKENS });
    const ready: ModelReady = {
      identity: engine.model,
      source: request.source,
      files: request.listed,
      device: { ...card, selfTest },
      ledger: snapshot(device.ledger),
      embedder: engine.embedder,
      milliseconds: request.now() - request.started,
      copy: engine.copy,
      decoding: engine.decoding,
    };
    return { device, card, engine, ready };
  } catch (error) {
    await device.dispose();
    throw error;
  }
}

/**
 * What the self-test says of the device in the precision that graphs get this model's matrices in; the device itself was
 * judged in float32. @throws where its results mean nothing
 */
async function testPrecision({ runner }: LocalEngine, card: DeviceCard): Promise<DeviceCard["selfTest"]> {
  const { device, decoder } = runner.programs;
  const { precision = "f32" } = decoder;
  if (precision === "f32") return card.selfTest;
  const report = await precisionTest(device, precision);
  const { backend } = device;
  if (report.verdict === "wrong")
    throw new Error(
      `engine: the self-test found wrong results in ${precision} on ${backend} (${report.summary}), so the model is not used there. ` +
        "Choose another precision or backend, or update the browser and the graphics driver.",
    );
  runner.programs.recordsSteps = report.recording;
  const { selfTest } = card;
  return {
    verdict: report.verdict === "pass" ? selfTest.verdict : report.verdict,
    summary: `${selfTest.summary}; in ${precision} ${report.summary}`,
    milliseconds: selfTest.milliseconds + report.milliseconds,
  };
}

/** The ledger as plain data. */
export function snapshot({ bytes, total, peak }: Ledger): BufferLedger {
  return { bytes: { ...bytes }, total, peak };
}

/** Enough to compile reading and decoding, which are needed first. */
const WARM_UP_TOKENS = 2;
